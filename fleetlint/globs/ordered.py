"""The library's search for patterns without braces, followed in its own order: exact where it gives up.

The search makes its attempts one after another: it lets the last `*` take one character more, and when that fails, the
last recursive `**/` one segment more. Here the attempts run side by side, in their order. An attempt that reads a `*`
ends those behind it that the `*` before would have brought; one that reads a `**/` ends all behind it. At the end of the
name the first attempt still alive decides, as in the library, which does not go back from there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.globs.automaton import DEAD, Alphabet, takes
from fleetlint.globs.cells import ANY, CHAR, CLASS, END, ESCAPED, STAR, may_be_left
from fleetlint.globs.work import TooMuchWork

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fleetlint.globs.cells import Cells
    from fleetlint.globs.work import Meter

_NONE = -1
_ALL = -2
"""In place of a cell: behind a final `**`, which takes all."""

_Attempt = tuple[int, bool]
"""The cell about to be read, and whether it stands at the start of a segment."""

_Group = tuple[tuple[_Attempt, ...], int]
"""Attempts that share a start of the `**/`, and the cell behind the `*` that goes on making them (or none)."""

_State = tuple[tuple[_Group, ...], int]
"""Groups in the order of the search, and the cell behind the `**/` that goes on making them (or none)."""


class OrderedAutomaton:
    """A deterministic automaton with the interface of `Automaton`; `cells` hold no brace."""

    exact = True
    blind = False

    def __init__(self, cells: Cells) -> None:
        self.alphabet = Alphabet(cells.letters, cells.classes)
        self._cells = cells.rows
        self._states: list[_State] = []
        self._numbers: dict[_State, int] = {}
        self._rows: list[tuple[list[int], int] | None] = []
        self.start = self._number((((((cells.first, True),), _NONE),), _NONE))

    def _number(self, state: _State) -> int:
        number = self._numbers.get(state)
        if number is None:
            number = self._numbers[state] = len(self._states)
            self._states.append(state)
            self._rows.append(None)
        return number

    def row(self, state: int, meter: Meter) -> Sequence[int]:
        """Raises TooMuchWork, also where the order of two attempts can't be told yet."""
        known = self._rows[state]
        if known is None:
            before = meter.left
            row = []
            for char in self.alphabet.members:
                groups, deep = self._onward(self._states[state], char, meter)
                row.append(self._number((groups, deep)) if groups or deep != _NONE else DEAD)
            self._rows[state] = (row, before - meter.left)
            return row
        meter.spend(known[1])
        return known[0]

    def walk(self, state: int, text: str, meter: Meter) -> int:
        for char in text:
            if state == DEAD:
                break
            state = self.row(state, meter)[self.alphabet.number(char)]
        return state

    def ends(self, state: int) -> bool:
        if state == DEAD or not self._states[state][0]:
            return False
        cell = self._states[state][0][0][0][0][0]
        return cell == _ALL or may_be_left(self._cells, cell, replaced=False)

    def _onward(self, state: _State, char: str, meter: Meter) -> _State:
        groups, deep = state
        onward: list[_Group] = []
        for attempts, old_star in groups:
            star = old_star
            kept: list[_Attempt] = []
            new_deep = _NONE
            for attempt in attempts:
                meter.spend(2)
                after, new_star, new_deep = self._read(attempt, char)
                if new_deep != _NONE and kept:
                    # An attempt before this one may yet end it, and then the `**/` before would still count.
                    raise TooMuchWork
                if after is not None and after not in kept:
                    kept.append(after)
                if new_star != _NONE or new_deep != _NONE:
                    star = new_star
                    break
            star = star if char != "/" else _NONE
            if star != _NONE and (star, False) not in kept:
                kept.append((star, False))
            # A group that is the same as one before it can only fail as that one did.
            if kept and (tuple(kept), star) not in onward:
                onward.append((tuple(kept), star))
            if new_deep != _NONE:
                deep = new_deep
                break
        if deep != _NONE and char == "/":
            fresh = (((deep, True),), _NONE)
            if fresh not in onward:
                onward.append(fresh)
        return tuple(onward), deep

    def _read(self, attempt: _Attempt, char: str) -> tuple[_Attempt | None, int, int]:
        """What the attempt is after the character (None: it failed), and the `*` and `**/` that it read before."""
        cell, segment_start = attempt
        star = deep = _NONE
        if cell == _ALL:
            return attempt, star, deep
        while True:
            kind, literal, char_class, after, _ = self._cells[cell]
            if kind == STAR:
                both = self._cells[after].kind == STAR
                after_both = self._cells[after].next if both else after
                behind = self._cells[after_both]
                if both and segment_start and behind.kind == END:
                    return (_ALL, False), star, deep
                if both and segment_start and behind.kind == CHAR and behind.char == "/":
                    cell = deep = behind.next
                    star = _NONE
                    continue
                cell = star = after_both
                segment_start = False
            elif kind in (CHAR, ESCAPED):
                return ((after, char == "/"), star, deep) if literal == char else (None, star, deep)
            else:
                taken = (kind == ANY and char != "/") or (
                    kind == CLASS and char_class is not None and takes(char_class, char)
                )
                return (after, False) if taken else None, star, deep
