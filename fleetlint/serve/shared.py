"""Work that several clients wait for."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Hashable

MAX_KEPT = 64
MAX_KEPT_BYTES = 16 * 1024 * 1024

K = TypeVar("K", bound="Hashable")
T = TypeVar("T")


@dataclass
class _Work(Generic[T]):
    task: asyncio.Task[T]
    waiting: int = 0


class Shared(Generic[K, T]):
    """Answers by question. However many ask the same at once, the work is done once; it is cancelled when all of them have
    left. Answers are kept while there is room: `size` gives their bytes, None for those that are not to be given again.
    """

    def __init__(self, size: Callable[[T], int | None]) -> None:
        self._size = size
        self._kept: OrderedDict[K, T] = OrderedDict()
        self._kept_bytes = 0
        self._working: dict[K, _Work[T]] = {}

    async def get(self, question: K, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Raises what the work raises."""
        if question in self._kept:
            self._kept.move_to_end(question)
            return self._kept[question]
        if question not in self._working:
            self._working[question] = _Work(asyncio.create_task(work()))
        working = self._working[question]
        working.waiting += 1
        try:
            # Who leaves does not end the work for the others.
            answer = await asyncio.shield(working.task)
        finally:
            working.waiting -= 1
            if not working.waiting:
                working.task.cancel()
                del self._working[question]
        self._keep(question, answer)
        return answer

    def _keep(self, question: K, answer: T) -> None:
        size = self._size(answer)
        if question in self._kept or size is None or size > MAX_KEPT_BYTES:
            return
        self._kept[question] = answer
        self._kept_bytes += size
        while len(self._kept) > MAX_KEPT or self._kept_bytes > MAX_KEPT_BYTES:
            _, dropped = self._kept.popitem(last=False)
            self._kept_bytes -= self._size(dropped) or 0
