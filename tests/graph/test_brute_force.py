"""The graph against a naive model: every event is delivered, one by one, over a handful of concrete notes.

The notes stand for all there are: each combination of the patterns drawn here that shares a note path shares one of them.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleetlint.globs import Found, find_path, witness_key
from fleetlint.graph import DIRECT, FEED, TRIGGER, derive
from tests.graph.by_hand import role

if TYPE_CHECKING:
    from fleetlint.graph import Edge, Graph
    from fleetlint.roles import Glob, Role

PATTERNS = ("**", "a/**", "b/**", "a/*", "a/x.md", "*/x.md", "a/b/**", "b/c/**", "*.md", "x.md", "{a,b}/x.md", "folder")
FOLDERS = ("", "a/", "b/", "c/", "a/b/", "a/c/", "b/c/", "b/a/", "c/a/")
NOTES = tuple(folder + name for folder in FOLDERS for name in ("x.md", "y.md"))

globs = st.lists(st.sampled_from(PATTERNS), max_size=2)


@st.composite
def fleets(draw: st.DrawFn) -> list[Role]:
    return [
        role(
            f"r{number}.md",
            mode=draw(st.sampled_from(["change", "change", "change", "both", "cron", ""])),
            on=draw(st.lists(st.sampled_from(["create", "update", "remove", "typo"]), min_size=1, max_size=3)),
            include=draw(globs),
            exclude=draw(globs) if draw(st.booleans()) else (),
            read=draw(globs),
            attach=draw(globs),
            write=draw(globs),
            depth=draw(st.sampled_from([None, 0, 1, 2, 3, 4, 5, 6])),
            tools=draw(st.sampled_from([(), ("write_note",), ("patch_note",), ("search",)])),
            enabled=draw(st.sampled_from([True, True, True, False])),
        )
        for number in range(draw(st.integers(1, 5)))
    ]


def takes(globs: tuple[Glob, ...], note: str) -> bool:
    return any(glob.pattern is not None and glob.pattern.matches(note) for glob in globs)


def wakes(role: Role, note: str, event: str, depth: int) -> bool:
    """Section 5 of the facts: when the server delivers."""
    return (
        role.enabled
        and role.is_change
        and event in role.trigger_on
        and depth < role.max_depth
        and takes(role.trigger_include, note)
        and not takes(role.trigger_exclude, note)
    )


def events(role: Role) -> set[str]:
    tools = role.tools or ("write_note", "patch_note")
    return {
        event
        for tool in tools
        for event in {"write_note": ("create", "update"), "patch_note": ("update",)}.get(tool, ())
    }


def writes(role: Role) -> set[tuple[str, str]]:
    return (
        {(note, event) for note in NOTES if takes(role.write_patterns, note) for event in events(role)}
        if role.enabled
        else set()
    )


Run = tuple[str, int]
"""A role and the depth at which it runs."""


def simulate(roles: list[Role], begin: set[Run], among: set[str]) -> tuple[set[Run], set[tuple[Run, str]]]:
    """All runs that follow, and which run woke which role; `among` are the roles that are there at all."""
    by_path = {role.path: role for role in roles}
    seen, pending, woke = set(begin), list(begin), set()
    while pending:
        path, depth = pending.pop()
        for note, event in writes(by_path[path]):
            for listener in roles:
                if listener.path in among and wakes(listener, note, event, depth + 1):
                    woke.add(((path, depth), listener.path))
                    if (listener.path, depth + 1) not in seen:
                        seen.add((listener.path, depth + 1))
                        pending.append((listener.path, depth + 1))
    return seen, woke


def beginnings(roles: list[Role]) -> dict[str, set[Run]]:
    """By origin the runs that it starts."""
    people = {
        (role.path, 0)
        for role in roles
        if any(wakes(role, note, event, 0) for note in NOTES for event in ("create", "update", "remove"))
    }
    return {DIRECT: people} | {role.path: {(role.path, 0)} for role in roles if role.enabled and role.is_cron}


def could_wake(source: Role, target: Role) -> bool:
    return any(
        event in target.trigger_on and takes(target.trigger_include, note) and not takes(target.trigger_exclude, note)
        for note, event in writes(source)
        if target.enabled and target.is_change
    )


def feeds(source: Role, target: Role) -> bool:
    read = target.read_patterns + target.attach_notes
    return target.enabled and source.path != target.path and any(takes(read, note) for note, _ in writes(source))


FLEETS = settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


@FLEETS
@given(fleets())
def test_edges_are_those_that_some_delivery_shows(roles: list[Role]) -> None:
    expected = set()
    for source in roles:
        for target in roles:
            if could_wake(source, target):
                expected.add((source.path, target.path, TRIGGER))
            elif feeds(source, target):
                expected.add((source.path, target.path, FEED))
    graph = derive(roles)
    assert {(edge.source, edge.target, edge.kind) for edge in graph.edges} == expected
    by_path = {role.path: role for role in roles}
    for edge in graph.edges:
        check_proof(edge, by_path[edge.source], by_path[edge.target])


def check_proof(edge: Edge, source: Role, target: Role) -> None:
    """The edge's pair is the best of all pairs, and its witness lies in both and in no exclude."""
    excludes = target.trigger_exclude if edge.kind == TRIGGER else ()
    without = [glob.pattern for glob in excludes if glob.pattern]
    fields = ("trigger_include",) if edge.kind == TRIGGER else ("read_patterns", "attach_notes")
    pairs = []
    for write_index, write in enumerate(source.write_patterns):
        for place, key in enumerate(fields):
            for match_index, match in enumerate(dict(target.globs())[key]):
                assert write.pattern is not None
                assert match.pattern is not None
                answer = find_path(all_of=[write.pattern, match.pattern], none_of=without)
                if isinstance(answer, Found):
                    pairs.append((witness_key(answer.path), write_index, place, match_index, key, answer.path))
    _, write_index, _, match_index, key, witness = min(pairs)
    assert (edge.via.write_index, edge.via.match_key, edge.via.match_index) == (write_index, key, match_index)
    assert (edge.witness, edge.exact) == (witness, True)
    assert takes((source.write_patterns[write_index],), witness)
    assert takes((dict(target.globs())[key][match_index],), witness)
    assert not takes(excludes, witness)
    assert edge.via.write == source.write_patterns[write_index].text
    overlap = [note for note in NOTES if takes(source.write_patterns, note) and takes(target.trigger_include, note)]
    assert edge.maybe_excluded is (edge.kind == TRIGGER and any(takes(excludes, note) for note in overlap))


