"""How many runs follow from one run, counted without walking: numbers in which `N` stands for the size of a fan-out.

A run wakes each of its targets once, and what they wake is counted from the deepest level upwards: one step a level and
edge, however many chains there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fleetlint.graph.depth import Wires

LARGEST = 10**18
"""A number above it is not counted: nobody waits for so many runs."""
POWERS = 32
"""A count with a power of N of this or more is not counted."""
WORK = 2_000_000
"""Numbers added up in one question, about a second; past it what is still growing is not counted."""


@dataclass(frozen=True, slots=True)
class Count:
    """A polynomial in N, the notes of one delivery that `for_each` splits: `coefficients[i]` counts N to the power i.

    No coefficient is negative and the last one is not 0, so that equal counts are equal values.
    """

    coefficients: tuple[int, ...] = ()

    def __add__(self, other: Count) -> Count:
        long, short = self.coefficients, other.coefficients
        if len(long) < len(short):
            long, short = short, long
        return Count((*(a + b for a, b in zip(long, short, strict=False)), *long[len(short) :]))

    def times_n(self) -> Count:
        return Count((0, *self.coefficients)) if self.coefficients else self

    def at(self, n: int) -> int:
        """The number for deliveries of `n` notes."""
        return sum(factor * n**power for power, factor in enumerate(self.coefficients))

    def covers(self, other: Count) -> bool:
        """Whether it is at least the other, power by power, and so for each N."""
        return upper(self, other) == self

    def __str__(self) -> str:
        """`1 + 2·N + N²`, a plain number where there is no N."""
        terms = []
        for power, factor in enumerate(self.coefficients):
            symbol = "" if power == 0 else "N" + ("" if power == 1 else str(power).translate(_RAISED))
            if factor:
                terms.append(f"{factor:,}" if not symbol else symbol if factor == 1 else f"{factor:,}·{symbol}")
        return " + ".join(terms) or "0"


_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")

NONE = Count()


def number(value: int) -> Count:
    return Count((value,)) if value else NONE


def upper(a: Count, b: Count) -> Count:
    """The larger of the two, power by power."""
    long, short = a.coefficients, b.coefficients
    if len(long) < len(short):
        long, short = short, long
    return Count((*map(max, zip(long, short, strict=False)), *long[len(short) :]))


def counted(count: Count) -> Count | None:
    """The count, None when it is too large to be told."""
    factors = count.coefficients
    return None if len(factors) > POWERS or any(factor > LARGEST for factor in factors) else count


def totals(wires: Wires, splits: Sequence[int], weights: Sequence[int]) -> list[Count | None]:
    """For each role what one run of it at depth 0 brings about, itself included, each run at its role's weight.

    `splits[role]` are the roles, as bits, whose deliveries it splits into N runs. None where that is too large to be
    counted, or was too much work: what is a number is exact.

    A run at some depth brings about no less than one deeper down, so going upwards only what grows has to be added.
    """
    into: list[list[tuple[int, bool]]] = [[] for _ in wires.out]
    opening: dict[int, list[int]] = {}
    for source, targets in enumerate(wires.out):
        opening.setdefault(wires.limits[source], []).append(source)
        for target in targets:
            into[target].append((source, bool(splits[target] >> source & 1)))
    values: list[Count | None] = [number(weight) for weight in weights]
    grown: dict[int, Count | None] = {}
    work = WORK
    for depth in range(max(wires.limits, default=0) - 2, -1, -1):
        # A run at this depth wakes the roles whose guard is above the next: those that did so one deeper, and some more.
        sending = {role: growth for role, growth in grown.items() if depth + 1 < wires.limits[role]}
        sending.update({role: values[role] for role in opening.get(depth + 2, ())})
        gains: dict[int, Count | None] = {}
        for target, amount in sending.items():
            for source, is_split in into[target]:
                if values[source] is None:
                    continue
                before = gains.get(source, NONE)
                if amount is None or before is None:
                    gains[source] = None
                else:
                    gains[source] = before + (amount.times_n() if is_split else amount)
                    work -= 1 + len(amount.coefficients)
        grown = {}
        for role, gain in gains.items():
            old = values[role]
            values[role] = counted(old + gain) if old is not None and gain is not None and work >= 0 else None
            if values[role] != old:
                grown[role] = gain if values[role] is not None else None
    return values
