"""The application: the routes, and around them what is true of all requests."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse, Response

from fleetlint.serve.answers import refusal
from fleetlint.serve.auth import Auth
from fleetlint.serve.derivation import Derivation
from fleetlint.serve.events import Events
from fleetlint.serve.guard import Guard, Rules
from fleetlint.serve.record import Figures, Recorder
from fleetlint.serve.rest import routes
from fleetlint.serve.watch import poll, watch_checkout
from fleetlint.sources import LIVE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Iterator

    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from fleetlint.serve.result import State
    from fleetlint.sources import Source


CLIENT_LEFT = 499
"""A status for the log, under which nginx has it as well: nobody is there to get it."""


class Options(NamedTuple):
    """What the command line says beside the source.

    `auth_url` is the trip2g that is asked who is an admin, None where nobody has to be. `auth_cache`, `poll` and `deadline`
    (of a derivation) are in seconds. `root_path` is empty, or begins with a slash and ends without one.
    """

    root_path: str = ""
    auth_url: str | None = None
    session_cookie: str = "trip2g_token"
    auth_cache: float = 0
    origins: frozenset[str] = frozenset()
    poll: float = 30.0
    deadline: float = 300.0


def make_app(source: Source, options: Options, state: State) -> ASGIApp:
    derivation = Derivation(source, state, options.deadline)
    events = Events(state)
    figures = Figures(state, events, derivation.child)
    auth = Auth(options.auth_url, options.session_cookie, options.auth_cache) if options.auth_url else None

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:  # noqa: ARG001 - Starlette's
        tasks = [asyncio.create_task(task) for task in (derivation.run(), *watches(source, options, derivation.want))]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await derivation.child.close()
            if auth is not None:
                await auth.close()

    app = Starlette(
        routes=routes(state, derivation, events, figures, options.session_cookie if auth else None),
        lifespan=lifespan,
        exception_handlers={HTTPException: _refused, ClientDisconnect: _left, Exception: _failed},
    )
    guarded = Guard(app, Rules(auth, options.origins))
    return Mounted(Recorder(guarded, figures), options.root_path)


def watches(source: Source, options: Options, want: Callable[[str], None]) -> Iterator[Coroutine[None, None, None]]:
    """What notices that the source may have changed."""
    if source.has_live_vault or source.registry == LIVE:
        yield poll(options.poll, want)
    if not source.has_live_vault:
        files = [file for file in (source.config, source.registry) if file not in (None, LIVE)]
        yield watch_checkout(source.root, files, want)


class Mounted:
    """An ASGI application around another one, which sees paths without the prefix.

    Proxies either take the prefix off or leave it on: both work.
    """

    def __init__(self, app: ASGIApp, root_path: str) -> None:
        self._app = app
        self._root_path = root_path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, prefix = scope.get("path", ""), self._root_path
        if prefix and path == prefix:
            # The page's links are relative, so it has to be asked for with a slash at the end.
            return await RedirectResponse(f"{prefix}/", 308)(scope, receive, send)
        if prefix and path.startswith(f"{prefix}/"):
            scope = {**scope, "path": path.removeprefix(prefix)}
        return await self._app(scope, receive, send)


async def _refused(request: Request, error: Exception) -> Response:  # noqa: ARG001 - Starlette's
    assert isinstance(error, HTTPException)
    return refusal(error.status_code, f"{error.detail.lower()}: `openapi.json` lists what there is", error.headers)


async def _left(request: Request, error: Exception) -> Response:  # noqa: ARG001
    return Response(status_code=CLIENT_LEFT)


async def _failed(request: Request, error: Exception) -> Response:  # noqa: ARG001 - the log has the error
    return refusal(500, "this failed; the log of the server says where")
