"""For people: findings by file, each with the line it points at, what to do, and the way a loop takes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fleetlint.report.characters import cells, escaped, printable
from fleetlint.rule import Severity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fleetlint.lint import Located, Report, Result
    from fleetlint.report import Context, Health
    from fleetlint.vault import Span

TAB = 4
"""Columns that a tab of a note is shown with, wherever it stands."""
NOUNS = {Severity.ERROR: "error", Severity.WARN: "warning", Severity.INFO: "info"}


def render(report: Report, context: Context) -> str:
    """One block a file, and a last line that counts. Nothing that stands in a note reaches the terminal as a command."""
    lines: list[str] = []
    path: str | None = None
    sources: dict[str, list[str]] = {}
    for result in report.results:
        if result.at.path != path:
            path = result.at.path
            lines += [Paint(context).bold(_shown_path(path, context)) if path else "In no file"]
        if path not in sources:
            note = report.notes.get(path)
            sources[path] = note.text.split("\n") if note else []
        lines += [f"  {line}".rstrip() for line in _finding(result, sources[path], context)]
        lines.append("")
    if context.health:
        lines += [*(_health(fleet, health, context) for fleet, health in sorted(context.health.items())), ""]
    lines.append(_summary(report, context))
    return "\n".join(lines) + "\n"


def _finding(result: Result, source: Sequence[str], context: Context) -> list[str]:
    paint = Paint(context)
    finding = result.finding
    severity = paint.of(result.severity, NOUNS[result.severity])
    lines = [f"{at(result.at, context)}{severity}: {printable(finding.message)} {paint.dim(f'[{result.rule.name}]')}"]
    if result.at.span.line <= len(source):
        lines += _excerpt(source[result.at.span.line - 1].removesuffix("\r"), result, context)
    if finding.help:
        lines.append(f"  {paint.green('help:')} {printable(finding.help)}")
    hops = result.hops
    lines += [f"  {number}. {_place(hop, context)}" for number, hop in enumerate(hops, 1)]
    lines += [f"  see {_place(place, context)}" for place in result.related if place not in hops]
    return lines


def _health(fleet: str, health: Health, context: Context) -> str:
    paint = Paint(context)
    state = {"up": paint.green("up"), "down": paint.of(Severity.ERROR, "down")}.get(health.state, health.state)
    why = f" ({printable(health.reason)})" if health.reason else ""
    return f"fleet `{printable(fleet)}` is {state}{why}"


def _place(place: Located, context: Context) -> str:
    return f"{at(place, context)}{printable(place.message)}".removesuffix(": ")


def at(place: Located, context: Context) -> str:
    """`path:line:column: `, which editors and terminals make a link of; nothing for no path."""
    if not place.path:
        return ""
    return f"{_shown_path(place.path, context)}:{place.span.line}:{place.span.column}: "


def _shown_path(path: str, context: Context) -> str:
    """Relative to the working folder when inside it, else to the vault."""
    file, folder = os.path.join(context.root, path), os.path.join(context.cwd, "")
    return printable(file[len(folder) :].replace(os.sep, "/") if file.startswith(folder) else path)


def _excerpt(line: str, result: Result, context: Context) -> list[str]:
    """The line with its number, and the stretch underlined."""
    paint = Paint(context)
    number = str(result.at.span.line)
    margin = " " * len(number)
    text, blank, marks = _clipped(line, result.at.span, max(context.width - len(number) - 7, 20))
    underline = " " * blank + paint.of(result.severity, "^" * marks)
    return [f"  {paint.dim(f'{number} |')} {text}", f"  {margin} {paint.dim('|')} {underline}"]


def _clipped(line: str, span: Span, width: int) -> tuple[str, int, int]:
    """As much of the line around the stretch as fits into `width` columns, the columns before the stretch, and its own.

    A stretch of several lines is shown to the end of the first.
    """
    start = min(span.column - 1, len(line))
    end = len(line) if span.end_line > span.line else min(max(span.end_column - 1, start), len(line))
    # No more of the line can be shown than this, however narrow its characters; the rest may be megabytes.
    first = max(0, start - width)
    shown = [_shown(character) for character in line[first : start + 2 * width]]
    sizes = [sum(map(cells, piece)) for piece in shown]
    start, end = start - first, min(end - first, len(shown))
    left, right = start, start
    used = 0
    while right < end and used + sizes[right] <= width - 2:
        used += sizes[right]
        right += 1
    marks = used
    while True:
        grown = False
        if left > 0 and used + sizes[left - 1] <= width - 2:
            left, used, grown = left - 1, used + sizes[left - 1], True
        if right < len(shown) and used + sizes[right] <= width - 2:
            right, used, grown = right + 1, used + sizes[right], True
        if not grown:
            break
    head = "…" if first + left > 0 else ""
    tail = "…" if first + right < len(line) else ""
    return head + "".join(shown[left:right]) + tail, len(head) + sum(sizes[left:start]), max(marks, 1)


def _shown(character: str) -> str:
    if character == "\t":
        return " " * TAB
    return printable(character) if character != "\ufeff" else escaped(character)


def _summary(report: Report, context: Context) -> str:
    paint = Paint(context)
    graph = report.graph
    webhooks = sum(node.kind == "webhook" for node in graph.nodes)
    beside = f", {count(webhooks, 'webhook')}" if webhooks else ""
    read = f"{count(len(graph.nodes) - webhooks, 'role')}{beside} and {count(len(graph.all_edges), 'edge')}"
    suppressed = f"; {count(len(report.suppressed), 'finding')} suppressed" if report.suppressed else ""
    if not report.results:
        return f"{paint.green('No findings')} in {read}{suppressed}."
    return f"{', '.join(counted(report.results))} in {read}{suppressed}."


def counted(results: Sequence[Result]) -> list[str]:
    """How many findings of each severity there are, the worst first: `2 errors`, `1 warning`."""
    numbers = [(sum(result.severity == severity for result in results), noun) for severity, noun in NOUNS.items()]
    return [count(number, noun) for number, noun in numbers if number]


def count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 or noun == "info" else f"{number:,} {noun}s"


class Paint:
    """Colours where the context wants them."""

    def __init__(self, context: Context) -> None:
        self._on = context.color

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._on and text else text

    def bold(self, text: str) -> str:
        return self._in("1", text)

    def dim(self, text: str) -> str:
        return self._in("2", text)

    def green(self, text: str) -> str:
        return self._in("32", text)

    def of(self, severity: Severity, text: str) -> str:
        return self._in({Severity.ERROR: "1;31", Severity.WARN: "33", Severity.INFO: "36"}[severity], text)
