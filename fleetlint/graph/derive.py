"""From roles to the graph: who owns what, who wakes and feeds whom, and how far depth lets it go."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.globs import Found, Maybe, find_path, meeting_pairs, witness_key
from fleetlint.graph.cycles import components, reruns, shortest_loop
from fleetlint.graph.depth import Wires, all_depths, crossing, limit, reach
from fleetlint.graph.model import DIRECT, FEED, TRIGGER, Cycle, Edge, Fleet, Graph, Node, SelfTrigger, Via
from fleetlint.graph.owners import claims, inferred_fleets, offered, owner_ids, owners_of_all, with_callbacks
from fleetlint.graph.webhooks import listeners
from fleetlint.roles import DEFAULT_TOOLS, validate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from fleetlint.globs import Pattern
    from fleetlint.registry import Registry, Webhook
    from fleetlint.roles import Glob, Role

EVENTS = frozenset({"create", "update", "remove"})

QUESTIONS = 5_000
QUESTIONS_A_ROLE = 100

LOOKED_AT = 20
"""So many times more pairs are looked at one by one; past that, whoever writes may wake and feed whoever takes."""


def questions_for(roles: int) -> int:
    """So many pairs of patterns are decided, the first in order; a fleet has about five a role. Past that, "maybe"."""
    return QUESTIONS + QUESTIONS_A_ROLE * roles


def meeting(
    left: Sequence[Pattern], right: Sequence[Pattern], questions: int, meets: Callable[[int, int], bool]
) -> set[int]:
    """The numbers of the left patterns that meet one of the right, by what `meets` says of two numbers.

    Past so many questions, as lists of thousands of wildcards want, all that were not asked about count as meeting.
    """
    found: set[int] = set()
    for at, other in meeting_pairs(left, right):
        if at in found:
            continue
        if not questions:
            return found.union(range(at, len(left)))
        questions -= 1
        if meets(at, other):
            found.add(at)
    return found


def derive(roles: Sequence[Role], *, fleets: Sequence[Fleet] | None = None, registry: Registry | None = None) -> Graph:
    """The graph of the roles, which lie at different paths. `fleets` are those of the settings, None without any.

    Near-linear in the roles and their patterns, beside the pairs of patterns that meet and the edges themselves.
    """
    roles = sorted(roles, key=lambda role: role.path)
    known = (
        inferred_fleets(roles) if fleets is None else tuple(sorted(fleets, key=lambda fleet: (fleet.id, fleet.folder)))
    )
    taking = owners_of_all(roles, known)
    # Webhooks of people have the numbers after those of the roles.
    hooks = listeners(registry)
    woken = [*roles, *(role for _, role in hooks.values())]
    raising = [raised(role, taken) for role, taken in zip(roles, taking, strict=True)]
    best, narrowed = _best_pairs(woken, [*raising, *(frozenset[str]() for _ in hooks)])
    wires = _wires(woken, best)
    direct = [number for number, role in enumerate(roles) if _starts_on_edits(role)]
    cron = [number for number, role in enumerate(roles) if role.enabled and role.is_cron]
    reached = reach(wires, [direct, *([number] for number in cron)])
    edges = _edges(woken, best, narrowed, reached, [DIRECT, *(roles[number].path for number in cron)])
    depths = all_depths(wires, direct + cron)
    webhook_edges = tuple(edge for key, edge in edges.items() if key[1] >= len(roles))
    fired = {edge.target for edge in webhook_edges}
    return Graph(
        nodes=_nodes(roles, taking, registry, [hook for hook in hooks.items() if hook[0] in fired]),
        edges=tuple(edge for key, edge in edges.items() if key[1] < len(roles)),
        fleets=with_callbacks(known, registry),
        cycles=_cycles(roles, edges, wires, depths),
        self_triggers=_self_triggers(roles, edges, wires, depths),
        depths={role.path: tuple(_bits(depths[number])) for number, role in enumerate(roles)},
        edited=frozenset(roles[number].path for number in direct),
        webhook_edges=webhook_edges,
    )


def _nodes(
    roles: Sequence[Role],
    taking: Sequence[tuple[Fleet, ...]],
    registry: Registry | None,
    hooks: Iterable[tuple[str, tuple[Webhook, Role]]],
) -> tuple[Node, ...]:
    """The roles, a ghost for each note that a fleet registered and that is no role, and the webhooks of people."""
    claimed = claims(registry)
    nodes = [
        Node(
            path=role.path,
            role=role,
            fleet_ids=owner_ids(taken, claimed.get(role.path, frozenset())),
            registered=role.path in claimed,
            errors=(*role.problems, *validate(role, offered(taken))),
        )
        for role, taken in zip(roles, taking, strict=True)
    ]
    paths = {role.path for role in roles}
    nodes += [
        Node(path, None, tuple(sorted(ids)), registered=True) for path, ids in claimed.items() if path not in paths
    ]
    nodes += [Node(path, None, (), registered=True, kind="webhook", webhook=webhook) for path, (webhook, _) in hooks]
    return tuple(sorted(nodes, key=lambda node: node.path))


def raised(role: Role, taking: Sequence[Fleet]) -> frozenset[str]:
    """The events that the role's writes raise. A role without `tools` has those that its fleet offers."""
    if role.tools or not taking:
        return role.raises
    offer = tools_of(role, taking)
    return replace(role, tools=offer).raises if offer else frozenset()


