"""Which patterns of a list the others cover, so that all of these can go at once."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from fleetlint.globs import covers, find_path, meeting_pairs
from fleetlint.globs.example import takes_notes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fleetlint.globs import Pattern

MOST_PAIRS = 2_500
"""So many pairs of one list are compared. It takes a list of fifty patterns that all meet to have more."""
MOST_TOGETHER = 12
"""So many patterns that may cover another one together are asked about: each makes the question harder."""

Covered = dict[int, tuple[int, ...]]
"""The superfluous ones: index to the indices of those that cover it, one or several together."""


def covered_of(patterns: Sequence[Pattern], only_twins: bool) -> Covered:
    """Which patterns can go, so that all of them can go at once. Of two that take the same the later one goes."""
    found: Covered = {}
    first: dict[Pattern, int] = {}
    for number, pattern in enumerate(patterns):
        if first.setdefault(pattern, number) != number:
            found[number] = (first[pattern],)
    if only_twins:
        return found
    distinct = list(first)
    near: dict[int, list[int]] = {}
    pairs = (pair for pair in meeting_pairs(distinct, distinct) if pair[0] != pair[1])
    for left, right in islice(pairs, MOST_PAIRS):
        near.setdefault(first[distinct[left]], []).append(first[distinct[right]])
    # A pattern that takes no note at all is odd by itself, and `suspicious-pattern` says so.
    near = {number: others for number, others in near.items() if takes_notes(patterns[number])}
    for number in sorted(near, reverse=True):
        whole = next(
            (other for other in near[number] if other not in found and _is_in(patterns, number, [other])), None
        )
        if whole is not None:
            found[number] = (whole,)
    for number in sorted(near.keys() - found.keys(), reverse=True):
        others = [other for other in near[number] if other not in found]
        if 1 < len(others) <= MOST_TOGETHER and _is_in(patterns, number, others):
            found[number] = _needed(patterns, number, others)
    return dict(sorted(found.items()))


def _needed(patterns: Sequence[Pattern], number: int, others: list[int]) -> tuple[int, ...]:
    """Those of the others that it takes to cover the pattern."""
    for other in list(others):
        rest = [one for one in others if one != other]
        others = rest if _is_in(patterns, number, rest) else others
    return tuple(others)


def _is_in(patterns: Sequence[Pattern], number: int, others: list[int]) -> bool:
    if len(others) == 1:
        return covers(patterns[others[0]], patterns[number]) is True
    return find_path(all_of=[patterns[number]], none_of=[patterns[other] for other in others]) is None


def apart(patterns: Sequence[Pattern], others: Sequence[Pattern]) -> list[int]:
    """The indices of the patterns that provably share no note with any of the others."""
    meeting: set[int] = set()
    asked = 0
    for number, (left, right) in enumerate(meeting_pairs(patterns, others)):
        if left not in meeting:
            asked += 1
            if find_path(all_of=[patterns[left], others[right]]) is not None:
                meeting.add(left)
        if asked > MOST_PAIRS or number > 40 * MOST_PAIRS:
            return []
    return [index for index, pattern in enumerate(patterns) if index not in meeting and takes_notes(pattern)]
