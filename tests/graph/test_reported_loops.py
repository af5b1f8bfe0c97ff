"""The public reports about loops, and those about patterns whose answer is an edge, through the whole way from files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from fleetlint.graph import DIRECT, TRIGGER, Edge, Graph, derive
from fleetlint.roles import is_role_note, read_role
from fleetlint.vault import load_vault

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Reported = Callable[[str], Graph]


@pytest.fixture
def reported(shared: Path, tmp_path: Path) -> Reported:
    """The graph of a report's files."""

    def graph(case_id: str) -> Graph:
        with (shared / "cases" / "cases.jsonl").open(encoding="utf-8") as lines:
            (case,) = (case for case in map(json.loads, lines) if case["id"] == case_id)
        for name, text in case["input"]["files"].items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return derive([read_role(note) for note in load_vault(tmp_path).notes if is_role_note(note)])

    return graph


def triggers(graph: Graph) -> dict[tuple[str, str], Edge]:
    return {(edge.source, edge.target): edge for edge in graph.edges if edge.kind == TRIGGER}


def test_a_rule_fired_by_an_update_that_writes_the_same_note_triggers_itself(reported: Reported) -> None:
    (found,) = reported("loop-01").self_triggers
    assert (found.lap_budget, found.reruns, found.edge.witness) == (3, 2, "crm/deal.md")


def test_a_cron_run_can_wake_its_own_role(reported: Reported) -> None:
    (found,) = reported("loop-02").self_triggers
    assert found.edge.live == {DIRECT, "roles/a.md"}
    assert (found.lap_budget, found.reruns) == (2, 1)


def test_an_output_folder_inside_the_input_folder_needs_its_exclude(reported: Reported) -> None:
    graph = reported("loop-03")
    assert list(triggers(graph)) == [("roles/bad.md", "roles/bad.md")]
    assert [found.edge.source for found in graph.self_triggers] == ["roles/bad.md"]


def test_a_role_that_watches_everything_watches_its_own_log(reported: Reported) -> None:
    (found,) = reported("loop-04").self_triggers
    assert (found.edge.witness, found.lap_budget, found.reruns) == ("log/a.md", 1, 0)


def test_a_loop_that_fans_out_says_so(reported: Reported) -> None:
    (cycle,) = reported("loop-05").cycles
    assert (cycle.members, cycle.lap_budget) == (("roles/a.md", "roles/b.md"), 1)
    assert [edge.fanout for edge in cycle.loop] == [True, False]


def test_a_cron_writer_never_wakes_a_role_of_depth_one(reported: Reported) -> None:
    graph = reported("loop-06")
    edge = triggers(graph)["roles/ingest.md", "roles/agent.md"]
    assert edge.cut == {"roles/ingest.md"}
    assert edge.cut_by_depth
    assert graph.depths["roles/agent.md"] == (0,)


def test_excludes_cut_narrow_or_leave_an_edge(reported: Reported) -> None:
    graph = reported("loop-07")
    found = {target: edge.maybe_excluded for (_, target), edge in triggers(graph).items()}
    assert found == {"roles/part.md": True, "roles/none.md": False}
    # What their own excludes swallow, no edit wakes either.
    assert [path for path, depths in graph.depths.items() if not depths] == ["roles/all.md", "roles/two.md"]


@pytest.mark.parametrize("case_id", ["glob-05", "glob-06", "glob-13"])
def test_an_odd_pattern_beside_a_live_one_leaves_the_edge(reported: Reported, case_id: str) -> None:
    edge = triggers(reported(case_id))["roles/w.md", "roles/a.md"]
    assert (edge.exact, edge.maybe_excluded) == (True, False)


def test_an_unknown_event_is_never_heard(reported: Reported) -> None:
    assert set(reported("role-02").depths.values()) == {()}
