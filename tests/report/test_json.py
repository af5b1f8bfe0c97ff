from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fleetlint.graph.model import Fleet
from fleetlint.report import json as machine
from fleetlint.roles.role import Problem
from fleetlint.rule import Severity
from fleetlint.vault.note import Span
from tests.report.builders import context, edge, feed, ghost, graph, node, report, result, rule

if TYPE_CHECKING:
    from fleetlint.lint import Report


def rendered(of: Report) -> Any:
    return json.loads(machine.render(of, context()))


def test_a_node_has_the_values_in_force() -> None:
    fault = Problem("`mode` is `now`, which is none", "write `change`", "mode", Span(2, 1, 2, 5))
    nodes = rendered(
        report(
            of=graph(
                [
                    node("a.md", for_each="changed_files", concurrency="skip", stated_max_depth=3),
                    node("b.md", ("x", "y"), mode="both", stated_max_depth=None, errors=(fault,), registered=True),
                    ghost("gone.md"),
                    node("p.md", (), enabled=False),
                ]
            )
        )
    )["nodes"]
    base = {
        "registered": False,
        "valid": True,
        "ghost": False,
        "errors": [],
        "enabled": True,
        "kind": "role",
        "description": "",
    }
    assert nodes == [
        base | {"note_path": "a.md", "fleet_ids": ["desk"], "mode": "change", "for_each": "changed_files", "concurrency": "skip", "max_depth": 3},
        base | {"note_path": "b.md", "fleet_ids": ["x", "y"], "mode": "both", "for_each": "", "concurrency": "allow_overlap", "max_depth": 1, "registered": True, "valid": False, "errors": ["`mode` is `now`, which is none"]},
        base | {"note_path": "gone.md", "fleet_ids": ["desk"], "mode": "", "for_each": "", "concurrency": "allow_overlap", "max_depth": 1, "registered": True, "ghost": True},
        base | {"note_path": "p.md", "fleet_ids": [], "mode": "change", "for_each": "", "concurrency": "allow_overlap", "max_depth": 1, "enabled": False},
    ]  # fmt: skip


def test_an_edge_has_its_pair_of_patterns_and_its_witness() -> None:
    edges = rendered(
        report(
            of=graph(
                [node("a.md"), node("b.md")],
                [
                    edge("a.md", "b.md", fanout=True, maybe_excluded=True),
                    feed("b.md", "a.md"),
                    edge("b.md", "b.md", live=frozenset(), exact=False, witness=""),
                ],
            )
        )
    )["edges"]
    assert edges == [
        {"from": "a.md", "to": "b.md", "kind": "trigger", "via": {"write": "out/**", "match": "out/*.md"}, "witness": "out/a.md", "exact": True, "fanout": True, "maybe_excluded": True, "cut_by_depth": False},
        {"from": "b.md", "to": "a.md", "kind": "feed", "via": {"write": "out/**", "match": "out/*.md"}, "witness": "out/a.md", "exact": True, "fanout": False, "maybe_excluded": False, "cut_by_depth": False},
        {"from": "b.md", "to": "b.md", "kind": "trigger", "via": {"write": "out/**", "match": "out/*.md"}, "witness": "", "exact": False, "fanout": False, "maybe_excluded": False, "cut_by_depth": True},
    ]  # fmt: skip


def test_a_finding_has_its_place_mend_and_data() -> None:
    found = result(
        "a.md", rule("drift", Severity.ERROR), data={"witness": "x.md", "fleets": ("a", "b")}, fingerprint="ff"
    )
    assert rendered(report([found]))["findings"] == [
        {
            "severity": "error",
            "kind": "drift",
            "nodes": ["a.md"],
            "detail": "writes `a.md`, which it should not",
            "path": "a.md",
            "line": 3,
            "column": 5,
            "help": "narrow the write scope",
            "data": {"witness": "x.md", "fleets": ["a", "b"]},
            "rule": "drift",
            "fingerprint": "ff",
        }
    ]


def test_an_ownership_conflict_keeps_the_kind_of_the_older_contract() -> None:
    found = rendered(report([result("a.md", rule("ownership-conflict", kind="conflict"))]))["findings"]
    assert [(one["kind"], one["rule"]) for one in found] == [("conflict", "ownership-conflict")]


def test_keys_come_in_the_order_of_the_contract() -> None:
    of = report([result("a.md")], graph([node("a.md"), node("b.md")], [edge("a.md", "b.md")]))
    document = rendered(of)
    assert list(document) == ["generated_at", "fleets", "nodes", "edges", "findings", "suppressed"]
    assert list(document["nodes"][0])[:10] == [
        "note_path", "fleet_ids", "mode", "for_each", "concurrency", "max_depth", "registered", "valid", "ghost", "errors",
    ]  # fmt: skip
    assert list(document["edges"][0]) == [
        "from", "to", "kind", "via", "witness", "exact", "fanout", "maybe_excluded", "cut_by_depth",
    ]  # fmt: skip
    assert list(document["findings"][0])[:9] == [
        "severity", "kind", "nodes", "detail", "path", "line", "column", "help", "data",
    ]  # fmt: skip
    assert document["generated_at"] == "2026-01-02T03:04:05Z"


def test_fleets_are_listed_and_of_unknown_health() -> None:
    from dataclasses import replace

    fleets = (Fleet("krisp", "selector", "", (), callback="http://example.test/f"), Fleet("", "folder", "", ()))
    of = report(of=replace(graph([]), fleets=fleets))
    assert rendered(of)["fleets"] == [
        {"id": "krisp", "callback": "http://example.test/f", "health": "unknown"},
        {"id": "", "callback": None, "health": "unknown"},
    ]


def test_an_empty_vault_has_all_lists() -> None:
    assert machine.render(report(), context()) == (
        '{"generated_at": "2026-01-02T03:04:05Z",\n "fleets": [],\n "nodes": [],\n "edges": [],\n "findings": [],\n "suppressed": []}\n'
    )


def test_names_that_are_not_utf8_give_valid_utf8() -> None:
    path = "roles/caf\udce9 \ud800\u202e\x00.md"
    of = report([result(path, message=path)], graph([node(path)], [edge(path, path)]))
    text = machine.render(of, context())
    document = json.loads(text.encode("utf-8").decode("utf-8"))
    assert document["nodes"][0]["note_path"] == "roles/caf%E9 \ufffd\u202e\x00.md"
    assert document["findings"][0]["detail"] == document["edges"][0]["from"] == document["nodes"][0]["note_path"]
