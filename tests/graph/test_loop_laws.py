"""Components, loops and reruns of small random graphs, against looking at every walk there is."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from fleetlint.graph.cycles import components, reruns, shortest_loop
from fleetlint.graph.depth import Wires, all_depths, crossing, reach

SIZE = 7

graphs = st.integers(2, SIZE).flatmap(
    lambda size: st.lists(
        st.sets(st.integers(0, size - 1), max_size=3).map(sorted),
        min_size=size,
        max_size=size,
    )
)
QUICK = settings(max_examples=300, deadline=None, derandomize=True)


def reachable(out: list[list[int]], start: int) -> set[int]:
    found = {start}
    while new := {target for role in found for target in out[role]} - found:
        found |= new
    return found


def loops(out: list[list[int]], members: list[int]) -> list[list[int]]:
    """All closed walks through distinct members, the shortest first, then by the roles on them."""
    return [
        list(walk)
        for length in range(2, len(members) + 1)
        for walk in permutations(members, length)
        if all(after in out[before] for before, after in zip(walk, walk[1:] + walk[:1], strict=True))
    ]


@QUICK
@given(graphs)
def test_a_component_is_all_that_lead_to_each_other(out: list[list[int]]) -> None:
    roles = range(len(out))
    further = [reachable(out, role) for role in roles]
    knots = {tuple(other for other in roles if other in further[role] and role in further[other]) for role in roles}
    assert components(out) == sorted(list(knot) for knot in knots if len(knot) > 1)


@QUICK
@given(graphs)
def test_the_loop_shown_is_the_first_of_the_shortest(out: list[list[int]]) -> None:
    for members in components(out):
        assert shortest_loop(members, out) == loops(out, members)[0]


@QUICK
@given(graphs, st.data())
def test_reruns_count_the_depths_of_the_walks_that_come_back(out: list[list[int]], data: st.DataObject) -> None:
    limits = [data.draw(st.integers(0, 9)) for _ in out]
    first = {role: data.draw(st.integers(0, 3)) for role in range(len(out)) if data.draw(st.booleans())}
    for members in components(out):
        expected = dict.fromkeys(members, 0)
        for role in members:
            level, depth = ({role} if role in first else set()), first.get(role, 0)
            while level:
                depth += 1
                level = {
                    target
                    for before in level
                    for target in out[before]
                    if target in members and target != before and depth < limits[target]
                }
                expected[role] += role in level
        assert reruns(members, Wires(out, limits), first) == expected


@QUICK
@given(graphs, st.data())
def test_depths_and_crossings_are_those_of_each_origin_alone(out: list[list[int]], data: st.DataObject) -> None:
    wires = Wires(out, [data.draw(st.integers(0, 9)) for _ in out])
    roles = st.sets(st.integers(0, len(out) - 1), max_size=2).map(sorted)
    starts = data.draw(st.lists(roles, min_size=1, max_size=4))
    runs: list[set[tuple[int, int]]] = []
    for begin in starts:
        level, depth = set(begin), 0
        runs.append(set())
        while level:
            runs[-1] |= {(role, depth) for role in level}
            depth += 1
            level = {target for role in level for target in out[role] if depth < wires.limits[target]}
    reached = reach(wires, starts)
    depths = all_depths(wires, sorted({role for begin in starts for role in begin}))
    for role in range(len(out)):
        assert depths[role] == sum(1 << depth for depth in range(20) if any((role, depth) in found for found in runs))
        for target in out[role]:
            live = sum(
                1 << origin
                for origin, found in enumerate(runs)
                if any(other == role and depth + 1 < wires.limits[target] for other, depth in found)
            )
            there = sum(1 << origin for origin, found in enumerate(runs) if any(other == role for other, _ in found))
            assert crossing(reached[role], wires.limits[target]) == (live, there - live)
