"""What changed between two revisions of a vault: as text, as Markdown for a pull request, as JSON (`docs/diff.md`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from fleetlint.changes import BODY
from fleetlint.graph.model import TRIGGER
from fleetlint.report.characters import printable, whole
from fleetlint.report.mermaid import cell, label
from fleetlint.report.text import NOUNS, Paint, at, count, counted
from fleetlint.rule import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from fleetlint.changes import BudgetChange, Changes, EdgeChange, OwnerChange, RoleChange, Runs
    from fleetlint.lint import Result
    from fleetlint.report import Context

FORMATS = ("text", "markdown", "json")

LISTED = 50
"""So many changes of a kind the text lists, and so many findings."""
SHORT = 10
"""So many the Markdown does: a comment in a pull request is to be read."""
VALUE = 60
"""Characters of a changed value that are shown."""
ARROWS = 40
"""So many arrows the picture has."""

SIGNS = {"new": "+", "gone": "-", "cut": "~", "live": "~"}
COLOURS = {"new": "#2f9e44", "gone": "#c92a2a", "cut": "#8c8c8c", "live": "#1971c2"}
STYLES = {
    "added": "fill:#dcf5e3,stroke:#2f9e44,color:#1f1f1f",
    "changed": "fill:#fdf3c8,stroke:#b28600,color:#1f1f1f",
    "removed": "fill:#ffdcd8,stroke:#c92a2a,color:#7a1010,stroke-dasharray:5 3",
}


class Diff(NamedTuple):
    """The changes between two revisions, and what the revisions are called."""

    base: str
    head: str
    changes: Changes


def render(format: str, diff: Diff, context: Context) -> str:
    """The changes in one of FORMATS, with a final newline."""
    formats: dict[str, Callable[[Diff, Context], str]] = {"text": text, "markdown": markdown, "json": json}
    return formats[format](diff, context)


# --- Text ---


def text(diff: Diff, context: Context) -> str:
    """A block for each kind of change that there is, and a last line that counts."""
    changes, paint = diff.changes, Paint(context)
    blocks = [
        ("roles", [_role(role) for role in changes.roles]),
        ("fleets", _fleets(changes)),
        ("owners", [_owner(owner) for owner in changes.owners]),
        ("edges", [_edge(edge) for edge in changes.edges]),
        ("runs that one start brings about, at most", [_budget(budget) for budget in changes.budgets]),
        ("new findings", [f"+ {_finding(result, context)}" for result in changes.new]),
        ("findings that are gone", [f"- {_finding(result, context)}" for result in changes.gone]),
    ]
    lines = [f"{printable(diff.base)} → {printable(diff.head)}", ""]
    for title, items in blocks:
        if items:
            more = len(items) - LISTED
            lines += [paint.bold(title), *(f"  {printable(item)}" for item in items[:LISTED])]
            lines += [f"  and {more:,} more"] if more > 0 else []
            lines.append("")
    return "\n".join([*lines, _summary(changes)]) + "\n"


def _role(change: RoleChange) -> str:
    if change.before is None or change.after is None:
        node = change.after or change.before
        owners = f" ({_ids(node.fleet_ids)})" if node and any(node.fleet_ids) else ""
        return f"{'+' if change.after else '-'} `{change.path}`{owners}"
    fields = (
        "the text below the header"
        if field.key == BODY
        else f"{field.key} {_value(field.before)} → {_value(field.after)}"
        for field in change.fields
    )
    return f"~ `{change.path}`: {', '.join(fields)}"


def _value(raw: str | None) -> str:
    if raw is None:
        return "(none)"
    return f"`{raw if len(raw) <= VALUE else raw[: VALUE - 1] + '…'}`"


def _ids(ids: Sequence[str]) -> str:
    return ", ".join(f"`{fleet}`" if fleet else "(no name)" for fleet in ids) or "(nobody)"


def _fleets(changes: Changes) -> list[str]:
    new, gone = changes.fleets
    return [*(f"+ fleet {_ids([fleet])}" for fleet in new), *(f"- fleet {_ids([fleet])}" for fleet in gone)]


def _owner(change: OwnerChange) -> str:
    return f"~ `{change.path}`: {_ids(change.before)} → {_ids(change.after)}"


def _edge(change: EdgeChange) -> str:
    edge = change.edge
    verb = "wakes" if edge.kind == TRIGGER else "feeds"
    path = f" by `{edge.witness}`" if edge.witness else ""
    says = {"cut": ", now cut by depth", "live": ", no longer cut by depth"}.get(change.kind, "")
    cut = ", cut by depth" if change.kind in ("new", "gone") and edge.cut_by_depth else ""
    return f"{SIGNS[change.kind]} `{edge.source}` {verb} `{edge.target}`{path}{says}{cut}"


def _budget(change: BudgetChange) -> str:
    sign = "+" if change.before is None else "-" if change.after is None else "~"
    amounts = " → ".join(_runs(runs) for runs in (change.before, change.after) if runs is not None)
    start = "an edit that wakes it" if change.start == "edit" else "a tick"
    return f"{sign} `{change.path}`, {start}: {amounts}"


def _runs(runs: Runs) -> str:
    return "too many to be counted" if runs.total is None else str(runs.total)


def _finding(result: Result, context: Context) -> str:
    return f"{at(result.at, context)}{NOUNS[result.severity]}: {result.finding.message} [{result.rule.name}]"


def _summary(changes: Changes) -> str:
    """One sentence that counts: what changed in the graph, and the findings."""
    roles = len(changes.roles)
    by_kind = {kind: sum(change.kind == kind for change in changes.edges) for kind in SIGNS}
    parts = [
        count(number, noun) + said
        for number, noun, said in (
            (roles, "role", " changed"),
            (len(changes.owners), "owner", " changed"),
            (by_kind["new"], "edge", " new"),
            (by_kind["gone"], "edge", " gone"),
            (by_kind["cut"], "edge", " now cut"),
            (by_kind["live"], "edge", " no longer cut"),
        )
        if number
    ]
    graph = ", ".join(parts) or "No change of roles and edges"
    return f"{graph}; {_findings(changes)}."


def _findings(changes: Changes) -> str:
    new = ", ".join(f"{number} new" for number in counted(changes.new)) or "no new findings"
    return new + (f", {count(len(changes.gone), 'finding')} gone" if changes.gone else "")


# --- Markdown ---


def markdown(diff: Diff, context: Context) -> str:  # noqa: ARG001 - every format has this signature
    """A comment for a pull request: what is new in a heading and a table, a small picture, then what else changed."""
    changes = diff.changes
    parts = [f"### fleetlint: {_findings(changes)}", f"{_code(diff.base)} → {_code(diff.head)}: {_summary(changes)}"]
    if changes.new:
        worst = sorted(changes.new, key=lambda result: list(Severity).index(result.severity))
        rows = [_row(result) for result in worst[:SHORT]]
        parts.append("\n".join(["| severity | rule | where | new finding |", "| --- | --- | --- | --- |", *rows]))
        parts += [_more(len(worst))] if len(worst) > SHORT else []
    picture = diagram(changes)
    if picture:
        parts.append(f"```mermaid\n{picture}```")
    for title, items in (
        ("Roles", [_role(role) for role in changes.roles]),
        ("Owners", [*_fleets(changes), *(_owner(owner) for owner in changes.owners)]),
        ("Runs that one start brings about, at most", [_budget(budget) for budget in changes.budgets]),
        ("Gone", [f"- {result.finding.message} [{result.rule.name}]" for result in changes.gone]),
    ):
        if items:
            lines = [f"- {cell(printable(item[2:]))}{_said(item)}" for item in items[:SHORT]]
            parts.append("\n".join([f"**{title}**", "", *lines]))
            parts += [_more(len(items))] if len(items) > SHORT else []
    return whole("\n\n".join(parts)) + "\n"


def _said(item: str) -> str:
    """The sign before an item in words, for a Markdown list has signs of its own."""
    return {"+": " (new)", "-": " (gone)"}.get(item[0], "")


def _more(number: int) -> str:
    return f"{number - SHORT:,} more are left out."


def _code(name: str) -> str:
    return f"`{printable(name).replace('`', '')}`"


def _row(result: Result) -> str:
    where = f"`{result.at.path}`:{result.at.span.line}" if result.at.path else ""
    texts = (result.severity.value, result.rule.name, where, result.finding.message)
    return f"| {' | '.join(cell(text) for text in texts)} |"


def diagram(changes: Changes) -> str:
    """A Mermaid flowchart of the edges that changed, with their roles, and of roles that appear and disappear; empty when
    there are none. It is within Mermaid's limits, for past ARROWS changes the rest is left out, which a comment says."""
    shown = sorted(changes.edges, key=_weight)[:ARROWS]
    states = {
        role.path: "added" if role.before is None else "removed" if role.after is None else "changed"
        for role in changes.roles
    }
    paths = {path for change in shown for path in (change.edge.source, change.edge.target)}
    alone = [path for path, state in states.items() if path not in paths and state != "changed"]
    paths |= set(alone[:ARROWS])
    if not paths:
        return ""
    ids = {path: f"n{number}" for number, path in enumerate(sorted(paths), 1)}
    names = _names(sorted(paths))
    lines = ["flowchart LR", *(f'  {ids[path]}["{label(names[path])}"]' for path in sorted(paths))]
    for change in shown:
        edge = change.edge
        arrow = "-.->" if edge.kind != TRIGGER or edge.cut_by_depth else "-->"
        said = {"live": "no longer cut", "cut": "now cut"}.get(change.kind, change.kind)
        lines.append(f'  {ids[edge.source]} {arrow}|"{said}"| {ids[edge.target]}')
    for kind, colour in COLOURS.items():
        numbers = [str(number) for number, change in enumerate(shown) if change.kind == kind]
        if numbers:
            lines.append(f"  linkStyle {','.join(numbers)} stroke:{colour}")
    for state, style in STYLES.items():
        members = [ids[path] for path in sorted(paths) if states.get(path) == state]
        if members:
            lines += [f"  classDef {state} {style}", f"  class {','.join(members)} {state}"]
    left = len(changes.edges) - len(shown) + len(alone[ARROWS:])
    if left:
        lines.append(f"  %% {left} more changes are not drawn")
    return "\n".join(lines) + "\n"


