"""Runs the application until it is told to end."""

from __future__ import annotations

import asyncio
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

from fleetlint.serve.app import Options, make_app
from fleetlint.serve.logs import log, take_over
from fleetlint.serve.result import State

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator

    from fleetlint.sources import Source

GRACE = 5
"""Seconds that requests have to end once the server is told to."""


class _Server(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Ours are on the loop: streams have to be closed first, and the exit code is 0.
        yield


def run(source: Source, options: Options, listening: socket.socket) -> None:
    """Serves on the socket until SIGTERM or SIGINT."""
    take_over()
    asyncio.run(_serve(source, options, listening))


async def _serve(source: Source, options: Options, listening: socket.socket) -> None:
    state = State()
    config = uvicorn.Config(
        make_app(source, options, state),
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE,
    )
    server = _Server(config)

    def end(name: str) -> None:
        log("ending", signal=name)
        state.close()
        server.should_exit = True

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end, number.name)
    await server.serve([listening])
    log("ended")
