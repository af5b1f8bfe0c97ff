"""Waves against a simulation of deliveries, which knows roles and notes and nothing of the graph."""

from __future__ import annotations

import time
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleetlint.globs import Pattern
from fleetlint.graph import DIRECT, derive
from fleetlint.graph.budget import Count
from fleetlint.graph.flow import edits_that_wake, flow, together
from fleetlint.graph.waves import impact, run_totals, worst_edit
from tests.graph.by_hand import role

if TYPE_CHECKING:
    from fleetlint.graph.waves import Wave
    from fleetlint.roles import Glob, Role

PATTERNS = ("**", "a/**", "b/**", "a/*", "a/x.md", "*/x.md", "a/b/**", "*.md", "x.md", "{a,b}/x.md", "folder")
TOUCHED = ("**", "a/**", "a/x.md", "*/y.md", "x.md", "b/*", "folder")
FOLDERS = ("", "a/", "b/", "c/", "a/b/", "a/c/", "b/c/", "b/a/", "c/a/")
# Three names a folder: whatever one pattern with a wildcard leaves of another is two notes or more.
NOTES = tuple(folder + name for folder in FOLDERS for name in ("x.md", "y.md", "z.md"))
EVENTS = ("create", "update", "remove")

globs = st.lists(st.sampled_from(PATTERNS), max_size=2)


@st.composite
def fleets(draw: st.DrawFn) -> list[Role]:
    return [
        role(
            f"r{number}.md",
            mode=draw(st.sampled_from(["change", "change", "change", "both", "cron"])),
            on=draw(st.lists(st.sampled_from([*EVENTS, "typo"]), min_size=1, max_size=3)),
            include=draw(globs),
            exclude=draw(globs) if draw(st.booleans()) else (),
            attach=draw(globs),
            write=draw(globs),
            depth=draw(st.sampled_from([None, 0, 1, 2, 3, 4])),
            tools=draw(st.sampled_from([(), ("write_note",), ("patch_note",), ("search",)])),
            for_each=draw(st.sampled_from(["", "", "changed_files", "attached_notes"])),
            max_tokens=draw(st.sampled_from([None, 0, 1, 1000])),
            enabled=draw(st.sampled_from([True, True, True, False])),
        )
        for number in range(draw(st.integers(1, 5)))
    ]


# --- The simulation: section 5 of the facts, one delivery after the other ---


def takes(globs: tuple[Glob, ...], note: str) -> bool:
    return any(glob.pattern is not None and glob.pattern.matches(note) for glob in globs if not glob.negated)


