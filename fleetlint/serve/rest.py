"""The routes: each answers from the state, or asks the child."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.requests import ClientDisconnect
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from fleetlint.serve.answers import refusal, serve_document, staleness
from fleetlint.serve.derivation import MAX_GLOB, BadQuestionError, NoAnswerError
from fleetlint.serve.graphql import Endpoint
from fleetlint.serve.limits import MAX_BODY
from fleetlint.serve.openapi import openapi
from fleetlint.serve.record import METRICS_TYPE

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from fleetlint.serve.derivation import Derivation
    from fleetlint.serve.events import Events
    from fleetlint.serve.record import Figures
    from fleetlint.serve.result import State

STATIC = Path(__file__).parent / "static"

T = TypeVar("T")


def routes(
    state: State, derivation: Derivation, events: Events, figures: Figures, session_cookie: str | None
) -> list[BaseRoute]:
    description = openapi(session_cookie)
    endpoint = Endpoint(derivation.impact)

    def document(name: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            if state.result is None:
                return not_ready(state)
            return serve_document(request, state.result.documents[name], state)

        return answer

    async def sarif(request: Request) -> Response:
        try:
            return serve_document(request, await while_waited_for(request, derivation.sarif()), state)
        except NoAnswerError as error:
            return later(str(error))

    async def impact(request: Request) -> Response:
        globs = request.query_params.getlist("path")
        if len(globs) != 1 or len(request.query_params) != 1:
            return refusal(400, "give one parameter, `path`: the pattern of the paths that are touched")
        if len(globs[0]) > MAX_GLOB:
            return refusal(400, f"`path` is longer than {MAX_GLOB:,} characters; write a shorter pattern")
        try:
            body = await while_waited_for(request, derivation.impact(globs[0]))
        except BadQuestionError as error:
            return refusal(400, f"`path`: {error}")
        except NoAnswerError as error:
            return later(str(error))
        return Response(body, media_type="application/json", headers=staleness(state))

    async def graphql(request: Request) -> Response:
        if state.result is None:
            return not_ready(state)
        body, size = await read(request)
        status, answer = await while_waited_for(request, endpoint.answer(body, state.result.facts, size))
        return Response(answer, status, staleness(state), "application/json")

    async def healthz(request: Request) -> Response:  # noqa: ARG001 - a route's signature
        return JSONResponse({"status": "ok"})

    async def readyz(request: Request) -> Response:  # noqa: ARG001
        # Open to anybody, so without the reason. A stale result is served, so the server is ready.
        if state.result is None:
            return JSONResponse({"status": "not ready"}, 503)
        return JSONResponse({"status": "stale" if state.stale else "ready"})

    async def metrics(request: Request) -> Response:  # noqa: ARG001
        return Response(figures.exposition(), headers={"content-type": METRICS_TYPE})

    async def describe(request: Request) -> Response:  # noqa: ARG001
        return Response(description, media_type="application/json")

    async def page(request: Request) -> Response:  # noqa: ARG001
        return FileResponse(STATIC / "index.html")

    return [
        Route("/", page),
        Route("/graph.json", document("graph.json")),
        Route("/graph.mmd", document("graph.mmd")),
        Route("/findings.sarif", sarif),
        Route("/impact", impact),
        Route("/graphql", graphql, methods=["POST"]),
        Route("/events", events, methods=["GET"]),
        Route("/healthz", healthz),
        Route("/readyz", readyz),
        Route("/metrics", metrics),
        Route("/openapi.json", describe),
        Mount("/static", StaticFiles(directory=STATIC, check_dir=False)),
    ]


async def read(request: Request) -> tuple[bytes, int]:
    """The body and its size; of one that is too large to be answered, as much as shows it, and the size it claims."""
    length = request.headers.get("content-length", "")
    claimed = int(length) if length.isdecimal() else 0
    body = b""
    if claimed <= MAX_BODY:
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BODY:
                break
    return body, max(claimed, len(body))


async def while_waited_for(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """What comes of the work, which is cancelled when the client leaves. Raises ClientDisconnect then."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait([working, leaving], return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientDisconnect
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def not_ready(state: State) -> Response:
    return later(state.stale or "nothing has been derived yet")


def later(sentence: str) -> Response:
    return refusal(503, sentence, {"retry-after": "1"})
