"""What is served: the last good result, and whether the vault has moved on without it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Document:
    """Bytes that a route serves, as they are and gzipped. `etag` is weak: it is the same for both, and at any time."""

    media_type: str
    body: bytes
    zipped: bytes
    etag: str


@dataclass(frozen=True, slots=True)
class Result:
    """What one derivation gave: documents by their route's name, plain data for GraphQL, and figures by name.

    `digest` (hex) is over all of it but the time: two results with one digest are the same result.
    """

    digest: str
    documents: Mapping[str, Document]
    facts: Mapping[str, Any]
    figures: Mapping[str, int]


@dataclass(slots=True)
class State:
    """The last good result, and in `stale` a sentence that says why it is no longer the vault's; empty when it is.

    `revision` counts the results that differ from the one before.
    """

    result: Result | None = None
    stale: str = ""
    revision: int = 0
    is_closing: bool = False
    _moved: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, result: Result) -> bool:
        """Takes a result of the vault as it is now; whether it says anything new. An equal one keeps its time."""
        is_new = self.result is None or self.result.digest != result.digest
        if is_new:
            self.result = result
            self.revision += 1
        if is_new or self.stale:
            self.stale = ""
            self._tell()
        return is_new

    def mark_stale(self, reason: str) -> None:
        if reason != self.stale:
            self.stale = reason
            self._tell()

    def close(self) -> None:
        """The server is ending: who follows the changes may go."""
        self.is_closing = True
        self._tell()

    def next_change(self) -> asyncio.Event:
        """It is set at the first change after this call."""
        return self._moved

    def _tell(self) -> None:
        # Whoever waits holds the event of its time, so that nobody misses a change and nobody has a queue.
        self._moved.set()
        self._moved = asyncio.Event()
