"""Whether fleets are up: against real servers, and against addresses that are not to be asked."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

from fleetlint import probe as module
from fleetlint.probe import is_refused, probe
from fleetlint.report import Health

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

UP = Health("up", "")


class Fleet(BaseHTTPRequestHandler):
    server: FleetServer

    def do_GET(self) -> None:
        self.server.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
        self.server.behave(self)

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


class FleetServer(ThreadingHTTPServer):
    def __init__(self, behave: Callable[[Fleet], None]) -> None:
        super().__init__(("127.0.0.1", 0), Fleet)
        self.behave = behave
        self.asked: list[tuple[str, dict[str, str]]] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away in the middle is what these tests are about."""


@contextmanager
def fleet(behave: Callable[[Fleet], None]) -> Iterator[FleetServer]:
    with FleetServer(behave) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def answers(status: int, **headers: str) -> Callable[[Fleet], None]:
    def behave(request: Fleet) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", "2")
        request.end_headers()
        request.wfile.write(b"ok")

    return behave


def one(callback: str | None, *, allow_link_local: bool = False) -> Health:
    return probe({"desk": callback}, allow_link_local=allow_link_local)["desk"]


def test_a_fleet_that_answers_200_is_up() -> None:
    with fleet(answers(200)) as server:
        assert one(f"{server.url}/base/") == UP
        assert [path for path, _ in server.asked] == ["/base/health"]


@pytest.mark.parametrize("status", [204, 404, 500, 503])
def test_any_other_status_is_down(status: int) -> None:
    def behave(request: Fleet) -> None:
        request.send_response(status)
        request.end_headers()

    with fleet(behave) as server:
        assert one(server.url) == Health("down", f"it answers {status}")


def test_a_redirect_is_down_and_not_followed() -> None:
    with fleet(answers(200)) as elsewhere, fleet(answers(302, Location=f"{elsewhere.url}/health")) as server:
        assert one(server.url) == Health("down", "it answers 302, which leads elsewhere and is not followed")
        assert elsewhere.asked == []


def test_nothing_of_the_environment_goes_with_the_question(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    home = tmp_path_factory.mktemp("home")
    (home / ".netrc").write_text("machine 127.0.0.1 login ann password s3cr3t\n")
    (home / ".netrc").chmod(0o600)
    with fleet(answers(200)) as proxy, fleet(answers(200, **{"Set-Cookie": "a=s3cr3t"})) as server:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
            monkeypatch.setenv(name, proxy.url)
        monkeypatch.setenv("HOME", str(home))
        monkeypatch.setenv("FLEETLINT_TRIP2G_API_KEY", "s3cr3t")
        monkeypatch.setenv("FLEETLINT_TRIP2G_COOKIE", "s3cr3t")
        assert probe({"a": server.url, "b": f"{server.url}/b"}) == {"a": UP, "b": UP}
        assert proxy.asked == []
        for _, headers in server.asked:
            assert headers.keys() == {"host", "user-agent", "accept-encoding"}
            assert "s3cr3t" not in str(headers)


def test_equal_addresses_are_asked_once() -> None:
    with fleet(answers(200)) as server:
        assert probe({"a": server.url, "b": server.url, "c": None}) == {
            "a": UP,
            "b": UP,
            "c": Health("unknown", "no one address of it is registered"),
        }
        assert len(server.asked) == 1


def test_fleets_that_are_silent_are_down_after_one_deadline_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "DEADLINE", 0.5)
    over = threading.Event()

    def drips(request: Fleet) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not over.wait(0.05):
            request.wfile.write(b"X-Drop: 1\r\n")

    with fleet(lambda _: bool(over.wait()) and None) as silent, fleet(drips) as slow:
        callbacks = {f"{number}": f"{server.url}/{number}" for number in range(10) for server in (silent, slow)}
        start = time.monotonic()
        found = probe({**callbacks, **{f"s{number}": f"{silent.url}/{number}" for number in range(10)}})
        taken = time.monotonic() - start
        over.set()
    assert set(found.values()) == {Health("down", "no answer in 0.5 s")}
    assert len(found) == 20
    # One after the other they would take ten seconds; machines are busy.
    assert taken < 5


def test_a_body_without_an_end_is_not_read() -> None:
    def endless(request: Fleet) -> None:
        request.send_response(200)
        request.end_headers()
        while True:
            request.wfile.write(b"x" * 65_536)

    with fleet(endless) as server:
        assert one(server.url) == UP


def test_a_port_that_nobody_listens_at_is_down() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    assert one(f"http://127.0.0.1:{port}") == Health("down", "the connection is refused, or there is no way to it")


@pytest.mark.parametrize("said", [b"220 mail.example ESMTP\r\n", b"", b"HTTP/1.1 200"])
def test_what_speaks_no_http_is_down(said: bytes) -> None:
    def behave(request: Fleet) -> None:
        request.wfile.write(said)

    with fleet(behave) as server:
        assert one(server.url) == Health("down", "what answers there speaks no HTTP, or breaks off")


