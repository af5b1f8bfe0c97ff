"""The folder of a fleet: SQLite's `path LIKE folder || '%'`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from fleetlint.globs.automaton import ANYTHING, Automaton, accepts

if TYPE_CHECKING:
    from fleetlint.globs.syntax import CharClass
    from fleetlint.globs.work import Meter


@dataclass(frozen=True)
class Like:
    """The paths that begin with the text, read as LIKE reads it: `%` is any string, `_` any one character, and letters
    of ASCII are compared without case. There is no escape."""

    text: str

    folder = ""
    beginning = ""
    ending = ""
    only_name = None

    def behind(self, folder: str) -> Like:  # noqa: ARG002 - there is no folder to be behind of
        """Itself."""
        return self

    @staticmethod
    def parse(folder: str) -> Like:
        """Every text is a LIKE pattern."""
        return Like(folder)

    @cached_property
    def automaton(self) -> Automaton:
        return Automaton(_LikeMoves(self.text + "%"), exact=True)

    def matches(self, path: str) -> bool:
        """Raises TooMuchWork for a path of absurd length."""
        return accepts(self.automaton, path)

    def matches_within(self, path: str, meter: Meter) -> bool:
        """The same on a budget shared with others. Raises TooMuchWork."""
        meter.spend(len(path))
        return self.matches(path)


class _LikeMoves:
    """State n: n characters of the pattern are read. See `automaton.Moves`."""

    classes: tuple[CharClass, ...] = ()
    start = 0

    def __init__(self, text: str) -> None:
        self._text = text
        self.letters = frozenset(either for char in text if char not in "%_" for either in _cases(char)) | {"/"}

    def moves(self, state: int, meter: Meter) -> tuple[tuple[str | CharClass, int], ...]:
        found: list[tuple[str | CharClass, int]] = []
        # A run of `%` may be passed over.
        for at in range(state, len(self._text)):
            meter.spend(1)
            char = self._text[at]
            if char != "%":
                found += [(read, at + 1) for read in ([ANYTHING] if char == "_" else _cases(char))]
                break
            found.append((ANYTHING, at))
        return tuple(found)

    def ends(self, state: int) -> bool:
        return not self._text[state:].strip("%")


def _cases(char: str) -> list[str]:
    return sorted({char.lower(), char.upper()}) if char.isascii() else [char]
