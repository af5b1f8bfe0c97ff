"""Who may see this: whoever trip2g, asked with the caller's own cookies, says is an admin. Everything else is a no."""

from __future__ import annotations

import asyncio
import hmac
import json
import os
from enum import StrEnum
from time import monotonic
from typing import TYPE_CHECKING

import httpx

from fleetlint.tls import trusting

if TYPE_CHECKING:
    from collections.abc import Sequence

PATH = "/_system/graphql"
QUERY = json.dumps({"query": "query { viewer { role } }"}).encode()
DEADLINE = 5.0
"""Seconds for the whole question."""
MAX_ANSWER = 64 * 1024
"""Bytes."""
MAX_REMEMBERED = 1_000


class Verdict(StrEnum):
    """What came of the question: `ADMIN` is the only yes."""

    ADMIN = "admin"
    NO_SESSION = "no session cookie"
    OTHER_ROLE = "another role"
    STATUS = "trip2g answered with another status than 200"
    ERRORS = "trip2g answered with GraphQL errors"
    MALFORMED = "trip2g's answer is not the expected JSON"
    TOO_LARGE = "trip2g's answer is too large"
    TIMEOUT = "trip2g did not answer in time"
    UNREACHABLE = "trip2g cannot be reached"


class Auth:
    """Asks the trip2g at `url`, each time anew unless a yes is remembered for some seconds. A no never is.

    Raises SourceError where the authorities that the environment names cannot be read.
    """

    def __init__(self, url: str, session_cookie: str, remember: float = 0) -> None:
        self._url = url.rstrip("/") + PATH
        self._session_cookie = session_cookie.encode()
        self._remember = remember
        self._admins: dict[bytes, float] = {}
        self._secret = os.urandom(32)
        # The transport and not a client: a client would keep the cookies that one caller's answer sets and send them
        # with the next caller's question, follow redirects, and use proxies and passwords of the environment.
        self._transport = httpx.AsyncHTTPTransport(verify=trusting())

    async def close(self) -> None:
        await self._transport.aclose()

    async def judge(self, cookies: Sequence[bytes]) -> Verdict:
        """The verdict on a request with these `Cookie` headers, which go to trip2g as they are, each as one header."""
        if not has_session(cookies, self._session_cookie):
            return Verdict.NO_SESSION
        if self._remember <= 0:
            return await self._ask(cookies)
        now = monotonic()
        key = hmac.digest(self._secret, repr(list(cookies)).encode(), "sha256")
        if self._admins.get(key, 0) > now:
            return Verdict.ADMIN
        verdict = await self._ask(cookies)
        if verdict is Verdict.ADMIN:
            self._admins = {known: end for known, end in self._admins.items() if end > now}
            if len(self._admins) < MAX_REMEMBERED:
                # From when it was asked, so that a yes is never older than that.
                self._admins[key] = now + self._remember
        else:
            self._admins.pop(key, None)
        return verdict

    async def _ask(self, cookies: Sequence[bytes]) -> Verdict:
        headers = [
            (b"content-type", b"application/json"),
            (b"accept", b"application/json"),
            (b"accept-encoding", b"identity"),
            (b"user-agent", b"fleetlint"),
            *((b"cookie", cookie) for cookie in cookies),
        ]
        request = httpx.Request("POST", self._url, headers=headers, content=QUERY)
        try:
            async with asyncio.timeout(DEADLINE):
                response = await self._transport.handle_async_request(request)
                try:
                    if response.status_code != 200:
                        return Verdict.STATUS
                    body = b""
                    async for part in response.aiter_raw():
                        body += part
                        if len(body) > MAX_ANSWER:
                            return Verdict.TOO_LARGE
                finally:
                    await response.aclose()
        except (TimeoutError, httpx.TimeoutException):
            return Verdict.TIMEOUT
        except (httpx.HTTPError, httpx.InvalidURL, httpx.StreamError, OSError):
            return Verdict.UNREACHABLE
        return role_verdict(body)


def has_session(cookies: Sequence[bytes], name: bytes) -> bool:
    """Whether some cookie of this very name has a value."""
    pairs = (pair.strip(b" \t").partition(b"=") for header in cookies for pair in header.split(b";"))
    return any(found == name and value.strip(b' \t"') for found, _, value in pairs)


def role_verdict(body: bytes) -> Verdict:
    """What the answer to the question says. Only the exact shape, with the role `ADMIN`, is a yes."""
    try:
        answer = json.loads(body.decode("utf-8"))
    except (ValueError, RecursionError):
        return Verdict.MALFORMED
    if not isinstance(answer, dict):
        return Verdict.MALFORMED
    if answer.get("errors") is not None:
        return Verdict.ERRORS
    role: object = answer
    for key in ("data", "viewer", "role"):
        if not isinstance(role, dict):
            return Verdict.MALFORMED
        role = role.get(key)
    if not isinstance(role, str):
        return Verdict.MALFORMED
    return Verdict.ADMIN if role == "ADMIN" else Verdict.OTHER_ROLE
