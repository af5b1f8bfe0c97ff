"""Responses that routes have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.responses import JSONResponse, Response

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

    from fleetlint.serve.result import Document, State

MAX_REASON = 500
"""Characters of a reason in a header."""


def refusal(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    """What is wrong, as `{"error": sentence}`."""
    return JSONResponse({"error": sentence}, status, headers)


def staleness(state: State) -> dict[str, str]:
    """The header that says why what is served is no longer the vault's, percent-encoded, where it is not."""
    return (
        {"fleetlint-stale": quote(state.stale[:MAX_REASON], safe=" `'/:;,()=<>*[]{}|!?&#+@$^\"")} if state.stale else {}
    )


def serve_document(request: Request, document: Document, state: State) -> Response:
    """The document, gzipped where that is accepted; 304 for who has it already."""
    headers = {"etag": document.etag, "vary": "accept-encoding", **staleness(state)}
    if matches(request.headers.getlist("if-none-match"), document.etag):
        return Response(status_code=304, headers=headers)
    if takes_gzip(request.headers.getlist("accept-encoding")):
        return Response(
            document.zipped, media_type=document.media_type, headers={**headers, "content-encoding": "gzip"}
        )
    return Response(document.body, media_type=document.media_type, headers=headers)


def matches(values: list[str], etag: str) -> bool:
    """Whether If-None-Match names this ETag, by weak comparison."""
    known = [value.strip().removeprefix("W/") for value in ",".join(values).split(",")]
    return "*" in known or etag.removeprefix("W/") in known


def takes_gzip(values: list[str]) -> bool:
    """Whether Accept-Encoding asks for gzip, or for anything, with a quality above 0."""
    asked: dict[str, bool] = {}
    for value in ",".join(values).lower().split(","):
        name, *parameters = (part.strip() for part in value.split(";"))
        quality = next((part.removeprefix("q=") for part in parameters if part.startswith("q=")), "1")
        asked[name] = quality.strip("0.") != ""
    return asked.get("gzip", asked.get("x-gzip", asked.get("*", False)))
