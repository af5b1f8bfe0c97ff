"""Who is served: whoever trip2g, asked with the caller's own cookies, says is an admin, and nobody else."""

from __future__ import annotations

import gzip
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.serve.conftest import EXAMPLES
from tests.serve.double import ADMIN, GUEST, USER, Asked, Double, answer
from tests.serve.running import Server, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECRET = "s3cr3t-Zm9vYmFy"
SESSION = f"trip2g_token={SECRET}"
CLOSED = ("", "graph.json", "graph.mmd", "findings.sarif", "impact?path=a", "events", "openapi.json", "static/app.js")
"""Everything but the two open routes."""


@pytest.fixture(scope="module")
def trip2g() -> Iterator[Double]:
    double = Double()
    yield double
    double.close()


@pytest.fixture(scope="module")
def server(trip2g: Double, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    log_file = tmp_path_factory.mktemp("serve") / "log"
    with Server(EXAMPLES / "clean", log_file, "--trip2g-url", trip2g.url) as running:
        yield running.wait_ready()


@pytest.fixture(autouse=True)
def fresh(trip2g: Double) -> None:
    trip2g.asked.clear()
    trip2g.reply = lambda _: answer(ADMIN)


def status(server: Server, *cookies: str | bytes, path: str = "graph.json") -> int:
    """The status of a request with these `Cookie` headers."""
    return server.get(path, headers=[("cookie", cookie) for cookie in cookies]).status_code  # type: ignore[misc]


def test_an_admin_is_served(server: Server) -> None:
    assert status(server, SESSION) == 200


WRONG: dict[str, bytes] = {
    "guest": answer(GUEST),
    "user": answer(USER),
    "admin in small letters": answer(ADMIN.replace(b"ADMIN", b"admin")),
    "admin with a space": answer(ADMIN.replace(b"ADMIN", b"ADMIN ")),
    "a role that is a list": answer(b'{"data": {"viewer": {"role": ["ADMIN"]}}}'),
    "a role that is true": answer(b'{"data": {"viewer": {"role": true}}}'),
    "no role": answer(b'{"data": {"viewer": {}}}'),
    "no viewer": answer(b'{"data": {"viewer": null}}'),
    "no data": answer(b'{"data": null}'),
    "the role elsewhere": answer(b'{"viewer": {"role": "ADMIN"}}'),
    "a list around it": answer(b"[" + ADMIN + b"]"),
    "errors beside the data": answer(ADMIN[:-1] + b', "errors": [{"message": "x"}]}'),
    "an empty list of errors": answer(ADMIN[:-1] + b', "errors": []}'),
    "errors alone": answer(b'{"errors": [{"message": "x"}]}'),
    "nothing": answer(b""),
    "text": answer(b"ADMIN"),
    "half of it": answer(ADMIN[:-5]),
    "more behind it": answer(ADMIN + b"x"),
    "bytes that are no text": answer(ADMIN[:-1] + b"\xff}"),
    "UTF-16": answer(ADMIN.decode().encode("utf-16")),
    "deep nesting": answer(b"[" * 60_000),
    "HTML of a sign-in page": answer(b"<html>Sign in</html>", headers="x: y\r\n"),
    "gzip, which nobody asked for": answer(gzip.compress(ADMIN), headers="content-encoding: gzip\r\n"),
    "too much": answer(b" " * 100_000 + ADMIN),
    "status 201": answer(ADMIN, status="201 Created"),
    "status 204": b"HTTP/1.1 204 No Content\r\n\r\n",
    "status 400": answer(ADMIN, status="400 Bad Request"),
    "status 401": answer(ADMIN, status="401 Unauthorized"),
    "status 403": answer(ADMIN, status="403 Forbidden"),
    "status 404": answer(ADMIN, status="404 Not Found"),
    "status 500": answer(ADMIN, status="500 Internal Server Error"),
    "status 502": answer(ADMIN, status="502 Bad Gateway"),
    "redirect": answer(ADMIN, status="302 Found", headers="location: /elsewhere\r\n"),
    "redirect that keeps the method": answer(ADMIN, status="307 Temporary Redirect", headers="location: /x\r\n"),
    "no HTTP": b"hello\r\n\r\n",
    "a closed connection": b"",
    "a body that breaks off": answer(ADMIN).replace(b"content-length: ", b"content-length: 9"),
}


@pytest.mark.parametrize("reply", WRONG.values(), ids=WRONG.keys())
def test_any_other_answer_of_trip2g_is_a_no(server: Server, trip2g: Double, reply: bytes) -> None:
    trip2g.reply = lambda _: reply
    refused = server.get("graph.json", headers={"cookie": SESSION})
    assert refused.status_code == 401
    assert refused.json() == {"error": "log in to trip2g as an admin, then try again"}
    assert len(trip2g.asked) == 1, "it is asked once, and no redirect is followed"
    # And an admin is served by the next request.
    trip2g.reply = lambda _: answer(ADMIN)
    assert status(server, SESSION) == 200


NO_SESSION = {
    "no cookie": [],
    "an empty header": [""],
    "another name": [f"session={SECRET}"],
    "a longer name": [f"trip2g_token2={SECRET}"],
    "a name with a prefix": [f"x_trip2g_token={SECRET}"],
    "another case": [f"TRIP2G_TOKEN={SECRET}"],
    "no value": ["trip2g_token="],
    "an empty value in quotes": ['trip2g_token=""'],
    "no equals sign": ["trip2g_token"],
    "the name as a value": ["a=trip2g_token"],
    "the pair inside a value": [f"a=b,{SESSION}"],
}


@pytest.mark.parametrize("cookies", NO_SESSION.values(), ids=NO_SESSION.keys())
def test_without_a_session_cookie_trip2g_is_not_even_asked(server: Server, trip2g: Double, cookies: list[str]) -> None:
    assert status(server, *cookies) == 401
    assert trip2g.asked == []


FORWARDED: dict[str, list[bytes]] = {
    "alone": [SESSION.encode()],
    "among others": [b"a=1; " + SESSION.encode() + b"; b=2"],
    "odd spaces and signs": [b"a=1;;  " + SESSION.encode() + b' ;b="x;y"; c'],
    "bytes beyond ASCII": [SESSION.encode() + b"; name=\xc3\xa9\xff"],
    "the name twice": [b"trip2g_token=old; " + SESSION.encode()],
    "two headers": [b"a=1", SESSION.encode()],
    "the name in two headers": [b"trip2g_token=old", SESSION.encode()],
    "long": [SESSION.encode() + b"; a=" + b"x" * 20_000],
}


@pytest.mark.parametrize("cookies", FORWARDED.values(), ids=FORWARDED.keys())
def test_the_cookie_headers_reach_trip2g_byte_by_byte(server: Server, trip2g: Double, cookies: list[bytes]) -> None:
    assert status(server, *cookies) == 200
    assert [asked.values(b"cookie") for asked in trip2g.asked] == [cookies]


def test_trip2g_is_asked_who_it_is_and_gets_nothing_else_of_the_request(server: Server, trip2g: Double) -> None:
    headers = {"cookie": SESSION, "authorization": "Bearer x", "x-api-key": "x", "referer": "http://x.example.org/"}
    assert server.get("impact?path=a", headers=headers).status_code == 200
    (asked,) = trip2g.asked
    assert asked.line == b"POST /_system/graphql HTTP/1.1"
    assert json.loads(asked.body) == {"query": "query { viewer { role } }"}
    assert {name for name, _ in asked.headers} == {
        b"host", b"content-type", b"content-length", b"accept", b"accept-encoding", b"user-agent", b"cookie",
    }  # fmt: skip


def test_cookies_that_trip2g_sets_for_one_caller_are_not_sent_for_the_next(server: Server, trip2g: Double) -> None:
    trip2g.reply = lambda _: answer(ADMIN, headers="set-cookie: trip2g_token=of-an-admin; Path=/\r\n")
    first = server.get("graph.json", headers={"cookie": SESSION})
    assert (first.status_code, "set-cookie" in first.headers) == (200, False)
    assert status(server, "trip2g_token=other") == 200
    assert trip2g.asked[-1].values(b"cookie") == [b"trip2g_token=other"]


def test_a_redirect_is_not_followed_to_anywhere(server: Server, trip2g: Double) -> None:
    elsewhere = Double()
    trip2g.reply = lambda _: answer(
        b"", status="307 Temporary Redirect", headers=f"location: {elsewhere.url}/_system/graphql\r\n"
    )
    assert status(server, SESSION) == 401
    assert elsewhere.asked == []
    elsewhere.close()


def test_each_request_is_asked_about_anew_so_a_flapping_trip2g_is_followed(server: Server, trip2g: Double) -> None:
    replies = [answer(ADMIN), b"", answer(ADMIN), answer(GUEST), answer(ADMIN, status="503 Busy"), answer(ADMIN)]
    left = iter(replies)
    trip2g.reply = lambda _: next(left)
    assert [status(server, SESSION) for _ in replies] == [200, 401, 200, 401, 401, 200]


@pytest.mark.parametrize("path", CLOSED)
def test_every_route_needs_an_admin(server: Server, trip2g: Double, path: str) -> None:
    trip2g.reply = lambda _: answer(USER)
    refused = server.get(path, headers={"cookie": SESSION})
    assert refused.status_code == 401
    assert refused.headers["cache-control"] == "no-store"
    assert status(server, path=path) == 401
    assert server.client.head(path).status_code == 401
    assert server.client.post(path.partition("?")[0], json={}).status_code == 401


def test_what_there_is_not_needs_an_admin_as_well(server: Server) -> None:
    assert status(server, path="no-such-thing") == 401
    assert status(server, SESSION, path="no-such-thing") == 404


def test_health_and_readiness_are_open_and_tell_no_details(server: Server, trip2g: Double) -> None:
    assert server.get("healthz").json() == {"status": "ok"}
    assert server.get("readyz").json() == {"status": "ready"}
    assert trip2g.asked == []


@pytest.mark.parametrize(
    "path", ["healthz/", "readyz/../graph.json", "//healthz", "healthz%2f..%2fgraph.json", "HEALTHZ"]
)
def test_a_path_that_is_nearly_open_is_not(server: Server, path: str) -> None:
    url = httpx.URL(server.url).copy_with(raw_path=f"/{path}".encode())
    assert server.client.get(url).status_code == 401


def test_what_an_admin_gets_is_not_stored(server: Server) -> None:
    served = server.get("graph.json", headers={"cookie": SESSION})
    assert served.headers["cache-control"] == "no-store"


def test_metrics_are_for_this_machine_or_an_admin(server: Server) -> None:
    assert "fleetlint_ready 1.0" in server.get("metrics").text
    for header in ("x-forwarded-for", "forwarded", "via", "x-real-ip"):
        assert server.get("metrics", headers={header: "x"}).status_code == 401
    assert server.get("metrics", headers={"host": "vault.example.org"}).status_code == 401
    assert server.get("metrics", headers={"x-forwarded-for": "x", "cookie": SESSION}).status_code == 200


def test_a_slow_trip2g_is_a_no_after_five_seconds_and_holds_up_nobody(server: Server, trip2g: Double) -> None:
    def drip() -> Iterator[bytes]:
        for number in answer(ADMIN):
            yield bytes([number])
            time.sleep(0.2)

    def reply(asked: Asked) -> bytes | Iterator[bytes] | None:
        (cookie,) = asked.values(b"cookie")
        return {b"trip2g_token=silent": None, b"trip2g_token=drips": drip()}.get(cookie, answer(ADMIN))

    def ask(cookie: str) -> tuple[int, float]:
        start = time.monotonic()
        answered = httpx.get(f"{server.url}graph.json", headers={"cookie": cookie}, timeout=60, trust_env=False)
        return answered.status_code, time.monotonic() - start

    trip2g.reply = reply
    with ThreadPoolExecutor() as pool:
        slow = [pool.submit(ask, f"trip2g_token={how}") for how in ("silent", "drips")]
        until(lambda: len(trip2g.asked) == 2)
        assert status(server, SESSION) == 200
        assert not any(asking.done() for asking in slow)
        for asking in slow:
            code, seconds = asking.result()
            assert code == 401
            assert seconds >= 4.9


def test_nothing_of_a_cookie_is_in_a_log(server: Server, trip2g: Double) -> None:
    for reply in [answer(ADMIN), *WRONG.values()]:
        trip2g.reply = lambda _, reply=reply: reply  # type: ignore[misc]
        status(server, SESSION)
    server.get("", headers={"cookie": SESSION, "host": SECRET, "origin": f"http://{SECRET}"})
    server.get(f"impact?path={SECRET}", headers={"cookie": SESSION})
    until(lambda: any(line["path"] == "/impact" for line in server.events("request")))
    text = server.log_file.read_text()
    assert text.count('"event": "request"') > len(WRONG)
    assert SECRET not in text
    assert server.log(), "each line is JSON"


def test_the_log_says_why_a_request_was_refused(serve: Callable[..., Server], trip2g: Double) -> None:
    server = serve(EXAMPLES / "clean", "--trip2g-url", trip2g.url)
    trip2g.reply = lambda _: answer(USER)
    status(server, SESSION, path="graph.mmd?why")
    # A request is logged once its answer has been sent.
    until(lambda: any(line["path"] == "/graph.mmd" for line in server.events("request")))
    (line,) = [line for line in server.events("request") if line["path"] == "/graph.mmd"]
    assert (line["method"], line["status"], line["why"]) == ("GET", 401, "another role")


def test_a_trip2g_that_is_down_is_a_no_until_it_is_up(serve: Callable[..., Server]) -> None:
    gone = Double()
    gone.close()
    server = serve(EXAMPLES / "clean", "--trip2g-url", gone.url)
    assert status(server, SESSION) == 401
    assert server.get("readyz").status_code == 200
    back = Double(gone.port)
    assert status(server, SESSION) == 200
    back.close()


def test_another_name_of_the_session_cookie_is_the_only_one_then(serve: Callable[..., Server], trip2g: Double) -> None:
    server = serve(EXAMPLES / "clean", "--trip2g-url", trip2g.url, "--session-cookie", "vault_session")
    assert status(server, SESSION) == 401
    assert status(server, f"vault_session={SECRET}") == 200


def test_a_yes_is_remembered_for_some_seconds_where_that_is_asked_for_and_a_no_never(
    serve: Callable[..., Server], trip2g: Double
) -> None:
    server = serve(EXAMPLES / "clean", "--trip2g-url", trip2g.url, "--auth-cache", "2")
    assert [status(server, SESSION) for _ in range(3)] == [200] * 3
    asked = len(trip2g.asked)
    assert asked < 3
    trip2g.reply = lambda _: answer(USER)
    assert [status(server, "trip2g_token=other") for _ in range(3)] == [401] * 3
    assert len(trip2g.asked) == asked + 3
    until(lambda: status(server, SESSION) == 401)
    trip2g.reply = lambda _: answer(ADMIN)
    assert status(server, SESSION) == 200, "a no is not remembered"