class Server:
    """Runs a fleet on concrete notes; a delivery holds `size` notes at most. A wave is a Counter of (role, depth)."""

    def __init__(self, roles: list[Role], size: int, *, wakes_itself: bool = True) -> None:
        self.roles = {role.path: role for role in roles if role.enabled}
        self.wakes_itself = wakes_itself
        self.size = size
        self.wave_of_run = cache(self._wave_of_run)

    def delivered(self, role: Role, changes: list[tuple[str, str]], depth: int) -> int:
        """How many runs these changes make of a role: of the notes that matched, as one delivery."""
        if role.mode not in ("change", "both") or depth >= role.max_depth:
            return 0
        matched = {
            note
            for note, event in changes
            if event in role.trigger_on and takes(role.trigger_include, note) and not takes(role.trigger_exclude, note)
        }
        return self.split(role, len(matched)) if matched else 0

    def split(self, role: Role, changed: int) -> int:
        if role.for_each == "changed_files":
            return min(changed, self.size)
        if role.for_each == "attached_notes":
            return max(1, min(sum(takes(role.attach_notes, note) for note in NOTES), self.size))
        return 1

    def written(self, role: Role) -> list[tuple[str, str]]:
        tools = role.tools or ("write_note", "patch_note")
        events = ["create"] * ("write_note" in tools) + ["update"] * bool({"write_note", "patch_note"} & set(tools))
        return [(note, event) for note in NOTES if takes(role.write_patterns, note) for event in events]

    def _wave_of_run(self, path: str, depth: int) -> Counter[tuple[str, int]]:
        """One run and all that follows from it."""
        runs = Counter({(path, depth): 1})
        changes = self.written(self.roles[path])
        for other in self.roles.values():
            if other.path == path and not self.wakes_itself:
                continue
            for _ in range(self.delivered(other, changes, depth + 1)):
                runs += self.wave_of_run(other.path, depth + 1)
        return runs

    def edit(self, note: str, event: str) -> Counter[tuple[str, int]]:
        runs: Counter[tuple[str, int]] = Counter()
        for path, woken in self.roles.items():
            for _ in range(self.delivered(woken, [(note, event)], 0)):
                runs += self.wave_of_run(path, 0)
        return runs

    def tick(self, path: str) -> Counter[tuple[str, int]]:
        runs: Counter[tuple[str, int]] = Counter()
        for _ in range(self.split(self.roles[path], 1)):
            runs += self.wave_of_run(path, 0)
        return runs

    def ticks(self) -> list[str]:
        return [path for path, role in self.roles.items() if role.mode in ("cron", "both")]

    def waves(self) -> list[Counter[tuple[str, int]]]:
        return [self.edit(note, event) for note in NOTES for event in EVENTS] + [
            self.tick(path) for path in self.ticks()
        ]


def depths_of(wave: Wave | None) -> set[tuple[str, int]]:
    if wave is None:
        return set()
    assert wave.unlisted == 0
    return {
        (run.role, depth) for level in wave.levels for depth in range(level.first, level.last + 1) for run in level.runs
    }


def tokens(runs: Counter[tuple[str, int]], roles: list[Role]) -> int:
    stated = {role.path: role.max_tokens or 0 for role in roles}
    return sum(stated[path] * count for (path, _), count in runs.items())


FLEETS = settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def hold_against_the_simulation(roles: list[Role], touched: str, size: int) -> None:
    predicted = impact(derive(roles), Pattern.parse(touched))
    server = Server(roles, size)
    pattern = Pattern.parse(touched)
    edits = [server.edit(note, event) for note in NOTES if pattern.matches(note) for event in EVENTS]
    edits = [runs for runs in edits if runs]
    assert depths_of(predicted.edit) == {run for runs in edits for run in runs}
    if predicted.edit is not None:
        budget = predicted.edit.budget
        assert budget.runs is not None
        assert budget.tokens is not None
        assert max(runs.total() for runs in edits) <= budget.runs.at(size)
        assert max(tokens(runs, roles) for runs in edits) <= budget.tokens.at(size)
        if budget.exact:
            assert budget.worst is not None
            reached = server.edit(budget.worst.path, budget.worst.event)
            assert pattern.matches(budget.worst.path)
            assert reached.total() == budget.runs.at(size)
            assert budget.worst.wakes == tuple(sorted({path for path, depth in reached if depth == 0}))
    writing = {
        path for path in server.ticks() if any(pattern.matches(note) for note, _ in server.written(server.roles[path]))
    }
    assert {wave.origin for wave in predicted.ticks} == writing
    for wave in predicted.ticks:
        runs = server.tick(wave.origin)
        assert depths_of(wave) == set(runs)
        assert wave.budget.runs is not None
        assert wave.budget.tokens is not None
        assert runs.total() <= wave.budget.runs.at(size)
        assert tokens(runs, roles) <= wave.budget.tokens.at(size)
        if wave.budget.exact:
            assert runs.total() == wave.budget.runs.at(size)
            assert tokens(runs, roles) == wave.budget.tokens.at(size)


@FLEETS
@given(fleets(), st.sampled_from(TOUCHED), st.sampled_from([1, 2]))
def test_a_simulation_runs_what_impact_predicts_and_never_more_often(
    roles: list[Role], touched: str, size: int
) -> None:
    hold_against_the_simulation(roles, touched, size)


