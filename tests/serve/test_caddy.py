"""Behind Caddy and beside trip2g, with the Caddyfile of docs/serve.md."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest
from playwright.sync_api import expect, sync_playwright

from tests.needed import find_program
from tests.serve.browser import Shown, launch
from tests.serve.conftest import EXAMPLES
from tests.serve.double import ADMIN, USER, Asked, Double, answer
from tests.serve.listening import Listener
from tests.serve.running import DEADLINE, Server, until
from tests.serve.test_events import edit

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[2] / "docs/serve.md"
SESSION = {"cookie": "trip2g_token=s3cr3t"}
# A connection of the double serves one request, and Caddy has to know.
CLOSE = "connection: close\r\n"
OURS = b"POST /_system/graphql HTTP/1.1"


def caddyfile(site: str, fleetlint: int, trip2g: int) -> str:
    """The one of the page, at another address and with other ports behind it."""
    (block,) = re.findall(r"^```caddyfile\n(.*?)^```$", PAGE.read_text("utf-8"), re.M | re.S)
    for shown, real in (
        ("vault.example.org {", f"{site} {{"),
        ("127.0.0.1:8400\n", f"127.0.0.1:{fleetlint}\n"),
        ("127.0.0.1:8081\n", f"127.0.0.1:{trip2g}\n"),
    ):
        assert block.count(shown) == 1
        block = block.replace(shown, real)
    return str(block)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


class Behind:
    """fleetlint and trip2g behind one Caddy at `site`. `client` follows no redirects."""

    def __init__(self, folder: Path) -> None:
        caddy = find_program("caddy")
        self.trip2g = Double()
        self.trip2g.reply = said
        self.vault = Path(shutil.copytree(EXAMPLES / "broken", folder / "vault"))
        arguments = ("--trip2g-url", self.trip2g.url, "--root-path", "/_fleet")
        self.fleetlint = Server(self.vault, folder / "log", *arguments).wait_ready()
        self.site = f"http://127.0.0.1:{free_port()}"
        self.url = f"{self.site}/_fleet/"
        self.client = httpx.Client(base_url=self.url, timeout=DEADLINE, trust_env=False)
        config = folder / "Caddyfile"
        block = caddyfile(self.site, self.fleetlint.client.base_url.port or 0, self.trip2g.port)
        # The admin API has a fixed port, which another Caddy of this machine may have.
        config.write_text(f"{{\n\tadmin off\n}}\n\n{block}", "utf-8")
        own = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
        with (folder / "caddy.log").open("wb") as log:
            self._caddy = subprocess.Popen(
                [caddy, "run", "--adapter", "caddyfile", "--config", str(config)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | own,
            )
        try:
            until(self._is_up)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self.client.close()
        # Before Caddy, which waits for streams to end.
        self.fleetlint.stop()
        self._caddy.terminate()
        self._caddy.wait(DEADLINE)
        self.trip2g.close()

    def _is_up(self) -> bool:
        assert self._caddy.poll() is None, "caddy ended"
        try:
            return self.client.get("readyz").status_code == 200
        except httpx.ConnectError:
            return False


def said(asked: Asked) -> bytes:
    """trip2g's answer: an admin to who asks for the role, a page of its own to everybody else."""
    return answer(ADMIN if asked.line == OURS else b'"trip2g"', headers=CLOSE)


@pytest.fixture(scope="module")
def behind(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    running = Behind(tmp_path_factory.mktemp("caddy"))
    yield running
    running.close()


@pytest.fixture(autouse=True)
def fresh(behind: Behind) -> None:
    behind.trip2g.asked.clear()
    behind.trip2g.reply = said


@pytest.mark.parametrize("path", ["", "static/page.css", "static/js/main.js", "static/vendor/cytoscape.js"])
def test_the_page_and_its_files_come_through_the_proxy(behind: Behind, path: str) -> None:
    through, direct = (
        client.get(path, headers={**SESSION, "accept-encoding": "identity"})
        for client in (behind.client, behind.fleetlint.client)
    )
    assert (through.status_code, through.content) == (200, direct.content)
    assert through.headers["content-type"] == direct.headers["content-type"]
    assert through.headers["content-security-policy"] == direct.headers["content-security-policy"]
    assert through.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "path", ["graph.json", "graph.mmd", "findings.sarif", "impact?path=wiki/**", "openapi.json", "metrics"]
)
def test_the_api_answers_through_the_proxy(behind: Behind, path: str) -> None:
    answered = behind.client.get(path, headers=SESSION)
    assert answered.status_code == 200
    if path != "metrics":
        assert answered.content == behind.fleetlint.get(path, headers=SESSION).content