def tools_of(role: Role, taking: Sequence[Fleet]) -> tuple[str, ...]:
    """The tools that a role has: those it names, else all that its fleets offer, else the default offer."""
    if role.tools:
        return role.tools
    return tuple(tool for fleet in taking for tool in fleet.tools) if taking else DEFAULT_TOOLS


def writers(graph: Graph) -> tuple[tuple[Role, tuple[str, ...]], ...]:
    """The roles that have a tool to write with, each with its tools; paused ones, too. By path."""
    roles = [node.role for node in graph.nodes if node.role]
    return tuple(
        (role, tools_of(role, taking))
        for role, taking in zip(roles, owners_of_all(roles, graph.fleets), strict=True)
        if raised(role, taking)
    )


def _starts_on_edits(role: Role) -> bool:
    """Whether some direct edit wakes the role."""
    if not (role.enabled and role.is_change and role.max_depth > 0 and EVENTS.intersection(role.trigger_on)):
        return False
    excludes = _patterns(role.trigger_exclude)
    return any(find_path(all_of=[include], none_of=excludes) is not None for include in _patterns(role.trigger_include))


def _patterns(globs: Sequence[Glob]) -> tuple[Pattern, ...]:
    """The distinct patterns that can match something, by text."""
    return tuple(sorted({glob.pattern for glob in globs if glob.pattern}, key=lambda pattern: pattern.text))


# --- Edges ---

_Key = tuple[int, int, str]
"""Source, target, kind of an edge, roles by their number: sorts as the edges of a graph do."""


class _Take(NamedTuple):
    """A pattern by which a role takes notes. `rank` counts the role's patterns in the order of the note."""

    role: int
    rank: int
    key: str
    match_index: int


class _Pair(NamedTuple):
    """Patterns that meet. The better pair is smaller: a proven one, the better witness, then the order of the note."""

    unproven: bool
    witness: tuple[bool, int, int, str]
    write_index: int
    rank: int
    key: str
    match_index: int


