"""GitHub Actions: annotations as workflow commands, and a job summary in Markdown.

Facts from GitHub's "Workflow commands": a step shows 10 errors, 10 warnings and 10 notices as annotations, the first
ones of its log; in a message `%`, CR and LF are escaped, in a property `:` and `,` too; a summary holds 1 MiB.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fleetlint.report.characters import printable, whole
from fleetlint.report.text import counted
from fleetlint.rule import Severity

if TYPE_CHECKING:
    from fleetlint.lint import Report, Result
    from fleetlint.report import Context

COMMANDS = {Severity.ERROR: "error", Severity.WARN: "warning", Severity.INFO: "notice"}
"""Worst first."""
MAX_SUMMARY = 1024 * 1024
"""Bytes."""


def render(report: Report, context: Context) -> str:
    """One workflow command a finding, the worst first, for only the first ones are shown beside the code."""
    order = list(COMMANDS)
    worst_first = sorted(report.results, key=lambda result: order.index(result.severity))
    return "".join(f"{_command(result, context)}\n" for result in worst_first)


def summary(report: Report, context: Context) -> str:
    """The job summary: what was found, the graph, and a table of the findings."""
    from fleetlint.report import mermaid

    heading = f"### fleetlint: {', '.join(counted(report.results)) or 'no findings'}\n\n"
    text = heading + whole(mermaid.render(report, context))
    return text if len(text.encode()) < MAX_SUMMARY else heading


def _command(result: Result, context: Context) -> str:
    span = result.at.span
    properties: dict[str, object] = {}
    if result.at.path:
        properties["file"] = _file(result.at.path, context)
        properties["line"] = span.line
        if span.end_line == span.line:
            # Columns of a stretch of several lines are refused.
            properties |= {"col": span.column, "endColumn": span.end_column}
        else:
            properties["endLine"] = span.end_line
    properties["title"] = f"fleetlint: {result.rule.name}"
    listed = ",".join(f"{key}={_escaped_property(str(value))}" for key, value in properties.items())
    lines = [result.finding.message, *([result.finding.help] if result.finding.help else [])]
    return f"::{COMMANDS[result.severity]} {listed}::{_escaped(chr(10).join(map(printable, lines)))}"


def _file(path: str, context: Context) -> str:
    """Relative to the top of the repository, where there is one and the file lies in it."""
    file = os.path.join(context.root, path)
    return printable(
        whole(file.removeprefix(os.path.join(context.repository_root or context.root, "")).replace(os.sep, "/"))
    )


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escaped_property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
