"""How much a GraphQL request may ask for. All of it is known from the text alone, before anything is resolved.

Each check takes time that is near-linear in the request, however much that would unfold to.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from graphql import (
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLObjectType,
    InlineFragmentNode,
    OperationDefinitionNode,
    get_named_type,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from graphql import DocumentNode, GraphQLField, GraphQLSchema, SelectionSetNode

MAX_BODY = 64 * 1024
"""Bytes, with the variables."""
MAX_BATCH = 10
"""Requests in one body."""
MAX_TOKENS = 1_000
"""Of all documents of a body."""
MAX_DEFINITIONS = 30
"""Operations and fragments of a document."""
MAX_DEPTH = 16
"""Levels of fields, fragments followed. The usual query for the schema has 15."""
MAX_SAME = 40
"""Fields of one name, or alias, in a document: comparing them with each other is quadratic."""
MIN_COST = 100_000
"""So many values all of a body may ask for in any vault; in a large one, twice as many as there are."""
MAX_IMPACTS = 10
"""Each has a share of the cost, for a wave is computed when it is asked for."""
TIMEOUT = 30
"""Seconds that a body may take, waiting included."""

BEYOND = 10**15
"""A cost that is larger is told as this one."""
WAVE = {("Impact", "waves"): 2, ("Wave", "levels"): 5, ("Level", "runs"): 20, ("Wave", "cuts"): 20}
"""Lengths that nobody knows before the wave is there."""

_TOKEN = re.compile(
    r'"""(?>\\"""|[^"]|"(?!""))*+"""'
    r'|"(?>[^"\\\n\r]|\\.)*+"'
    r"|#[^\n\r]*+"
    r"|\.\.\.|[A-Za-z_][A-Za-z_0-9]*+|-?[0-9][0-9A-Za-z_.+-]*+|[!$&():=@\[\]{|}]"
)


class LimitError(Exception):
    """A request that asks for too much: which limit, and by how much; `actual` is None where nobody knows."""

    def __init__(self, code: str, message: str, limit: int, actual: int | None) -> None:
        super().__init__(message)
        self.code = code
        self.limit = limit
        self.actual = actual


class Scan(NamedTuple):
    """What a text holds: `nesting` is how deep brackets of any kind lie in each other."""

    tokens: int
    nesting: int


class Budget(NamedTuple):
    """What things cost with one result: `lengths` of lists by type and field, and the largest cost that is allowed."""

    lengths: Mapping[tuple[str, str], int]
    limit: int


class Size(NamedTuple):
    """`depth` is in levels of fields. `cost` counts the values of an answer, and each selection that leads to them."""

    depth: int
    cost: int


def scan(text: str) -> Scan:
    """Tokens as GraphQL counts them, without comments, up to the first thing that is no token."""
    tokens = nesting = deepest = 0
    for token in _TOKEN.findall(text):
        first = token[0]
        if first == "#":
            continue
        tokens += 1
        if first in "{[(":
            nesting += 1
            deepest = max(deepest, nesting)
        elif first in "}])":
            nesting -= 1
    return Scan(tokens, deepest)


def check_texts(texts: list[str]) -> None:
    """Raises LimitError for documents that are not even to be parsed."""
    scans = [scan(text) for text in texts]
    _check("TOKEN_LIMIT", "the request holds {:,} tokens", MAX_TOKENS, sum(scan.tokens for scan in scans))
    _check_depth(max(scan.nesting for scan in scans))


def check_document(document: DocumentNode) -> None:
    """Raises LimitError for a document that is not to be measured: `measure` follows its fragments."""
    count = len(document.definitions)
    _check("DEFINITION_LIMIT", "the document holds {:,} operations and fragments", MAX_DEFINITIONS, count)
    names = Counter(
        (node.alias or node.name).value
        for definition in document.definitions
        for node in _nodes(getattr(definition, "selection_set", None))
        if isinstance(node, FieldNode)
    )
    for name, times in names.most_common(1):
        _check("REPEAT_LIMIT", f"`{name[:80]}` is selected {{:,}} times", MAX_SAME, times)


