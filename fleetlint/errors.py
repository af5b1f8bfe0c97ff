"""What several rooms that read from outside raise, and how they look behind what others raise."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class SourceError(Exception):
    """Something that a run needs and that cannot be used: one sentence that names it and says what to do."""


def causes_of(error: BaseException | None) -> Iterator[BaseException]:
    """The error, and all that it comes from, those of groups, too."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        waiting += [one.__cause__, one.__context__, *(one.exceptions if isinstance(one, BaseExceptionGroup) else ())]
