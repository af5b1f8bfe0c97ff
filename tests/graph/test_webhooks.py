"""Webhooks that people made: nodes where what roles write can make them fire, and ends of the graph."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from fleetlint.globs import Pattern
from fleetlint.graph import derive
from fleetlint.lint import lint
from fleetlint.registry import parse_snapshot
from fleetlint.report import FORMATS, render
from fleetlint.settings import Settings
from fleetlint.vault import load_vault
from tests.graph.by_hand import role
from tests.report.builders import context

if TYPE_CHECKING:
    from pathlib import Path

    from fleetlint.graph import Graph
    from fleetlint.registry import Registry
    from fleetlint.roles import Role


def hook(number: int, **changes: Any) -> dict[str, Any]:
    return {
        "id": number,
        "url": "https://example.org/hooks/mail",
        "description": "mail me",
        "enabled": True,
        "maxDepth": 2,
        "onCreate": True,
        "onUpdate": False,
        "onRemove": False,
        "includePatterns": ["out/**"],
        "excludePatterns": [],
        "readPatterns": [],
        "writePatterns": ["**"],
        **changes,
    }


def registry(*hooks: dict[str, Any]) -> Registry:
    return parse_snapshot(json.dumps({"changeWebhooks": hooks, "cronWebhooks": []}), "registry.json")


def graph_of(roles: list[Role], *hooks: dict[str, Any]) -> Graph:
    return derive(roles, registry=registry(*hooks))


def fired(graph: Graph) -> list[tuple[str, str, str, bool]]:
    return [(edge.source, edge.target, edge.witness, edge.cut_by_depth) for edge in graph.webhook_edges]


WRITER = role("roles/a.md", include=["in/**"], write=["out/*.md"], depth=1)


def test_a_webhook_that_a_role_makes_fire_is_a_node_behind_an_edge() -> None:
    graph = graph_of([WRITER], hook(7))
    assert [(node.path, node.kind, node.ghost, node.valid, node.fleet_ids) for node in graph.nodes] == [
        ("roles/a.md", "role", False, True, ("",)),
        ("webhook:7", "webhook", False, True, ()),
    ]
    assert fired(graph) == [("roles/a.md", "webhook:7", "out/a.md", False)]
    assert graph.edges == ()
    assert graph.all_edges == graph.webhook_edges


def test_a_webhook_that_no_role_makes_fire_is_no_node() -> None:
    silent = [
        hook(1, includePatterns=["elsewhere/**"]),
        hook(2, excludePatterns=["**/*.md"]),
        hook(3, onCreate=False, onRemove=True),
        hook(4, enabled=False),
        hook(5, includePatterns=["a["]),
        hook(6, description="fleet:desk:roles/gone.md#v"),
    ]
    graph = graph_of([WRITER], *silent)
    assert [node.path for node in graph.nodes if node.kind == "webhook"] == []
    assert graph.webhook_edges == ()


def test_depth_cuts_what_a_role_writes_too_deep() -> None:
    graph = graph_of([WRITER], hook(1, maxDepth=1), hook(2, maxDepth=2), hook(3, maxDepth=None), hook(4, maxDepth=0))
    assert [(target, cut) for _, target, _, cut in fired(graph)] == [
        ("webhook:1", True),
        ("webhook:2", False),
        ("webhook:3", True),
        ("webhook:4", True),
    ]


def test_an_exclude_that_leaves_something_narrows_the_edge() -> None:
    (edge,) = graph_of([WRITER], hook(7, excludePatterns=["out/a.md"])).webhook_edges
    assert (edge.witness, edge.maybe_excluded) == ("out/b.md", True)


def test_a_paused_role_makes_nothing_fire() -> None:
    assert graph_of([role("a.md", include=["in/**"], write=["out/**"], enabled=False)], hook(7)).webhook_edges == ()


PATHS = tuple(f"{folder}{name}" for folder in ("", "a/", "b/", "a/b/") for name in ("x.md", "y.md"))
GLOBS = st.lists(st.sampled_from(["**", "a/**", "*/x.md", "a/*.md", "b/y.md", "*.md", "a["]), max_size=2)
EVENTS = ("create", "update", "remove")


def matches(patterns: list[str], path: str) -> bool:
    return any(Pattern.parse(text).matches(path) for text in patterns if text != "a[")


@given(GLOBS, GLOBS, GLOBS, st.frozensets(st.sampled_from(EVENTS)), st.booleans(), st.sampled_from([0, 1, 2, 3]))
def test_an_edge_is_there_when_some_path_is_written_and_taken(
    write: list[str], include: list[str], exclude: list[str], events: frozenset[str], enabled: bool, depth: int
) -> None:
    flags = {f"on{event.title()}": event in events for event in EVENTS}
    webhook = hook(7, includePatterns=include, excludePatterns=exclude, enabled=enabled, maxDepth=depth, **flags)
    graph = graph_of([role("r.md", include=["in/**"], write=write, depth=1)], webhook)
    # Agents create and update; these few paths tell all patterns above apart.
    takes = any(matches(write, path) and matches(include, path) and not matches(exclude, path) for path in PATHS)
    expected = enabled and bool(events & {"create", "update"}) and takes
    assert bool(graph.webhook_edges) == expected
    for edge in graph.webhook_edges:
        assert [matches(globs, edge.witness) for globs in (write, include, exclude)] == [True, True, False]
        assert edge.cut_by_depth == (depth < 2)


@given(st.lists(st.tuples(GLOBS, GLOBS), max_size=3), st.lists(GLOBS, max_size=3))
def test_webhooks_change_nothing_between_roles(
    roles: list[tuple[list[str], list[str]]], hooks: list[list[str]]
) -> None:
    made = [
        role(f"r{number}.md", include=include, write=write, depth=3) for number, (include, write) in enumerate(roles)
    ]
    without, graph = (
        graph_of(made),
        graph_of(made, *(hook(number, includePatterns=include) for number, include in enumerate(hooks))),
    )
    assert (graph.edges, graph.cycles, graph.self_triggers, graph.depths, graph.edited) == (
        *(without.edges, without.cycles, without.self_triggers, without.depths, without.edited),
    )
    assert [node for node in graph.nodes if node.kind == "role"] == list(without.nodes)


# --- Through rules and formats ---

NOTE = """\
---
fleet_id: desk
mode: change
trigger_on: [create]
trigger_include: [in/**]
write_patterns: ["out/*.md", "quiet/**"]
max_depth: 1
---
"""
HOSTILE = 'end"]\n--> x`|<script>\u202e;%%'


def test_every_format_and_rule_takes_webhooks(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(NOTE)
    hooks = registry(hook(7, description=HOSTILE), hook(8, maxDepth=1), hook(9, description=""))
    report = lint(load_vault(tmp_path), Settings(), registry=hooks)
    texts = {name: render(name, report, context(root=str(tmp_path), cwd=str(tmp_path))) for name in FORMATS}
    machine = json.loads(texts["json"])
    assert machine["nodes"][1] == {
        "note_path": "webhook:7",
        "fleet_ids": [],
        "mode": "change",
        "for_each": "",
        "concurrency": "allow_overlap",
        "max_depth": 2,
        "registered": True,
        "valid": True,
        "ghost": False,
        "errors": [],
        "enabled": True,
        "kind": "webhook",
        "description": HOSTILE,
    }
    assert [(edge["to"], edge["kind"], edge["cut_by_depth"]) for edge in machine["edges"]] == [
        ("webhook:7", "trigger", False),
        ("webhook:8", "trigger", True),
        ("webhook:9", "trigger", False),
    ]
    assert "1 role, 3 webhooks and 3 edges" in texts["text"]
    assert "🔔 mail me" in texts["mermaid"]
    assert "🔔 webhook#58;9" in texts["mermaid"]
    assert "<script>" not in texts["mermaid"] + texts["github"]
    assert '"webhook:8 mail me", shape=cds' in texts["dot"]
    nodes = {node for result in report.results for node in result.finding.nodes}
    assert nodes == {"a.md"}


def test_what_a_person_s_webhook_takes_is_no_orphan(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(NOTE)
    vault = load_vault(tmp_path)
    found = lint(vault, Settings(), select=["orphan-write"], registry=registry(hook(7))).results
    assert [result.finding.data["write"] for result in found] == ["quiet/**"]
    found = lint(vault, Settings(), select=["orphan-write"]).results
    assert [result.finding.data["write"] for result in found] == ["out/*.md", "quiet/**"]


def test_a_drawing_too_large_for_mermaid_keeps_webhooks_apart_from_roles() -> None:
    from fleetlint.report.mermaid import diagram
    from tests.report.builders import report

    roles = [role(f"f/r{number}.md", include=["in/**"], write=["out/**"], depth=1) for number in range(100)]
    graph = derive(roles, registry=registry(*(hook(number) for number in range(10))))
    assert len(graph.webhook_edges) == 1000
    text = diagram(report(of=graph))
    assert "webhooks of people<br>10 webhooks" in text
    assert "f/<br>100 roles" in text


def test_a_fleet_has_the_callback_that_more_than_half_of_its_webhooks_share() -> None:
    def own(number: int, fleet: str, url: str) -> dict[str, Any]:
        return hook(number, description=f"fleet:{fleet}:{number}.md#v", url=f"{url}/deliver/{number}")

    roles = [role(f"{name}.md", fleet_id=name) for name in "abcd"]
    found = ("a", "x"), ("a", "x"), ("b", "x"), ("b", "y"), ("d", "x"), ("d", "y"), ("d", "y")
    graph = graph_of(roles, *(own(number, name, f"http://{host}") for number, (name, host) in enumerate(found)))
    assert [(fleet.id, fleet.callback) for fleet in graph.fleets] == [
        ("a", "http://x"),
        ("b", None),
        ("c", None),
        ("d", "http://y"),
    ]
    (lone,) = graph_of([role("a.md")], own(1, "f", "http://x")).fleets
    assert (lone.id, lone.callback) == ("", "http://x")
