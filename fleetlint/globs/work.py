"""The budget: work is counted in steps, never in time, so that the same question always gives the same answer."""

from __future__ import annotations


class TooMuchWork(Exception):  # noqa: N818 - not an error of anybody's: the honest answer is then "maybe"
    """A question whose answer would cost more than the budget."""


class Meter:
    """The work that a question may still do."""

    __slots__ = ("left",)

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self, work: int) -> None:
        """Raises TooMuchWork."""
        self.left -= work
        if self.left < 0:
            raise TooMuchWork
