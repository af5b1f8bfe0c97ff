"""Pattern -> automaton. The library's matching loop, read so that every choice is tried at once.

A state is what is left of the pattern to read, and whether that stands at the start of a segment: so brace restarts,
classes that take `/` and the list of what may be left at the end of a name all come out as the library has them. Trying
all choices accepts at least every name that the library's search finds; `_is_exact` says where it finds them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.globs.automaton import ANYTHING, NOT_SLASH, Automaton
from fleetlint.globs.cells import ANY, BRACE, CHAR, CLASS, END, ESCAPED, STAR, Cells, ahead, may_be_left
from fleetlint.globs.ordered import OrderedAutomaton

if TYPE_CHECKING:
    from fleetlint.globs.cells import Cell
    from fleetlint.globs.syntax import CharClass, Pattern
    from fleetlint.globs.work import Meter

# What a state is doing. AT: about to read a cell. IN_STAR: a `*` before the cell has taken something. AT_EDGE and
# IN_DEEP: a recursive `**/` before the cell has taken whole segments, or is inside of one. ALL: a final `**`.
AT, IN_STAR, AT_EDGE, IN_DEEP, ALL = range(5)


_State = tuple[int, int, bool, bool]
"""What it is doing, the cell, whether that stands at the start of a segment, and whether the search may have gone back
to a wildcard, so that braces ahead may stand replaced in the text. A plain tuple, for these are made by the thousand."""


class PatternMoves:
    """The nondeterministic automaton of a pattern. See `automaton.Moves`."""

    def __init__(self, cells: Cells, *, exact: bool) -> None:
        self.cells = cells.rows
        self.letters = cells.letters
        self.classes = cells.classes
        self.exact = exact
        self._numbers: dict[_State, int] = {}
        self._states: list[_State] = []
        self._moves: list[tuple[tuple[tuple[str | CharClass, int], ...], int] | None] = []
        self.start = self._number((AT, cells.first, True, False))

    def _number(self, state: _State) -> int:
        number = self._numbers.get(state)
        if number is None:
            number = self._numbers[state] = len(self._states)
            self._states.append(state)
            self._moves.append(None)
        return number

    def ends(self, state: int) -> bool:
        doing, cell, _, reread = self._states[state]
        return doing == ALL or (doing != IN_DEEP and may_be_left(self.cells, cell, reread))

    def moves(self, state: int, meter: Meter) -> tuple[tuple[str | CharClass, int], ...]:
        known = self._moves[state]
        if known is None:
            before = meter.left
            moves = tuple(dict.fromkeys(self._read(self._states[state], meter)))
            self._moves[state] = (moves, before - meter.left)
            return moves
        meter.spend(known[1])
        return known[0]

    def _read(self, state: _State, meter: Meter) -> list[tuple[str | CharClass, int]]:
        cells = self.cells
        doing, cell, segment_start, reread = state
        found: list[tuple[str | CharClass, int]] = []
        if doing == ALL:
            return [(ANYTHING, self._number(state))]
        if doing in (AT_EDGE, IN_DEEP):
            found += self._dive(cell, reread)
            if doing == IN_DEEP:
                return found
        elif doing == IN_STAR:
            found.append((NOT_SLASH, self._number(state)))
        # What can be read without taking a character first: opening braces, passing over stars.
        pending = [(cell, segment_start)]
        seen = set(pending)
        while pending:
            at, at_start = pending.pop()
            meter.spend(1)
            kind, char, char_class, after, alternatives = cells[at]
            onward: list[tuple[int, bool]] = []
            if kind in (CHAR, ESCAPED):
                found.append((char, self._number((AT, after, char == "/", reread))))
            elif kind == ANY:
                found.append((NOT_SLASH, self._number((AT, after, False, reread))))
            elif kind == CLASS and char_class is not None:
                found.append((char_class, self._number((AT, after, False, reread))))
            elif kind == BRACE:
                onward += [(first, True) for first in alternatives]
                if reread:
                    onward += [(first, at_start) for first in alternatives]
            elif kind == STAR:
                for second in self._ahead(after, reread):
                    if cells[second].kind != STAR:
                        onward.append((after, False))
                        continue
                    after_both = cells[second].next
                    for third in self._ahead(after_both, reread) if at_start else ():
                        if cells[third].kind == END:
                            found.append((ANYTHING, self._number((ALL, 0, False, False))))
                        elif cells[third].kind == CHAR and cells[third].char == "/":
                            found += self._dive(cells[third].next, reread)
                            onward.append((cells[third].next, True))
                        else:
                            onward.append((after_both, False))
                    if not at_start:
                        onward.append((after_both, False))
                found += [
                    (NOT_SLASH, self._number((IN_STAR, starred, False, not self.exact)))
                    for starred, edge in onward
                    if not edge
                ]
            for step in onward:
                if step not in seen:
                    seen.add(step)
                    pending.append(step)
        return found

    def _dive(self, cell: int, reread: bool) -> list[tuple[str | CharClass, int]]:
        """What a recursive `**/` before the cell takes: to the edge of a segment, or on inside of it."""
        reread = reread or not self.exact
        return [
            ("/", self._number((AT_EDGE, cell, True, reread))),
            (NOT_SLASH, self._number((IN_DEEP, cell, False, reread))),
        ]

    def _ahead(self, cell: int, reread: bool) -> list[int]:
        return ahead(self.cells, cell) if reread else [cell]


def _is_exact(pattern: Cells) -> bool:
    """Whether the library's search, which goes back to the last `*` and the last `**/` only, finds all of these names.

    With one wildcard that is plain; with several it holds as long as what stands between two of them takes the same
    number of segments however it is matched, and a brace reads the same after going back as when it was first opened.
    """
    cells = pattern.rows
    kinds = {cell.kind for cell in cells}
    if BRACE in kinds and any(_may_end_in_error(char_class) for char_class in pattern.classes):
        return False
    stars = [number for number, cell in enumerate(cells) if cell.kind == STAR]
    if not stars:
        return True
    if BRACE not in kinds and not any(map(_takes_slash, pattern.classes)):
        return not any(number != max(stars) and _ends_in_deep_slash(cells, number) for number in stars)
    for number in _after(cells, stars):
        kind, _, char_class, _, alternatives = cells[number]
        if kind == CLASS and char_class is not None and _takes_slash(char_class) and _starred_before(cells, number):
            return False
        openings = (at for first in alternatives for at in ahead(cells, first))
        if kind == BRACE and not _at_edge(cells, number) and any(_may_be_two_stars(cells, at) for at in openings):
            return False
        if may_be_left(cells, number, replaced=True) != may_be_left(cells, number, replaced=False):
            return False
    for number in stars:
        after = cells[number].next
        if cells[after].kind == BRACE:
            heads = {cells[at].kind if cells[at].char != "/" else "/" for at in ahead(cells, after)}
            doubled = any(number in ahead(cells, cells[other].next) for other in stars if other != number)
            if STAR in heads or (doubled and heads & {"/", END}):
                return False
        if number != max(stars) and _ends_in_deep_slash(cells, number):
            return False
    return True


def _after(cells: list[Cell], stars: list[int]) -> list[int]:
    """The cells that come after a star in some reading."""
    found = [cells[star].next for star in stars]
    seen = set(found)
    for at in found:
        for onward in (cells[at].next, *cells[at].alternatives):
            if onward not in seen:
                seen.add(onward)
                found.append(onward)
    return found


def _at_edge(cells: list[Cell], number: int) -> bool:
    """Whether the cell always stands at the start of a segment: only slashes lead to it, or nothing does."""
    return all(cell.char == "/" for cell in cells if number in (cell.next, *cell.alternatives))


def _may_be_two_stars(cells: list[Cell], number: int) -> bool:
    return cells[number].kind == STAR and any(cells[at].kind == STAR for at in ahead(cells, cells[number].next))


def _may_end_in_error(char_class: CharClass) -> bool:
    """Whether a name that the class refuses may leave a rest that the library calls malformed.

    It stops reading a negated class at the member that the name brings, and checks the text from there on; an error
    then also ends the search through the other alternatives of a brace.
    """
    return char_class.negated and any(low <= ord(c) <= high for low, high in char_class.intervals for c in "[{}")


def _may_reverse_into_a_bracket(pattern: Pattern, cells: Cells) -> bool:
    """As `_may_end_in_error`, for the second end of a reversed range: the class does not list it, but the text holds it."""
    return (
        any(char_class.negated for char_class in cells.classes)
        and any(end in pattern.text for end in ("-[", "-{", "-}"))
        and any(cell.kind == BRACE for cell in cells.rows)
    )


def _takes_slash(char_class: CharClass) -> bool:
    return any(low <= 0x2F <= high for low, high in char_class.intervals) != char_class.negated


def _starred_before(cells: list[Cell], number: int) -> bool:
    """Whether a `*` that stays in its segment comes before the cell with no recursive `**/` in between.

    After a `**/` such a star is forgotten; which it is, is plain only where no brace comes before the cell.
    """
    starred, segment_start = False, True
    at = len(cells) - 1
    while at > number:
        kind, char, _, after, _ = cells[at]
        if kind == BRACE:
            return True
        if kind == STAR:
            second = cells[after].kind == STAR
            deep = (
                second
                and segment_start
                and cells[cells[after].next].kind == CHAR
                and cells[cells[after].next].char == "/"
            )
            starred = not deep
            at = cells[after].next if second else after
            segment_start = False
            continue
        segment_start = char == "/"
        at = after
    return starred


def _ends_in_deep_slash(cells: list[Cell], star: int) -> bool:
    """Whether the pattern may end in `**/` from this star on."""
    return any(
        cells[second].kind == STAR
        and any(
            cells[third].kind == CHAR
            and cells[third].char == "/"
            and any(cells[last].kind == END for last in ahead(cells, cells[third].next))
            for third in ahead(cells, cells[second].next)
        )
        for second in ahead(cells, cells[star].next)
    )


class _Unread:
    """Stands for a pattern that is too deep or too odd to be read: it accepts every name, and says so by `exact`."""

    letters = frozenset({"/"})
    classes: tuple[CharClass, ...] = ()
    start = 0

    def moves(self, state: int, meter: Meter) -> tuple[tuple[str | CharClass, int], ...]:
        meter.spend(1)
        return ((ANYTHING, state),)

    def ends(self, state: int) -> bool:
        return state == 0


def pattern_automaton(pattern: Pattern) -> Automaton | OrderedAutomaton:
    """The automaton of a pattern: it accepts at least what the library matches, and just that where it is `exact`."""
    if pattern.nodes is None:
        return Automaton(_Unread(), exact=False, blind=True)
    cells = Cells(pattern.nodes)
    exact = pattern.tidy and not _may_reverse_into_a_bracket(pattern, cells) and _is_exact(cells)
    if pattern.tidy and not exact and all(cell.kind != BRACE for cell in cells.rows):
        return OrderedAutomaton(cells)
    return Automaton(PatternMoves(cells, exact=exact), exact=exact)
