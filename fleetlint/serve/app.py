"""The application: the routes, and around them what is true of all requests."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException

from fleetlint.serve.answers import refusal
from fleetlint.serve.derivation import Derivation
from fleetlint.serve.events import Events
from fleetlint.serve.rest import routes
from fleetlint.serve.watch import watch_checkout

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.types import ASGIApp

    from fleetlint.serve.result import State
    from fleetlint.sources import Source


class Options(NamedTuple):
    """What the command line says beside the source."""

    root_path: str = ""
    deadline: float = 300.0


def make_app(source: Source, options: Options, state: State) -> ASGIApp:
    derivation = Derivation(source, state, options.deadline)
    events = Events(state)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:  # noqa: ARG001 - Starlette's
        files = [file for file in (source.config, source.registry) if file is not None]
        tasks = [
            asyncio.create_task(derivation.run()),
            asyncio.create_task(watch_checkout(source.root, files, derivation.want)),
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await derivation.child.close()

    return Starlette(
        routes=routes(state, derivation, events),
        lifespan=lifespan,
        exception_handlers={HTTPException: _refused},
    )


async def _refused(request: Request, error: Exception) -> Response:  # noqa: ARG001 - Starlette's
    assert isinstance(error, HTTPException)
    return refusal(error.status_code, error.detail, error.headers)
