from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.graph import Cycle, Graph, derive
from fleetlint.graph.cycles import components, reruns, shortest_loop
from fleetlint.graph.depth import Wires
from tests.graph.by_hand import role

if TYPE_CHECKING:
    from fleetlint.roles import Role


def ring(names: str, depth: int = 3, **more: object) -> list[Role]:
    """Each role writes what the next one listens to."""
    following = names[1:] + names[0]
    return [
        role(f"{name}.md", include=[f"{name}/**"], write=[f"{after}/**"], depth=depth, **more)  # type: ignore[arg-type]
        for name, after in zip(names, following, strict=True)
    ]


def only_cycle(graph: Graph) -> Cycle:
    (cycle,) = graph.cycles
    return cycle


def hops(cycle: Cycle) -> list[tuple[str, str, str]]:
    return [(edge.source, edge.target, edge.witness) for edge in cycle.loop]


def test_two_roles_that_wake_each_other_are_a_cycle() -> None:
    cycle = only_cycle(derive(ring("ab")))
    assert cycle.members == ("a.md", "b.md")
    assert hops(cycle) == [("a.md", "b.md", "b/a.md"), ("b.md", "a.md", "a/a.md")]
    assert (cycle.lap_budget, dict(cycle.reruns)) == (3, {"a.md": 1, "b.md": 1})


def test_depth_one_stops_every_lap() -> None:
    cycle = only_cycle(derive(ring("ab", depth=1)))
    assert (cycle.lap_budget, dict(cycle.reruns)) == (1, {"a.md": 0, "b.md": 0})


def test_depth_two_is_not_enough_to_close_a_loop_of_two() -> None:
    cycle = only_cycle(derive(ring("ab", depth=2)))
    assert (cycle.lap_budget, dict(cycle.reruns)) == (2, {"a.md": 0, "b.md": 0})


def test_the_lap_budget_is_that_of_the_shyest_member() -> None:
    roles = ring("ab", depth=9)
    roles[0] = ring("ab", depth=4)[0]
    cycle = only_cycle(derive(roles))
    # From a: b at 1, a at 2, b at 3, a at 4 no more. From b: a at 1, b at 2, a at 3, b at 4.
    assert (cycle.lap_budget, dict(cycle.reruns)) == (4, {"a.md": 1, "b.md": 2})


def test_a_role_that_triggers_itself_is_no_cycle() -> None:
    graph = derive([role("a.md", include=["x/**"], write=["x/**"], depth=3)])
    assert graph.cycles == ()
    (found,) = graph.self_triggers
    assert (found.edge.source, found.edge.target, found.lap_budget, found.reruns) == ("a.md", "a.md", 3, 2)


def test_a_self_trigger_inside_a_loop_is_told_apart_and_adds_no_reruns() -> None:
    roles = ring("ab", depth=3)
    roles[0] = role("a.md", include=["a/**"], write=["a/**", "b/**"], depth=3)
    graph = derive(roles)
    assert [edge.source for edge in only_cycle(graph).loop] == ["a.md", "b.md"]
    assert dict(only_cycle(graph).reruns) == {"a.md": 1, "b.md": 1}
    assert [found.edge.source for found in graph.self_triggers] == ["a.md"]


def test_a_self_trigger_that_depth_stops_reruns_never() -> None:
    for depth, count in ((0, 0), (1, 0), (2, 1), (999, 998), (5_000, 998)):
        (found,) = derive([role("a.md", include=["x/**"], write=["x/**"], depth=depth)]).self_triggers
        assert (found.lap_budget, found.reruns) == (depth, count)


def test_a_member_that_starts_deeper_counts_from_there() -> None:
    # 0 wakes 1, and 1 and 2 wake each other: 1 then runs at 1 and 3, 2 at 2 and 4.
    wires = Wires([[1], [2], [1]], [1, 5, 5])
    assert reruns([1, 2], wires, {0: 0, 1: 1, 2: 2}) == {1: 1, 2: 1}
    assert reruns([1, 2], wires, {1: 0, 2: 0}) == {1: 2, 2: 2}


def test_a_member_that_never_runs_never_runs_again() -> None:
    assert reruns([1, 2], Wires([[1], [2], [1]], [1, 5, 0]), {1: 0}) == {1: 0, 2: 0}


def test_the_shortest_loop_is_named_from_the_smallest_member_on_it() -> None:
    # a -> b -> c -> d -> a, and c <-> d.
    assert shortest_loop([0, 1, 2, 3], [[1], [2], [3], [0, 2]]) == [2, 3]


def test_equally_short_loops_are_settled_by_member_and_then_by_the_walk() -> None:
    # Three loops of three: 0 2 3, 0 1 4 and 1 4 2... through 0 the one by 1 comes first.
    assert shortest_loop([0, 1, 2, 3, 4], [[1, 2], [4], [3], [0], [0]]) == [0, 1, 4]


def test_a_loop_through_the_smallest_member_may_be_the_longer_one() -> None:
    # 0 -> 1 -> 2 -> 3 -> 0 and 2 -> 3 -> 4 -> 2.
    assert shortest_loop([0, 1, 2, 3, 4], [[1], [2], [3], [0, 4], [2]]) == [2, 3, 4]


def test_two_loops_that_do_not_lead_back_are_two_cycles() -> None:
    graph = derive([*ring("ab"), *ring("cd"), role("m.md", include=["a/**"], write=["c/**"])])
    assert [cycle.members for cycle in graph.cycles] == [("a.md", "b.md"), ("c.md", "d.md")]


def test_a_loop_of_fifty_thousand_roles_is_no_recursion() -> None:
    size = 50_000
    out = [[(number + 1) % size] for number in range(size)]
    assert components(out) == [list(range(size))]
    assert shortest_loop(range(size), out) == list(range(size))
    assert set(reruns(range(size), Wires(out, [3] * size), dict.fromkeys(range(size), 0)).values()) == {0}


def test_a_thousand_roles_that_all_wake_each_other_take_no_time() -> None:
    size = 300
    out = [[target for target in range(size) if target != role] for role in range(size)]
    assert components(out) == [list(range(size))]
    assert shortest_loop(range(size), out) == [0, 1]
    # All but the next depth: a role does not wake itself.
    assert set(reruns(range(size), Wires(out, [999] * size), dict.fromkeys(range(size), 0)).values()) == {997}


def test_the_search_for_a_shortest_loop_ends_in_a_large_component() -> None:
    # Each role wakes two others far away, so short loops are rare and every search goes wide.
    size = 20_000
    out = [sorted({(number * 2 + 1) % size, (number * 2 + 2) % size}) for number in range(size)]
    (members,) = components(out)
    loop = shortest_loop(members, out)
    assert all(after in out[before] for before, after in zip(loop, loop[1:] + loop[:1], strict=True))
    assert len(set(loop)) == len(loop) >= 2
