"""A schedule that the server's parser refuses or that never comes; and what it takes and hardly anybody means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.roles.cron import BadCron, read_cron
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.roles import Role
    from fleetlint.roles.cron import Schedule

KEY = "cron_schedule"
LONGEST = 300
"""Characters of a message, which quotes the schedule; a longer one is cut."""


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    for role in facts.roles.values():
        # A missing one is `invalid-role`'s; in a change role nobody reads it.
        if role.cron_schedule and role.mode != "change":
            yield from _of_role(role)


def _of_role(role: Role) -> Iterator[Finding]:
    text = role.cron_schedule
    if role.fields[KEY].raw == "<nil>":
        yield _finding(role, "`cron_schedule` has no value", "write five fields, such as `0 6 * * *`", "empty")
        return
    try:
        schedule = read_cron(text)
    except BadCron as fault:
        yield _finding(role, fault.message, fault.help, "refused")
        return
    if not schedule.ever_comes:
        yield _never(role, schedule)
        return
    for remark in schedule.remarks:
        yield _finding(role, remark, "write what is meant in the plain form, or leave it", "odd", Severity.INFO)


def _never(role: Role, schedule: Schedule) -> Finding:
    lists_nothing = not (schedule.minutes and schedule.hours and schedule.days and schedule.months)
    why = "a field lists nothing" if lists_nothing else "no such month has such a day"
    return _finding(
        role,
        f"`{role.cron_schedule}` never comes, for {why}; the server then takes it as due at every tick of its clock",
        "name a date that exists; `enabled: no` pauses a role",
        "never",
    )


def _finding(role: Role, fact: str, mend: str, kind: str, severity: Severity | None = None) -> Finding:
    return Finding(
        message=fact if len(fact) <= LONGEST else f"{fact[: LONGEST - 3]}...",
        help=mend if len(mend) <= LONGEST else "write five fields, such as `0 6 * * *`",
        place=Place(role.path, KEY, span=role.fields[KEY].value_span if kind != "empty" else None),
        nodes=(role.path,),
        identity=(KEY, role.cron_schedule, kind),
        severity=severity,
        data={"schedule": role.cron_schedule, "kind": kind},
    )


RULE = Rule(
    name="bad-cron",
    summary="A schedule that the server's parser refuses, or that never comes.",
    severity=Severity.ERROR,
    check=check,
    page=page_beside(__file__),
)
