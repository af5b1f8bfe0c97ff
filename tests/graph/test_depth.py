from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fleetlint.graph import DIRECT, TRIGGER, Edge, Graph, derive
from fleetlint.graph.depth import Wires, all_depths
from tests.graph.by_hand import role

if TYPE_CHECKING:
    from fleetlint.roles import Role


def stage(number: int, depth: int | None, **more: object) -> Role:
    """One stage of a chain: woken by what lies in its folder, it writes into the next folder."""
    return role(f"r{number}.md", include=[f"s{number}/**"], write=[f"s{number + 1}/**"], depth=depth, **more)  # type: ignore[arg-type]


def starter(path: str, *write: str) -> Role:
    return role(path, mode="cron", write=write)


def edge(graph: Graph, source: str, target: str) -> Edge:
    (found,) = (edge for edge in graph.edges if (edge.source, edge.target, edge.kind) == (source, target, TRIGGER))
    return found


def test_a_direct_edit_runs_a_role_at_depth_0_and_the_next_one_at_depth_1() -> None:
    graph = derive([stage(1, 1), stage(2, 2), stage(3, 3)])
    assert graph.depths == {"r1.md": (0,), "r2.md": (0, 1), "r3.md": (0, 1, 2)}
    assert edge(graph, "r1.md", "r2.md").live == {DIRECT}


def test_the_chain_of_the_specification_needs_two_then_three() -> None:
    roles = [starter("ingest.md", "s1/**"), stage(1, 2), stage(2, 3)]
    graph = derive(roles)
    assert edge(graph, "ingest.md", "r1.md").live == {"ingest.md"}
    assert edge(graph, "r1.md", "r2.md").live == {DIRECT, "ingest.md"}
    graph = derive([roles[0], stage(1, 1), stage(2, 3)])
    assert edge(graph, "ingest.md", "r1.md").cut == {"ingest.md"}
    assert edge(graph, "ingest.md", "r1.md").cut_by_depth
    assert edge(graph, "r1.md", "r2.md").live == {DIRECT}


def test_an_edge_may_be_live_for_a_person_and_cut_for_a_cron_run() -> None:
    graph = derive([starter("ingest.md", "s1/**"), stage(1, 2), stage(2, 2)])
    found = edge(graph, "r1.md", "r2.md")
    assert (found.live, found.cut, found.cut_by_depth) == (frozenset({DIRECT}), frozenset({"ingest.md"}), False)


def test_each_cron_role_is_an_origin_of_its_own() -> None:
    graph = derive([starter("near.md", "s2/**"), starter("far.md", "s1/**"), stage(1, 2), stage(2, 3), stage(3, 3)])
    found = edge(graph, "r2.md", "r3.md")
    assert (found.live, found.cut) == (frozenset({DIRECT, "near.md"}), frozenset({"far.md"}))


def test_a_cron_run_happens_whatever_max_depth_says() -> None:
    graph = derive([role("c.md", mode="cron", write=["s1/**"], depth=0), stage(1, 2)])
    assert graph.depths == {"c.md": (0,), "r1.md": (0, 1)}


def test_a_role_of_both_modes_is_an_origin_and_can_be_woken() -> None:
    graph = derive([role("b.md", mode="both", on=["remove"], include=["s0/**"], write=["s1/**"], depth=0), stage(1, 2)])
    found = edge(graph, "b.md", "r1.md")
    assert (found.live, found.cut) == (frozenset({"b.md"}), frozenset())


@pytest.mark.parametrize(
    "more",
    [
        {"depth": 0},
        {"on": ["created"]},
        {"on": []},
        {"include": []},
        {"include": ["["]},
        {"include": ["folder"]},
        {"exclude": ["s1/**"]},
        {"exclude": ["s1/*", "s1/*/**"]},
        {"mode": ""},
    ],
    ids=str,
)
def test_a_role_that_can_never_run_makes_its_edges_dead(more: dict[str, object]) -> None:
    kept: dict[str, object] = {"include": ["s1/**"], "write": ["s2/**"], "depth": 1, **more}
    graph = derive([role("r1.md", **kept), stage(2, 9)])  # type: ignore[arg-type]
    found = edge(graph, "r1.md", "r2.md")
    assert (found.live, found.cut, found.cut_by_depth) == (frozenset(), frozenset(), True)
    assert graph.depths == {"r1.md": (), "r2.md": (0,)}


def test_people_may_remove_notes_and_agents_do_not() -> None:
    graph = derive([stage(1, 3), stage(2, 3, on=["remove"])])
    assert graph.depths["r2.md"] == (0,)
    assert graph.edges == ()


def test_an_unset_max_depth_counts_as_one() -> None:
    graph = derive([stage(1, None), stage(2, None)])
    assert edge(graph, "r1.md", "r2.md").cut == {DIRECT}
    assert graph.depths == {"r1.md": (0,), "r2.md": (0,)}


def test_a_loop_runs_up_to_its_guards() -> None:
    graph = derive([role("a.md", include=["x/**"], write=["x/**"], depth=4)])
    assert graph.depths == {"a.md": (0, 1, 2, 3)}


def test_one_chain_round_a_loop_of_two_runs_each_role_at_every_second_depth() -> None:
    # 0 wakes 1, and 1 and 2 wake each other. A person's edit would start 1 and 2 as well; here nothing but 0 starts.
    depths = all_depths(Wires([[1], [2], [1]], [1, 6, 6]), [0])
    assert [bin(bits)[:1:-1] for bits in depths] == ["1", "010101", "00101"]


def test_guards_beyond_what_the_server_takes_count_as_the_nearest_it_takes() -> None:
    graph = derive([role("a.md", include=["x/**"], write=["x/**"], depth=10**18), stage(1, -(10**18))])
    assert len(graph.depths["a.md"]) == 999
    assert graph.depths["r1.md"] == ()


def test_a_thousand_cron_roles_into_a_long_chain_take_no_time() -> None:
    roles = [starter(f"c{number:04}.md", "s0/**") for number in range(1_000)]
    roles += [stage(number, 999) for number in range(300)]
    graph = derive(roles)
    last = edge(graph, "r298.md", "r299.md")
    assert len(last.live) == 1_001
    assert graph.depths["r299.md"] == tuple(range(301))
    # All hops share one set of origins.
    assert last.live is edge(graph, "r10.md", "r11.md").live
