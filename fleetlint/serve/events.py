"""`GET /events`: server-sent events. A client that reads slowly gets the newest state and holds up nobody."""

from __future__ import annotations

import asyncio
import json
from time import monotonic
from typing import TYPE_CHECKING

from starlette.responses import Response, StreamingResponse

from fleetlint.serve.answers import refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import Message, Receive, Scope, Send

    from fleetlint.serve.result import State

MAX_CLIENTS = 100
HEARTBEAT = 15.0
"""Seconds without a change after which a comment is sent: proxies close what is silent."""
SLOWEST = 30.0
"""Seconds that a client may take to accept what is sent."""
LONGEST = 600.0
"""Seconds until a stream ends. A browser opens the next one by itself, and has to be logged in still."""
RETRY = 1_000
"""Milliseconds until it does."""

MEDIA_TYPE = "text/event-stream"


class Events:
    """An ASGI application: one `graph` event each time the result changed, one `status` event at first and when that
    changed. An event's id names the result, so that who comes back with an older one hears of the change.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self.clients = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "HEAD":
            return await Response(media_type=MEDIA_TYPE)(scope, receive, send)
        if self.clients >= MAX_CLIENTS:
            answer = refusal(503, "too many clients listen already; try again later", {"retry-after": "30"})
            return await answer(scope, receive, send)
        last = dict(scope["headers"]).get(b"last-event-id", b"").decode("latin-1")

        async def send_in_time(message: Message) -> None:
            async with asyncio.timeout(SLOWEST):
                await send(message)

        self.clients += 1
        try:
            return await StreamingResponse(self._events(last), media_type=MEDIA_TYPE)(scope, receive, send_in_time)
        except TimeoutError:
            return None  # The server closes the connection.
        finally:
            self.clients -= 1

    async def _events(self, last: str) -> AsyncIterator[str]:
        """`last` is the id of the last event that the client had, empty for none."""
        end = monotonic() + LONGEST
        state = self._state
        yield f"retry: {RETRY}\n{self._status()}"
        told = (last or self._id(), state.stale)
        while not state.is_closing and monotonic() < end:
            change = state.next_change()
            now = (self._id(), state.stale)
            if now[0] != told[0]:
                yield self._event("graph", {"revision": state.revision})
            if now[1] != told[1]:
                yield self._status()
            if now != told:
                told = now
                continue  # What happened while this was sent is told before waiting.
            try:
                await asyncio.wait_for(change.wait(), HEARTBEAT)
            except TimeoutError:
                yield ":\n\n"

    def _id(self) -> str:
        return self._state.result.digest[:32] if self._state.result else ""

    def _status(self) -> str:
        state = self._state
        reason = state.stale or ("" if state.result else "nothing has been derived yet")
        return self._event("status", {"stale": bool(reason), "reason": reason, "revision": state.revision})

    def _event(self, name: str, data: dict[str, object]) -> str:
        return f"event: {name}\nid: {self._id()}\ndata: {json.dumps(data)}\n\n"
