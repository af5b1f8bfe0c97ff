"""Loads rules, runs them over a graph, and puts what they found in order: selection, places, fingerprints. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fleetlint.graph.model import Graph
    from fleetlint.rule import Finding, Rule, Severity
    from fleetlint.settings import Settings
    from fleetlint.vault import Note, Span, Vault


@dataclass(frozen=True, slots=True)
class Located:
    """A sentence at its place: vault path (or the name of a settings or snapshot file), and the exact stretch."""

    path: str
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Result:
    """A finding of a rule with its places resolved. `severity` is the one in force, after the settings."""

    rule: Rule
    severity: Severity
    finding: Finding
    at: Located
    related: tuple[Located, ...]
    hops: tuple[Located, ...]
    fingerprint: str
    """Hex; the same after edits of unrelated lines."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a run found. `results` come by path, line, column, rule; `rules` are all that were loaded, by name.

    `notes` gives the text of the notes that results point into.
    """

    vault: Vault
    graph: Graph
    results: tuple[Result, ...]
    rules: tuple[Rule, ...]
    notes: Mapping[str, Note]


def lint(vault: Vault, settings: Settings) -> Report:
    raise NotImplementedError