def check_sizes(sizes: list[Size], budget: Budget) -> None:
    """Raises LimitError for the documents of a body that ask for too much."""
    _check_depth(max((size.depth for size in sizes), default=0))
    cost = min(BEYOND, sum(size.cost for size in sizes))
    more = "more than " if cost == BEYOND else ""
    _check("COST_LIMIT", f"the request asks for up to {more}{{:,}} values", budget.limit, cost)


def _check_depth(depth: int) -> None:
    _check("DEPTH_LIMIT", "the document is {:,} levels deep", MAX_DEPTH, depth)


def check_body(size: int) -> None:
    """Raises LimitError for a body of so many bytes that it is not to be read."""
    _check("BODY_LIMIT", "the body has {:,} bytes", MAX_BODY, size)


def check_batch(count: int) -> None:
    """Raises LimitError for too many requests in one body."""
    _check("BATCH_LIMIT", "the body holds {:,} requests", MAX_BATCH, count)


def _check(code: str, message: str, limit: int, actual: int) -> None:
    if actual > limit:
        raise LimitError(code, f"{message.format(actual)}; at most {limit:,} are allowed", limit, actual)


def _nodes(selection_set: SelectionSetNode | None) -> Iterator[Any]:
    """All selections, nested ones too, without following fragments."""
    for node in selection_set.selections if selection_set else ():
        yield node
        yield from _nodes(getattr(node, "selection_set", None))


def measure(document: DocumentNode, schema: GraphQLSchema, budget: Budget) -> Size:
    """The size of the largest operation. Raises LimitError for fragments that hold themselves.

    Repeated fields count again, and so do fragments each time they are spread, but each is walked through once. What the
    schema does not know costs as if it were a single value, for validation comes later.
    """
    walk = _Walk(document, schema, budget.lengths)
    sizes = [
        walk.selections(definition.selection_set, schema.query_type)
        for definition in document.definitions
        if isinstance(definition, OperationDefinitionNode)
    ]
    return Size(max((size.depth for size in sizes), default=0), max((size.cost for size in sizes), default=0))


class _Walk:
    def __init__(self, document: DocumentNode, schema: GraphQLSchema, lengths: Mapping[tuple[str, str], int]) -> None:
        self._schema = schema
        self._lengths = lengths
        self._fragments = {
            definition.name.value: definition
            for definition in document.definitions
            if isinstance(definition, FragmentDefinitionNode)
        }
        self._known: dict[str, Size] = {}
        self._open: list[str] = []

    def selections(self, selection_set: SelectionSetNode | None, parent: Any) -> Size:
        depth = cost = 0
        for node in selection_set.selections if selection_set else ():
            if isinstance(node, FieldNode):
                size = self._field(node, parent)
            elif isinstance(node, FragmentSpreadNode):
                size = self._spread(node.name.value)
            elif isinstance(node, InlineFragmentNode):
                on = node.type_condition
                inner = self.selections(node.selection_set, self._schema.get_type(on.name.value) if on else parent)
                size = Size(inner.depth, inner.cost + 1)
            else:
                continue
            depth = max(depth, size.depth)
            cost += size.cost
        return Size(depth, min(BEYOND, cost))

    def _field(self, node: FieldNode, parent: Any) -> Size:
        name = node.name.value
        inner = self.selections(node.selection_set, self._type_of(parent, name))
        owner = parent.name if isinstance(parent, GraphQLObjectType) else ""
        length = self._lengths.get((owner, name))
        if (owner, name) == ("Query", "impact"):
            return Size(inner.depth + 1, (length or 0) + 1 + inner.cost)
        return Size(inner.depth + 1, 1 + (inner.cost if length is None else length * max(1, inner.cost)))

    def _type_of(self, parent: Any, name: str) -> Any:
        if parent is self._schema.query_type and name in ("__schema", "__type"):
            return self._schema.get_type({"__schema": "__Schema", "__type": "__Type"}[name])
        field: GraphQLField | None = parent.fields.get(name) if isinstance(parent, GraphQLObjectType) else None
        return get_named_type(field.type) if field else None

    def _spread(self, name: str) -> Size:
        if name in self._open:
            circle = self._open[self._open.index(name) :]
            told = " → ".join(f"`{part[:80]}`" for part in [*circle, name])
            raise LimitError("FRAGMENT_CYCLE", f"a fragment holds itself, which none may: {told}", 0, len(circle))
        if name not in self._known:
            fragment = self._fragments.get(name)
            if fragment is None:
                return Size(0, 1)
            self._open.append(name)
            on = self._schema.get_type(fragment.type_condition.name.value)
            size = self.selections(fragment.selection_set, on)
            self._open.pop()
            self._known[name] = Size(size.depth, size.cost + 1)
        return self._known[name]