@pytest.mark.slow
@settings(FLEETS, max_examples=5_000)
@given(fleets(), st.sampled_from(TOUCHED), st.sampled_from([1, 2]))
def test_many_simulations_run_what_impact_predicts(roles: list[Role], touched: str, size: int) -> None:
    hold_against_the_simulation(roles, touched, size)


@FLEETS
@given(fleets())
def test_roles_share_a_wave_when_some_edit_or_tick_runs_both(roles: list[Role]) -> None:
    found = flow(derive(roles))
    shared = together(found)
    counts = []
    for runs in Server(roles, 2, wakes_itself=False).waves():
        by_role: Counter[str] = Counter()
        for (path, _), count in runs.items():
            by_role[path] += count
        counts.append(by_role)
    paths = [role.path for role in found.roles]
    for one, first in enumerate(paths):
        assert (shared.repeated(one) is not None) == any(count[first] > 1 for count in counts)
        for other, second in enumerate(paths[:one]):
            assert (shared.causes(other, one) is not None) == any(count[first] and count[second] for count in counts)


@FLEETS
@given(fleets())
def test_cut_edges_are_those_that_only_the_guard_stops(roles: list[Role]) -> None:
    wave = impact(derive(roles), Pattern.parse("**")).edit
    server = Server(roles, 1)
    expected: dict[tuple[str, str], int] = {}
    for path, depth in {run for note in NOTES for event in EVENTS for run in server.edit(note, event)}:
        for other in server.roles.values():
            changes = server.written(server.roles[path])
            if server.delivered(other, changes, -1) and not server.delivered(other, changes, depth + 1):
                expected[path, other.path] = min(depth + 1, expected.get((path, other.path), depth + 1))
    if any(role.max_depth == 0 for role in roles):
        # The simulation's depth -1 is below every guard but that one.
        return
    assert {(cut.edge.source, cut.edge.target): cut.depth for cut in wave.cuts} == expected if wave else not expected


# --- By hand ---


def chain(length: int, **more: object) -> list[Role]:
    return [
        role(f"r{number:03}.md", include=[f"s{number}/**"], write=[f"s{number + 1}/**"], depth=999, **more)
        for number in range(length)
    ]


def edit_wave(roles: list[Role], touched: str) -> Wave:
    wave = impact(derive(roles), Pattern.parse(touched)).edit
    assert wave is not None
    return wave


def test_each_fan_out_on_the_way_multiplies_by_n() -> None:
    wave = edit_wave(chain(4, for_each="changed_files"), "s0/a.md")
    # The edit of one note is one run, and what it writes may be many.
    assert str(wave.budget.runs) == "1 + N + N² + N³"
    assert wave.budget.exact
    assert [level.runs[0].splits for level in wave.levels] == [False, True, True, True]


def test_a_writer_of_one_note_fans_nothing_out() -> None:
    roles = [
        role("a.md", include=["in/**"], write=["log.md", "out/x.md"]),
        role("b.md", include=["log.md"], write=[], depth=2, for_each="changed_files"),
    ]
    assert edit_wave(roles, "in/**").budget.runs == Count((2,))


def test_attached_notes_split_even_a_direct_edit() -> None:
    roles = [role("a.md", include=["in/**"], attach=["wiki/**"], for_each="attached_notes")]
    assert edit_wave(roles, "in/a.md").budget.runs == Count((0, 1))
    (one,) = [role("a.md", include=["in/**"], attach=["wiki/a.md"], for_each="attached_notes")]
    assert edit_wave([one], "in/a.md").budget.runs == Count((1,))


