"""What is true of all requests, whatever their route: where they may come from, who may make them, and headers."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response

from fleetlint.serve.answers import refusal
from fleetlint.serve.auth import Verdict

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from fleetlint.serve.auth import Auth

OPEN = ("/healthz", "/readyz")
"""Paths that nobody has to be logged in for; they tell no details."""

SECURITY = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}

FORWARDING = ("forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
"""Headers by which a proxy gives itself away."""


class Rules(NamedTuple):
    """Who may ask: `auth` None is everybody on this machine. `origins` are those of other sites whose pages may."""

    auth: Auth | None
    origins: frozenset[str] = frozenset()


class Guard:
    """An ASGI application around another one."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self._app = app
        self._rules = rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        headers = Headers(scope=scope)
        listed = next((origin for origin in headers.getlist("origin") if origin in self._rules.origins), None)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add_headers(MutableHeaders(scope=message), listed)
            await send(message)

        answer = refused(scope["method"], scope["path"], headers, self._rules)
        if answer is None and scope["method"] == "OPTIONS" and listed and "access-control-request-method" in headers:
            answer = _preflight()
        if answer is None:
            answer = await self._not_allowed(scope, headers)
        return await (answer or self._app)(scope, receive, send_with_headers)

    async def _not_allowed(self, scope: Scope, headers: Headers) -> Response | None:
        auth, path = self._rules.auth, scope["path"]
        if auth is None or path in OPEN or (path == "/metrics" and is_of_this_machine(scope, headers)):
            return None
        cookies = [value for name, value in scope["headers"] if name == b"cookie"]
        verdict = await auth.judge(cookies)
        if verdict is Verdict.ADMIN:
            return None
        scope["fleetlint.verdict"] = verdict
        return refusal(401, "log in to trip2g as an admin, then try again", {"www-authenticate": "trip2g"})

    def _add_headers(self, headers: MutableHeaders, listed: str | None) -> None:
        for name, value in SECURITY.items():
            headers[name] = value
        headers["cache-control"] = "no-store" if self._rules.auth else "no-cache"
        if self._rules.origins:
            headers.add_vary_header("Origin")
        if listed is not None:
            headers["access-control-allow-origin"] = listed
            headers["access-control-allow-credentials"] = "true"
            headers["access-control-expose-headers"] = "ETag, Fleetlint-Stale, Retry-After"


def refused(method: str, path: str, headers: Headers, rules: Rules) -> Response | None:
    """The answer to a request that is refused whoever makes it."""
    origins, host = headers.getlist("origin"), headers.get("host", "")
    for origin in origins:
        if origin not in rules.origins and not is_own(origin, host, headers.get("x-forwarded-proto")):
            return refusal(403, "pages of other origins may not ask; `--allow-origin` lists those that may")
    if len(origins) > 1:
        return refusal(403, "a request has one origin")
    if rules.auth is None and not is_loopback(host):
        return refusal(421, "without a login this answers to `localhost` and loopback addresses only")
    # Of another path, which takes no POST, this says nothing that helps.
    if method == "POST" and path == "/graphql" and media_type(headers) != "application/json":
        return refusal(415, "send JSON, and say so: `Content-Type: application/json`")
    return None


def is_own(origin: str, host: str, scheme: str | None) -> bool:
    """Whether the page is one of ours: at the host that was asked for, by the scheme that the proxy tells, if it does."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return (
        parts.scheme in ("http", "https")
        and parts.netloc != ""
        and parts.netloc.lower() == host.lower()
        and scheme in (None, parts.scheme)
    )


def is_loopback(host: str) -> bool:
    """Whether a Host header names this machine in a way that no name server can make up."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def is_of_this_machine(scope: Scope, headers: Headers) -> bool:
    """Whether a request comes from this machine, and not through a proxy on it."""
    client = scope.get("client")
    return (
        client is not None
        and is_loopback(f"[{client[0]}]" if ":" in client[0] else client[0])
        and is_loopback(headers.get("host", ""))
        and not any(name in headers for name in FORWARDING)
    )


def media_type(headers: Headers) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def _preflight() -> Response:
    headers = {
        "access-control-allow-methods": "GET, HEAD, POST",
        "access-control-allow-headers": "Content-Type, If-None-Match, Last-Event-ID",
        "access-control-max-age": "600",
    }
    return Response(status_code=204, headers=headers)
