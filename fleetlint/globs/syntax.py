"""From a pattern's text to its parts. grammar.lark is the syntax; this runs its tables and reads the odd rest.

A brace is replaced in the text before a class in it is read, so that `{a,[}b]` is `ab]` or `[b]`. Such a pattern is no
sentence of the grammar. It is read as the library reads it: each alternative with all that follows the brace, and
only as far as an alternative that no name gets past.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from fleetlint.globs import matcher, tables
from fleetlint.globs.work import Meter, TooMuchWork

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from fleetlint.globs.automaton import Walk

MAX_DEPTH = 50
MAX_SPECIAL = 1_000
MAX_LENGTH = 20_000
"""A pattern with braces nested deeper, with more of `*?[{`, or longer, is not read into parts: it is only matched, name
by name."""

MAX_ODD_READINGS = 200
"""So many alternatives of cut classes are read; a pattern with more is only matched, name by name."""

MATCH_WORK = 200_000
"""Steps that one match may take."""


class BadPattern(ValueError):  # noqa: N818 - the public name
    """A pattern that no name can match because of a fault in it; `column` is the fault's, from 1."""

    def __init__(self, message: str, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.column = column


@dataclass(frozen=True, slots=True)
class Literal:
    """Plain characters, slashes among them."""

    text: str


@dataclass(frozen=True, slots=True)
class Escaped:
    """One character behind a backslash."""

    char: str


@dataclass(frozen=True, slots=True)
class Star:
    """One `*`; what two of them mean depends on what stands around them."""


@dataclass(frozen=True, slots=True)
class AnyChar:
    """`?`: one character but a slash."""


@dataclass(frozen=True, slots=True)
class CharClass:
    """A bracket class as the set it takes: closed intervals of code points, ascending and apart."""

    intervals: tuple[tuple[int, int], ...]
    negated: bool


@dataclass(frozen=True, slots=True)
class Brace:
    alternatives: tuple[tuple[Node, ...], ...]


_STAR, _ANY_CHAR = Star(), AnyChar()

Node = Literal | Escaped | Star | AnyChar | CharClass | Brace


@dataclass(frozen=True)
class Pattern:
    """A pattern as doublestar v4 reads it. `nodes` is None where it is too deep or too odd to be read into parts."""

    text: str
    nodes: tuple[Node, ...] | None = field(compare=False, repr=False)
    tidy: bool = field(compare=False, repr=False)
    """Whether the text is a sentence of the grammar that the library's own check accepts, too."""
    folder: str = field(compare=False, repr=False)
    """The folders that it begins with in so many words, `wiki/` of `wiki/**`: its names begin with them, too."""

    def behind(self, folder: str) -> Pattern:
        """What is left behind a beginning of `folder`, itself a pattern: `**` of `wiki/**`."""
        return _parsed(self.text[len(folder) :]) if folder else self

    def __hash__(self) -> int:
        return hash(self.text)  # which the text remembers

    @staticmethod
    def parse(text: str) -> Pattern:
        """Raises BadPattern for a pattern that no name can match because of a fault in it."""
        return _parsed(_code_points(text))

    def matches(self, path: str) -> bool:
        """Whether `doublestar.Match(text, path)` is true. Raises TooMuchWork where the library would take very long."""
        path = _code_points(path)
        try:
            return self.matches_within(path, Meter(MATCH_WORK))
        except TooMuchWork:
            from fleetlint.globs.automaton import accepts

            if self.automaton.exact:
                return accepts(self.automaton, path)
            raise

    def matches_within(self, path: str, meter: Meter) -> bool:
        """The same on a budget shared with others. Raises TooMuchWork."""
        return matcher.matches(self.text, path, meter)

    @cached_property
    def only_name(self) -> str | None:
        """The name of a pattern without any special character but escapes, None for all others."""
        plain = self.nodes is not None and all(isinstance(node, (Literal, Escaped)) for node in self.nodes)
        return self.beginning if plain else None

    @cached_property
    def beginning(self) -> str:
        """The text that every name begins with that the pattern matches."""
        text = ""
        for node in self.nodes or ():
            if isinstance(node, Literal):
                text += node.text
            elif isinstance(node, Escaped):
                text += node.char
            else:
                # `a/**` also matches `a`: the `/` before the rest may be missing.
                return text.removesuffix("/")
        return text

    @cached_property
    def ending(self) -> str:
        """The text that every name ends with that the pattern matches."""
        last = self.nodes[-1] if self.nodes else None
        if not isinstance(last, Literal):
            return ""
        # `**/a` also matches `a`, and `a**/` an `a`.
        return last.text if self.nodes and len(self.nodes) == 1 else last.text.removeprefix("/")

    @cached_property
    def automaton(self) -> Walk:
        """The automaton that accepts at least what the library matches; `exact` when nothing else."""
        from fleetlint.globs.compile import pattern_automaton

        return pattern_automaton(self)


def _code_points(text: str) -> str:
    """The text as Go ranges over it: each byte that is not UTF-8 (a lone surrogate here) is U+FFFD."""
    return text if text.isascii() else "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)


@lru_cache(maxsize=1 << 17)
def _parsed(text: str) -> Pattern:
    # Most patterns of a fleet differ in their folders only: what is behind them is read once.
    folder = text[: text.rfind("/", 0, _first_special(text)) + 1]
    if folder and folder != text:
        return _in_folder(folder, text)
    if (
        _BEYOND_WILDCARDS.isdisjoint(text)
        and len(text) <= MAX_LENGTH
        and text.count("*") + text.count("?") <= MAX_SPECIAL
    ):
        return Pattern(text, _wildcards(text), True, "")
    if len(text) > MAX_LENGTH or sum(map(text.count, "*?[{")) > MAX_SPECIAL or _depth(text) > MAX_DEPTH:
        return Pattern(text, None, False, "")
    nodes = parse_nodes(text)
    if nodes is not None:
        return Pattern(text, nodes, matcher.is_valid(text), "")
    try:
        return Pattern(text, _odd_nodes(text, [MAX_ODD_READINGS]), False, "")
    except _TooOddError:
        return Pattern(text, None, False, "")


_BEYOND_WILDCARDS = frozenset("[]{},\\")


def _wildcards(text: str) -> tuple[Node, ...]:
    """The parts of a text without any of these: as `parse_nodes` has them, in a fraction of the time."""
    nodes: list[Node] = []
    for between in text.split("*"):
        for plain in between.split("?"):
            nodes += (Literal(plain), _ANY_CHAR) if plain else (_ANY_CHAR,)
        nodes[-1] = _STAR
    return tuple(nodes[:-1])


def _in_folder(folder: str, text: str) -> Pattern:
    try:
        inner = _parsed(text[len(folder) :])
    except BadPattern as fault:
        raise BadPattern(fault.message, fault.column + len(folder)) from None
    # Outside of braces, a `}` is a plain character that the library's check does not accept.
    tidy = inner.tidy and "}" not in folder
    nodes = inner.nodes
    if nodes and isinstance(nodes[0], Literal):
        nodes = (Literal(folder + nodes[0].text), *nodes[1:])
    elif nodes is not None:
        nodes = (Literal(folder), *nodes)
    return Pattern(text, nodes, tidy, folder)


def _first_special(text: str) -> int:
    """Where the first `*`, `?`, `[`, `{` or backslash stands, or the length."""
    return min([at for at in map(text.find, "*?[{\\") if at >= 0], default=len(text))


def _depth(text: str) -> int:
    """How deep braces are nested, at most: `{` and `}` counted wherever they stand."""
    deepest = depth = 0
    for char in text if text.count("{") > MAX_DEPTH else "":
        depth += (char == "{") - (char == "}")
        deepest = max(deepest, depth)
    return deepest


def parse_nodes(text: str) -> tuple[Node, ...] | None:
    """The parts of a sentence of the grammar, or None when the text is none. A plain LALR(1) run over the tables."""
    actions, gotos, lexer_of, rules = tables.ACTIONS, tables.GOTO, tables.LEXER_OF, tables.RULES
    states = [0]
    values: list[Any] = []
    at, size = 0, len(text)
    terminal, read_by, end = "$END", -1, 0  # the token at hand, the lexer that read it, and where it ends
    while True:
        state = states[-1]
        if state == tables.END:
            nodes: tuple[Node, ...] = values[0]
            return nodes
        if at < size:
            lexer = lexer_of[state]
            if read_by != lexer:
                token = _lexer(lexer)(text, at)
                if token is None:
                    return None
                terminal, read_by, end = token.lastgroup or "", lexer, token.end()
        else:
            terminal = "$END"
        move = actions[state].get(terminal)
        if move is None:
            return None
        if move >= 0 and at < size:
            states.append(move)
            values.append(_token(terminal, text[at:end]))
            at, read_by = end, -1
            continue
        origin, count = rules[-1 - move]
        if count == 1 and origin[0] == "_":
            # A part alone is a list of its own making only when it gets longer.
            states[-1] = gotos[states[-2]][origin]
            continue
        parts = values[len(values) - count :]
        del values[len(values) - count :], states[len(states) - count :]
        values.append(_reduce(origin, parts))
        states.append(gotos[states[-1]][origin])


@cache
def _lexer(number: int) -> Callable[[str, int], re.Match[str] | None]:
    import re

    return re.compile(tables.LEXERS[number]).match


def _token(terminal: str, text: str) -> Any:
    match terminal:
        case "PLAIN":
            return Literal(text)
        case "STAR":
            return _STAR
        case "ANY":
            return _ANY_CHAR
        case "ESCAPED":
            return Escaped(text[1])
        case "MEMBER" | "INNER_MEMBER":
            return (ord(text[-1]),) * 2
        case "RANGE" | "INNER_RANGE":
            low = ord(text[1] if text[0] == "\\" else text[0])
            # A range is tried as its first end alone, then as a range: a reversed one holds just its first end.
            return low, max(low, ord(text[-1]))
    return text


def _reduce(origin: str, parts: list[Any]) -> Any:
    if origin.startswith("_"):
        # Parts of a longer list. The list grows in place: copying it each time would be quadratic.
        longer: list[Any] = parts[0] if isinstance(parts[0], list) else [parts[0]]
        for part in parts[1:]:
            longer += part if isinstance(part, list) else [part]
        return longer
    values = [value for part in parts for value in (part if isinstance(part, list) else [part])]
    match origin:
        case "start":
            return tuple(Literal(value) if isinstance(value, str) else value for value in values)
        case "alternative":
            return tuple(values)
        case "brace":
            return Brace(tuple(value for value in values if not isinstance(value, str)))
    members = sorted(value for value in values if not isinstance(value, str))
    return CharClass(_united(members), negated="".join(v for v in values if isinstance(v, str))[1:2] in ("!", "^"))


def _united(intervals: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    united: list[tuple[int, int]] = []
    for low, high in intervals:
        if united and low <= united[-1][1] + 1:
            united[-1] = (united[-1][0], max(high, united[-1][1]))
        else:
            united.append((low, high))
    return tuple(united)


class _TooOddError(Exception):
    """More readings than MAX_ODD_READINGS."""


class _Passable(BadPattern):
    """A fault that some names get past without an error: in a brace, the next alternative then has its turn."""


def _odd_nodes(text: str, left: list[int]) -> tuple[Node, ...]:
    """The parts of a text that is no sentence: up to the first brace, then each alternative with all that follows.

    A fault that no name gets past ends the search with an error, and with it the alternatives behind it.
    Raises BadPattern when that is the first alternative or there is no brace before the fault.
    """
    at = _first_brace(text)
    brace = matcher.alternatives(text, at)
    if brace is None:
        raise BadPattern("`{` is never closed", at + 1)
    texts, close = brace
    readings: list[tuple[Node, ...]] = []
    passed: BadPattern | None = None
    start = at + 1
    for alternative in texts:
        left[0] -= 1
        if left[0] < 0:
            raise _TooOddError
        rest = alternative + text[close + 1 :]
        try:
            nodes = parse_nodes(rest)
            readings.append(_odd_nodes(rest, left) if nodes is None else nodes)
        except BadPattern as fault:
            inside = fault.column <= len(alternative)
            shift = start if inside else close + 1 - len(alternative)
            column = fault.column + shift
            if isinstance(fault, _Passable):
                passed = passed or _Passable(fault.message, column)
            elif readings:
                break
            # A name that fails before the brace does not meet the fault, when the library's own check overlooks it, too.
            elif at and matcher.is_valid(text):
                raise _Passable(fault.message, column) from None
            else:
                raise BadPattern(fault.message, column) from None
        start += len(alternative) + 1
    if not readings and passed is not None:
        raise passed
    return (*(parse_nodes(text[:at]) or ()), Brace(tuple(readings)))


def _first_brace(text: str) -> int:
    """Where the first brace opens, classes and escapes read over. Raises BadPattern at a fault before it."""
    at = 0
    while at < len(text):
        char = text[at]
        if char == "{":
            return at
        if char == "\\":
            if at + 1 == len(text):
                raise BadPattern("the backslash at the end escapes nothing", at + 1)
            at += 1
        elif char == "[":
            opening = at + 1
            at += 1
            at += at < len(text) and text[at] in "!^"
            if text[at : at + 1] == "]":
                raise BadPattern("the class is empty: `]` can be listed only as `\\]`", opening)
            while at < len(text) and text[at] != "]":
                at += 2 if text[at] == "\\" else 1
            if at >= len(text):
                # A negated class is read no further than the member that the name brings.
                negated = text[opening : opening + 1] in ("!", "^") and opening + 1 < len(text)
                raise (_Passable if negated else BadPattern)("`[` is never closed", opening)
        at += 1
    raise AssertionError("a text without a brace and without a fault is a sentence of the grammar")
