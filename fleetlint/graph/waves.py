"""Waves: what one direct edit, or one tick of a cron role, sets off.

The model, which is the worst case of what the server does:

- A direct edit creates, changes or removes one note at depth 0 (a person may do any of the three). It wakes each role
  that listens to the event, takes the path and has a `max_depth` above 0. A tick runs one cron role, at depth 0.
- A run can write every path of its write scope, at its own depth + 1. Each target of a trigger edge whose `max_depth`
  is above that depth gets one delivery from each run: one delivery carries all paths that matched.
- A delivery is one run, or N runs where the role has `for_each` and there can be several things to split: for
  `changed_files`, the writer reaches more than one path that the role takes (a direct edit is one path, so one run);
  for `attached_notes`, more than one note can be attached.
- Each role is run by one fleet, nothing is dropped (`concurrency` only makes it fewer), and a written note changes.

So the number of runs is a sum over all chains that depth allows. Where a loop repeats, each round would have to change
notes anew: there the number is an upper bound and is said to be one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fleetlint.globs import Found, Maybe, find_path
from fleetlint.globs.work import TooMuchWork
from fleetlint.graph.budget import NONE, Count, counted, totals, upper
from fleetlint.graph.flow import bits, flow, patterns, places, witness
from fleetlint.graph.model import DIRECT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fleetlint.globs import Pattern
    from fleetlint.graph.flow import Flow
    from fleetlint.graph.model import Edge, Graph

QUESTIONS = 2_000
"""So many patterns the search for the worst edit asks about, a second or so; past it the sum of all counts."""
CROWD = 6
"""Of more patterns at once, or twice as many excludes, it is not asked whether they meet: they may."""
SHOWN = 5
"""So many roles a reason names."""
LISTED = 20_000
"""So many runs and cut edges a wave lists; its numbers count all."""


def run_totals(flow: Flow) -> list[Count | None]:
    """For each role how many runs one run of it at depth 0 brings about at most, itself included."""
    return totals(flow.wires, flow.splits, [1] * len(flow.roles))


# --- Edits ---


@dataclass(frozen=True, slots=True)
class Edit:
    """A direct edit: the path of the note, one of the events `create`, `update`, `remove`, and the roles it wakes."""

    path: str
    event: str
    wakes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Worst:
    """The most that one edit costs. `edit` is one that costs just this; None where none is known to.

    `total` None is too much to be counted; `edit`, where there is one, then costs so much.
    """

    total: Count | None
    edit: Edit | None


def worst_edit(
    flow: Flow,
    costs: Mapping[int, Count | None],
    *,
    within: Pattern | None = None,
    waking: int | None = None,
    questions: int = QUESTIONS,
) -> Worst:
    """The edit that costs most. `costs` are the roles that it may wake, with what each of them costs then.

    `within` takes the edited path; `waking` is a role that the edit wakes at any rate. The total is the largest power
    by power, so it holds for each N.

    Which roles one edit can wake together is found by asking about each in turn, the most costly first. That ends after
    some `questions`, and then the sum over all roles of one event is told, without an edit.
    """
    events: dict[frozenset[int], str] = {}
    for event in ("create", "update", "remove"):
        listening = frozenset(role for role in costs if event in flow.roles[role].trigger_on)
        if listening and (waking is None or waking in listening):
            events.setdefault(listening, event)
    best, shown = NONE, None
    for listening, event in sorted(events.items(), key=lambda item: -len(item[0])):
        if any(listening < other for other in events):
            continue
        found = _worst_of_event(flow, listening, costs, event, within, waking, questions)
        if found.total is None:
            return found
        total = upper(best, found.total)
        shown = found if found.total == total else shown if total == best else None
        best = total
    return Worst(best, shown.edit if shown else None)


def _worst_of_event(
    flow: Flow,
    listening: frozenset[int],
    costs: Mapping[int, Count | None],
    event: str,
    within: Pattern | None,
    waking: int | None,
    questions: int,
) -> Worst:
    # First the role that is woken at any rate, then those that cannot be counted, then the costly ones.
    order = sorted(listening, key=lambda role: (role != waking, _cheapness(costs[role]), role))
    remaining: list[Count | None] = [NONE]
    for role in reversed(order):
        cost, below = costs[role], remaining[-1]
        remaining.append(None if cost is None or below is None else counted(below + cost))
    remaining.reverse()
    best, shown = NONE, None
    pending = [_Woken(0, (), NONE, (within,) if within else (), (), None)]
    while pending:
        now = pending.pop()
        if now.roles and (not best.covers(now.cost) or (shown is None and best == now.cost)):
            best = upper(best, now.cost)
            known = best == now.cost and now.path is not None
            shown = Edit(now.path or "", event, _paths(flow, now.roles)) if known else None
        rest = remaining[now.asked]
        if now.asked == len(order) or (rest is not None and best.covers(now.cost + rest)):
            continue
        if questions < 0:
            return Worst(remaining[0], None)
        role = order[now.asked]
        cost = costs[role]
        if role != waking:
            pending.append(replace(now, asked=now.asked + 1))
        without = tuple(dict.fromkeys((*now.none_of, *patterns(flow.roles[role].trigger_exclude))))
        for include in reversed(patterns(flow.roles[role].trigger_include)):
            all_of = tuple(dict.fromkeys((*now.all_of, include)))
            found, effort = _meeting(all_of, without, now.path)
            questions -= effort
            if found is None:
                continue
            path = found.path if isinstance(found, Found) else None
            if cost is None:
                return Worst(None, Edit(path, event, _paths(flow, (*now.roles, role))) if path is not None else None)
            pending.append(_Woken(now.asked + 1, (*now.roles, role), now.cost + cost, all_of, without, path))
    return Worst(best, shown)


def _meeting(
    all_of: tuple[Pattern, ...], none_of: tuple[Pattern, ...], path: str | None
) -> tuple[Found | Maybe | None, int]:
    """A path in all of the one and none of the others, and how much that counts against QUESTIONS.

    `path` is in all but the newest of these, mostly in these too. Of very many patterns it is not asked.
    """
    try:
        if path is not None and all_of[-1].matches(path) and not any(pattern.matches(path) for pattern in none_of):
            return Found(path), 1
    except TooMuchWork:
        pass
    if len(all_of) > CROWD or len(none_of) > 2 * CROWD:
        return Maybe(), 1
    found = find_path(all_of=all_of, none_of=none_of)
    return found, 20 if isinstance(found, Maybe) else len(all_of) + len(none_of)


@dataclass(frozen=True, slots=True)
class _Woken:
    """Roles that one edit wakes, among the first `asked` ones: at each path in all of the one and none of the others.

    `path` is such a path, None where that is not decided.
    """

    asked: int
    roles: tuple[int, ...]
    cost: Count
    all_of: tuple[Pattern, ...]
    none_of: tuple[Pattern, ...]
    path: str | None


def _paths(flow: Flow, roles: Iterable[int]) -> tuple[str, ...]:
    return tuple(flow.roles[role].path for role in sorted(roles))


def _cheapness(cost: Count | None) -> tuple[bool, int, tuple[int, ...]]:
    """Sorts the dearest first."""
    if cost is None:
        return False, 0, ()
    return True, -len(cost.coefficients), tuple(-factor for factor in reversed(cost.coefficients))


# --- The wave of a path ---


@dataclass(frozen=True, slots=True)
class Run:
    """A role that runs at some depth. `edge` is one that wakes it there, None at depth 0, of `sources` that there are.

    `path` shows it: the edited note, the note that a cron role writes, or the edge's witness (empty when not proven).
    `splits` says whether its runs are N for each delivery, on some of these edges.
    """

    role: str
    path: str
    edge: Edge | None
    sources: int
    splits: bool


@dataclass(frozen=True, slots=True)
class Level:
    """What runs at each of the depths from `first` to `last`: the same roles, woken by the same ones."""

    first: int
    last: int
    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Cut:
    """An edge that the wave does not cross from some depth on: its source writes at `depth`, where the guard stops it."""

    edge: Edge
    depth: int


@dataclass(frozen=True, slots=True)
class Budget:
    """What one edit or one tick costs at most. None is too much to be counted.

    `tokens` counts each run of a role at its `max_tokens`; `unstated` are the roles of the wave that state none, whose
    tokens are not in it. `exact`: the runs of `worst` are just this many when each run writes all it can; else `runs`
    is an upper bound, and `reasons` say why. `worst` is None for a tick.
    """

    runs: Count | None
    tokens: Count | None
    unstated: tuple[str, ...]
    exact: bool
    reasons: tuple[str, ...]
    worst: Edit | None


@dataclass(frozen=True, slots=True)
class Wave:
    """What an origin (DIRECT, or the path of a cron role) sets off: levels by depth, cut edges by depth and edge.

    `unlisted` counts the depths after the last level that is listed.
    """

    origin: str
    levels: tuple[Level, ...]
    cuts: tuple[Cut, ...]
    budget: Budget
    unlisted: int = 0


@dataclass(frozen=True, slots=True)
class Impact:
    """What touching a path of a pattern sets off: by a direct edit of one such path, whichever it is (None when that
    wakes nobody), and by a tick of each cron role that can write such a path, by role."""

    glob: str
    edit: Wave | None
    ticks: tuple[Wave, ...]

    @property
    def waves(self) -> tuple[Wave, ...]:
        return (*((self.edit,) if self.edit else ()), *self.ticks)


def impact(graph: Graph, touched: Pattern) -> Impact:
    """What touching a path that the pattern takes sets off. The levels of the edit are those of all such edits.

    Work is bounded: depths times roles for the levels, LISTED for what is listed, and what `totals` and `worst_edit` do.
    """
    currents = flow(graph)
    runs = run_totals(currents)
    stated = [max(role.max_tokens or 0, 0) for role in currents.roles]
    tokens = totals(currents.wires, currents.splits, stated)
    woken = dict(_taking(currents, touched))
    edit = None
    if woken:
        worst = worst_edit(currents, on_start(currents, woken, runs), within=touched)
        dearest = worst_edit(currents, on_start(currents, woken, tokens), within=touched)
        edit = _wave(currents, graph, DIRECT, woken, worst, dearest.total)
    ticks = []
    for role, path in _writing(currents, touched):
        alone = on_start(currents, [role], runs)[role]
        spent = on_start(currents, [role], tokens)[role]
        ticks.append(_wave(currents, graph, currents.roles[role].path, {role: path}, Worst(alone, None), spent))
    return Impact(touched.text, edit, tuple(ticks))


def _taking(flow: Flow, touched: Pattern) -> Iterator[tuple[int, str]]:
    """The roles that an edit of a path of the pattern wakes, each with such a path, empty where none is proven."""
    for role in flow.first:
        excludes = patterns(flow.roles[role].trigger_exclude)
        path = witness(((touched, include) for include in patterns(flow.roles[role].trigger_include)), excludes)
        if path is not None:
            yield role, path


def _writing(flow: Flow, touched: Pattern) -> Iterator[tuple[int, str]]:
    """The cron roles that can write a path of the pattern, each with such a path."""
    for role in flow.ticking:
        if role in flow.writing:
            path = witness(((touched, write) for write in patterns(flow.roles[role].write_patterns)), ())
            if path is not None:
                yield role, path


def on_start(flow: Flow, roles: Iterable[int], costs: Sequence[Count | None]) -> dict[int, Count | None]:
    """What a role costs that an edit or a tick starts, where its delivery may be split."""
    found = {}
    for role in roles:
        cost = costs[role]
        found[role] = cost.times_n() if cost and role in flow.splits_on_edit else cost
    return found


def _wave(flow: Flow, graph: Graph, origin: str, starts: Mapping[int, str], worst: Worst, tokens: Count | None) -> Wave:
    crossed, stopped = [0] * len(flow.roles), [0] * len(flow.roles)
    ran_at: dict[int, int] = dict.fromkeys(starts, 1)
    cuts: list[Cut] = []
    levels = [Level(0, 0, tuple(_first_run(flow, role, starts[role]) for role in sorted(starts)))]
    listed = len(starts)
    unlisted = depth = 0
    before: tuple[tuple[int, int], ...] = ()
    running = list(starts)
    while running:
        depth += 1
        waking = []
        awakening = bits(running)
        for role in sorted({target for source in running for target in flow.wires.out[source]}):
            awake = flow.into[role] & awakening
            if depth < flow.wires.limits[role]:
                waking.append((role, awake))
                crossed[role] |= awake
                ran_at[role] = ran_at.get(role, 0) + 1
            else:
                new = awake & ~stopped[role]
                stopped[role] |= new
                if len(cuts) < LISTED:
                    cuts += [Cut(flow.edges[source, role], depth) for source in places(new)]
        running = [role for role, _ in waking]
        if tuple(waking) == before and before and not unlisted:
            levels[-1] = replace(levels[-1], last=depth)
        elif waking and listed + len(waking) > LISTED:
            unlisted += 1
        elif waking:
            levels.append(Level(depth, depth, tuple(_run(flow, role, awake) for role, awake in waking)))
            listed += len(waking)
        before = tuple(waking)
    return Wave(
        origin=origin,
        levels=tuple(levels),
        cuts=tuple(sorted(cuts, key=lambda cut: (cut.depth, cut.edge.source, cut.edge.target))),
        budget=_budget(flow, graph, origin, starts, worst, tokens, crossed, ran_at),
        unlisted=unlisted,
    )


def _first_run(flow: Flow, role: int, path: str) -> Run:
    return Run(flow.roles[role].path, path, None, 0, role in flow.splits_on_edit)


def _run(flow: Flow, role: int, awake: int) -> Run:
    edge = flow.edges[(awake & -awake).bit_length() - 1, role]
    return Run(flow.roles[role].path, edge.witness, edge, awake.bit_count(), bool(awake & flow.splits[role]))


def _budget(
    flow: Flow,
    graph: Graph,
    origin: str,
    starts: Mapping[int, str],
    worst: Worst,
    tokens: Count | None,
    crossed: Sequence[int],
    ran_at: Mapping[int, int],
) -> Budget:
    looping = {path for cycle in graph.cycles for path in cycle.members}
    looping |= {found.edge.source for found in graph.self_triggers}
    repeated = [
        flow.roles[role].path for role in sorted(ran_at) if ran_at[role] > 1 and flow.roles[role].path in looping
    ]
    pairs = [(source, target) for target, sources in enumerate(crossed) for source in places(sources)]
    unproven = [pair for pair in pairs if not flow.edges[pair].exact or flow.doubtful[pair[1]] >> pair[0] & 1]
    reasons = []
    if worst.total is None:
        reasons.append("the runs are too many to be counted")
    if repeated:
        more = f" and {len(repeated) - SHOWN:,} more" if len(repeated) > SHOWN else ""
        named = ", ".join(repeated[:SHOWN]) + more
        reasons.append(f"a loop repeats, and each round counts only if it changes the notes again: {named}")
    if unproven or "" in starts.values():
        reasons.append("it is not decided for all of the patterns that they meet")
    if origin == DIRECT and worst.edit is None and worst.total is not None:
        reasons.append("no single edit is known to wake all that count")
    return Budget(
        runs=worst.total,
        tokens=tokens,
        unstated=tuple(flow.roles[role].path for role in sorted(ran_at) if (flow.roles[role].max_tokens or 0) <= 0),
        exact=not reasons,
        reasons=tuple(reasons),
        worst=worst.edit,
    )