@FLEETS
@given(fleets())
def test_depths_and_origins_are_those_of_every_chain_there_is(roles: list[Role]) -> None:
    graph = derive(roles)
    everyone = {role.path for role in roles}
    depths: dict[str, set[int]] = {path: set() for path in everyone}
    live: dict[tuple[str, str], set[str]] = {}
    reached: dict[str, set[str]] = {path: set() for path in everyone}
    for origin, begin in beginnings(roles).items():
        runs, woke = simulate(roles, begin, everyone)
        for path, depth in runs:
            depths[path].add(depth)
            reached[path].add(origin)
        for (source, _), target in woke:
            live.setdefault((source, target), set()).add(origin)
    assert graph.depths == {path: tuple(sorted(found)) for path, found in depths.items()}
    for edge in graph.edges:
        if edge.kind == TRIGGER:
            crossed = live.get((edge.source, edge.target), set())
            assert edge.live == crossed
            assert edge.cut == reached[edge.source] - crossed
            assert edge.cut_by_depth is not bool(crossed)


@FLEETS
@given(fleets())
def test_cycles_are_those_that_a_walk_over_all_edges_finds(roles: list[Role]) -> None:
    graph = derive(roles)
    out = {
        role.path: {edge.target for edge in graph.edges if edge.kind == TRIGGER and edge.source == role.path}
        for role in roles
    }
    paths = sorted(out)
    further = {path: closure(out, path) for path in paths}
    knots = {frozenset(other for other in paths if other in further[path] and path in further[other]) for path in paths}
    expected = sorted(tuple(sorted(knot)) for knot in knots if len(knot) > 1)
    assert [cycle.members for cycle in graph.cycles] == expected
    by_path = {role.path: role for role in roles}
    for cycle in graph.cycles:
        assert [edge.source for edge in cycle.loop] == smallest_loop(out, cycle.members)
        assert all(
            edge.target == after.source for edge, after in zip(cycle.loop, cycle.loop[1:] + cycle.loop[:1], strict=True)
        )
        assert cycle.lap_budget == min(by_path[path].max_depth for path in cycle.members)
    check_reruns(roles, graph)


def closure(out: dict[str, set[str]], start: str) -> set[str]:
    """Start and all that can be reached from it."""
    found: set[str] = {start}
    while new := {target for path in found for target in out[path]} - found:
        found |= new
    return found


def smallest_loop(out: dict[str, set[str]], members: tuple[str, ...]) -> list[str]:
    """Of all closed walks through two or more members the shortest, then the one that comes first."""
    for length in range(2, len(members) + 1):
        for walk in permutations(members, length):
            if all(after in out[before] for before, after in zip(walk, walk[1:] + walk[:1], strict=True)):
                return list(walk)
    raise AssertionError("a component without a loop")


def check_reruns(roles: list[Role], graph: Graph) -> None:
    """One run of one member, followed inside its component, its writes into its own trigger left out."""
    by_path = {role.path: role for role in roles}
    for cycle in graph.cycles:
        for path in cycle.members:
            start = min(graph.depths[path], default=None)
            expected: set[int] = set()
            if start is not None:
                pending = [(path, start)]
                seen = set(pending)
                while pending:
                    source, depth = pending.pop()
                    for target in cycle.members:
                        run = (target, depth + 1)
                        if target == source or run in seen:
                            continue
                        if any(
                            wakes(by_path[target], note, event, depth + 1) for note, event in writes(by_path[source])
                        ):
                            seen.add(run)
                            pending.append(run)
                expected = {depth for other, depth in seen if other == path and depth > start}
            assert cycle.reruns[path] == len(expected)
    selves = {edge.source for edge in graph.edges if edge.kind == TRIGGER and edge.source == edge.target}
    assert [found.edge.source for found in graph.self_triggers] == sorted(selves)
    for found in graph.self_triggers:
        path = found.edge.source
        start = min(graph.depths[path], default=0)
        runs, _ = simulate(roles, {(path, start)} if graph.depths[path] else set(), {path})
        assert found.reruns == len([depth for _, depth in runs if depth > start])
        assert found.lap_budget == by_path[path].max_depth