def test_tls_where_there_is_none_is_down() -> None:
    with fleet(answers(200)) as server:
        assert one(server.url.replace("http:", "https:")) == Health("down", "no secure connection can be made to it")


def test_a_name_is_asked_at_the_address_that_was_looked_at_and_has_to_be_the_certificates(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    names: list[str | None] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    context.sni_callback = lambda _, name, __: names.append(name)
    with fleet(answers(200)) as server:
        server.socket = context.wrap_socket(server.socket, server_side=True)
        port = server.server_address[1]
        assert one(f"https://localhost:{port}") == Health("down", "no secure connection can be made to it")
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(None, None, None, None, ("127.0.0.1", port))])
        assert one(f"https://localhost:{port}") == UP
        assert one(f"https://elsewhere.example:{port}") == Health("down", "no secure connection can be made to it")
        assert names == ["localhost", "localhost", "elsewhere.example"]
        assert [headers["host"] for _, headers in server.asked] == [f"localhost:{port}"]


@pytest.mark.parametrize(
    "callback",
    ["ftp://127.0.0.1", "127.0.0.1:80", "http://", "http://ann:pw@127.0.0.1", "http://127.0.0.1/?key=1",
     "http://127.0.0.1/#x", "http://127.0.0.1:99999", "http://[::1", "http://a\r\nX-Evil: 1", "javascript:1"],
)  # fmt: skip
def test_an_address_that_is_no_plain_place_is_unknown_and_not_told(callback: str) -> None:
    health = one(callback)
    assert health.state == "unknown"
    assert "pw" not in health.reason


REFUSED = [
    "169.254.169.254", "169.254.1.1", "fe80::1", "fe80::1%eth0", "0.0.0.0", "::", "224.0.0.1", "ff02::1", "100.100.100.200",
    "fd00:ec2::254", "255.255.255.255", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "64:ff9b:1::a9fe:a9fe", "::ffff:0:a9fe:a9fe", "fd00:ec2::23", "::a9fe:a9fe",
]  # fmt: skip


@pytest.mark.parametrize("address", REFUSED)
def test_link_local_and_metadata_addresses_are_refused_in_every_form(address: str) -> None:
    assert is_refused(address)


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "fd00::1", "93.184.216.34", "2606::1"]
)
def test_private_addresses_and_public_ones_are_asked(address: str) -> None:
    assert not is_refused(address)


@pytest.mark.parametrize(
    "host", ["169.254.169.254", "[fe80::1]", "[::ffff:169.254.169.254]", "0xa9fea9fe", "2852039166"]
)
def test_no_connection_is_made_to_a_refused_address_however_it_is_written(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    async def never(*arguments: object) -> Health:
        raise AssertionError(arguments)

    monkeypatch.setattr(module, "_get", never)
    health = one(f"http://{host}/latest")
    assert health.state == "unknown"
    assert "--probe-link-local" in health.reason


def test_link_local_addresses_are_asked_where_that_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async def get(url: object, address: str, secure: object) -> Health:  # noqa: ARG001 - the signature
        asked.append(address)
        return UP

    monkeypatch.setattr(module, "_get", get)
    assert one("http://169.254.1.2", allow_link_local=True) == UP
    assert asked == ["169.254.1.2"]


def test_a_name_is_looked_up_once_and_what_was_looked_at_is_what_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    real, looked_up = socket.getaddrinfo, []

    def rebinding(host: str, port: int, *arguments: object, **options: object) -> object:
        if host != "fleet.example":
            return real(host, port, *arguments, **options)  # type: ignore[arg-type]
        looked_up.append(host)
        address = "127.0.0.1" if len(looked_up) == 1 else "169.254.169.254"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with fleet(answers(200)) as server:
        port = server.server_address[1]
        assert one(f"http://fleet.example:{port}") == UP
        assert [headers["host"] for _, headers in server.asked] == [f"fleet.example:{port}"]
        assert looked_up == ["fleet.example"]
        # Now it leads to the metadata, by one of its addresses at least.
        health = one(f"http://fleet.example:{port}")
        assert (health.state, len(server.asked)) == ("unknown", 1)
        assert "169.254.169.254" in health.reason


def test_the_next_address_of_a_name_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    real = socket.getaddrinfo

    def two(host: str, port: int, *arguments: object, **options: object) -> object:
        if host != "fleet.example":
            return real(host, port, *arguments, **options)  # type: ignore[arg-type]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in ("127.0.0.9", "127.0.0.1")]

    monkeypatch.setattr(socket, "getaddrinfo", two)
    with fleet(answers(200)) as server:
        assert one(f"http://fleet.example:{server.server_address[1]}") == UP


def test_a_name_that_nobody_knows_and_one_that_takes_long_are_down(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def look_up(host: str, *arguments: object, **options: object) -> object:  # noqa: ARG001 - the system's
        if host == "slow.example":
            over.wait()
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(module, "DEADLINE", 0.3)
    try:
        assert one("http://gone.example") == Health("down", "the name `gone.example` is not known")
        assert one("http://slow.example") == Health("down", "no answer in 0.3 s")
    finally:
        over.set()
