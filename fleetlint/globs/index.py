"""Many patterns against many: which pairs can meet at all, without comparing all of them.

Every name that a pattern matches begins with the literal text before its first special character. Two patterns can
meet only when one of these beginnings continues the other. So sort one side by its beginnings: those that continue a
text stand together, and those that it continues are found by looking up its own beginnings.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fleetlint.globs.syntax import Pattern


def meeting_pairs(left: Sequence[Pattern], right: Sequence[Pattern]) -> Iterator[tuple[int, int]]:
    """The pairs (index in left, index in right) that may share a name: all that do, and few that do not.

    By left, then right. Takes about n log n steps beside the pairs themselves, for texts of bounded length.
    """
    beginnings = [pattern.beginning for pattern in right]
    order = sorted(range(len(right)), key=lambda index: beginnings[index])
    in_order = [beginnings[index] for index in order]
    exactly: dict[str, list[int]] = {}
    for index in order:
        exactly.setdefault(beginnings[index], []).append(index)
    for number, pattern in enumerate(left):
        text = pattern.beginning
        found = [index for size in range(len(text)) for index in exactly.get(text[:size], ())]
        at = bisect_left(in_order, text)
        while at < len(order) and in_order[at].startswith(text):
            found.append(order[at])
            at += 1
        for index in sorted(found):
            yield number, index
