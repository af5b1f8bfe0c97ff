"""Automata over code points, determinised as far as a question walks them.

What is accepted is told by a nondeterministic description (`Moves`): numbered states, what each reads and where that
leads, which may end a name. A subset of them is one state here, numbered as it is met.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Protocol

from fleetlint.globs.work import Meter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

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


class Alphabet:
    """The sets of characters that one automaton tells apart, numbered: each letter, then the rest by its classes."""

    def __init__(self, letters: frozenset[str], classes: tuple[CharClass, ...]) -> None:
        self.letters = letters
        self.classes = classes
        self._numbers = {letter: number for number, letter in enumerate(sorted(letters))}
        self._rest: dict[tuple[bool, ...], int] = {}
        self.members = sorted(letters)
        """One character of each set."""
        for char in _apart(letters, classes):
            self._rest[self._signature(char)] = len(self.members)
            self.members.append(char)
        self.slash = self._numbers["/"]

    def _signature(self, char: str) -> tuple[bool, ...]:
        return tuple([takes(char_class, char) for char_class in self.classes])

    def number(self, char: str) -> int:
        """The number of the set that holds the character."""
        number = self._numbers.get(char)
        if number is None:
            number = self._numbers[char] = self._rest[self._signature(char)]
        return number

    def numbers(self, reads: str | CharClass) -> Sequence[int]:
        """The numbers of the sets that a move reads."""
        if isinstance(reads, str) and len(reads) == 1:
            return (self._numbers[reads],)
        return [number for number, char in enumerate(self.members) if takes(reads, char)]


class Walk(Protocol):
    """What a question needs of an automaton: states are numbers, and those that no name gets on from are DEAD.

    `exact` says whether it accepts just what the library matches, or more; a `blind` one accepts everything and does
    not know which characters the pattern tells apart.
    """

    exact: bool
    blind: bool
    alphabet: Alphabet
    start: int

    def row(self, state: int, meter: Meter) -> Sequence[int]:
        """The state after each set of the alphabet. Costs the same each time it is asked. Raises TooMuchWork."""

    def walk(self, state: int, text: str, meter: Meter) -> int:
        """The state after a text. Raises TooMuchWork."""

    def ends(self, state: int) -> bool:
        """Whether a name may end in this state."""


class Automaton:
    """A nondeterministic description, determinised subset by subset. See `Walk`."""

    def __init__(self, moves: Moves, *, exact: bool, blind: bool = False) -> None:
        self.exact = exact
        self.blind = blind
        self.alphabet = Alphabet(moves.letters, moves.classes)
        self._moves = moves
        self._read: dict[str | CharClass, Sequence[int]] = {}
        self._members: list[tuple[int, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._rows: list[tuple[list[int], int] | None] = []
        self._ends: list[bool | None] = []
        self.start = self._number({moves.start})

    def row(self, state: int, meter: Meter) -> Sequence[int]:
        known = self._rows[state]
        if known is None:
            before = meter.left
            row = self._row(state, meter)
            self._rows[state] = (row, before - meter.left)
            return row
        # What is known costs what it cost to find, so that an answer does not depend on what was asked before.
        meter.spend(known[1])
        return known[0]

    def walk(self, state: int, text: str, meter: Meter) -> int:
        rows, number = self._rows, self.alphabet.number
        for char in text:
            known = rows[state]
            if known is None:
                row = self.row(state, meter)
            else:
                row = known[0]
                meter.left -= known[1]
            state = row[number(char)]
            if state == DEAD:
                break
        meter.spend(0)
        return state

    def _row(self, state: int, meter: Meter) -> list[int]:
        # What most characters lead to, what a slash does, and what these few do besides.
        most: set[int] = set()
        slash: set[int] = set()
        few: dict[int, set[int]] = {}
        size, work = len(self.alphabet.members), 1
        for member in self._members[state]:
            moves = self._moves.moves(member, meter)
            work += len(moves)
            for reads, target in moves:
                if reads == NOT_SLASH:
                    most.add(target)
                elif reads == ANYTHING:
                    most.add(target)
                    slash.add(target)
                else:
                    numbers = self._read.get(reads)
                    if numbers is None:
                        numbers = self._read[reads] = self.alphabet.numbers(reads)
                    work += len(numbers) // 8
                    for number in numbers:
                        if number in few:
                            few[number].add(target)
                        else:
                            few[number] = {target}
        meter.spend(work + size // 8)
        row = [self._number(most) if most else DEAD] * size
        at_slash = self.alphabet.slash
        if at_slash in few:
            slash |= few.pop(at_slash)
        row[at_slash] = self._number(slash) if slash else DEAD
        for number, targets in few.items():
            row[number] = self._number(most | targets if most else targets)
        return row

    def _number(self, targets: AbstractSet[int]) -> int:
        members = tuple(sorted(targets)) if len(targets) > 1 else tuple(targets)
        number = self._numbers.get(members)
        if number is None:
            number = self._numbers[members] = len(self._members)
            self._members.append(members)
            self._rows.append(None)
            self._ends.append(None)
        return number

    def ends(self, state: int) -> bool:
        if state == DEAD:
            return False
        known = self._ends[state]
        if known is None:
            known = self._ends[state] = any(map(self._moves.ends, self._members[state]))
        return known


def accepts(automaton: Walk, name: str) -> bool:
    """Whether the automaton accepts the name. Raises TooMuchWork where that costs more than a generous budget."""
    return automaton.ends(automaton.walk(automaton.start, name, Meter(1_000_000 + 1_000 * len(name))))


def takes(reads: str | CharClass, char: str) -> bool:
    if isinstance(reads, str):
        return reads in (char, ANYTHING) or (reads == NOT_SLASH and char != "/")
    point = ord(char)
    at = bisect_right(reads.intervals, (point, LAST_CODE_POINT)) - 1
    return (at >= 0 and point <= reads.intervals[at][1]) != reads.negated


def symbols(alphabets: Iterable[Alphabet]) -> list[str]:
    """One character for each set of characters that no letter or class of the alphabets can tell apart.

    The most readable one of the set; `/` stands for itself alone.
    """
    letters: set[str] = {"/"}
    classes: dict[CharClass, None] = {}
    for alphabet in alphabets:
        letters |= alphabet.letters
        classes.update(dict.fromkeys(alphabet.classes))
    return [*sorted(letters), *_apart(letters, tuple(classes))]


def _apart(letters: AbstractSet[str], classes: tuple[CharClass, ...]) -> list[str]:
    """The most readable character of each set that the classes tell apart, the letters left out."""
    if not classes:
        return [next((char for char in _READABLE if char not in letters), None) or _first_outside(letters)]
    # Between two cuts all characters are in the same classes. Surrogates are in no name.
    cuts = {0, 0xD800, 0xE000, LAST_CODE_POINT + 1}
    for char_class in classes:
        for low, high in char_class.intervals:
            cuts.update((low, high + 1))
    found: dict[tuple[bool, ...], str] = {}
    for low, end in pairwise(sorted(cuts)):
        inside = frozenset(letter for letter in letters if low <= ord(letter) < end)
        char = _most_readable(low, end, inside) if low != 0xD800 else None
        if char is not None:
            signature = tuple([takes(char_class, char) for char_class in classes])
            found[signature] = min(found.get(signature, char), char, key=readability)
    return sorted(found.values())


_READABLE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"


def readability(char: str) -> tuple[int, str]:
    """Sorts the characters that people read most easily first: letters, digits, `-`, `_`, the rest."""
    return effort(char), char


@lru_cache(maxsize=1 << 12)
def effort(char: str) -> int:
    """How hard a character is to read: 0 for a small letter of ASCII."""
    if char.isascii():
        if char.isalpha():
            return 0 if char >= "a" else 1
        return 2 if char.isdigit() else 3 if char == "-" else 4 if char == "_" else 5 if "!" <= char <= "~" else 8
    return 6 if char.isalnum() else 7 if char.isprintable() else 9


@lru_cache(maxsize=1 << 12)
def _most_readable(low: int, end: int, taken: frozenset[str]) -> str | None:
    for char in _READABLE if low < 0x80 else "":
        if low <= ord(char) < end and char not in taken:
            return char
    best: str | None = None
    # Outside of these, a few hundred characters are enough to find a readable one where there is one.
    for char in map(chr, range(low, min(end, low + 400 + len(taken)))):
        if char not in taken and (best is None or effort(char) < effort(best)):
            best = char
            if effort(best) <= (5 if char.isascii() else 6):
                break
    return best


def _first_outside(taken: AbstractSet[str]) -> str:
    return next(char for char in map(chr, range(0xE0, 0x110000)) if char.isalnum() and char not in taken)
