"""The stream of events, and that a vault is derived once a change."""

from __future__ import annotations

import os
import socket
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from tests.serve.listening import Listener
from tests.serve.running import until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.serve.running import Server


def edit(vault: Path, text: str = "max_depth: 7") -> None:
    """Changes what is derived."""
    note = next(note for note in sorted((vault / "roles").glob("*.md")) if "max_depth:" in note.read_text())
    lines = [text if line.startswith("max_depth:") else line for line in note.read_text().split("\n")]
    note.write_text("\n".join(lines))


def test_a_change_is_one_event_for_each_client_and_one_derivation(serve: Callable[..., Server], broken: Path) -> None:
    server = serve(broken)
    listeners = [Listener(server.url) for _ in range(20)]
    before = len(server.events("derived"))
    first = server.get("graph.json")
    edit(broken)
    until(lambda: all(listener.named("graph") for listener in listeners))
    assert server.get("graph.json").headers["etag"] != first.headers["etag"]
    assert len(server.events("derived")) == before + 1
    for listener in listeners:
        (event,) = listener.named("graph")
        assert event.data == {"revision": 2}
        assert [status.data["stale"] for status in listener.named("status")] == [False]


def test_what_changes_nothing_that_is_derived_is_no_event(serve: Callable[..., Server], broken: Path) -> None:
    server = serve(broken)
    listener = Listener(server.url)
    generated = server.get("graph.json").content
    before = len(server.events("derived"))
    note = next((broken / "roles").glob("*.md"))
    note.write_text(note.read_text() + "\nOne more sentence.\n")
    until(lambda: len(server.events("derived")) > before)
    assert server.get("graph.json").content == generated, "not even the time is another one"
    (broken / "picture.png").write_bytes(b"\x89PNG")
    (broken / ".hidden.md").write_text("---\nfleet_id: x\nmode: cron\n---\n")
    edit(broken)
    until(lambda: listener.named("graph"))
    assert len(listener.named("graph")) == 1


def test_notes_that_come_move_and_go_are_noticed(serve: Callable[..., Server], broken: Path) -> None:
    server = serve(broken)
    role = "---\nfleet_id: lab\nmode: cron\ncron_schedule: '0 6 * * *'\nwrite_patterns: [out/*.md]\nmax_depth: 1\n---\n"

    def paths() -> set[str]:
        return {node["note_path"] for node in server.get("graph.json").json()["nodes"]}

    (broken / "new" / "folder").mkdir(parents=True)
    (broken / "new" / "folder" / "role.md").write_text(role)
    until(lambda: "new/folder/role.md" in paths())
    os.rename(broken / "new", broken / "moved")
    until(lambda: "moved/folder/role.md" in paths() and "new/folder/role.md" not in paths())
    (broken / "moved" / "folder" / "role.md").unlink()
    until(lambda: "moved/folder/role.md" not in paths())


@pytest.mark.slow
def test_who_comes_back_hears_of_what_was_missed(serve: Callable[..., Server], broken: Path) -> None:
    server = serve(broken)
    first = Listener(server.url)
    old = first.events[0].id
    edit(broken)
    until(lambda: first.named("graph"))
    late = Listener(server.url, {"last-event-id": old})
    until(lambda: late.named("graph"))
    new = Listener(server.url, {"last-event-id": late.named("graph")[0].id})
    fresh = Listener(server.url)
    edit(broken, "max_depth: 8")
    until(lambda: new.named("graph") and fresh.named("graph"))
    assert [len(listener.named("graph")) for listener in (late, new, fresh)] == [2, 1, 1]


@pytest.mark.slow
def test_a_client_that_never_reads_holds_up_nobody(serve: Callable[..., Server], broken: Path) -> None:
    server = serve(broken)
    parts = urlsplit(server.url)
    assert parts.port
    deaf = []
    for _ in range(10):
        connection = socket.create_connection(("127.0.0.1", parts.port))
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        connection.sendall(f"GET /events HTTP/1.1\r\nhost: {parts.netloc}\r\n\r\n".encode())
        deaf.append(connection)
    listener = Listener(server.url)
    edit(broken)
    until(lambda: listener.named("graph"))
    for connection in deaf:
        connection.close()
    until(lambda: "fleetlint_listeners 1.0" in server.get("metrics").text)


@pytest.mark.slow
def test_the_number_of_clients_is_bounded(serve: Callable[..., Server], broken: Path) -> None:
    server = serve(broken)
    parts = urlsplit(server.url)
    assert parts.port
    many = []
    for _ in range(100):
        connection = socket.create_connection(("127.0.0.1", parts.port))
        connection.sendall(f"GET /events HTTP/1.1\r\nhost: {parts.netloc}\r\n\r\n".encode())
        assert connection.recv(12) == b"HTTP/1.1 200"
        many.append(connection)
    refused = server.get("events")
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "30")
    assert server.get("graph.json").status_code == 200
    for connection in many:
        connection.close()
    until(lambda: "fleetlint_listeners 0.0" in server.get("metrics").text)
    assert Listener(server.url).events
