"""A client of `/events`, in a thread."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx

from tests.serve.running import until

if TYPE_CHECKING:
    from collections.abc import Mapping


class Event(NamedTuple):
    name: str
    id: str
    data: dict[str, Any]


class Listener:
    """Collects the events of a stream until it ends."""

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        self.events: list[Event] = []
        self.is_over = False
        self._thread = threading.Thread(target=self._listen, args=(url, headers or {}), daemon=True)
        self._thread.start()
        until(lambda: self.events)

    def named(self, name: str) -> list[Event]:
        return [event for event in self.events if event.name == name]

    def wait_over(self) -> None:
        until(lambda: self.is_over)

    def _listen(self, url: str, headers: Mapping[str, str]) -> None:
        with httpx.stream("GET", f"{url}events", headers=headers, timeout=None, trust_env=False) as answer:
            assert answer.headers["content-type"].startswith("text/event-stream")
            fields: dict[str, str] = {}
            for line in answer.iter_lines():
                name, _, value = line.partition(": ")
                if line:
                    fields[name] = value
                elif "event" in fields:
                    self.events.append(Event(fields["event"], fields["id"], json.loads(fields["data"])))
                    fields = {}
        self.is_over = True
