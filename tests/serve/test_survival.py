"""What happens to the vault, to its settings or to the child process never ends the answers."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

from fleetlint.serve.derivation import Derivation
from fleetlint.serve.result import State
from fleetlint.sources import Source
from tests.serve.conftest import EXAMPLES
from tests.serve.listening import Listener
from tests.serve.running import DEADLINE, Server, is_alive, until
from tests.serve.test_events import edit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RULE = """\
import os, time
from pathlib import Path
from fleetlint.rule import Rule, Severity

HERE = Path(__file__).parent

def check(facts, options):
    (HERE / "running").touch()
    while (HERE / "wait").exists():
        time.sleep(0.02)
    if (HERE / "crash").exists():
        os._exit(7)
    if (HERE / "fail").exists():
        raise ValueError("a surprise")
    print("a rule that prints")
    return []

RULE = Rule("held-up", "Waits as a test says.", Severity.INFO, check, lambda: "# held-up")
"""


@pytest.fixture
def held(broken: Path) -> Path:
    """A vault with a rule of its own, which does what the files beside it say."""
    (broken / "checks").mkdir()
    (broken / "checks" / "held_up.py").write_text(RULE)
    settings = broken / ".fleetlint.yaml"
    settings.write_text(settings.read_text() + "\nrules_folder: checks\n")
    return broken


def state(server: Server) -> str:
    return str(server.get("readyz").json()["status"])


def reason(server: Server) -> str:
    return unquote(server.get("graph.json").headers.get("fleetlint-stale", ""))


def test_a_child_that_is_killed_in_the_middle_of_its_work_is_replaced(serve: Callable[..., Server], held: Path) -> None:
    server = serve(held, "--allow-vault-rules")
    good = server.get("graph.json")
    listener = Listener(server.url)
    (held / "checks" / "running").unlink()
    (held / "checks" / "wait").touch()
    edit(held)
    until((held / "checks" / "running").exists)
    killed = server.child
    os.kill(killed, signal.SIGKILL)
    until(lambda: state(server) == "stale")
    assert "SIGKILL" in reason(server)
    assert server.get("graph.json").content == good.content
    until(lambda: any(event.data["stale"] for event in listener.named("status")))
    (held / "checks" / "wait").unlink()
    until(lambda: state(server) == "ready")
    until(lambda: listener.named("graph"))
    assert server.get("graph.json").headers["etag"] != good.headers["etag"]
    assert reason(server) == ""
    assert not listener.named("status")[-1].data["stale"]
    assert server.child != killed
    assert not is_alive(killed)


def test_a_child_that_is_killed_while_it_has_nothing_to_do_is_replaced_unnoticed(
    serve: Callable[..., Server], broken: Path
) -> None:
    server = serve(broken)
    killed = server.child
    os.kill(killed, signal.SIGKILL)
    assert server.get("impact?path=wiki/**").json()["waves"]
    until(lambda: server.child != killed)
    assert state(server) == "ready"


def test_a_child_that_hangs_is_ended_after_the_deadline(serve: Callable[..., Server], broken: Path) -> None:
    server = serve(broken, "--deadline", "2")
    hanging = server.child
    os.kill(hanging, signal.SIGSTOP)
    edit(broken)
    until(lambda: "took longer than 2 s" in reason(server))
    until(lambda: state(server) == "ready")
    assert not is_alive(hanging)
    assert server.get("graph.json").status_code == 200


@pytest.mark.parametrize(("how", "expected"), [("crash", "ended with code 7"), ("fail", "a surprise")])
def test_rules_that_crash_or_fail_do_not_end_the_server(
    serve: Callable[..., Server], held: Path, how: str, expected: str
) -> None:
    server = serve(held, "--allow-vault-rules")
    (held / "checks" / how).touch()
    edit(held)
    until(lambda: state(server) == "stale")
    assert expected in reason(server)
    assert server.get("graph.json").status_code == 200
    (held / "checks" / how).unlink()
    until(lambda: state(server) == "ready")
    assert server.log(), "what a rule prints is in a line of the log, and each line is JSON"
    until(lambda: any("a rule that prints" in line["message"] for line in server.events("child_said")))


@pytest.mark.parametrize(
    ("where", "broken_as", "says"),
    [
        ("sys.executable", "/no/such/python", "cannot be started (No such file or directory); it is tried again"),
        ("fleetlint.serve.derivation._result", None, "deriving failed (TypeError); the log of the server says where"),
    ],
)
def test_a_process_that_cannot_be_started_or_understood_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, where: str, broken_as: object, says: str
) -> None:
    async def run() -> None:
        state = State()
        derivation = Derivation(Source(str(EXAMPLES / "clean")), state, DEADLINE)
        with monkeypatch.context() as patch:
            patch.setattr(where, broken_as)
            deriving = asyncio.create_task(derivation.run())
            derivation.want("the test")
            await asyncio.wait_for(state.next_change().wait(), DEADLINE)
            assert says in state.stale
        await asyncio.wait_for(state.next_change().wait(), DEADLINE)
        assert state.result
        assert not state.stale
        deriving.cancel()
        await derivation.child.close()

    asyncio.run(run())


def test_a_vault_that_vanishes_and_returns(serve: Callable[..., Server], broken: Path) -> None:
    server = serve(broken)
    good = server.get("graph.json").content
    away = broken.with_name("away")
    os.rename(broken, away)
    until(lambda: state(server) == "stale")
    assert "no such folder" in reason(server)
    assert server.get("graph.json").content == good
    assert server.get("impact?path=wiki/**").status_code == 200
    os.rename(away, broken)
    until(lambda: state(server) == "ready")
    edit(broken)
    until(lambda: server.get("graph.json").content != good)


@pytest.mark.slow
def test_a_vault_that_is_deleted_and_made_anew_is_watched_again(serve: Callable[..., Server], broken: Path) -> None:
    server = serve(broken)
    copy = shutil.copytree(broken, broken.with_name("copy"))
    shutil.rmtree(broken)
    until(lambda: state(server) == "stale")
    shutil.copytree(copy, broken)
    until(lambda: state(server) == "ready")
    good = server.get("graph.json").content
    edit(broken)
    until(lambda: server.get("graph.json").content != good)


def test_a_settings_file_that_breaks_and_is_mended(serve: Callable[..., Server], broken: Path) -> None:
    server = serve(broken)
    good = server.get("graph.json").content
    settings = broken / ".fleetlint.yaml"
    text = settings.read_text()
    settings.write_text("ruls: {}\n")
    until(lambda: state(server) == "stale")
    assert "`ruls`" in reason(server)
    assert server.get("graph.json").content == good
    assert server.get("impact?path=wiki/**").json()["waves"]
    settings.write_text(text)
    until(lambda: state(server) == "ready")


@pytest.mark.slow
def test_files_outside_of_the_vault_are_watched_as_well(serve: Callable[..., Server], broken: Path) -> None:
    registry = broken.with_name("registry.json")
    shutil.move(broken / "registry.json", registry)
    settings = broken.with_name("settings.yaml")
    shutil.move(broken / ".fleetlint.yaml", settings)
    server = serve(broken, "--registry", str(registry), "--config", str(settings))
    good = server.get("graph.json").content
    text = registry.read_text()
    registry.write_text("{")
    until(lambda: state(server) == "stale")
    assert "registry.json" in reason(server)
    registry.write_text(text)
    until(lambda: state(server) == "ready")
    assert server.get("graph.json").content == good
    settings.write_text(settings.read_text() + "  orphan-write: off\n")
    until(lambda: server.get("graph.json").content != good)


def test_a_server_that_starts_with_broken_settings_is_not_ready_until_they_are_mended(
    serve: Callable[..., Server], broken: Path
) -> None:
    settings = broken / ".fleetlint.yaml"
    text = settings.read_text()
    settings.write_text("ruls: {}\n")
    server = serve(broken, ready=False)
    until(lambda: "`ruls`" in server.get("graph.json").json().get("error", ""))
    assert (server.get("readyz").status_code, state(server)) == (503, "not ready")
    for path in ("graph.json", "graph.mmd", "findings.sarif", "impact?path=a"):
        assert server.get(path).status_code == 503
        assert int(server.get(path).headers["retry-after"]) > 0
    assert server.get("healthz").status_code == 200
    assert server.get("").status_code == 200
    listener = Listener(server.url)
    assert listener.events[0].data["stale"]
    settings.write_text(text)
    until(lambda: state(server) == "ready")
    until(lambda: listener.named("graph"))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_told_to_end_closes_streams_ends_its_child_and_exits_with_0(
    serve: Callable[..., Server], broken: Path, number: int
) -> None:
    server = serve(broken)
    listener = Listener(server.url)
    child = server.child
    # A terminal and a service manager tell all processes.
    os.kill(child, number)
    assert server.stop(number) == 0
    listener.wait_over()
    assert not is_alive(child)
    assert server.events("ended")
    assert not [line for line in server.log() if line["level"] == "error"]


@pytest.mark.slow
def test_a_server_ends_in_the_middle_of_a_derivation(serve: Callable[..., Server], held: Path) -> None:
    (held / "checks" / "wait").touch()
    server = serve(held, "--allow-vault-rules", ready=False)
    until((held / "checks" / "running").exists)
    child = server.child
    assert server.stop() == 0
    assert not is_alive(child)


@pytest.mark.parametrize("is_busy", [False, True])
def test_no_child_outlives_a_server_that_is_killed(serve: Callable[..., Server], held: Path, is_busy: bool) -> None:
    if is_busy:
        (held / "checks" / "wait").touch()
    server = serve(held, "--allow-vault-rules", ready=not is_busy)
    until((held / "checks" / "running").exists)
    child = server.child
    assert is_alive(child)
    assert server.stop(signal.SIGKILL) == -signal.SIGKILL
    until(lambda: not is_alive(child))


@pytest.mark.slow
def test_a_client_that_says_nothing_does_not_keep_a_server_from_ending(
    serve: Callable[..., Server], broken: Path
) -> None:
    server = serve(broken)
    parts = urlsplit(server.url)
    assert parts.port
    with socket.create_connection(("127.0.0.1", parts.port)) as silent:
        silent.sendall(
            b"POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"
        )
        assert server.stop() == 0
