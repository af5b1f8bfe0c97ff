"""Automata over code points, determinised as far as a question walks them.

What is accepted is told by a nondeterministic description (`Moves`): numbered states, what each reads and where that
leads, which may end a name. A subset of them is one state here, numbered as it is met.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Protocol

from fleetlint.globs.work import Meter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from fleetlint.globs.syntax import CharClass

NOT_SLASH: Final = "not /"
ANYTHING: Final = "any"
"""What a move may read besides one character (a string of length one) or a class."""

DEAD = -1

LAST_CODE_POINT = 0x10FFFF


class Moves(Protocol):
    """A nondeterministic automaton. `letters` are the characters that it tells apart one by one."""

    letters: frozenset[str]
    classes: tuple[CharClass, ...]
    start: int

    def moves(self, state: int, meter: Meter) -> Sequence[tuple[str | CharClass, int]]:
        """What a state reads and where that leads. Costs the same each time it is asked. Raises TooMuchWork."""

    def ends(self, state: int) -> bool:
        """Whether a name may end in this state."""


class Walk(Protocol):
    """What a question needs of an automaton: states are numbers, and those that no name gets on from are DEAD.

    `exact` says whether it accepts just what the library matches, or more; a `blind` one accepts everything and does
    not know which characters the pattern tells apart.
    """

    exact: bool
    blind: bool
    letters: frozenset[str]
    classes: tuple[CharClass, ...]
    start: int

    def step(self, state: int, char: str, meter: Meter) -> int:
        """The state after reading the character. Raises TooMuchWork."""

    def ends(self, state: int) -> bool:
        """Whether a name may end in this state."""

    def few(self, state: int, meter: Meter) -> tuple[str, ...] | None:
        """The only characters that lead on from here, where that can be said; else None. Raises TooMuchWork."""


class Automaton:
    """A nondeterministic description, determinised subset by subset. See `Walk`."""

    def __init__(self, moves: Moves, *, exact: bool, blind: bool = False) -> None:
        self.exact = exact
        self.blind = blind
        self.letters = moves.letters
        self.classes = moves.classes
        self._moves = moves
        self._members: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._rows: list[dict[str, tuple[int, int]]] = []
        self._ends: list[bool] = []
        self._few: list[tuple[tuple[str, ...] | None, int] | None] = []
        self.start = self._number((moves.start,))

    def step(self, state: int, char: str, meter: Meter) -> int:
        row = self._rows[state]
        known = row.get(char)
        if known is None:
            before = meter.left
            after = self._step(state, char, meter)
            row[char] = (after, before - meter.left)
            return after
        # What is known costs what it cost to find, so that an answer does not depend on what was asked before.
        meter.spend(known[1])
        return known[0]

    def _step(self, state: int, char: str, meter: Meter) -> int:
        targets = set()
        for member in self._members[state]:
            moves = self._moves.moves(member, meter)
            meter.spend(1 + len(moves))
            for reads, target in moves:
                if target not in targets and takes(reads, char):
                    targets.add(target)
        return self._number(tuple(sorted(targets))) if targets else DEAD

    def _number(self, members: tuple[int, ...]) -> int:
        number = self._numbers.get(members)
        if number is None:
            number = self._numbers[members] = len(self._members)
            self._members.append(members)
            self._rows.append({})
            self._ends.append(any(self._moves.ends(member) for member in members))
            self._few.append(None)
        return number

    def ends(self, state: int) -> bool:
        return state != DEAD and self._ends[state]

    def few(self, state: int, meter: Meter) -> tuple[str, ...] | None:
        known = self._few[state]
        if known is None:
            before = meter.left
            reads = {reads for member in self._members[state] for reads, _ in self._moves.moves(member, meter)}
            named = all(isinstance(read, str) and len(read) == 1 for read in reads)
            few = tuple(sorted(str(read) for read in reads)) if named else None
            self._few[state] = (few, before - meter.left)
            return few
        meter.spend(known[1])
        return known[0]


def accepts(automaton: Walk, name: str) -> bool:
    """Whether the automaton accepts the name. Raises TooMuchWork where that costs more than a generous budget."""
    meter = Meter(1_000_000 + 1_000 * len(name))
    state = automaton.start
    for char in name:
        state = automaton.step(state, char, meter)
        if state == DEAD:
            return False
    return automaton.ends(state)


def takes(reads: str | CharClass, char: str) -> bool:
    if isinstance(reads, str):
        return reads in (char, ANYTHING) or (reads == NOT_SLASH and char != "/")
    point = ord(char)
    at = bisect_right(reads.intervals, (point, LAST_CODE_POINT)) - 1
    return (at >= 0 and point <= reads.intervals[at][1]) != reads.negated


def symbols(automata: Iterable[Walk], meter: Meter) -> list[str]:
    """One character for each set of characters that no literal or class of the automata can tell apart.

    The most readable one of the set; `/` stands for itself alone. In the order of `readability`. Raises TooMuchWork.
    """
    letters = {"/"}
    classes: dict[CharClass, None] = {}
    for automaton in automata:
        letters |= automaton.letters
        classes.update(dict.fromkeys(automaton.classes))
    if not classes:
        other = next((char for char in _READABLE if char not in letters), None) or _first_outside(letters)
        return sorted([*letters, other], key=readability)
    # Between two cuts all characters are in the same classes. Surrogates are in no name.
    cuts = {0, 0xD800, 0xE000, LAST_CODE_POINT + 1}
    for char_class in classes:
        for low, high in char_class.intervals:
            cuts.update((low, high + 1))
    bounds = sorted(cuts)
    meter.spend(len(bounds) * len(classes) // 4)
    found: dict[tuple[bool, ...], str] = {}
    for low, end in pairwise(bounds):
        if low == 0xD800:
            continue
        char = _most_readable(low, end, letters)
        if char is not None:
            signature = tuple(takes(char_class, char) for char_class in classes)
            found[signature] = min(found.get(signature, char), char, key=readability)
    return sorted([*letters, *found.values()], key=readability)


_READABLE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"


def readability(char: str) -> tuple[int, str]:
    """Sorts the characters that people read most easily first: letters, digits, `-`, `_`, the rest."""
    return effort(char), char


def effort(char: str) -> int:
    """How hard a character is to read: 0 for a small letter of ASCII."""
    if char.isascii():
        if char.isalpha():
            return 0 if char >= "a" else 1
        return 2 if char.isdigit() else 3 if char == "-" else 4 if char == "_" else 5 if "!" <= char <= "~" else 8
    return 6 if char.isalnum() else 7 if char.isprintable() else 9


def _most_readable(low: int, end: int, taken: set[str]) -> str | None:
    for char in _READABLE if low < 0x80 else "":
        if low <= ord(char) < end and char not in taken:
            return char
    # A stretch outside of these: its first few hundred characters are enough to find a readable one where there is one.
    some = (chr(point) for point in range(low, min(end, low + 400 + len(taken))))
    return min((char for char in some if char not in taken), key=readability, default=None)


def _first_outside(taken: set[str]) -> str:
    return next(char for char in map(chr, range(0xE0, 0x110000)) if char.isalnum() and char not in taken)
