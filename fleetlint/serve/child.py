"""The server's side of the child process: starts it, asks it, and starts another one when it has died."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from fleetlint.serve.logs import log

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Callable, Mapping

MAX_LINE = 16 * 1024 * 1024
"""Bytes of an answer's first line."""

SUCCESSOR = "another one takes its place"


class ChildError(Exception):
    """The process that derives ended, or was ended, before it answered, or never began: a sentence that says how."""


class Child:
    """One process at a time, started when something is asked, and one request at a time."""

    def __init__(self, ended: Callable[[], None]) -> None:
        """`ended` is called when a process ends while nothing is asked of it."""
        self._ended = ended
        self._process: Process | None = None
        self._turn = asyncio.Lock()
        self._watchers: set[asyncio.Task[None]] = set()
        self._is_closed = False
        self.starts = 0

    async def ask(
        self, request: Mapping[str, Any], deadline: float, *, again: bool = False
    ) -> tuple[dict[str, Any], dict[str, bytes]]:
        """The answer's first line and its parts. A process that takes longer than `deadline` seconds is killed.

        With `again` another process is asked when one has ended by itself. Raises ChildError. May be cancelled: a request
        that has not been sent is not sent then, and an answer that nobody waits for any more is read all the same.
        """
        await self._turn.acquire()
        exchange = asyncio.ensure_future(self._answer(request, deadline, 2 if again else 1))
        exchange.add_done_callback(lambda done: done.cancelled() or done.exception())
        return await asyncio.shield(exchange)

    async def close(self) -> None:
        """Ends the process: it holds nothing that is worth saving."""
        self._is_closed = True
        if self._process is not None:
            await _end(self._process)
        await asyncio.gather(*self._watchers)

    async def _answer(
        self, request: Mapping[str, Any], deadline: float, tries: int
    ) -> tuple[dict[str, Any], dict[str, bytes]]:
        try:
            while True:
                tries -= 1
                process = await self._running()
                try:
                    async with asyncio.timeout(deadline):
                        return await _exchange(process, request)
                except TimeoutError:
                    await _end(process)
                    raise ChildError(
                        f"the process that derives took longer than {deadline:g} s and was ended; {SUCCESSOR}"
                    ) from None
                except (OSError, EOFError, ValueError):
                    code = await _end(process, grace=1)
                    if not tries:
                        raise ChildError(f"the process that derives {_ending(code)}; {SUCCESSOR}") from None
        finally:
            self._turn.release()

    async def _running(self) -> Process:
        if self._process is not None and self._process.returncode is None:
            return self._process
        if self._is_closed:
            raise ChildError("the server is shutting down")
        try:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "fleetlint.serve.worker",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=MAX_LINE,
            )
        except OSError as error:
            raise ChildError(
                f"the process that derives cannot be started ({error.strerror}); it is tried again"
            ) from None
        self._process = process
        self.starts += 1
        log("child_started", pid=process.pid)
        watcher = asyncio.create_task(self._watch(process))
        self._watchers.add(watcher)
        watcher.add_done_callback(self._watchers.discard)
        return process

    async def _watch(self, process: Process) -> None:
        assert process.stderr is not None
        while True:
            try:
                line = await process.stderr.readline()
            except ValueError:  # a line without end
                continue
            if not line:
                break
            log("child_said", level="warning", message=line.decode(errors="replace").rstrip())
        code = await process.wait()
        if not self._is_closed:
            log("child_ended", level="error", pid=process.pid, how=_ending(code))
            if not self._turn.locked():
                self._ended()


async def _exchange(process: Process, request: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Raises OSError, EOFError or ValueError when the process ends, or speaks as it never should."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(request).encode() + b"\n")
    await process.stdin.drain()
    header = json.loads(await process.stdout.readline())
    return header, {name: await process.stdout.readexactly(size) for name, size in header["parts"].items()}


async def _end(process: Process, grace: float = 0) -> int:
    """The exit code of the process, which is killed if it has not ended by itself after some seconds."""
    with suppress(TimeoutError):
        return await asyncio.wait_for(process.wait(), grace)
    # Not earlier: who kills what has ended already takes its exit code away from who waits for that.
    with suppress(ProcessLookupError):
        process.kill()
    return await process.wait()


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"