def _weight(change: EdgeChange) -> tuple[bool, int, str, str, str]:
    """What a reader has to see first: edges that wake, and among these what is new."""
    edge = change.edge
    kinds = ("new", "live", "gone", "cut")
    return (edge.kind != TRIGGER, kinds.index(change.kind), edge.source, edge.target, edge.kind)


def _names(paths: Sequence[str]) -> dict[str, str]:
    """What each role is called: the stem of its file, or its whole path where two share the stem."""
    stems = [path.rpartition("/")[2].removesuffix(".md") for path in paths]
    return {
        path: stem if stems.count(stem) == 1 else path.removesuffix(".md")
        for path, stem in zip(paths, stems, strict=True)
    }


# --- JSON ---


def json(diff: Diff, context: Context) -> str:  # noqa: ARG001 - every format has this signature
    """One object, ends in a newline. All of it is valid Unicode."""
    from json import dumps

    from fleetlint.report.json import edge_object, finding_object, node_object

    changes = diff.changes

    def edges(kinds: Iterable[str]) -> list[dict[str, Any]]:
        return [edge_object(change.edge) for change in changes.edges if change.kind in kinds]

    document = {
        "base": diff.base,
        "head": diff.head,
        "roles": {
            "new": [node_object(role.after) for role in changes.roles if role.before is None and role.after],
            "gone": [node_object(role.before) for role in changes.roles if role.after is None and role.before],
            "changed": [
                {"note_path": role.path, "fields": [field._asdict() for field in role.fields]}
                for role in changes.roles
                if role.before and role.after
            ],
        },
        "fleets": {"new": list(changes.fleets[0]), "gone": list(changes.fleets[1])},
        "owners": [
            {"note_path": owner.path, "before": list(owner.before), "after": list(owner.after)}
            for owner in changes.owners
        ],
        "edges": {kind: edges([kind]) for kind in SIGNS},
        "budgets": [
            {
                "note_path": budget.path,
                "start": budget.start,
                "before": _runs_object(budget.before),
                "after": _runs_object(budget.after),
            }
            for budget in changes.budgets
        ],
        "findings": {
            "new": [finding_object(result) for result in changes.new],
            "gone": [finding_object(result) for result in changes.gone],
        },
    }
    return whole(dumps(document, ensure_ascii=False, indent=1, default=str)) + "\n"


def _runs_object(runs: Runs | None) -> dict[str, Any] | None:
    """None where it does not start so; a `text` of None where the runs are too many to be counted."""
    if runs is None:
        return None
    total = runs.total
    return {"text": total and str(total), "powers_of_n": total and list(total.coefficients)}
