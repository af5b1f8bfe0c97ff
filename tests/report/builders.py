"""Reports made by hand: small graphs whose every part a test can name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleetlint.graph.model import DIRECT, FEED, TRIGGER, Cycle, Edge, Graph, Node, Via
from fleetlint.lint import Located, Report, Result
from fleetlint.report import Context
from fleetlint.roles.role import Role
from fleetlint.rule import Finding, Place, Rule, Severity, Step
from fleetlint.vault.note import Span, Vault

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PAGE = "# a-fault\n\nWhat it flags: a fault\nthat someone made.\n\n## How to mend it\n\nMend it.\n"


def context(**changes: Any) -> Context:
    values: dict[str, Any] = {
        "cwd": "/vault",
        "root": "/vault",
        "generated_at": "2026-01-02T03:04:05Z",
        "version": "1.2.3",
    }
    return Context(**(values | changes))


def role(path: str, **changes: Any) -> Role:
    span = Span(1, 1, 1, 4)
    values: dict[str, Any] = {
        "path": path, "fields": {}, "header_span": span, "body": "Do it.", "fleet_id": "desk", "mode": "change",
        "trigger_on": ("create", "update"), "trigger_include": (), "trigger_exclude": (), "read_patterns": (),
        "write_patterns": (), "attach_notes": (), "cron_schedule": "", "for_each": "", "concurrency": "",
        "stated_max_depth": 1, "max_tokens": None, "max_steps": None, "timeout_seconds": None, "tools": (), "model": "",
        "description": "", "executor": "", "enabled": True,
    }  # fmt: skip
    return Role(**(values | changes))


def node(path: str, fleet_ids: tuple[str, ...] = ("desk",), **changes: Any) -> Node:
    node_changes = {key: changes.pop(key) for key in ("registered", "errors", "kind") if key in changes}
    values: dict[str, Any] = {"role": role(path, **changes), "registered": False}
    return Node(path=path, fleet_ids=fleet_ids, **(values | node_changes))


def ghost(path: str, fleet_ids: tuple[str, ...] = ("desk",)) -> Node:
    return Node(path=path, role=None, fleet_ids=fleet_ids, registered=True)


def edge(source: str, target: str, kind: str = TRIGGER, **changes: Any) -> Edge:
    match_key = "trigger_include" if kind == TRIGGER else "read_patterns"
    values: dict[str, Any] = {
        "via": Via("out/**", 0, "out/*.md", match_key, 0),
        "witness": "out/a.md",
        "exact": True,
        "fanout": False,
        "live": frozenset({DIRECT}) if kind == TRIGGER else frozenset(),
    }
    return Edge(source=source, target=target, kind=kind, **(values | changes))


def feed(source: str, target: str) -> Edge:
    return edge(source, target, FEED)


def graph(
    nodes: Iterable[Node], edges: Iterable[Edge] = (), *, loops: Iterable[tuple[str, ...]] = (), runs_at: int = 0
) -> Graph:
    """A graph of these parts; every role runs at the one depth."""
    nodes = tuple(sorted(nodes, key=lambda node: node.path))
    return Graph(
        nodes=nodes,
        edges=tuple(sorted(edges, key=lambda edge: (edge.source, edge.target, edge.kind))),
        fleets=(),
        cycles=tuple(Cycle(loop, (), 1, dict.fromkeys(loop, 0)) for loop in loops),
        self_triggers=(),
        depths={node.path: (runs_at,) for node in nodes},
    )


def rule(name: str = "a-fault", severity: Severity = Severity.WARN, **changes: Any) -> Rule:
    values: dict[str, Any] = {
        "summary": "Someone made a fault",
        "check": lambda facts, options: (),  # noqa: ARG005
        "page": lambda: PAGE,
    }
    return Rule(name=name, severity=severity, **(values | changes))


def result(path: str, of: Rule | None = None, **changes: Any) -> Result:
    """A finding at line 3, columns 5 to 9; `related` and `hops` are pairs of path and sentence."""
    of = of or rule()
    span = changes.pop("span", Span(3, 5, 3, 9))
    related = tuple(changes.pop("related", ()))
    hops = tuple(changes.pop("hops", ()))
    severity = changes.pop("severity", of.severity)
    fingerprint = changes.pop("fingerprint", "0123456789abcdef")
    values: dict[str, Any] = {
        "message": "writes `a.md`, which it should not",
        "help": "narrow the write scope",
        "place": Place(path),
        "nodes": (path,),
        "related": tuple(Step(Place(at), message) for at, message in related),
        "hops": tuple(Step(Place(at), message) for at, message in hops),
    }
    finding = Finding(**(values | changes))
    return Result(
        rule=of,
        severity=severity,
        finding=finding,
        at=Located(path, span, finding.message),
        related=tuple(Located(at, span, message) for at, message in related),
        hops=tuple(Located(at, span, message) for at, message in hops),
        fingerprint=fingerprint,
    )


def report(
    results: Iterable[Result] = (),
    of: Graph | None = None,
    *,
    rules: Iterable[Rule] | None = None,
    notes: Mapping[str, Any] | None = None,
    **vault: Any,
) -> Report:
    """A report; its rules are those of the results unless they are given."""
    results = tuple(results)
    found = {result.rule.name: result.rule for result in results}
    values: dict[str, Any] = {"root": "/vault", "notes": (), "folders": frozenset(), "note_count": 1}
    return Report(
        vault=Vault(**(values | vault)),
        graph=of or graph(()),
        results=results,
        rules=tuple(rules) if rules is not None else tuple(found[name] for name in sorted(found)),
        notes=notes or {},
    )