def _best_pairs(roles: Sequence[Role], raised: Sequence[frozenset[str]]) -> tuple[dict[_Key, _Pair], frozenset[_Key]]:
    """The edges there are, each with its best pair of patterns; and which of them an exclude narrows.

    Each pair of distinct patterns that can meet at all is decided once, whoever has them.
    """
    writes: dict[Pattern, list[tuple[int, int]]] = {}
    takes: dict[Pattern, list[_Take]] = {}
    for number, role in enumerate(roles):
        if not role.enabled:
            continue
        for index, glob in enumerate(role.write_patterns if raised[number] else ()):
            if glob.pattern:
                writes.setdefault(glob.pattern, []).append((number, index))
        for rank, (key, index, glob) in enumerate(_taken(role)):
            if glob.pattern:
                takes.setdefault(glob.pattern, []).append(_Take(number, rank, key, index))
    excludes = [_patterns(role.trigger_exclude) for role in roles]
    listens = [frozenset(role.trigger_on) for role in roles]

    best: dict[_Key, _Pair] = {}
    narrowed: set[_Key] = set()
    written, taken = list(writes), list(takes)
    questions = questions_for(len(roles))

    def add(write: Pattern, take: _Take, answer: _Decided) -> None:
        kind = _kind(take)
        for source, write_index in writes[write]:
            if raised[source].isdisjoint(listens[take.role]) if kind == TRIGGER else source == take.role:
                continue
            edge = (source, take.role, kind)
            if answer.narrowed:
                narrowed.add(edge)
            if answer.meets:
                pair = _Pair(answer.unproven, answer.witness, write_index, take.rank, take.key, take.match_index)
                if edge not in best or pair < best[edge]:
                    best[edge] = pair

    for asked, (left, right) in enumerate(meeting_pairs(written, taken)):
        if asked >= questions * LOOKED_AT:
            _add_the_rest(written[left:], takes, add)
            break
        met = find_path(all_of=[written[left], taken[right]]) if asked < questions else Maybe()
        if met is None:
            continue
        decided: dict[tuple[Pattern, ...], _Decided] = {(): _Decided.of(met, narrowed=False)}
        for take in takes[taken[right]]:
            without = excludes[take.role] if _kind(take) == TRIGGER and asked < questions else ()
            if without not in decided:
                decided[without] = _excluding(written[left], taken[right], without, met)
            add(written[left], take, decided[without])
    for source, target, kind in list(best):
        if kind == FEED and (source, target, TRIGGER) in best:
            del best[source, target, kind]
    return best, frozenset(narrowed)


def _kind(take: _Take) -> str:
    return TRIGGER if take.key == "trigger_include" else FEED


def _add_the_rest(
    written: Sequence[Pattern],
    takes: Mapping[Pattern, Sequence[_Take]],
    add: Callable[[Pattern, _Take, _Decided], None],
) -> None:
    """Edges, none of them proven, from whoever writes to whoever takes: for lists too long to be compared."""
    one_a_role = {(take.role, _kind(take)): take for pattern in takes for take in takes[pattern]}
    for write in written:
        for take in one_a_role.values():
            add(write, take, _Decided.of(Maybe(), narrowed=False))


def _taken(role: Role) -> list[tuple[str, int, Glob]]:
    """The patterns by which a role is woken or fed: key, index in it, pattern. In the order of the note."""
    keys = [("trigger_include", role.trigger_include)] if role.is_change else []
    keys += [("read_patterns", role.read_patterns), ("attach_notes", role.attach_notes)]
    keys.sort(key=lambda entry: _place(role, entry[0]))
    # What stands behind a `!` must be absent for a delivery to happen; it is not read.
    return [(key, index, glob) for key, globs in keys for index, glob in enumerate(globs) if not glob.negated]


def _place(role: Role, key: str) -> tuple[int, int]:
    """Line and column of a key; a key that the note does not have goes first."""
    field = role.fields.get(key)
    return (field.key_span.line, field.key_span.column) if field else (0, 0)


class _Decided(NamedTuple):
    """Whether two patterns meet outside of some excludes, and whether these take any path out of the two at all."""

    meets: bool
    unproven: bool
    witness: tuple[bool, int, int, str]
    narrowed: bool

    @staticmethod
    def of(answer: Found | Maybe | None, *, narrowed: bool) -> _Decided:
        if isinstance(answer, Found):
            return _Decided(True, False, witness_key(answer.path), narrowed)
        return _Decided(answer is not None, True, (False, 0, 0, ""), narrowed)


