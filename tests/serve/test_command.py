"""The command: what it refuses, and what it needs."""

from __future__ import annotations

import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from fleetlint.cli import main
from tests.serve.conftest import EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.serve.running import Server

VAULT = str(EXAMPLES / "clean")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "", "10.1.2.3", "vault.example.org"])
def test_without_a_login_the_server_listens_on_loopback_only(host: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", VAULT, "--host", host, "--port", "0"]) == 2
    said = capsys.readouterr().err
    assert "loopback only" in said or "cannot listen" in said
    assert ("--trip2g-url" in said) == (host != "vault.example.org")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--trip2g-url", "vault.example.org"), "a URL such as"),
        (("--trip2g-url", "ftp://vault.example.org"), "a URL such as"),
        (("--trip2g-url", "https://me:s3cr3t@vault.example.org"), "without a password"),
        (("--trip2g-url", "https://vault.example.org/?a=b"), "a URL such as"),
        (("--trip2g-url", "https://[::1"), "a URL such as"),
        (("--trip2g-url", "https://x:99999"), "a URL such as"),
        (("--allow-origin", "*"), "an origin is a scheme"),
        (("--allow-origin", "https://admin.example.org/"), "an origin is a scheme"),
        (("--allow-origin", "null"), "an origin is a scheme"),
        (("--root-path", "_fleet"), "a path such as"),
        (("--root-path", "/a/../b"), "a path such as"),
        (("--root-path", "//elsewhere.example.org"), "a path such as"),
        (("--session-cookie", "a=b"), "no name of a cookie"),
        (("--session-cookie", ""), "no name of a cookie"),
        (("--auth-cache", "3600"), "--auth-cache"),
        (("--port", "70000"), "--port"),
        (("--vault-that-is-not",), "--vault-that-is-not"),
    ],
)
def test_wrong_use_is_refused_in_a_sentence(
    arguments: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", VAULT, *arguments]) == 2
    said = capsys.readouterr().err
    assert expected in said
    assert "s3cr3t" not in said
    assert "Traceback" not in said


def test_a_port_that_is_taken_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["serve", VAULT, "--port", str(taken.getsockname()[1])]) == 2
    assert "name another --host or --port" in capsys.readouterr().err


def test_a_folder_that_there_is_not_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "/no/such/folder"]) == 2
    assert "no such folder" in capsys.readouterr().err


def test_the_server_says_where_it_is_and_that_nobody_has_to_log_in(example: Server) -> None:
    assert example.said.startswith("serving ")
    assert f"at {example.url}" in example.said
    assert "loopback only, for there is no --trip2g-url" in example.said


@pytest.mark.parametrize("host", ["localhost", "::1"])
def test_other_names_of_loopback_are_good(serve: Callable[..., Server], host: str) -> None:
    if host == "::1":
        try:
            socket.create_server(("::1", 0), family=socket.AF_INET6).close()
        except OSError:
            pytest.skip("this machine has no IPv6")
    server = serve(EXAMPLES / "clean", "--host", host)
    assert server.get("graph.json").status_code == 200


@pytest.mark.parametrize("name", ["starlette", "uvicorn", "watchfiles", "prometheus_client", "ariadne", "httpx"])
def test_without_the_extra_one_sentence_says_what_to_install(name: str) -> None:
    program = f"import sys; sys.modules[{name!r}] = None; from fleetlint.cli import main; sys.exit(main(['serve', {VAULT!r}]))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr == f"Error: `{name}` is not installed, which serving needs; run pip install 'fleetlint[serve]'\n"


def test_a_check_loads_nothing_of_the_server() -> None:
    program = (
        f"import sys; from fleetlint.cli import main; main(['check', {VAULT!r}]);"
        "print(*sorted({name.partition('.')[0] for name in sys.modules} | {n for n in sys.modules if 'fleetlint.' in n}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split("\n")[-2].split())
    assert "fleetlint.cli.check" in loaded
    assert not loaded & {"starlette", "uvicorn", "ariadne", "graphql", "httpx", "watchfiles", "fleetlint.serve"}