def test_the_worst_edit_is_told_with_its_path() -> None:
    roles = [
        role("a.md", include=["in/**"], write=["x/**"]),
        role("b.md", include=["in/b/**"], write=["x/**"]),
        role("c.md", include=["in/c/**"], write=["y/**"]),
        role("d.md", include=["y/**"], depth=2),
        role("e.md", include=["y/**"], depth=2),
    ]
    budget = edit_wave(roles, "in/**").budget
    assert budget.worst is not None
    assert (budget.runs, budget.exact) == (Count((4,)), True)
    assert (budget.worst.path, budget.worst.event, budget.worst.wakes) == ("in/c/a.md", "create", ("a.md", "c.md"))


def test_events_keep_roles_apart_that_listen_to_one_path() -> None:
    roles = [role("a.md", include=["in/**"], on=["create"]), role("b.md", include=["in/**"], on=["remove"])]
    assert edit_wave(roles, "in/**").budget.runs == Count((1,))
    assert edits_that_wake(flow(derive(roles)), 0, 1) is None


def test_where_no_edit_is_the_worst_for_each_n_the_bound_is_no_exact_one() -> None:
    roles = [
        role("a.md", include=["in/a.md"], write=["x/**"]),
        role("b.md", include=["x/**"], depth=2, for_each="changed_files"),
        role("c.md", include=["in/c.md"], write=["y/a.md"]),
        *(role(f"d{number}.md", include=["y/a.md"], depth=2) for number in range(3)),
    ]
    budget = edit_wave(roles, "in/**").budget
    assert (str(budget.runs), budget.exact, budget.worst) == ("4 + N", False, None)


def test_an_edit_of_another_event_may_be_worse_for_another_n() -> None:
    roles = [
        role("a.md", include=["in/**"], on=["create"], write=["x/**"]),
        role("b.md", include=["x/**"], depth=2, for_each="changed_files"),
        role("c.md", include=["in/**"], on=["remove"], write=["y/a.md"]),
        *(role(f"d{number}.md", include=["y/a.md"], depth=2) for number in range(3)),
    ]
    budget = edit_wave(roles, "in/a.md").budget
    assert (str(budget.runs), budget.exact, budget.worst) == ("4 + N", False, None)


def test_an_exclude_may_leave_one_note_of_two() -> None:
    roles = [
        role("a.md", include=["in/**"], write=["x/a.md", "x/aa.md"]),
        role("b.md", include=["x/**"], exclude=["x/aa.md"], depth=2, for_each="changed_files"),
    ]
    assert edit_wave(roles, "in/a.md").budget.runs == Count((2,))


def test_what_grows_behind_a_closed_guard_is_counted_once_it_opens() -> None:
    roles = [
        role("a.md", include=["in/**"], write=["x/**"], depth=4),
        role("b.md", include=["x/**"], write=["y/**"], depth=2),
        role("c.md", include=["y/**"], write=["z/**"], depth=4),
        role("d.md", include=["z/**"], depth=4),
    ]
    assert edit_wave(roles, "in/a.md").budget.runs == Count((4,))


def test_two_ways_of_different_length_make_two_runs_of_all_that_follows() -> None:
    roles = [
        role("a.md", include=["in/**"], write=["b/x.md", "c/x.md"]),
        role("b.md", include=["b/**"], write=["c/x.md"], depth=2),
        role("c.md", include=["c/**"], write=["d/x.md"], depth=3),
        role("d.md", include=["d/**"], depth=4),
        role("e.md", include=["d/**"], depth=3),
    ]
    shared = together(flow(derive(roles)))
    # The guard of the last one stops the longer way.
    assert [shared.once[number] & 1 for number in range(5)] == [1, 1, 1, 1, 1]
    assert [shared.twice[number] & 1 for number in range(5)] == [0, 0, 1, 1, 0]


