"""What is registered at the server and what the notes say have parted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.graph.owners import owners as owners_of
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.graph import Node
    from fleetlint.registry import Registry, Webhook
    from fleetlint.roles import Role


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    if facts.registry is None:
        return
    registered: dict[str, list[Webhook]] = {}
    for webhook in facts.registry.webhooks:
        if webhook.marker:
            registered.setdefault(webhook.marker.path, []).append(webhook)
    for node in facts.graph.nodes:
        if node.kind != "role":
            continue
        webhooks = registered.get(node.path, [])
        if node.role is None:
            for webhook in webhooks:
                yield _stale(facts.registry, node, webhook, "its note is no role of this vault", None)
        else:
            yield from _of_role(facts, facts.registry, node, node.role, webhooks)


def _of_role(facts: Facts, registry: Registry, node: Node, role: Role, webhooks: list[Webhook]) -> Iterator[Finding]:
    owners = tuple(fleet.id for fleet in owners_of(role, facts.graph.fleets))
    wanted = {
        (owner, kind)
        for owner in owners
        for kind, runs in (("change", role.is_change), ("cron", role.is_cron))
        if runs and role.enabled and node.valid
    }
    seen: set[tuple[str, str]] = set()
    for webhook in webhooks:
        fleet_id = webhook.marker.fleet_id if webhook.marker else ""
        # Roles without any `fleet_id` belong to one fleet whose id a checkout does not know.
        key = ("" if owners == ("",) else fleet_id, webhook.kind)
        if key not in wanted:
            yield _stale(registry, node, webhook, *_why_unwanted(node, role, fleet_id, owners, webhook.kind))
        else:
            seen.add(key)
            yield from _other_version(node, role, webhook)
    for owner, kind in sorted(wanted - seen):
        yield Finding(
            message=f"no {kind} webhook is registered for this role; the next reconcile{_of(owner)} creates it",
            help="let the fleet run, or check that it is up and takes this role",
            place=Place(role.path, "mode"),
            nodes=(role.path,),
            identity=("create", owner, kind),
            data={"action": "create", "webhook": kind, "fleet": owner},
        )


def _of(fleet_id: str) -> str:
    return f" of fleet `{fleet_id}`" if fleet_id else ""


def _stale(registry: Registry, node: Node, webhook: Webhook, why: str, key: str | None) -> Finding:
    fleet_id = webhook.marker.fleet_id if webhook.marker else ""
    named = f" for `{node.path}`" if node.role is None else ""
    return Finding(
        message=f"the {webhook.kind} webhook `{webhook.id}` is registered{named}, but {why}; the next reconcile{_of(fleet_id)} deletes it",
        help="let the fleet run, or delete the webhook by hand if that fleet is gone for good",
        place=Place(registry.source) if node.role is None else Place(node.path, key),
        nodes=(node.path,),
        identity=("delete", fleet_id, webhook.kind, webhook.id),
        data={"action": "delete", "webhook": webhook.kind, "fleet": fleet_id, "id": webhook.id},
    )


def _why_unwanted(node: Node, role: Role, fleet_id: str, owners: tuple[str, ...], kind: str) -> tuple[str, str]:
    """The reason, and the key that it is about."""
    if not role.enabled:
        return "the role is paused", "enabled"
    if not node.valid:
        return "the role is invalid", "mode"
    if fleet_id not in owners and owners != ("",):
        return f"the fleet `{fleet_id}` does not claim this role", "fleet_id"
    return f"the role's `mode` is `{role.mode}`, which needs no {kind} webhook", "mode"


def _other_version(node: Node, role: Role, webhook: Webhook) -> Iterator[Finding]:
    # Most runs have no registry: what reads one is imported when there is something to compare.
    from fleetlint.registry import change_version, cron_version
    from fleetlint_rules.drift.fields import changed_fields

    now = change_version(role) if webhook.kind == "change" else cron_version(role)
    old = webhook.marker.version if webhook.marker else ""
    fleet_id = webhook.marker.fleet_id if webhook.marker else ""
    if old == now:
        return
    changes = changed_fields(role, webhook)
    what = f": {', '.join(f'`{key}` was {before}' for key, before in changes)}" if changes else ""
    yield Finding(
        message=f"the {webhook.kind} webhook `{webhook.id}` is registered {f'at version `{old}`' if old else 'without a version'} and the note is at `{now}`{what}; the next reconcile{_of(fleet_id)} replaces it",
        help="let the fleet run, or check that it is up",
        place=Place(role.path, changes[0][0] if changes else "mode"),
        nodes=(node.path,),
        identity=("replace", fleet_id, webhook.kind, webhook.id),
        data={
            "action": "replace",
            "webhook": webhook.kind,
            "fleet": fleet_id,
            "id": webhook.id,
            "registered_version": old,
            "version": now,
            "changed": [key for key, _ in changes],
        },
    )


RULE = Rule(
    name="drift",
    summary="What is registered at the server is not what the notes say.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "registry"),
)
