"""Derives once per change, however many ask, and keeps at it while it fails."""

from __future__ import annotations

import asyncio
import json
import logging
from contextlib import suppress
from time import perf_counter
from typing import TYPE_CHECKING, Any

from fleetlint.serve.child import Child, ChildError
from fleetlint.serve.logs import log
from fleetlint.serve.result import Document, Result
from fleetlint.serve.shared import Shared

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fleetlint.serve.result import State
    from fleetlint.sources import Source

FIRST_RETRY = 0.5
LAST_RETRY = 30.0
"""Seconds until a derivation that failed is tried again; twice as long after each failure."""

MAX_GLOB = 1_000
"""Characters of a pattern that is asked about."""
IMPACT_DEADLINE = 30.0
"""Seconds."""
MAX_WAITING = 32
"""So many questions may wait for the child."""

MEDIA_TYPES = {"graph.json": "application/json", "graph.mmd": "text/vnd.mermaid; charset=utf-8"}


class NoAnswerError(Exception):
    """A question that cannot be answered now: one sentence that says why."""


class BadQuestionError(Exception):
    """A question that has no answer: one sentence that says why."""


class Derivation:
    """Asks the child for the result of `source` each time that something has changed, and for what is told on demand."""

    def __init__(self, source: Source, state: State, deadline: float) -> None:
        self._source = source._asdict()
        self._state = state
        self._deadline = deadline
        self._wanted = asyncio.Event()
        self._asked: Shared[tuple[str, str], dict[str, bytes]] = Shared(_size)
        self._asked_of = 0
        self._waiting = 0
        self.child = Child(lambda: self.want("the process that derives has ended"))

    def want(self, why: str) -> None:
        """Something may have changed. What changes during a derivation brings about one more."""
        log("change", why=why)
        self._wanted.set()

    async def run(self) -> None:
        """Until it is cancelled."""
        retry: float | None = None
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._wanted.wait(), retry)
            self._wanted.clear()
            is_good = await self._derive()
            retry = None if is_good else min(LAST_RETRY, retry * 2) if retry else FIRST_RETRY

    async def _derive(self) -> bool:
        start = perf_counter()
        try:
            result = await self._ask_result()
        except (ChildError, NoAnswerError) as error:
            reason = str(error)
        except Exception as error:
            # Whatever it is, it must not be the end of deriving.
            logging.getLogger(__name__).exception("deriving failed")
            reason = f"deriving failed ({type(error).__name__}); the log of the server says where"
        else:
            is_new = self._state.put(result)
            passed = round((perf_counter() - start) * 1000)
            log("derived", new=is_new, revision=self._state.revision, ms=passed, figures=result.figures)
            return True
        log("stale", level="error", reason=reason, ms=round((perf_counter() - start) * 1000))
        self._state.mark_stale(reason)
        return False

    async def _ask_result(self) -> Result:
        """Raises ChildError, and NoAnswerError where the vault cannot be derived."""
        header, parts = await self.child.ask({"do": "derive", "source": self._source}, self._deadline)
        if "error" in header:
            raise NoAnswerError(header["error"])
        for sentence in header["said"]:
            log("note", level="warning", message=sentence)
        # A large vault's data takes a while to parse.
        return await asyncio.to_thread(_result, header, parts)

    async def impact(self, glob: str) -> bytes:
        """The wave of a pattern, as JSON. Raises BadQuestionError and NoAnswerError."""
        return (await self._ask_once("impact", glob, IMPACT_DEADLINE))["impact"]

    async def sarif(self) -> Document:
        """The findings as SARIF, with the mends that hold. Raises NoAnswerError."""
        result = self._state.result
        parts = await self._ask_once("sarif", "", self._deadline)
        assert result is not None
        etag = f'W/"{result.digest[:32]}"'
        return Document("application/sarif+json", parts["findings.sarif"], parts["findings.sarif.gz"], etag)

    async def _ask_once(self, do: str, glob: str, deadline: float) -> dict[str, bytes]:
        """However many ask the same at once, and until the result changes, the child is asked once."""
        if self._state.result is None:
            raise NoAnswerError(self._state.stale or "nothing has been derived yet")
        if self._asked_of != self._state.revision:
            self._asked_of, self._asked = self._state.revision, Shared(_size)
        return await self._asked.get((do, glob), lambda: self._ask({"do": do, "glob": glob}, deadline))

    async def _ask(self, request: Mapping[str, Any], deadline: float) -> dict[str, bytes]:
        if self._waiting >= MAX_WAITING:
            raise NoAnswerError("too many questions are waiting; ask again later")
        self._waiting += 1
        try:
            header, parts = await self.child.ask({**request, "source": self._source}, deadline, again=True)
        except ChildError as error:
            self.want("the process that derives has ended")
            raise NoAnswerError(str(error)) from None
        finally:
            self._waiting -= 1
        if "refused" in header:
            raise BadQuestionError(header["refused"])
        if "error" in header:
            raise NoAnswerError(header["error"])
        return parts


def _size(parts: Mapping[str, bytes]) -> int:
    return sum(map(len, parts.values()))


def _result(header: Mapping[str, Any], parts: Mapping[str, bytes]) -> Result:
    documents = {
        name: Document(media_type, parts[name], parts[f"{name}.gz"], header["etags"][name])
        for name, media_type in MEDIA_TYPES.items()
    }
    return Result(header["digest"], documents, json.loads(parts["facts"]), header["figures"])
