"""Which strings are note paths, as an automaton: the graph asks about no others.

No empty segment, none that is `.` or `..`, no `/` at either end, and a last segment with an extension: a dot that is
neither its first nor its last character.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.globs.automaton import Automaton
from fleetlint.globs.syntax import CharClass

if TYPE_CHECKING:
    from fleetlint.globs.work import Meter

# What the segment read so far is: nothing, `.`, `..`, a name without an inner dot, one that ends in its first inner
# dot, one with an inner dot behind which something stands.
_EMPTY, _DOT, _DOTS, _NAME, _TRAILING, _EXTENDED = range(6)

# After (a dot, a slash, another character); None where no note path goes on like that.
_AFTER: tuple[tuple[int | None, int | None, int | None], ...] = (
    (_DOT, None, _NAME),
    (_DOTS, None, _NAME),
    (_EXTENDED, None, _EXTENDED),
    (_TRAILING, _EMPTY, _NAME),
    (_EXTENDED, _EMPTY, _EXTENDED),
    (_EXTENDED, _EMPTY, _EXTENDED),
)


class _NotePaths:
    """`ending` is what a path must end in, when not empty; see `automaton.Moves`."""

    classes: tuple[CharClass, ...] = ()
    start = 0

    def __init__(self, ending: str) -> None:
        self.letters = frozenset({"/", ".", *ending})
        self._ending = ending
        self._other = CharClass(tuple((ord(char), ord(char)) for char in sorted(self.letters)), negated=True)

    def moves(self, state: int, meter: Meter) -> tuple[tuple[str | CharClass, int], ...]:
        meter.spend(1)
        segment, matched = divmod(state, len(self._ending) + 1)
        reads: tuple[str | CharClass, ...] = (*sorted(self.letters), self._other)
        found = []
        for read in reads:
            after = _AFTER[segment][0 if read == "." else 1 if read == "/" else 2]
            if after is not None:
                longer = self._longer(matched, read) if isinstance(read, str) else 0
                found.append((read, after * (len(self._ending) + 1) + longer))
        return tuple(found)

    def _longer(self, matched: int, char: str) -> int:
        """How much of the ending is matched after one more character, when `matched` of it was."""
        text = self._ending[:matched] + char
        return next(size for size in range(len(self._ending), -1, -1) if text.endswith(self._ending[:size]))

    def ends(self, state: int) -> bool:
        segment, matched = divmod(state, len(self._ending) + 1)
        return segment == _EXTENDED and matched == len(self._ending)


ANY_NOTE = Automaton(_NotePaths(""), exact=True)
MD_NOTE = Automaton(_NotePaths(".md"), exact=True)


def is_note_path(text: str) -> bool:
    """Whether the automaton `ANY_NOTE` accepts the text."""
    folders, _, name = text.rpartition("/")
    if "." not in name[1:-1]:
        return False
    return not any(segment in ("", ".", "..") for segment in folders.split("/")) if folders or "/" in text else True
