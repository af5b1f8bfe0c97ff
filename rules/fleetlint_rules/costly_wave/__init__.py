"""An edit, or a tick of a cron role, that can bring about more runs than the settings allow. Off by default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fleetlint.graph.budget import Count

RUNS = 100
"""Runs that are allowed where the settings name no number."""
NOTES = 10
"""What N stands for then: the notes of one delivery that `for_each` splits."""


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:
    # Imported here, for few turn the rule on.
    from fleetlint.graph.waves import QUESTIONS, on_start, run_totals, worst_edit

    allowed, notes = int(options.get("runs", RUNS)), int(options.get("notes", NOTES))
    currents = facts.flow
    totals = run_totals(currents)
    shared = facts.together
    # No fleet takes more work than ten full searches, beside some questions a role.
    questions = max(50, 10 * QUESTIONS // max(1, len(currents.first)))
    told: set[str | tuple[str, ...]] = set()
    for role in currents.first:
        costs = on_start(currents, shared.mates(role), totals)
        if None not in costs.values() and _sum(costs.values(), notes) <= allowed:
            continue
        worst = worst_edit(currents, costs, waking=role, questions=questions)
        path = currents.roles[role].path
        wakes = worst.edit.wakes if worst.edit else (path,)
        edited = f"an edit of `{worst.edit.path}`" if worst.edit else "an edit that wakes this role"
        if _is_within(worst.total, allowed, notes) or edited in told or wakes in told:
            continue
        told |= {edited, wakes} if worst.edit else {wakes}
        yield _finding(path, "trigger_include", wakes, edited, worst.total, allowed, notes)
    for role in currents.ticking:
        total = on_start(currents, [role], totals)[role]
        if not _is_within(total, allowed, notes):
            path = currents.roles[role].path
            yield _finding(path, "cron_schedule", (path,), "a tick of this role", total, allowed, notes)


def _sum(costs: Iterable[Count | None], notes: int) -> int:
    return sum(cost.at(notes) for cost in costs if cost is not None)


def _is_within(total: Count | None, allowed: int, notes: int) -> bool:
    return total is not None and total.at(notes) <= allowed


def _finding(
    path: str, key: str, wakes: tuple[str, ...], cause: str, total: Count | None, allowed: int, notes: int
) -> Finding:
    if total is None:
        runs = "more runs than can be counted"
    elif len(total.coefficients) > 1:
        runs = f"{total.at(notes):,} runs ({total}, for N = {notes:,} notes a delivery)"
    else:
        runs = f"{total} runs"
    return Finding(
        message=f"{cause} can bring about {runs}, and the settings allow {allowed:,}",
        help="lower a `max_depth` on the way, narrow a trigger, or raise `runs`; `fleetlint impact` shows the wave",
        place=Place(path, key),
        nodes=wakes,
        identity=(key,),
        data={
            "runs": None if total is None else total.at(notes),
            "powers_of_n": None if total is None else list(total.coefficients),
            "allowed": allowed,
            "notes": notes,
        },
    )


RULE = Rule(
    name="costly-wave",
    summary="One edit or tick can bring about more runs than the settings allow.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "cost"),
    numbers=("runs", "notes"),
    off=True,
)