def test_who_has_the_graph_gets_it_no_second_time_through_the_proxy(behind: Behind) -> None:
    whole = behind.client.get("graph.json", headers=SESSION)
    again = behind.client.get("graph.json", headers={**SESSION, "if-none-match": whole.headers["etag"]})
    assert (whole.headers["content-encoding"], again.status_code, again.content) == ("gzip", 304, b"")


def test_graphql_is_answered_to_pages_of_the_proxys_own_host_alone(behind: Behind) -> None:
    def status(origin: str) -> int:
        body = {"query": "{ roleGraph { nodes { role } } }"}
        answered = behind.client.post("graphql", json=body, headers={**SESSION, "origin": origin})
        assert (answered.status_code == 200) == ("data" in answered.json())
        return answered.status_code

    assert status(behind.site) == 200
    # The scheme is not the one by which the proxy was asked; then, the place of fleetlint behind it.
    assert status(behind.site.replace("http:", "https:")) == 403
    assert status(str(behind.fleetlint.client.base_url.join("/")).rstrip("/")) == 403
    assert status("https://elsewhere.example.org") == 403


def test_events_are_told_through_the_proxy_when_they_happen(behind: Behind) -> None:
    listener = Listener(behind.url, SESSION)
    edit(behind.vault, "max_depth: 9")
    until(lambda: listener.named("graph"))
    assert not listener.is_over


@pytest.mark.parametrize(
    "cookies",
    [
        [b"trip2g_token=s3cr3t"],
        [b'theme=dark;trip2g_token="a b, c"; x=\xc3\xa9\xff;  y==%3B'],
        [b"a=1; trip2g_token=one; trip2g_token=two"],
        [b"a=1", b"trip2g_token=s3cr3t; b=2"],
    ],
    ids=["plain", "odd bytes", "twice the same name", "two headers"],
)
def test_the_cookie_reaches_trip2g_byte_for_byte(behind: Behind, cookies: list[bytes]) -> None:
    answered = behind.client.get("graph.json", headers=[(b"cookie", cookie) for cookie in cookies])
    assert answered.status_code == 200
    (asked,) = behind.trip2g.asked
    assert asked.line == OURS
    assert asked.values(b"cookie") == cookies


@pytest.mark.parametrize("path", ["", "graph.json", "static/page.css", "events", "metrics", "openapi.json"])
def test_without_a_cookie_nobody_is_served_and_trip2g_is_not_asked(behind: Behind, path: str) -> None:
    assert behind.client.get(path).status_code == 401
    assert behind.trip2g.asked == []


def test_who_is_no_admin_is_not_served(behind: Behind) -> None:
    behind.trip2g.reply = lambda _: answer(USER, headers=CLOSE)
    assert behind.client.get("graph.json", headers=SESSION).status_code == 401
    assert len(behind.trip2g.asked) == 1


def test_health_is_told_to_everybody(behind: Behind) -> None:
    assert behind.client.get("healthz").json() == {"status": "ok"}
    assert behind.client.get("readyz").json() == {"status": "ready"}
    assert behind.trip2g.asked == []


def test_the_prefix_without_a_slash_leads_to_the_page(behind: Behind) -> None:
    answered = behind.client.get(f"{behind.site}/_fleet", headers=SESSION)
    assert answered.status_code == 308
    assert answered.url.join(answered.headers["location"]) == behind.url


@pytest.mark.parametrize("path", ["/", "/graph.json", "/_fleets/", "/_fleet.json", "/a/_fleet/", "/_system/graphql"])
def test_other_paths_are_trip2gs(behind: Behind, path: str) -> None:
    assert behind.client.get(f"{behind.site}{path}", headers=SESSION).json() == "trip2g"
    (asked,) = behind.trip2g.asked
    assert asked.line == f"GET {path} HTTP/1.1".encode()
    assert asked.values(b"cookie") == [b"trip2g_token=s3cr3t"]


def test_the_page_works_behind_the_proxy_with_the_cookie_of_the_browser(behind: Behind) -> None:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = Shown(browser)
        page.context.add_cookies([{"name": "trip2g_token", "value": "s3cr3t", "url": behind.site}])
        page.open(behind.url)
        page.click("role:roles/weave.md")
        # GraphQL, which a browser asks with an Origin.
        expect(page.find("#panel .patterns")).to_contain_text("concepts/**")
        before = len(page.boxes())
        (behind.vault / "roles" / "weave.md").unlink()
        page.wait("cy.nodes().length < x", before)
        assert "role:roles/weave.md" not in page.boxes()
        assert page.complaints == []
        page.context.close()
        browser.close()
