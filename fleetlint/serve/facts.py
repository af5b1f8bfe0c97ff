"""What GraphQL answers from: plain data of one result, under the names of the schema's fields."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleetlint.globs import find_path
from fleetlint.globs.example import takes_notes
from fleetlint.graph.model import TRIGGER
from fleetlint.registry.delivery import shown
from fleetlint.report.characters import whole

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fleetlint.graph.model import Edge, Fleet, Graph, Node
    from fleetlint.lint import Report, Result
    from fleetlint.roles import Glob, Role

KINDS = {"trigger": "TRIGGER", "feed": "DATAFLOW"}
LARGEST = 2**31 - 1
"""What an Int of GraphQL holds."""


def facts(report: Report) -> dict[str, Any]:
    """The values of the fields of `Query` that ask for nothing: `roles`, `roleGraph`, `findings`, `fleets`.

    Only notes that are roles are in it. A ghost or a person's webhook is neither, and has none of what the types promise;
    the machine JSON has both.
    """
    graph = report.graph
    return {
        "roles": [_role(node, node.role) for node in graph.nodes if node.role],
        "roleGraph": _role_graph(graph),
        "findings": [_finding(result) for result in report.results],
        "fleets": [_fleet(fleet) for fleet in graph.fleets],
    }


def _role(node: Node, role: Role) -> dict[str, Any]:
    return {
        "name": whole(role.name),
        "path": whole(role.path),
        "executor": whole(role.executor) or "llm",
        "model": whole(role.model) or None,
        "triggerOn": _texts(role.trigger_on),
        "triggerInclude": _globs(role.trigger_include),
        "triggerExclude": _globs(role.trigger_exclude),
        "readPatterns": _globs(role.read_patterns),
        "writePatterns": _globs(role.write_patterns),
        "valid": node.valid,
        "errors": _texts(problem.message for problem in node.errors),
        "forEach": whole(role.for_each),
        # Only an invalid role states more than an Int holds.
        "maxDepth": max(-LARGEST, min(role.max_depth, LARGEST)),
        "concurrency": whole(role.concurrency) or "allow_overlap",
        "fleetIds": _texts(node.fleet_ids),
    }


def _role_graph(graph: Graph) -> dict[str, Any]:
    triggers = [edge for edge in graph.edges if edge.kind == TRIGGER]
    woken, waking = {edge.target for edge in triggers}, {edge.source for edge in triggers}
    looped = {role for cycle in graph.cycles for role in cycle.members}
    alone = [[edge.source] for edge in triggers if edge.source == edge.target and edge.source not in looped]
    cycles = [sorted(cycle.members) for cycle in graph.cycles]
    return {
        "nodes": [
            {
                "role": whole(node.path),
                "inboxGlob": _inbox(node.role),
                "outboxGlob": _globs(node.role.write_patterns),
                "orphan": node.path not in woken or node.path not in waking,
            }
            for node in graph.nodes
            if node.role
        ],
        "edges": [_edge(edge) for edge in graph.edges],
        "cycles": [_texts(members) for members in sorted(cycles + alone)],
    }


def _inbox(role: Role) -> list[str]:
    """The includes that the excludes do not swallow whole. One that takes no note anyway is not swallowed."""
    excludes = [glob.pattern for glob in role.trigger_exclude if glob.pattern]
    return [
        whole(glob.text)
        for glob in role.trigger_include
        if not excludes
        or glob.pattern is None
        or find_path(all_of=[glob.pattern], none_of=excludes) is not None
        or not takes_notes(glob.pattern)
    ]


def _edge(edge: Edge) -> dict[str, Any]:
    return {
        "from": whole(edge.source),
        "to": whole(edge.target),
        "kind": KINDS[edge.kind],
        "exact": edge.exact,
        "cutByDepth": edge.cut_by_depth,
        "witness": whole(edge.witness),
        "via": {"write": whole(edge.via.write), "match": whole(edge.via.match)},
    }


def _finding(result: Result) -> dict[str, Any]:
    finding = result.finding
    return {
        "severity": result.severity.name,
        "rule": result.rule.name,
        "nodes": _texts(finding.nodes),
        "detail": whole(finding.message),
        "help": whole(finding.help),
        "path": whole(result.at.path),
        "line": result.at.span.line,
        "column": result.at.span.column,
    }


def _fleet(fleet: Fleet) -> dict[str, Any]:
    return {
        "id": whole(fleet.id),
        "mode": fleet.mode,
        "folder": whole(fleet.folder),
        "tools": _texts(fleet.tools),
        "default": fleet.default,
        "callback": whole(shown(fleet.callback)) if fleet.callback is not None else None,
    }


def _globs(globs: Iterable[Glob]) -> list[str]:
    return _texts(glob.text for glob in globs)


def _texts(texts: Iterable[str]) -> list[str]:
    return [whole(text) for text in texts]
