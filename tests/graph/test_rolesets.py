"""The shared fleets, each with the graph that two independent derivations agreed on."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from fleetlint.graph import FEED, TRIGGER, Graph, derive
from fleetlint.roles import is_role_note, read_role
from fleetlint.vault import load_vault

if TYPE_CHECKING:
    from pathlib import Path

NAMES = (
    "cron-into-both",
    "docs-demo",
    "docs-fleet-krisp-new",
    "e2e-stand",
    "krisp-cycle",
    "krisp-dead-edge",
    "krisp-excluded-part",
    "krisp-knowledge-v1",
    "up-cycle",
    "up-exclude",
    "up-linear",
    "up-self",
)


def test_these_are_all_the_fleets_there_are(shared: Path) -> None:
    assert sorted(os.listdir(shared / "rolesets")) == sorted([*NAMES, "README.md"])


@pytest.fixture(params=NAMES)
def fleet(shared: Path, request: pytest.FixtureRequest) -> tuple[Graph, dict[str, Any]]:
    folder = shared / "rolesets" / request.param
    expected = json.loads((folder / "EXPECTED.json").read_text(encoding="utf-8"))
    roles = [read_role(note) for note in load_vault(folder).notes if is_role_note(note)]
    (together,) = expected["sets"]
    assert [role.path for role in roles] == sorted(together)
    return derive(roles), expected


def test_trigger_edges_are_the_expected_ones(fleet: tuple[Graph, dict[str, Any]]) -> None:
    graph, expected = fleet
    triggers = {(edge.source, edge.target): edge for edge in graph.edges if edge.kind == TRIGGER}
    assert sorted(triggers) == sorted((entry["from"], entry["to"]) for entry in expected["trigger"])
    for entry in expected["trigger"]:
        edge = triggers[entry["from"], entry["to"]]
        assert edge.exact
        assert edge.cut_by_depth is {"yes": False, "never": True}[entry["fires"]]
        if "via" in entry:
            assert [edge.via.write, edge.via.match] == entry["via"]


def test_feed_edges_are_the_expected_ones(fleet: tuple[Graph, dict[str, Any]]) -> None:
    graph, expected = fleet
    feeds = [[edge.source, edge.target] for edge in graph.edges if edge.kind == FEED]
    assert feeds == sorted(expected["feed"])


def test_loops_are_the_expected_ones(fleet: tuple[Graph, dict[str, Any]]) -> None:
    """A role that triggers itself is a cycle of one there and a self-trigger here."""
    graph, expected = fleet
    selves = [found.edge.source for found in graph.self_triggers]
    assert selves == sorted(expected["self_trigger"])
    cycles = [list(cycle.members) for cycle in graph.cycles] + [[path] for path in selves]
    assert sorted(cycles) == sorted(expected["cycles"])


def test_nodes_are_as_valid_as_expected(fleet: tuple[Graph, dict[str, Any]]) -> None:
    graph, expected = fleet
    if "invalid" in expected:
        assert [node.path for node in graph.nodes if not node.valid] == sorted(expected["invalid"])
    if "no_fleet" in expected:
        untagged = [node.path for node in graph.nodes if node.role and not node.role.fleet_id]
        assert untagged == sorted(expected["no_fleet"])


def test_the_loop_of_the_real_fleet_has_three_laps_and_fans_out(shared: Path) -> None:
    roles = [read_role(note) for note in load_vault(shared / "rolesets" / "krisp-cycle").notes if is_role_note(note)]
    (cycle,) = derive(roles).cycles
    assert cycle.lap_budget == 3
    assert [edge.source for edge in cycle.loop] == ["roles/extract.md", "roles/segment.md"]
    assert all(edge.fanout for edge in cycle.loop)
    # A direct edit, the other role at depth 1, the same again at 2; both stop there.
    assert dict(cycle.reruns) == {"roles/extract.md": 1, "roles/segment.md": 1}
    (narrowed,) = (edge for edge in derive(roles).edges if edge.source == "roles/extract.md")
    assert narrowed.witness == "transcripts/notes/a.md"
