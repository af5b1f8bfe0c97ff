"""A role that drops deliveries while it runs, fed by writers that write many notes or run often."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.graph import TRIGGER
from fleetlint.graph.flow import takes_several
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, Step, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fleetlint.graph import Edge
    from fleetlint.roles import Role

SHOWN = 3
"""So many writers are named in a message; the data has them all."""
DEFAULT_TIMEOUT = 300
"""Seconds that a run may take where the role states none."""


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    feeding: dict[str, list[Edge]] = {}
    for edge in facts.graph.edges:
        # What a role writes into its own trigger is `self-trigger`'s; dropping that is a good thing.
        is_fed = edge.kind == TRIGGER and edge.live and edge.source != edge.target
        if is_fed and not facts.roles[edge.target].may_overlap_itself:
            feeding.setdefault(edge.target, []).append(edge)
    # Who runs how often is asked only where the number of notes does not decide.
    several = {(edge.source, path): _many(facts, edge) for path, edges in feeding.items() for edge in edges}
    repeating = _repeating(facts) if not all(several.values()) else frozenset()
    for path, edges in feeding.items():
        target = facts.roles[path]
        writers = [
            (edge, why)
            for edge in edges
            if (why := several[edge.source, path] or _often(facts.roles[edge.source], target, edge.source in repeating))
        ]
        if writers:
            yield _finding(target, writers)


def _repeating(facts: Facts) -> frozenset[str]:
    """The roles that can run more than once in one wave."""
    roles, shared = facts.flow.roles, facts.together
    return frozenset(role.path for number, role in enumerate(roles) if shared.repeated(number) is not None)


def _many(facts: Facts, edge: Edge) -> str:
    is_one = takes_several(edge, facts.roles[edge.source], facts.roles[edge.target]) is False
    return "" if is_one else "can write many notes that wake it"


def _often(source: Role, target: Role, repeats: bool) -> str:
    """Why one delivery may come while the one before still runs; empty where it hardly does."""
    if repeats:
        return "can run several times in one wave and wake it each time"
    timeout = target.timeout_seconds or DEFAULT_TIMEOUT
    gap = _seconds_between_ticks(source)
    if gap is not None and gap < timeout:
        return f"runs every {gap} seconds and wakes it, which may run for {timeout}"
    return ""


def _seconds_between_ticks(role: Role) -> int | None:
    if not role.is_cron:
        return None
    from fleetlint.roles.cron import BadCron, read_cron

    try:
        return 60 * read_cron(role.cron_schedule).shortest_gap
    except BadCron:
        return None


def _finding(target: Role, writers: Sequence[tuple[Edge, str]]) -> Finding:
    edge, why = writers[0]
    path = f" (`{edge.witness}`)" if edge.exact else ""
    others = [f"`{other.source}`" for other, _ in writers[1 : SHOWN + 1]]
    more = len(writers) - 1 - len(others)
    also = f"; so do {', '.join(others)}{f' and {more} more' if more else ''}" if others else ""
    also = also.replace("so do", "so does", 1) if len(writers) == 2 else also
    is_skip = target.concurrency == "skip"
    drops = "drops what is delivered" if is_skip else "keeps one delivery waiting and drops the others that come"
    return Finding(
        message=f"`concurrency: {target.concurrency}` {drops} while the role runs, and `{edge.source}` {why}{path}{also}",
        help="take `concurrency` out, so that deliveries run side by side, or let the role look up what it missed at each run",
        place=Place(target.path, "concurrency"),
        nodes=(target.path, *(edge.source for edge, _ in writers)),
        identity=(target.concurrency,),
        related=tuple(
            Step(Place(edge.source, "write_patterns", edge.via.write_index), f"`{edge.source}` {why}")
            for edge, why in writers
        ),
        data={
            "concurrency": target.concurrency,
            "writers": [{"from": edge.source, "witness": edge.witness, "why": why} for edge, why in writers],
        },
    )


RULE = Rule(
    name="lost-update",
    summary="A role that drops deliveries while it runs is fed faster than it may run.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
)
