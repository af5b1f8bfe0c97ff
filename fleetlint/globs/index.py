"""Many patterns against many: which pairs can meet at all, without comparing all of them.

Every name that a pattern matches begins with the literal text before its first special character, and ends with that
behind the last. Two patterns can meet only when one of the beginnings continues the other, and so with the endings. So
sort one side by its beginnings: those that continue a text stand together, and those that it continues are found by
looking up its own beginnings. Those that begin alike are sorted by their endings in the same way.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fleetlint.globs.syntax import Pattern


def meeting_pairs(left: Sequence[Pattern], right: Sequence[Pattern]) -> Iterator[tuple[int, int]]:
    """The pairs (index in left, index in right) that may share a name: all that do, and few that do not.

    By left, then right. Takes about n log n steps beside the pairs themselves, for texts of bounded length.
    """
    alike: dict[str, list[int]] = {}
    for index, pattern in enumerate(right):
        alike.setdefault(pattern.beginning, []).append(index)
    groups = _Prefixes(alike)
    # Endings are read backwards, so that they too continue each other at the end.
    endings = {begins: _by_ending(right, indices) for begins, indices in alike.items() if len(indices) > 1}
    for number, pattern in enumerate(left):
        found: list[int] = []
        backwards = pattern.ending[::-1]
        for begins in groups.meeting(pattern.beginning):
            if begins in endings:
                prefixes, indices = endings[begins]
                for ending in prefixes.meeting(backwards):
                    found += indices[ending]
            else:
                found += alike[begins]
        for index in sorted(found):
            yield number, index


def _by_ending(patterns: Sequence[Pattern], indices: list[int]) -> tuple[_Prefixes, dict[str, list[int]]]:
    alike: dict[str, list[int]] = {}
    for index in indices:
        alike.setdefault(patterns[index].ending[::-1], []).append(index)
    return _Prefixes(alike), alike


class _Prefixes:
    """Texts, asked which of them continue a text or are continued by it."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._sorted = sorted(texts)
        self._all = frozenset(self._sorted)

    def meeting(self, text: str) -> Iterator[str]:
        for size in range(len(text)):
            if text[:size] in self._all:
                yield text[:size]
        for at in range(bisect_left(self._sorted, text), len(self._sorted)):
            if not self._sorted[at].startswith(text):
                break
            yield self._sorted[at]
