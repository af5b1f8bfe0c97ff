"""Roles that wake each other in a circle."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fleetlint.rule import Facts, Finding, Place, Rule, Severity, Step, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.edits import Mend
    from fleetlint.graph import Cycle, Edge

SHOWN = 5
"""So many roles or hops are named in a message; the hops of the finding have them all."""


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:
    for cycle in facts.graph.cycles:
        fans_out = any(
            facts.roles[path].for_each and facts.roles[path].may_overlap_itself
            for path in cycle.members
            if path in facts.roles
        )
        exact = options.get("severity") == "exact"
        worse = any(cycle.reruns.values()) if exact else cycle.lap_budget > 1 or fans_out
        yield _finding(facts, cycle, Severity.ERROR if worse else Severity.WARN, fans_out)


def _finding(facts: Facts, cycle: Cycle, severity: Severity, fans_out: bool) -> Finding:
    first = cycle.loop[0]
    outside = len(cycle.members) - len(cycle.loop)
    more = f", and {outside} more {'role is' if outside == 1 else 'roles are'} tied into it" if outside else ""
    return Finding(
        message=f"closes a loop of {len(cycle.loop)} roles: {_walk(cycle)}{more}; {_what_depth_allows(cycle)}",
        help="cut one hop: exclude its path in the next role's `trigger_exclude`, or narrow one of the two patterns",
        place=Place(first.source, "write_patterns", first.via.write_index),
        nodes=cycle.members,
        identity=cycle.members,
        severity=severity,
        related=tuple(
            Step(Place(edge.source, "write_patterns", edge.via.write_index), _hop(edge)) for edge in cycle.loop[1:]
        ),
        hops=tuple(Step(Place(edge.source, "write_patterns", edge.via.write_index), _hop(edge)) for edge in cycle.loop),
        data={
            "lap_budget": cycle.lap_budget,
            "fan_out": fans_out,
            "reruns": dict(cycle.reruns),
            "loop": [
                {
                    "from": edge.source,
                    "to": edge.target,
                    "witness": edge.witness,
                    "write": edge.via.write,
                    "match": edge.via.match,
                }
                for edge in cycle.loop
            ],
        },
        mends=partial(_mends, facts, cycle),
    )


def _mends(facts: Facts, cycle: Cycle) -> Iterator[Mend]:
    from fleetlint.graph.cuts import cut_loop

    return cut_loop(facts.roles, cycle, facts.graph.edges)


def _walk(cycle: Cycle) -> str:
    hops = [f"`{edge.source}` writes {_what(edge)}" for edge in cycle.loop[:SHOWN]]
    left = len(cycle.loop) - len(hops)
    return ", ".join(hops) + (f", then {left} more hops" if left else "") + f", which wakes `{cycle.loop[0].source}`"


def _what(edge: Edge) -> str:
    return f"`{edge.witness}`" if edge.exact else f"by `{edge.via.write}` (no path proven)"


def _hop(edge: Edge) -> str:
    return f"`{edge.source}` writes {_what(edge)}, which `{edge.target}` takes by `{edge.via.match}`"


def _what_depth_allows(cycle: Cycle) -> str:
    if not any(cycle.reruns.values()):
        return f"`max_depth` stops every round before it closes (lap budget {cycle.lap_budget})"
    again = {
        path: "once more" if count == 1 else f"{count} more times" for path, count in cycle.reruns.items() if count
    }
    if set(again) == set(cycle.members) and len(set(again.values())) == 1:
        return f"lap budget {cycle.lap_budget}, and one edit can make each of them run {again.popitem()[1]}"
    counts = [f"`{path}` run {times}" for path, times in sorted(again.items())]
    shown = ", ".join(counts[:SHOWN]) + (", ..." if len(counts) > SHOWN else "")
    return f"lap budget {cycle.lap_budget}, and one edit can make {shown}"


RULE = Rule(
    name="cycle",
    summary="Roles wake each other in a loop.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "loop"),
    options={"severity": ("exact",)},
)
