"""A role that no fleet takes: it never runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.graph import Fleet
    from fleetlint.roles import Role

NO_VALUE = "<nil>"
"""What the server shows of a key without a value, and so the id that a fleet would have to have."""


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    fleets = facts.graph.fleets
    for node in facts.graph.nodes:
        role = node.role
        if role is None or role.problems:
            continue
        # Without settings every id makes a fleet, this one as well; no real fleet has it.
        claimed = [fleet for fleet in node.fleet_ids if facts.configured or fleet != NO_VALUE]
        if not claimed:
            yield _finding(role, fleets if facts.configured else ())


def _finding(role: Role, fleets: tuple[Fleet, ...]) -> Finding:
    ids = ", ".join(f"`{fleet.id}`" for fleet in fleets[:5]) + (", ..." if len(fleets) > 5 else "")
    if role.fleet_id == NO_VALUE:
        fact = "no fleet claims this role: `fleet_id` has no value, and the server makes the text `<nil>` of that"
    elif not role.fleet_id:
        fact = "no fleet claims this role: it has no `fleet_id`" + (f", and no folder of {ids} takes it" if ids else "")
    else:
        fact = f"no fleet claims this role: neither its `fleet_id` `{role.fleet_id}` nor its path is one that {ids or 'a fleet'} takes"
    return Finding(
        message=f"{fact}; it never runs",
        help="write the id of the fleet that is to run it" + (f" ({ids})" if ids else "") + " as `fleet_id`",
        place=Place(role.path, "fleet_id"),
        nodes=(role.path,),
        data={"fleet_id": role.fleet_id, "fleets": [fleet.id for fleet in fleets]},
    )


RULE = Rule(
    name="unclaimed-role",
    summary="A role that no fleet claims, so it never runs.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "ownership"),
)
