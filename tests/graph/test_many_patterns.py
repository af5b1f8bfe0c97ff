"""Lists of thousands of patterns: past a number of questions an edge is kept, and is not called proven."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.graph import derive as derive_graph
from tests.graph.by_hand import role

if TYPE_CHECKING:
    import pytest

# `fleetlint.graph.derive` is the function; the module behind it is found by the function's globals.
LIMITS = derive_graph.__globals__
FLEET = [
    role("a.md", write=["x/**", "y/*.md"], include=["in/**"]),
    role("b.md", write=["out/**"], include=["x/**"], exclude=["x/**"]),
    role("c.md", write=["out/**"], include=["y/**"], read=["x/**"]),
]


def edges() -> set[tuple[str, str, str, bool]]:
    return {(edge.source, edge.target, edge.kind, edge.exact) for edge in derive_graph(FLEET).edges}


def test_a_fleet_asks_so_little_that_all_is_decided() -> None:
    assert edges() == {("a.md", "c.md", "trigger", True)}


def test_what_is_not_asked_is_an_edge_that_is_not_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIMITS, "QUESTIONS", 1)
    monkeypatch.setitem(LIMITS, "QUESTIONS_A_ROLE", 0)
    assert ("a.md", "c.md", "trigger", False) in edges()


def test_what_is_not_even_looked_at_is_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIMITS, "QUESTIONS", 0)
    monkeypatch.setitem(LIMITS, "QUESTIONS_A_ROLE", 0)
    assert {("a.md", "b.md", "trigger", False), ("a.md", "c.md", "trigger", False)} <= edges()
