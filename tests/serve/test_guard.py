"""Where requests may come from, and the headers that all answers have."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.serve.conftest import EXAMPLES
from tests.serve.double import Double

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import httpx

    from tests.serve.running import Server

SESSION = {"cookie": "trip2g_token=x"}
QUERY = '{"query": "{ __typename }"}'
LISTED = "https://admin.example.org"


@pytest.fixture(scope="module")
def trip2g() -> Iterator[Double]:
    double = Double()
    yield double
    double.close()


@pytest.fixture(scope="module")
def behind_login(trip2g: Double, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    from tests.serve.running import Server

    options = ("--trip2g-url", trip2g.url, "--allow-origin", LISTED)
    with Server(EXAMPLES / "clean", tmp_path_factory.mktemp("serve") / "log", *options) as server:
        yield server.wait_ready()


def post(server: Server, headers: Mapping[str, str], body: str = QUERY) -> httpx.Response:
    return server.client.post(
        "graphql", content=body, headers={"content-type": "application/json", **SESSION, **headers}
    )


def host(server: Server) -> str:
    return urlsplit(server.url).netloc


@pytest.mark.parametrize(
    "name",
    ["vault.example.org", "localhost.example.org", "127.0.0.1.example.org", "10.0.0.1", "[::2]", "[", "127.0.0.1@x"],
)
def test_without_a_login_only_names_that_no_name_server_can_give_are_answered(example: Server, name: str) -> None:
    port = urlsplit(example.url).port
    for shown in (name, f"{name}:{port}"):
        refused = example.get("graph.json", headers={"host": shown})
        assert refused.status_code == 421
        assert "loopback" in refused.json()["error"]


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "127.0.0.2"])
def test_loopback_names_are_answered(example: Server, name: str) -> None:
    port = urlsplit(example.url).port
    assert [example.get("graph.json", headers={"host": shown}).status_code for shown in (name, f"{name}:{port}")] == [
        200,
        200,
    ]


def test_a_login_makes_any_host_good(behind_login: Server) -> None:
    assert behind_login.get("graph.json", headers={"host": "vault.example.org", **SESSION}).status_code == 200


FOREIGN = (
    "https://evil.example.org",
    "null",
    "http://127.0.0.1",
    "file://",
    "https://admin.example.org.evil.org",
    "x",
    "http://[",
)


@pytest.mark.parametrize("origin", FOREIGN)
def test_pages_of_other_origins_may_not_ask_although_the_cookie_is_there(
    behind_login: Server, trip2g: Double, origin: str
) -> None:
    trip2g.asked.clear()
    for refused in (
        post(behind_login, {"origin": origin}),
        behind_login.get("graph.json", headers={"origin": origin, **SESSION}),
        behind_login.client.options("graphql", headers={"origin": origin, "access-control-request-method": "POST"}),
    ):
        assert refused.status_code == 403
        assert "access-control-allow-origin" not in refused.headers
    assert trip2g.asked == []


def test_the_servers_own_pages_may_ask(behind_login: Server) -> None:
    assert post(behind_login, {"origin": f"http://{host(behind_login)}"}).status_code == 200
    proxied = {"host": "vault.example.org", "origin": "https://vault.example.org", "x-forwarded-proto": "https"}
    assert post(behind_login, proxied).status_code == 200


def test_a_page_of_the_same_host_by_another_scheme_is_another_origin(behind_login: Server) -> None:
    headers = {"host": "vault.example.org", "origin": "http://vault.example.org", "x-forwarded-proto": "https"}
    assert post(behind_login, headers).status_code == 403


def test_two_origins_are_refused(behind_login: Server) -> None:
    headers = [("origin", LISTED), ("origin", LISTED), ("cookie", SESSION["cookie"])]
    assert behind_login.get("graph.json", headers=headers).status_code == 403  # type: ignore[arg-type]


def test_a_listed_origin_may_ask_with_credentials(behind_login: Server) -> None:
    answered = post(behind_login, {"origin": LISTED})
    assert answered.status_code == 200
    assert answered.headers["access-control-allow-origin"] == LISTED
    assert answered.headers["access-control-allow-credentials"] == "true"
    assert "origin" in answered.headers["vary"].lower()


def test_a_listed_origin_can_read_why_it_was_refused(behind_login: Server) -> None:
    refused = behind_login.get("graph.json", headers={"origin": LISTED})
    assert (refused.status_code, refused.headers["access-control-allow-origin"]) == (401, LISTED)


def test_a_browser_may_ask_beforehand_and_needs_no_cookie_for_that(behind_login: Server) -> None:
    headers = {
        "origin": LISTED,
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
    }
    allowed = behind_login.client.options("graphql", headers=headers)
    assert allowed.status_code == 204
    assert allowed.headers["access-control-allow-origin"] == LISTED
    assert "POST" in allowed.headers["access-control-allow-methods"]
    assert "content-type" in allowed.headers["access-control-allow-headers"].lower()


@pytest.mark.parametrize(
    "media_type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "application/jsonx"],
)
def test_a_form_cannot_post(behind_login: Server, trip2g: Double, media_type: str) -> None:
    trip2g.asked.clear()
    refused = post(behind_login, {"content-type": media_type})
    assert refused.status_code == 415
    assert trip2g.asked == []


def test_json_may_say_its_charset(behind_login: Server) -> None:
    assert post(behind_login, {"content-type": "Application/JSON; charset=utf-8"}).status_code == 200


def test_every_answer_has_the_security_headers(example: Server) -> None:
    for path in ("", "graph.json", "healthz", "no-such-thing", "impact", "openapi.json"):
        headers = example.get(path).headers
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-cache"
        assert "server" not in headers


def test_a_wrong_method_is_told_the_right_one(example: Server) -> None:
    refused = example.client.delete("graph.json")
    assert refused.status_code == 405
    assert set(refused.headers["allow"].replace(" ", "").split(",")) == {"GET", "HEAD"}
    assert "error" in refused.json()
    assert example.get("graphql").status_code == 405
    assert example.get("graphql").headers["allow"] == "POST"


def test_a_prefix_may_be_taken_off_by_the_proxy_or_left_on(serve: Callable[..., Server]) -> None:
    server = serve(EXAMPLES / "clean", "--root-path", "/_fleet/")
    root = server.url.removesuffix("_fleet/")
    assert server.url.endswith("/_fleet/")
    for path in ("graph.json", "", "readyz", "static/index.html"):
        with_prefix, without = server.get(f"{server.url}{path}"), server.get(f"{root}{path}")
        assert (with_prefix.status_code, with_prefix.content) == (200, without.content)
    assert server.get(f"{root}_fleet").headers["location"] == "/_fleet/"
    assert server.get(f"{root}_fleetx/graph.json").status_code == 404
    assert server.get(f"{root}_fleet/_fleet/graph.json").status_code == 404
