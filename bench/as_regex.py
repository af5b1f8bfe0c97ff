"""A pattern as a regular expression, for engines that know nothing else.

The reading is the clean one (`**` whole segments, classes and stars inside of one), since no regular expression gives
the library's corners; how often an engine then agrees with the vectors is printed beside its time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.globs.syntax import AnyChar, Brace, CharClass, Escaped, Literal, Node, Pattern, Star

if TYPE_CHECKING:
    from collections.abc import Sequence

SPECIAL = set("\\^$.|?*+()[]{}")
IN_CLASS = set("\\^-[]")


def alphabet_of(texts: Sequence[str]) -> set[str]:
    """Enough characters to tell apart all names that matter, for an engine that wants a list of them."""
    return {char for text in texts for char in text} | {"/", "\u03b1", "\u03b2"}


def as_regex(pattern: Pattern) -> str:
    """The regular expression; it is to match the whole name."""
    return _of(_flat(pattern.nodes or ()))


def _flat(nodes: tuple[Node, ...]) -> list[Node]:
    """Literals cut into single characters."""
    found: list[Node] = []
    for node in nodes:
        found += [Literal(char) for char in node.text] if isinstance(node, Literal) else [node]
    return found


def _of(nodes: list[Node]) -> str:
    slash, deep = Literal("/"), [Star(), Star()]
    text = ""
    at = 0
    while at < len(nodes):
        starts_segment = at == 0 or nodes[at - 1] == slash
        if nodes[at] == slash and nodes[at + 1 :] == deep:
            return text + "(/.*)?"
        if starts_segment and nodes[at:] == deep:
            return text + ".*"
        if starts_segment and nodes[at : at + 3] == [*deep, slash]:
            text += "([^/]*/)*"
            at += 3
            continue
        text += _node(nodes[at])
        at += 1
    return text


def _node(node: Node) -> str:
    match node:
        case Literal(char) | Escaped(char):
            return "\\" + char if char in SPECIAL else char
        case Star():
            return "[^/]*"
        case AnyChar():
            return "[^/]"
        case CharClass(intervals, negated):
            ranges = "".join(_end(low) if low == high else f"{_end(low)}-{_end(high)}" for low, high in intervals)
            return f"[{'^' if negated else ''}{ranges}]"
        case Brace(alternatives):
            return "(" + "|".join(_of(_flat(part)) or "()" for part in alternatives) + ")"


def _end(point: int) -> str:
    return "\\" + chr(point) if chr(point) in IN_CLASS else chr(point)
