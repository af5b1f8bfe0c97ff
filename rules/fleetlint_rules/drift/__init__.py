"""What is registered at the server and what the notes say have parted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.graph.plan import Action


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    if facts.registry is None:
        return
    # Most runs have no registry: what compares with one is imported when there is something to compare.
    from fleetlint.graph.plan import LEAVE, REPOINT, plan

    roles = tuple(facts.roles.values())
    found = plan(roles, facts.graph.fleets, facts.registry, configured=facts.configured)
    for action in (*found.actions, *found.left):
        # An address that moves, and what stays as it is, is no drift; what no known fleet looks after is.
        if action.verb != REPOINT and (action.verb != LEAVE or action.why):
            yield _finding(facts, action)


def _finding(facts: Facts, action: Action) -> Finding:
    from fleetlint.graph.plan import CREATE, DELETE, LEAVE, REFUSED

    message, help = {CREATE: _created, DELETE: _deleted, LEAVE: _left, REFUSED: _refused}.get(action.verb, _replaced)(
        facts, action
    )
    marker, webhook = action.marker, action.webhook
    is_role = marker.path in facts.roles
    named = {"id": webhook.id} if webhook else {}
    return Finding(
        message=message,
        help=help,
        place=Place(marker.path, action.key) if is_role or facts.registry is None else Place(facts.registry.source),
        nodes=(marker.path,),
        identity=(action.verb, marker.fleet_id, marker.kind, *named.values()),
        data={"action": action.verb, "webhook": marker.kind, "fleet": marker.fleet_id, **named, **_versions(action)},
    )


def _versions(action: Action) -> dict[str, object]:
    registered = action.webhook.marker.version if action.webhook and action.webhook.marker else ""
    if action.webhook is None or registered == action.marker.version:
        return {}
    changed = [change.key for change in action.changes]
    return {"registered_version": registered, "version": action.marker.version, "changed": changed}


def _of(action: Action) -> str:
    return f"the next reconcile of fleet `{action.marker.fleet_id}`" if action.marker.fleet_id else "the next reconcile"


def _created(facts: Facts, action: Action) -> tuple[str, str]:  # noqa: ARG001 - all four have one signature
    return (
        f"no {action.marker.kind} webhook is registered for this role; {_of(action)} creates it",
        "let the fleet run, or check that it is up and takes this role",
    )


def _deleted(facts: Facts, action: Action) -> tuple[str, str]:
    return (
        f"{_registered(facts, action)}, but {action.why}; {_of(action)} deletes it",
        "let the fleet run, or delete the webhook by hand if that fleet is gone for good",
    )


def _left(facts: Facts, action: Action) -> tuple[str, str]:
    return (
        f"{_registered(facts, action)}, but {action.why}, so no reconcile is known to change it",
        "name the fleet in the settings, or delete the webhook by hand if that fleet is gone for good",
    )


def _registered(facts: Facts, action: Action) -> str:
    webhook = action.webhook
    assert webhook is not None
    named = "" if action.marker.path in facts.roles else f" for `{action.marker.path}`"
    return f"the {webhook.kind} webhook `{webhook.id}` is registered{named}"


def _refused(facts: Facts, action: Action) -> tuple[str, str]:  # noqa: ARG001
    kind, webhook = action.marker.kind, action.webhook
    what = f"the {kind} webhook `{webhook.id}` is not the note's" if webhook else f"no {kind} webhook is registered"
    return (
        f"{what}, and the server refuses the one that {_of(action)} asks for: {action.why}",
        "mend the note; until then the fleet asks in vain",
    )


def _replaced(facts: Facts, action: Action) -> tuple[str, str]:  # noqa: ARG001
    from fleetlint.graph.plan import told

    webhook, marker = action.webhook, action.marker
    assert webhook is not None
    old = webhook.marker.version if webhook.marker else ""
    what = ", ".join(f"`{change.key}` was {told(change.before)}" for change in action.changes)
    return (
        f"the {webhook.kind} webhook `{webhook.id}` is registered {f'at version `{old}`' if old else 'without a version'} "
        f"and the note is at `{marker.version}`{f': {what}' if what else ''}; {_of(action)} replaces it",
        "let the fleet run, or check that it is up",
    )


RULE = Rule(
    name="drift",
    summary="What is registered at the server is not what the notes say.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "registry"),
)
