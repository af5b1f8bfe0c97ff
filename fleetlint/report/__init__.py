"""Formats: each a module with one pure function `render(report, context) -> str`, imported only when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fleetlint.lint import Report

FORMATS = ("text", "json", "sarif", "github", "mermaid", "dot")
"""The names of the formats; each is the name of its module here."""


class Health(NamedTuple):
    """Whether a fleet is `up`, `down` or `unknown`, and why it is not up."""

    state: str
    reason: str


class Context(NamedTuple):
    """What a format may know beside the report: all that would make it impure.

    `cwd` and `root` (the vault's) are absolute, and so is `repository_root`, the top of the git checkout that holds the
    vault, None without one. `generated_at` is a time as RFC 3339 has it. `width` is that of the terminal in columns.
    `health` is that of the fleets by id, None where they were not asked.
    """

    cwd: str
    root: str
    generated_at: str
    version: str
    color: bool = False
    width: int = 120
    repository_root: str | None = None
    health: Mapping[str, Health] | None = None


def render(format: str, report: Report, context: Context) -> str:
    """The report in one of `FORMATS`, with a final newline."""
    from importlib import import_module

    module = import_module(f"fleetlint.report.{format}")
    text: str = module.render(report, context)
    return text
