"""A role whose own writes wake it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fleetlint.rule import Facts, Finding, Place, Rule, Severity, Step, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.edits import Mend
    from fleetlint.graph import SelfTrigger


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    for found in facts.graph.self_triggers:
        yield _finding(facts, found)


def _finding(facts: Facts, found: SelfTrigger) -> Finding:
    edge, via = found.edge, found.edge.via
    if edge.exact:
        fact = f"writes `{edge.witness}`, which its own trigger `{via.match}` takes"
        mend = f"exclude `{edge.witness}` and its like with `trigger_exclude`, or narrow the write scope"
    else:
        fact = f"may write a note by `{via.write}` that its own trigger `{via.match}` takes; no such path is proven or ruled out"
        mend = "write the two patterns in a simpler way, or exclude what is written with `trigger_exclude`"
    return Finding(
        message=f"{fact}; {_what_depth_allows(found)}",
        help=mend,
        place=Place(edge.source, "write_patterns", via.write_index),
        nodes=(edge.source,),
        identity=(via.write, via.match),
        severity=Severity.ERROR if found.lap_budget > 1 else Severity.WARN,
        related=(Step(Place(edge.source, via.match_key, via.match_index), f"the trigger `{via.match}`"),),
        data={
            "witness": edge.witness,
            "write": via.write,
            "match": via.match,
            "lap_budget": found.lap_budget,
            "reruns": found.reruns,
            "fanout": edge.fanout,
        },
        mends=partial(_mends, facts, found),
    )


def _mends(facts: Facts, found: SelfTrigger) -> Iterator[Mend]:
    from fleetlint.graph.cuts import cut

    return cut(facts.roles, [found.edge])


def _what_depth_allows(found: SelfTrigger) -> str:
    if not found.reruns:
        return f"`max_depth` {found.lap_budget} stops it before it runs again"
    times = "once more" if found.reruns == 1 else f"{found.reruns} times more"
    return f"`max_depth` {found.lap_budget} lets it run {times} after one edit"


RULE = Rule(
    name="self-trigger",
    summary="A role's own writes wake the same role again.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "loop"),
)
