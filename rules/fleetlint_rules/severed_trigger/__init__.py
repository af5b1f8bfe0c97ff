"""A chain that `max_depth` cuts: one role writes what the next listens to, and the next never runs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fleetlint.graph import DIRECT, TRIGGER
from fleetlint.graph.depth import LIMIT, Wires, limit, reach
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, Step, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.edits import Mend
    from fleetlint.graph import Edge

SHOWN = 3
"""So many origins are named in a message; the data has them all."""


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    knot = {path: number for number, cycle in enumerate(facts.graph.cycles) for path in cycle.members}
    severed = [
        edge
        for edge in facts.graph.edges
        if edge.kind == TRIGGER
        and edge.cut
        and edge.source != edge.target
        # Depth is what ends a loop; cutting it there is a good thing.
        and not (edge.source in knot and knot.get(edge.target) == knot[edge.source])
    ]
    arrivals = _arrivals(facts) if severed else {}
    for edge in severed:
        yield _finding(facts, edge, arrivals[edge.source])


def _arrivals(facts: Facts) -> dict[str, list[int]]:
    """By role the depths at which chains first reach it, ascending: each chain at the smallest depth it can have there."""
    paths = sorted(facts.graph.depths)
    number = {path: index for index, path in enumerate(paths)}
    out: list[list[int]] = [[] for _ in paths]
    edited: set[str] = set()
    for edge in facts.graph.edges:
        if edge.kind == TRIGGER:
            out[number[edge.source]].append(number[edge.target])
            if DIRECT in edge.live or DIRECT in edge.cut:
                edited.add(edge.source)
    first = [path for path in paths if 0 in facts.graph.depths[path]]
    direct = [number[path] for path in first if facts.roles[path].is_change and path in edited]
    starts = [direct, *([number[path]] for path in first if facts.roles[path].is_cron)]
    found = reach(Wires(out, [limit(facts.roles[path].max_depth) for path in paths]), starts)
    return {path: sorted(found[number[path]]) for path in paths}


def _finding(facts: Facts, edge: Edge, arrivals: list[int]) -> Finding:
    role = facts.roles[edge.target]
    # A role that runs at depth d writes at d + 1, and wakes whose `max_depth` is above that.
    guard = limit(role.max_depth)
    written = [depth + 1 for depth in arrivals if depth + 1 >= guard] or [guard]
    depth = f"`max_depth` is {role.max_depth}" + ("" if role.stated_max_depth is not None else " (none is stated)")
    what = f"`{edge.witness}`" if edge.exact else f"by `{edge.via.write}`"
    if edge.live:
        whose = f"{_chains(edge.cut)} ends here, {_chains(edge.live)} goes on"
    else:
        whose = f"every chain ends here ({_chains(edge.cut)})"
    return Finding(
        message=f"`{edge.source}` writes {what} at depth {written[0]} and does not wake this role, whose {depth}: {whose}",
        help=f"set `max_depth` to {written[-1] + 1} or more here, or drop the trigger if the chain is meant to end",
        place=_place(facts, edge),
        nodes=(edge.source, edge.target),
        identity=(edge.source, edge.target, edge.via.write, edge.via.match),
        related=(
            Step(Place(edge.source, "write_patterns", edge.via.write_index), f"`{edge.via.write}` is written here"),
        ),
        data={
            "from": edge.source,
            "to": edge.target,
            "witness": edge.witness,
            "max_depth": role.max_depth,
            "written_at": written,
            "needed": written[-1] + 1,
            "cut": sorted(edge.cut),
            "live": sorted(edge.live),
        },
        mends=partial(_mends, edge.target, written[-1] + 1),
    )


def _mends(path: str, needed: int) -> Iterator[Mend]:
    from fleetlint.edits import Edit, Mend

    if needed <= LIMIT:
        yield Mend((Edit(path, "text", "max_depth", (str(needed),)),), f"set `max_depth` of `{path}` to {needed}")


def _place(facts: Facts, edge: Edge) -> Place:
    if "max_depth" in facts.roles[edge.target].fields:
        return Place(edge.target, "max_depth")
    return Place(edge.target, edge.via.match_key, edge.via.match_index)


def _chains(origins: frozenset[str]) -> str:
    named = (["a chain that a direct edit starts"] if DIRECT in origins else []) + [
        f"a chain from the cron run of `{path}`" for path in sorted(origins) if path != DIRECT
    ]
    more = len(named) - SHOWN
    return ", ".join(named[:SHOWN]) + (f" and {more} more" if more > 0 else "")


RULE = Rule(
    name="severed-trigger",
    summary="A trigger between two roles that `max_depth` cuts, so the chain does not go on.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
)
