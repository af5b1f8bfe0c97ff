"""A role that two fleets claim: it runs twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.graph.owners import owners
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.graph import Node


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    served = _served_from(facts)
    for node in facts.graph.nodes:
        if len(node.fleet_ids) > 1:
            yield _two_fleets(facts, node)
        for fleet_id in node.fleet_ids:
            callbacks = served.get((fleet_id, node.path), ())
            if len(callbacks) > 1:
                yield _two_daemons(facts, node, fleet_id, callbacks)


def _served_from(facts: Facts) -> dict[tuple[str, str], tuple[str, ...]]:
    """By fleet and role the callbacks that deliveries go to."""
    if facts.registry is None:
        return {}
    from fleetlint.registry.delivery import callback_of

    found: dict[tuple[str, str], set[str]] = {}
    for webhook in facts.registry.webhooks:
        if webhook.marker:
            served = found.setdefault((webhook.marker.fleet_id, webhook.marker.path), set())
            served.add(callback_of(webhook.url))
    return {key: tuple(sorted(callbacks)) for key, callbacks in found.items()}


def _two_fleets(facts: Facts, node: Node) -> Finding:
    claims = [f"`{fleet_id}` ({_why(facts, node, fleet_id)})" for fleet_id in node.fleet_ids]
    return Finding(
        message=f"{len(claims)} fleets claim this role, and each runs it: {', '.join(claims[:-1])} and {claims[-1]}",
        help="let one fleet take it: part the folders, change its `fleet_id`, or let the other fleet drop its registration",
        place=_place(facts, node),
        nodes=(node.path,),
        identity=node.fleet_ids,
        data={"fleets": list(node.fleet_ids)},
    )


def _two_daemons(facts: Facts, node: Node, fleet_id: str, callbacks: tuple[str, ...]) -> Finding:
    return Finding(
        message=f"the fleet `{fleet_id}` is served from {len(callbacks)} addresses ({', '.join(f'`{callback}`' for callback in callbacks)}), and each runs this role",
        help="stop one of the daemons, or give it a fleet id of its own",
        place=_place(facts, node),
        nodes=(node.path,),
        identity=(fleet_id, *callbacks),
        data={"fleets": [fleet_id], "callbacks": list(callbacks)},
    )


def _why(facts: Facts, node: Node, fleet_id: str) -> str:
    for fleet in owners(node.role, facts.graph.fleets) if node.role else ():
        if fleet.id != fleet_id:
            continue
        if fleet.mode == "folder":
            return f"its folder `{fleet.folder}`"
        return "the role's `fleet_id`" if node.role and node.role.fleet_id else "it takes roles without a `fleet_id`"
    return "it is registered"


def _place(facts: Facts, node: Node) -> Place:
    """The role, or the snapshot where the role is gone."""
    return Place(node.path, "fleet_id") if node.role or facts.registry is None else Place(facts.registry.source)


RULE = Rule(
    name="ownership-conflict",
    summary="A role that two fleets claim, so it runs twice.",
    severity=Severity.ERROR,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "ownership"),
    kind="conflict",
)
