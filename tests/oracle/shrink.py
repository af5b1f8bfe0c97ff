"""Make a case on which two answers differ as small as it gets, asking about many candidates at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Case = tuple[str, ...]


def shrink(case: Case, differs: Callable[[list[Case]], list[bool]]) -> Case:
    """The smallest case found by deleting stretches and by putting `a` in place of other characters."""
    while True:
        candidates = list(dict.fromkeys(_smaller(case)))
        smaller = next((c for c, bad in zip(candidates, differs(candidates), strict=True) if bad), None)
        if smaller is None:
            return case
        case = smaller


def _smaller(case: Case) -> Iterator[Case]:
    for index, text in enumerate(case):
        size = len(text)
        while size:
            for at in range(0, len(text) - size + 1, size):
                yield (*case[:index], text[:at] + text[at + size :], *case[index + 1 :])
            size //= 2
    # One character the same in all texts, so that what has to be equal stays so.
    for char in sorted(set("".join(case)) - {"a"}):
        yield tuple(text.replace(char, "a") for text in case)
    for index, text in enumerate(case):
        for at, char in enumerate(text):
            if char != "a":
                yield (*case[:index], text[:at] + "a" + text[at + 1 :], *case[index + 1 :])
