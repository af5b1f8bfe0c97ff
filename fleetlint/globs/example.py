"""Whether a pattern takes any note at all, without a search for nearly all that people write."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from fleetlint.globs.algebra import find_path, is_plain
from fleetlint.globs.syntax import Brace, CharClass, Escaped, Literal
from fleetlint.globs.work import TooMuchWork

if TYPE_CHECKING:
    from fleetlint.globs.syntax import Node, Pattern


def takes_notes(pattern: Pattern) -> bool:
    """Whether some note path is in the pattern. What is not decided counts as yes."""
    # Most patterns of a fleet differ in their folders only, and are then asked about once.
    is_inside = bool(pattern.folder) and is_plain(pattern.folder) and _takes_notes(pattern.behind(pattern.folder))
    return is_inside or _takes_notes(pattern)


@lru_cache(maxsize=1 << 14)
def _takes_notes(pattern: Pattern) -> bool:
    name = _name(pattern.nodes or ())
    example = f"{name}.md" if pattern.text.endswith("*") else name
    try:
        if _is_note(example) and pattern.matches(example):
            return True
    except TooMuchWork:
        pass
    return find_path(all_of=[pattern]) is not None


def _name(nodes: tuple[Node, ...]) -> str:
    """A name that the parts may take: the first choice everywhere, `a` where any character will do."""
    text = ""
    for node in nodes:
        match node:
            case Literal(plain) | Escaped(plain):
                text += plain
            case CharClass(intervals, negated):
                text += "a" if negated or not intervals else chr(intervals[0][0])
            case Brace(alternatives):
                text += _name(alternatives[0]) if alternatives else ""
            case _:
                text += "a"
    return text


def _is_note(path: str) -> bool:
    parts = path.split("/")
    return not any(part in ("", ".", "..") for part in parts) and "." in parts[-1][1:-1]
