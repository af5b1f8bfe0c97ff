"""A pattern as cells: one a step of its text, each linked to the next. The ground that automata are built on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fleetlint.globs.syntax import AnyChar, Brace, CharClass, Escaped, Literal, Node, Star

if TYPE_CHECKING:
    from collections.abc import Sequence

END, CHAR, ESCAPED, STAR, ANY, CLASS, BRACE = range(7)

_EMPTY_TAILS = frozenset({"", "*", "**", "/**", "**/", "/**/"})


class Cell(NamedTuple):
    """One step of a pattern's text: what it is, the cell after it, and the first cells of a brace's alternatives.

    Each alternative goes on into the cell after the brace, so the cells are as many as the text is long.
    """

    kind: int
    char: str
    char_class: CharClass | None
    next: int
    alternatives: tuple[int, ...]


class Cells:
    """`rows[0]` is the end of the pattern, `first` where it begins; numbers fall along the text."""

    def __init__(self, nodes: tuple[Node, ...]) -> None:
        self.rows = [Cell(END, "", None, 0, ())]
        self.first = self._lay(nodes, 0)
        self.letters = frozenset(cell.char for cell in self.rows if cell.char) | {"/"}
        self.classes = tuple(dict.fromkeys(cell.char_class for cell in self.rows if cell.char_class))

    def _lay(self, nodes: tuple[Node, ...], after: int) -> int:
        """Add the cells of the nodes before the cell `after`, last first; the number of the first one."""
        for node in reversed(nodes):
            match node:
                case Literal(text):
                    for char in reversed(text):
                        after = self._add(Cell(CHAR, char, None, after, ()))
                case Escaped(char):
                    after = self._add(Cell(ESCAPED, char, None, after, ()))
                case Star():
                    after = self._add(Cell(STAR, "", None, after, ()))
                case AnyChar():
                    after = self._add(Cell(ANY, "", None, after, ()))
                case CharClass():
                    after = self._add(Cell(CLASS, "", node, after, ()))
                case Brace(alternatives):
                    # Last first here too, so that a cell's number falls along the text.
                    firsts = tuple(self._lay(part, after) for part in reversed(alternatives))
                    after = self._add(Cell(BRACE, "", None, after, firsts[::-1]))
        return after

    def _add(self, cell: Cell) -> int:
        self.rows.append(cell)
        return len(self.rows) - 1


def ahead(cells: Sequence[Cell], cell: int) -> list[int]:
    """What the text may go on with at the cell, its braces replaced or not."""
    found = [cell]
    for at in found:
        found += [first for first in cells[at].alternatives if first not in found]
    return found


def may_be_left(cells: Sequence[Cell], cell: int, replaced: bool) -> bool:
    """Whether the rest of the pattern from the cell on may be left over at the end of a name.

    The library compares the rest with a fixed list, and opens a brace that it begins with; with `replaced`, any brace of
    the rest may stand replaced in the text.
    """
    kind, char, _, _, _ = cells[cell]
    if kind != BRACE and kind != STAR and char != "/":
        return kind == END
    pending = [(cell, "")]
    seen = set(pending)
    while pending:
        at, text = pending.pop()
        kind, char, _, after, alternatives = cells[at]
        if kind == END:
            if text in _EMPTY_TAILS:
                return True
            continue
        if kind == BRACE:
            onward = [(first, text) for first in alternatives] if replaced or not text else []
        elif kind == STAR or (kind == CHAR and char == "/"):
            onward = [(after, text + (char or "*"))] if len(text) < 4 else []
        else:
            onward = []
        for step in onward:
            if step not in seen:
                seen.add(step)
                pending.append(step)
    return False