def test_a_loop_gives_a_bound_that_is_named_as_such() -> None:
    wave = edit_wave([role("a.md", include=["in/**"], write=["in/**"], depth=3)], "in/a.md")
    assert (wave.budget.runs, wave.budget.exact) == (Count((3,)), False)
    assert "a loop repeats" in wave.budget.reasons[0]
    assert [(level.first, level.last) for level in wave.levels] == [(0, 0), (1, 2)]
    assert [(cut.edge.target, cut.depth) for cut in wave.cuts] == [("a.md", 3)]


def test_tokens_are_counted_where_they_are_stated() -> None:
    roles = [
        role("a.md", include=["in/**"], write=["x/**"], max_tokens=100),
        role("b.md", include=["x/**"], depth=2, for_each="changed_files", max_tokens=7),
        role("c.md", include=["x/**"], depth=2),
    ]
    budget = edit_wave(roles, "in/a.md").budget
    assert (str(budget.tokens), budget.unstated) == ("100 + 7·N", ("c.md",))


def test_a_tick_runs_whatever_the_guard_says_and_writes_at_depth_one() -> None:
    roles = [
        role("a.md", mode="cron", write=["in/**"], depth=0),
        role("b.md", include=["in/**"], depth=1),
        role("c.md", include=["in/**"], depth=2),
    ]
    predicted = impact(derive(roles), Pattern.parse("in/x.md"))
    (tick,) = predicted.ticks
    assert [[run.role for run in level.runs] for level in tick.levels] == [["a.md"], ["c.md"]]
    assert [(cut.edge.target, cut.depth) for cut in tick.cuts] == [("b.md", 1)]
    assert tick.levels[0].runs[0].path == "in/x.md"
    assert predicted.edit is not None
    assert predicted.edit.origin == DIRECT


def test_where_nobody_listens_there_is_no_wave() -> None:
    assert impact(derive(chain(3)), Pattern.parse("elsewhere/**")).waves == ()


# --- Size ---


def test_a_dense_loop_of_many_roles_at_the_deepest_guard_takes_no_time() -> None:
    roles = [
        role(f"r{n:03}.md", include=["in/**"], write=["in/**"], depth=999, for_each="changed_files") for n in range(120)
    ]
    graph = derive(roles)
    begin = time.process_time()
    wave = edit_wave_of(graph)
    assert time.process_time() - begin < 60
    assert (wave.budget.runs, wave.budget.exact) == (None, False)
    assert [(level.first, level.last, len(level.runs)) for level in wave.levels] == [(0, 0, 120), (1, 998, 120)]


def edit_wave_of(graph: object) -> Wave:
    wave = impact(graph, Pattern.parse("in/a.md")).edit  # type: ignore[arg-type]
    assert wave is not None
    return wave


def test_a_long_chain_is_counted_exactly_as_far_as_powers_go() -> None:
    assert edit_wave(chain(300), "s0/a.md").budget.runs == Count((300,))
    fanning = [*chain(290), *chain(300, for_each="changed_files")[290:]]
    assert edit_wave(fanning, "s0/a.md").budget.runs == Count((290, *[1] * 10))


def test_a_sparse_loop_of_fan_outs_is_not_counted_for_ever() -> None:
    roles = chain(1000, for_each="changed_files")
    roles[-1] = role(roles[-1].path, include=["s999/**"], write=["s0/**"], depth=999)
    begin = time.process_time()
    assert edit_wave(roles, "s0/a.md").budget.runs is None
    assert time.process_time() - begin < 60


def test_many_roles_on_many_folders_ask_a_bounded_number_of_questions() -> None:
    roles = [role(f"r{n:03}.md", include=[f"in/{n % 30}*/*/{n % 7}*.md"], write=[]) for n in range(200)]
    found = flow(derive(roles))
    costs = dict.fromkeys(range(200), Count((1,)))
    begin = time.process_time()
    worst = worst_edit(found, costs)
    assert time.process_time() - begin < 60
    assert worst.total is not None
    assert worst.total.at(1) >= 200 // 210 + 1
    assert run_totals(found) == [Count((1,))] * 200
