"""A client that leaves before it is answered costs the others nothing."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

from fleetlint.serve import graphql
from fleetlint.serve.derivation import MAX_WAITING
from tests.serve.conftest import EXAMPLES, facts_of, no_wave
from tests.serve.running import DEADLINE, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from tests.serve.running import Server

ROLES = "{ roles { name } }"


def leave(server: Server, requests: Iterable[bytes]) -> None:
    """Sends them all, each on a connection of its own, then closes all of these."""
    with ExitStack() as stack:
        for request in requests:
            connection = socket.create_connection(("127.0.0.1", server.client.base_url.port or 0))
            stack.enter_context(connection).sendall(request)


def statuses(server: Server, path: str) -> list[int]:
    return [line["status"] for line in server.events("request") if line["path"] == path]


def graphql_request(query: str, **variables: object) -> bytes:
    body = json.dumps({"query": query, "variables": variables}).encode()
    fields = f"host: localhost\r\ncontent-type: application/json\r\ncontent-length: {len(body)}"
    return f"POST /graphql HTTP/1.1\r\n{fields}\r\n\r\n".encode() + body


def test_questions_to_the_child_that_nobody_waits_for_are_not_asked(serve: Callable[..., Server], broken: Path) -> None:
    server = serve(broken)
    os.kill(server.child, signal.SIGSTOP)
    asked = (b"GET /impact?path=a%d/** HTTP/1.1\r\nhost: localhost\r\n\r\n" % number for number in range(MAX_WAITING))
    leave(server, asked)
    until(lambda: statuses(server, "/impact") == [499] * MAX_WAITING)
    os.kill(server.child, signal.SIGCONT)
    # As many as may wait have left, so there is room for the next one.
    assert server.get("impact?path=wiki/**").json()["waves"]


def test_a_body_that_ends_early_is_no_fault_of_the_server(serve: Callable[..., Server], broken: Path) -> None:
    server = serve(broken)
    leave(server, [graphql_request(ROLES)[:-1]])
    until(lambda: statuses(server, "/graphql"))
    assert statuses(server, "/graphql") == [499]
    assert not [line for line in server.log() if line["level"] == "error"]


@pytest.mark.slow
def test_fifty_questions_that_were_left_do_not_hold_up_the_next_one(
    serve: Callable[..., Server], make_vault: Callable[..., Path], tmp_path: Path
) -> None:
    server = serve(make_vault(tmp_path / "vault", 1_000))
    whole = (
        "{ roleGraph { nodes { role inboxGlob outboxGlob orphan } edges { from to kind exact cutByDepth } cycles } }"
    )
    leave(server, (graphql_request(whole, number=number) for number in range(50)))
    assert server.client.post("graphql", json={"query": ROLES}).json()["data"]["roles"]
    until(lambda: len(statuses(server, "/graphql")) == 51)
    # The first ones may be answered before their clients have left.
    assert statuses(server, "/graphql").count(499) > 40
    assert not [line for line in server.log() if line["level"] == "error"]


def test_what_is_being_resolved_ends_when_its_client_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving = threading.Event()
    resolve = graphql._field
    resolved: list[str] = []

    def wait_for_the_end(parent: Any, info: Any) -> Any:
        resolving.set()
        assert info.context.ended.wait(DEADLINE)
        value = resolve(parent, info)
        resolved.append(info.field_name)
        return value

    async def run() -> None:
        data = facts_of(EXAMPLES / "broken")
        endpoint = graphql.Endpoint(no_wave)
        body = json.dumps({"query": ROLES}).encode()
        monkeypatch.setattr(graphql, "_field", wait_for_the_end)
        left = asyncio.create_task(endpoint.answer(body, data))
        await asyncio.to_thread(resolving.wait, DEADLINE)
        left.cancel()
        with pytest.raises(asyncio.CancelledError):
            await left
        monkeypatch.setattr(graphql, "_field", resolve)
        status, answer = await endpoint.answer(body, data)
        assert (status, resolved) == (200, [])
        assert json.loads(answer)["data"]["roles"]

    asyncio.run(run())
