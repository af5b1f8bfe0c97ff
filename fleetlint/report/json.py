"""The machine JSON: the graph and the findings. Keys may be added here, never renamed or retyped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleetlint.registry.delivery import shown
from fleetlint.report.characters import whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fleetlint.graph.model import Edge, Fleet, Node
    from fleetlint.lint import Report, Result
    from fleetlint.registry import Webhook
    from fleetlint.report import Context, Health
    from fleetlint.rule import Suppression


def render(report: Report, context: Context) -> str:
    """One object, each fleet, node, edge and finding on a line of its own; ends in a newline.

    All of it is valid Unicode: a byte of a file name that is not UTF-8 is `%XX`.
    """
    import json

    def listing(items: Iterable[dict[str, Any]]) -> str:
        lines = [whole(json.dumps(item, ensure_ascii=False, default=str)) for item in items]
        return "[\n  " + ",\n  ".join(lines) + "\n ]" if lines else "[]"

    fleets = (fleet_object(fleet, context.health) for fleet in report.graph.fleets)
    return (
        f'{{"generated_at": {json.dumps(context.generated_at)},\n'
        f' "fleets": {listing(fleets)},\n'
        f' "nodes": {listing(node_object(node) for node in report.graph.nodes)},\n'
        f' "edges": {listing(edge_object(edge) for edge in report.graph.all_edges)},\n'
        f' "findings": {listing(finding_object(result) for result in report.results)},\n'
        f' "suppressed": {listing(finding_object(result) for result in report.suppressed)}}}\n'
    )


def fleet_object(fleet: Fleet, health: Mapping[str, Health] | None) -> dict[str, Any]:
    """`health_reason` is there where the fleets were asked."""
    known = {"id": fleet.id, "callback": None if fleet.callback is None else shown(fleet.callback)}
    if health is None:
        return known | {"health": "unknown"}
    return known | {"health": health[fleet.id].state, "health_reason": health[fleet.id].reason}


def node_object(node: Node) -> dict[str, Any]:
    """The values in force: what a note leaves out, or what does not parse, is there as its default."""
    role, webhook = node.role, node.webhook
    return {
        "note_path": node.path,
        "fleet_ids": list(node.fleet_ids),
        "mode": role.mode if role else webhook.kind if webhook else "",
        "for_each": role.for_each if role else "",
        "concurrency": (role.concurrency if role else webhook.concurrency if webhook else "") or "allow_overlap",
        "max_depth": role.max_depth if role else _max_depth(webhook),
        "registered": node.registered,
        "valid": node.valid,
        "ghost": node.ghost,
        "errors": [problem.message for problem in node.errors],
        "enabled": role.enabled if role else True,
        "kind": node.kind,
        "description": node.description,
    }


def _max_depth(webhook: Webhook | None) -> int:
    return 1 if webhook is None or webhook.max_depth is None else webhook.max_depth


def edge_object(edge: Edge) -> dict[str, Any]:
    return {
        "from": edge.source,
        "to": edge.target,
        "kind": edge.kind,
        "via": {"write": edge.via.write, "match": edge.via.match},
        "witness": edge.witness,
        "exact": edge.exact,
        "fanout": edge.fanout,
        "maybe_excluded": edge.maybe_excluded,
        "cut_by_depth": edge.cut_by_depth,
    }


def finding_object(result: Result) -> dict[str, Any]:
    finding = result.finding
    return {
        "severity": result.severity.value,
        "kind": result.rule.kind or result.rule.name,
        "nodes": list(finding.nodes),
        "detail": finding.message,
        "path": result.at.path,
        "line": result.at.span.line,
        "column": result.at.span.column,
        "help": finding.help,
        "data": finding.data,
        "rule": result.rule.name,
        "fingerprint": result.fingerprint,
    } | _suppression(result.suppression)


def _suppression(suppression: Suppression | None) -> dict[str, Any]:
    """What lets a finding stay, under a key of its own; nothing for one that is not suppressed."""
    if suppression is None:
        return {}
    place = suppression.place
    return {
        "suppression": {
            "path": place.path,
            "line": place.span.line if place.span else None,
            "reason": suppression.reason,
            "until": suppression.until or None,
        }
    }