def budget_for(facts: Mapping[str, Any], schema: GraphQLSchema) -> Budget:
    """What things cost when answers come from these facts."""
    graph = facts["roleGraph"]
    cycles = graph["cycles"]
    lengths = {
        **_schema_lengths(schema),
        **WAVE,
        ("Query", "roles"): len(facts["roles"]),
        ("Query", "findings"): len(facts["findings"]),
        ("Query", "fleets"): len(facts["fleets"]),
        ("RoleGraph", "nodes"): len(graph["nodes"]),
        ("RoleGraph", "edges"): len(graph["edges"]),
        ("RoleGraph", "cycles"): len(cycles) + sum(map(len, cycles)),
    }
    for owner, items in (
        ("Role", facts["roles"]),
        ("GraphNode", graph["nodes"]),
        ("Finding", facts["findings"]),
        ("Fleet", facts["fleets"]),
    ):
        for name in [name for name, value in (items[0] if items else {}).items() if isinstance(value, list)]:
            # All are asked for or none, so the mean is enough.
            lengths[owner, name] = -(-sum(len(item[name]) for item in items) // len(items))
    # An empty list costs as if it had one item: what it would unfold to is validated all the same.
    lengths = {key: max(1, length) for key, length in lengths.items()}
    assert schema.query_type
    limit = max(MIN_COST, 2 * _all_of(schema.query_type, lengths))
    return Budget({**lengths, ("Query", "impact"): limit // MAX_IMPACTS}, limit)


def _all_of(parent: Any, lengths: Mapping[tuple[str, str], int]) -> int:
    """What all fields cost, asked for once, waves apart."""
    total = 0
    for name, field in parent.fields.items():
        if name != "impact":
            kind = get_named_type(field.type)
            inner = _all_of(kind, lengths) if isinstance(kind, GraphQLObjectType) else 0
            length = lengths.get((parent.name, name))
            total += 1 + (inner if length is None else length * max(1, inner))
    return total


def _schema_lengths(schema: GraphQLSchema) -> dict[tuple[str, str], int]:
    """The lists of introspection, as long as the longest."""
    objects = [kind for kind in schema.type_map.values() if isinstance(kind, GraphQLObjectType)]
    args = max(len(field.args) for kind in objects for field in kind.fields.values())
    values = max(len(getattr(kind, "values", ())) for kind in schema.type_map.values())
    return {
        ("__Schema", "types"): len(schema.type_map),
        ("__Schema", "directives"): len(schema.directives),
        ("__Directive", "args"): max(len(directive.args) for directive in schema.directives),
        ("__Directive", "locations"): max(len(directive.locations) for directive in schema.directives),
        ("__Type", "fields"): max(len(kind.fields) for kind in objects),
        ("__Type", "enumValues"): values,
        ("__Field", "args"): args,
    }
