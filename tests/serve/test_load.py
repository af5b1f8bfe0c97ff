"""A server under load: what it costs, what it withstands, and that it keeps its size."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.needed import find_program
from tests.serve.load import (
    GROWTH,
    HALF,
    PROMPT,
    ask_role_graph,
    hostile_bodies,
    rates,
    soak,
    under_attack,
)
from tests.serve.running import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

SOAK = float(os.environ.get("FLEETLINT_SOAK", "120"))
"""Seconds."""


@pytest.fixture(scope="module")
def large(make_vault: Callable[..., Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of 1,000 roles."""
    find_program("wrk")
    folder = tmp_path_factory.mktemp("load")
    with Server(make_vault(folder / "vault", 1_000), folder / "log") as running:
        yield running.wait_ready()


def test_the_graph_costs_who_has_it_no_more_than_two_static_files(large: Server) -> None:
    graph, static = rates(large, rounds=5, seconds=2)
    print(f"graph {graph:.0f}/s, static file {static:.0f}/s, ratio {graph / static:.2f}")
    assert graph >= HALF * static


@pytest.mark.parametrize("is_anew", [False, True], ids=["the same question", "each another question"])
def test_fifty_clients_at_once_get_the_role_graph_without_an_error(large: Server, is_anew: bool) -> None:
    load = ask_role_graph(large, 30, is_anew=is_anew)
    print(f"{load.requests} requests, {load.rate:.0f}/s, the longest {load.longest:.2f} s, {load.failed} failed")
    assert load.requests >= 50
    assert load.failed == 0


@pytest.mark.parametrize("body", hostile_bodies().values(), ids=hostile_bodies().keys())
def test_each_hostile_body_is_refused(large: Server, body: str) -> None:
    answered = large.client.post("graphql", content=body, headers={"content-type": "application/json"})
    document = answered.json()
    (error,) = document["errors"] if isinstance(document, dict) else document[0]["errors"]
    assert "data" not in json.dumps(document)
    assert error["extensions"]["code"]


def test_hostile_requests_do_not_hold_up_a_normal_client(large: Server) -> None:
    latencies = under_attack(large, 30)
    for kind, latency in latencies.items():
        print(f"{kind}: median {latency.median * 1000:.1f} ms, 99th percentile {latency.p99 * 1000:.1f} ms")
    assert {kind: latency for kind, latency in latencies.items() if latency.median >= PROMPT} == {}


def test_the_memory_stays_what_it_is_once_warm(
    serve: Callable[..., Server], make_vault: Callable[..., Path], tmp_path: Path
) -> None:
    vault = make_vault(tmp_path / "vault", 1_000)
    server = serve(vault)
    warm = soak(server, vault, max(20, SOAK / 4))
    child = server.child
    after = soak(server, vault, SOAK)
    assert server.child == child, "a new process would have no past"
    print(f"warm {warm}, after {SOAK:.0f} s {after}")
    assert after.server <= GROWTH * warm.server
    assert after.child <= GROWTH * warm.child