def _excluding(write: Pattern, include: Pattern, excludes: tuple[Pattern, ...], met: Found | Maybe) -> _Decided:
    touching = [exclude for exclude in excludes if find_path(all_of=[write, include, exclude]) is not None]
    if not touching:
        return _Decided.of(met, narrowed=False)
    return _Decided.of(find_path(all_of=[write, include], none_of=touching), narrowed=True)


# --- Depth and loops ---


def _wires(roles: Sequence[Role], keys: Iterable[_Key]) -> Wires:
    out: list[list[int]] = [[] for _ in roles]
    for source, target, kind in sorted(keys):
        if kind == TRIGGER:
            out[source].append(target)
    return Wires(out, [limit(role.max_depth) for role in roles])


def _edges(
    roles: Sequence[Role],
    best: Mapping[_Key, _Pair],
    narrowed: frozenset[_Key],
    reached: Sequence[Mapping[int, int]],
    origins: Sequence[str],
) -> dict[_Key, Edge]:
    """The edges in order. `reached` is what `reach` found, over the named origins."""
    sets: dict[int, frozenset[str]] = {}

    def named(bits: int) -> frozenset[str]:
        # Along a chain the sets are mostly the same: thousands of edges share one.
        if bits not in sets:
            sets[bits] = frozenset(origins[number] for number in _bits(bits))
        return sets[bits]

    edges = {}
    for key in sorted(best):
        pair, source, target, kind = best[key], roles[key[0]], roles[key[1]], key[2]
        live, cut = crossing(reached[key[0]], limit(target.max_depth)) if kind == TRIGGER else (0, 0)
        edges[key] = Edge(
            source=source.path,
            target=target.path,
            kind=kind,
            via=Via(
                write=source.write_patterns[pair.write_index].text,
                write_index=pair.write_index,
                match=_field(target, pair.key)[pair.match_index].text,
                match_key=pair.key,
                match_index=pair.match_index,
            ),
            witness=pair.witness[-1],
            exact=not pair.unproven,
            fanout=bool(source.for_each),
            maybe_excluded=key in narrowed,
            live=named(live),
            cut=named(cut),
        )
    return edges


def _field(role: Role, key: str) -> tuple[Glob, ...]:
    if key == "trigger_include":
        return role.trigger_include
    return role.read_patterns if key == "read_patterns" else role.attach_notes


def _bits(number: int) -> list[int]:
    """The places of the ones, ascending."""
    # The search skips the zeros, of which there are thousands in a large fleet.
    digits, found, place = bin(number)[:1:-1], [], -1
    while (place := digits.find("1", place + 1)) >= 0:
        found.append(place)
    return found


def _first(depths: Sequence[int]) -> dict[int, int]:
    """The smallest depth at which each role that runs at all can run."""
    return {role: (bits & -bits).bit_length() - 1 for role, bits in enumerate(depths) if bits}


def _cycles(
    roles: Sequence[Role], edges: Mapping[_Key, Edge], wires: Wires, depths: Sequence[int]
) -> tuple[Cycle, ...]:
    first = _first(depths)
    found = []
    for members in components(wires.out):
        loop = shortest_loop(members, wires.out)
        counts = reruns(members, wires, first)
        found.append(
            Cycle(
                members=tuple(roles[number].path for number in members),
                loop=tuple(
                    edges[source, target, TRIGGER] for source, target in zip(loop, loop[1:] + loop[:1], strict=True)
                ),
                lap_budget=min(roles[number].max_depth for number in members),
                reruns={roles[number].path: counts[number] for number in members},
            )
        )
    return tuple(found)


def _self_triggers(
    roles: Sequence[Role], edges: Mapping[_Key, Edge], wires: Wires, depths: Sequence[int]
) -> tuple[SelfTrigger, ...]:
    first = _first(depths)
    return tuple(
        SelfTrigger(
            edge=edges[number, number, TRIGGER],
            lap_budget=role.max_depth,
            # It runs at each depth from the one after its first up to the last one below its guard.
            reruns=max(0, wires.limits[number] - 1 - first[number]) if number in first else 0,
        )
        for number, role in enumerate(roles)
        if (number, number, TRIGGER) in edges
    )
