"""The graph as a Mermaid flowchart, and the note around it: the diagram in a fence, then the findings as a table.

Facts about Mermaid, from its source (12.3) and from trying it: a diagram above 500 edges or 50,000 UTF-16 units is
refused whole, and no diagram can raise that; an id must not be `end` nor start with `o` or `x`; inside a quoted label
`#NN;` is the character of that number, and nothing else escapes; a label is read as Markdown and as HTML afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fleetlint.graph.model import TRIGGER
from fleetlint.rule import Severity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fleetlint.graph.model import Graph, Node
    from fleetlint.lint import Report, Result
    from fleetlint.report import Context, Health

MAX_EDGES = 500
MAX_LENGTH = 50_000
LABEL_LENGTH = 60
"""Characters of a name that are shown; a longer one ends in an ellipsis."""
TABLE_ROWS = 100
HUMAN = ""
"""The path of the node that stands for people; no note has it."""

CLASSES = {
    "ghost": "fill:#ffffff,stroke:#8c8c8c,color:#595959,stroke-dasharray:5 3",
    "paused": "fill:#ececec,stroke:#8c8c8c,color:#595959",
    "invalid": "fill:#fff1d6,stroke:#b25e00,color:#5c3000,stroke-width:3px",
    "conflict": "fill:#ffdcd8,stroke:#c92a2a,color:#7a1010,stroke-width:3px",
    "webhook": "fill:#ffffff,stroke:#262626,color:#262626,stroke-dasharray:1 3",
    "human": "fill:#ffffff,stroke:#262626,color:#262626",
}
FLEET_COLOURS = ("#dbe9ff", "#dcf5e3", "#efe0fb", "#fdf3c8", "#d7f3f5", "#fbe0ee", "#e9e4dc", "#e3e9c9")
"""One after the other, over again when there are more fleets; the label then tells them apart."""
ICONS = {"change": "⚡", "cron": "⏰", "both": "⚡⏰"}
WEBHOOK = "🔔"
"""Before the description of a webhook that a person made."""
WORST_FIRST = {Severity.ERROR: 0, Severity.WARN: 1, Severity.INFO: 2}


def render(report: Report, context: Context) -> str:
    """A Markdown note: the diagram, what it leaves out, how the fleets are if they were asked, and the findings, worst first."""
    health = context.health or {}
    drawing = _drawing(report, frozenset(fleet for fleet, one in health.items() if one.state == "down"))
    parts = [f"```mermaid\n{drawing.text}```\n"]
    if drawing.remark:
        parts.append(f"{drawing.remark}\n")
    if health:
        parts.append(
            "\n".join(["| fleet | health | why |", "| --- | --- | --- |", *map(_health_row, sorted(health.items()))])
            + "\n"
        )
    parts.append(_table(report.results))
    return "\n".join(parts)


def diagram(report: Report) -> str:
    """The flowchart alone, within Mermaid's limits. What had to be collapsed is said in a comment at its end."""
    return _drawing(report).text


@dataclass(frozen=True, slots=True)
class _Drawing:
    text: str
    remark: str


@dataclass(frozen=True, slots=True)
class _Arrow:
    """An arrow between two nodes by key; `count` is how many edges it stands for."""

    source: str
    target: str
    feed: bool
    cut: bool
    labels: tuple[str, ...]
    count: int = 1


@dataclass(frozen=True, slots=True)
class _Box:
    """A node of the drawing: its label, already escaped, and its class."""

    key: str
    label: str
    css: str


def _drawing(report: Report, down: frozenset[str] = frozenset()) -> _Drawing:
    """The first of ever coarser drawings that Mermaid takes. `down` are fleets whose roles are marked."""
    graph = report.graph
    arrows = _arrows(report)
    whole = _text(_boxes(graph, _identity, down), arrows, "")
    if _fits(whole, arrows):
        return _Drawing(whole, "")
    size = f"The whole graph has {sum(node.kind == 'role' for node in graph.nodes)} roles and {len(arrows)} arrows, more than Mermaid draws"
    webhooks = {node.path for node in graph.nodes if node.kind == "webhook"}
    for of_roles, what in _groupings(report):
        group = _webhooks_together(webhooks, of_roles)
        merged = _merge(arrows, group)
        remark = f"{size}: {what}."
        text = _text(_boxes(graph, group, down), merged, remark)
        if _fits(text, merged):
            return _Drawing(text, remark)
    return _part(report, arrows, size, down)


def _fits(text: str, arrows: list[_Arrow]) -> bool:
    return len(arrows) <= MAX_EDGES and length(text) <= MAX_LENGTH


def length(text: str) -> int:
    """In UTF-16 units, as JavaScript counts."""
    return len(text) + sum(character > "\uffff" for character in text)


def _identity(path: str) -> str:
    return path


def _groupings(report: Report) -> Iterable[tuple[Callable[[str], str], str]]:
    """Ways to put roles together, each with a clause that says how, from the finest to the coarsest.

    A group's key ends in `/` for a folder; roles that stand alone keep their path.
    """
    looping = {path for cycle in report.graph.cycles for path in cycle.members}
    found = {path for result in report.results for path in result.finding.nodes if result.severity != Severity.INFO}
    folder = _folder(None)
    yield _except(looping | found, folder), "only roles in loops or with findings are drawn alone, others by folder"
    yield _except(looping, folder), "only roles in loops are drawn alone, others by folder"
    yield folder, "roles are drawn by folder"
    yield _folder(1), "roles are drawn by top folder"
    yield _fleet(report.graph), "roles are drawn by fleet"
    yield _component(report.graph), "each loop is drawn as one, and so are all roles in no loop"


def _except(alone: set[str], group: Callable[[str], str]) -> Callable[[str], str]:
    return lambda path: path if path in alone or path == HUMAN else group(path)


def _webhooks_together(webhooks: set[str], group: Callable[[str], str]) -> Callable[[str], str]:
    return lambda path: "webhooks of people//" if path in webhooks else group(path)


def _folder(depth: int | None) -> Callable[[str], str]:
    def group(path: str) -> str:
        return path if path == HUMAN else "/".join(path.split("/")[:-1][:depth]) + "/"

    return group


def _fleet(graph: Graph) -> Callable[[str], str]:
    # The second slash keeps these keys apart from paths and folders.
    keys = {node.path: f"{', '.join(node.fleet_ids) or 'no fleet'}//" for node in graph.nodes}
    return lambda path: keys.get(path, path)


def _component(graph: Graph) -> Callable[[str], str]:
    keys = {path: f"loop through {cycle.members[0]}//" for cycle in graph.cycles for path in cycle.members}
    return lambda path: path if path == HUMAN else keys.get(path, "roles in no loop//")


def _merge(arrows: list[_Arrow], group: Callable[[str], str]) -> list[_Arrow]:
    """Arrows between groups, in the order of their first; an arrow within a group of several stays a loop of it.

    A merged arrow is cut when all of its parts are, and trigger arrows stay apart from feeding ones.
    """
    merged: dict[tuple[str, str, bool], list[_Arrow]] = {}
    for arrow in arrows:
        merged.setdefault((group(arrow.source), group(arrow.target), arrow.feed), []).append(arrow)
    return [
        parts[0]
        if len(parts) == 1 and (source, target) == (parts[0].source, parts[0].target)
        else _Arrow(source, target, feed, all(part.cut for part in parts), (), sum(part.count for part in parts))
        for (source, target, feed), parts in merged.items()
    ]


def _part(report: Report, arrows: list[_Arrow], size: str, down: frozenset[str]) -> _Drawing:
    """When no grouping is small enough: as many arrows as fit, those of loops and of findings first."""
    looping = {path for cycle in report.graph.cycles for path in cycle.members}
    found = {path for result in report.results for path in result.finding.nodes}

    def rank(arrow: _Arrow) -> int:
        ends = (arrow.source, arrow.target)
        return 0 if looping.issuperset(ends) else 1 if not found.isdisjoint(ends) else 2

    ranked = sorted(arrows, key=rank)
    number = min(MAX_EDGES, len(ranked))
    while True:
        shown = ranked[:number]
        ends = {end for arrow in shown for end in (arrow.source, arrow.target)}
        what = f"only {len(shown)} arrows are drawn, those of loops and findings first"
        remark = f"{size}: {what}."
        boxes = [box for box in _boxes(report.graph, _identity, down) if box.key in ends][: MAX_EDGES * 2]
        text = _text(boxes, shown, remark)
        if length(text) <= MAX_LENGTH or not number:
            return _Drawing(text, remark)
        number //= 2


def _arrows(report: Report) -> list[_Arrow]:
    """Every edge of the graph, then one from people to each role that they alone can wake by some include."""
    graph = report.graph
    arrows = [
        _Arrow(
            edge.source,
            edge.target,
            feed=edge.kind != TRIGGER,
            cut=edge.cut_by_depth,
            labels=tuple(
                label
                for label, wanted in (
                    ("×N", edge.fanout),
                    ("maybe-excluded", edge.maybe_excluded),
                    ("cut", edge.cut_by_depth),
                )
                if wanted
            ),
        )
        for edge in graph.all_edges
    ]
    woken = {edge.target for edge in graph.edges if edge.kind == TRIGGER}
    dangling = {result.at.path for result in report.results if result.rule.name == "dangling-trigger"}
    for node in graph.nodes:
        role = node.role
        starts = role is not None and role.is_change and role.enabled and 0 in graph.depths.get(node.path, ())
        if starts and (node.path not in woken or node.path in dangling):
            arrows.append(_Arrow(HUMAN, node.path, feed=False, cut=False, labels=()))
    return arrows


def _boxes(graph: Graph, group: Callable[[str], str], down: frozenset[str]) -> list[_Box]:
    """The boxes by key, that of people first."""
    names = names_of(graph)
    many_fleets = len({fleet for node in graph.nodes for fleet in node.fleet_ids}) > 1
    members: dict[str, list[Node]] = {}
    for node in graph.nodes:
        members.setdefault(group(node.path), []).append(node)
    boxes = [_Box(HUMAN, _escape("👤 human"), "human")]
    css = _classes_of_fleets(graph)
    for key in sorted(members):
        nodes = members[key]
        if key == nodes[0].path:
            boxes.append(_Box(key, _label(nodes[0], names[key], many_fleets, down), _css(nodes[0], css)))
        else:
            noun = f"{nodes[0].kind}{'' if len(nodes) == 1 else 's'}"
            name = key.removesuffix("//") if key.endswith("//") else key
            owners = {node.fleet_ids for node in nodes}
            group_css = css.get(next(iter(owners)), "") if len(owners) == 1 else ""
            boxes.append(_Box(key, f"{label(name)}<br>{len(nodes)} {noun}", group_css))
    return boxes


def names_of(graph: Graph) -> Mapping[str, str]:
    """What each role is called: the stem of its file, or its whole path where two share the stem."""
    stems = {node.path: node.path.rpartition("/")[2].removesuffix(".md") for node in graph.nodes}
    seen: dict[str, int] = {}
    for stem in stems.values():
        seen[stem] = seen.get(stem, 0) + 1
    return {path: stem if seen[stem] == 1 else path.removesuffix(".md") for path, stem in stems.items()}


def _label(node: Node, name: str, many_fleets: bool, down: frozenset[str]) -> str:
    if node.kind == "webhook":
        return f"{WEBHOOK} {label(node.description.strip() or name)}"
    role = node.role
    icon = ICONS.get(role.mode, "") if role else ""
    lines = [f"{icon} {label(name)}".lstrip() + (" ×N" if role and role.for_each else "")]
    if many_fleets and node.fleet_ids:
        lines.append(label(", ".join(node.fleet_ids)))
    states = [
        state
        for state, holds in (
            ("ghost", node.ghost),
            ("paused", role is not None and not role.enabled),
            ("invalid", not node.valid),
            ("fleet down", not down.isdisjoint(node.fleet_ids)),
        )
        if holds
    ]
    if states:
        lines.append(f"({', '.join(states)})".replace("(", "#40;").replace(")", "#41;"))
    return "<br>".join(lines)


def _css(node: Node, fleets: Mapping[tuple[str, ...], str]) -> str:
    """The class of a role's box: the worst of its states, else its fleet's."""
    if node.kind == "webhook":
        return "webhook"
    if len(node.fleet_ids) > 1:
        return "conflict"
    if node.ghost:
        return "ghost"
    if not node.valid:
        return "invalid"
    if node.role is not None and not node.role.enabled:
        return "paused"
    return fleets.get(node.fleet_ids, "")


def _classes_of_fleets(graph: Graph) -> dict[tuple[str, ...], str]:
    ids = sorted({fleet for node in graph.nodes for fleet in node.fleet_ids})
    return {(fleet,): f"fleet{number}" for number, fleet in enumerate(ids, 1)}


def _text(boxes: list[_Box], arrows: list[_Arrow], remark: str) -> str:
    """The flowchart. A box that stands for people is drawn only where an arrow leaves it."""
    if not any(arrow.source == HUMAN for arrow in arrows):
        boxes = [box for box in boxes if box.key != HUMAN]
    ids = {box.key: f"n{number}" for number, box in enumerate(boxes, 1)}
    lines = ["flowchart LR"]
    lines += [f'  {ids[box.key]}["{box.label}"]' for box in boxes]
    lines += [f"  {ids[arrow.source]} {_line(arrow)} {ids[arrow.target]}" for arrow in arrows]
    if cut := [str(number) for number, arrow in enumerate(arrows) if arrow.cut]:
        lines.append(f"  linkStyle {','.join(cut)} stroke:#8c8c8c,stroke-dasharray:2 4")
    by_class: dict[str, list[str]] = {}
    for box in boxes:
        if box.css:
            by_class.setdefault(box.css, []).append(ids[box.key])
    for css in sorted(by_class):
        lines.append(f"  classDef {css} {_style(css)}")
        lines.append(f"  class {','.join(by_class[css])} {css}")
    if remark:
        lines.append(f"  %% {remark}")
    return "\n".join(lines) + "\n"


def _style(css: str) -> str:
    if css in CLASSES:
        return CLASSES[css]
    number = int(css.removeprefix("fleet")) - 1
    return f"fill:{FLEET_COLOURS[number % len(FLEET_COLOURS)]},stroke:#595959,color:#1f1f1f"


def _line(arrow: _Arrow) -> str:
    labels = list(arrow.labels)
    if arrow.count > 1:
        labels.append(str(arrow.count))
    if arrow.cut and "cut" not in labels:
        labels.append("cut")
    head = "-.->" if arrow.feed or arrow.cut else "-->"
    return f'{head}|"{", ".join(labels)}"|' if labels else head


def label(text: str) -> str:
    """A name of any kind for a label: shortened, then escaped."""
    return _escape(text if len(text) <= LABEL_LENGTH else text[: LABEL_LENGTH - 1] + "…")


def _escape(text: str) -> str:
    """The text for a quoted label: what could mean something to Mermaid, Markdown or HTML becomes `#NN;`.

    What can't be shown becomes U+FFFD; the joiners that emoji and some scripts need stay.
    """
    shown = []
    for number, character in enumerate(text):
        if "\udc80" <= character <= "\udcff":
            shown.append(f"#37;{ord(character) - 0xDC00:02X}")
        elif character in "\u200c\u200d":
            shown.append(character)
        elif not character.isprintable():
            shown.append(" " if character.isspace() else "\ufffd")
        elif character in "\\ﬂ¶":
            # Mermaid looks for `\n`, and for the marks `ﬂ°` and `¶ß` by which it keeps entities, once more after it has
            # replaced entities. A joiner of no width behind the first sign keeps each pair apart.
            shown.append(f"#{ord(character)};\u200c")
        elif character.isascii() and not character.isalnum() and character not in " -/":
            shown.append(f"#{ord(character)};")
        else:
            # A hyphen in front would start a list.
            shown.append("#45;" if character == "-" and not number else character)
    return "".join(shown)


def _health_row(item: tuple[str, Health]) -> str:
    fleet, health = item
    return f"| {_plain(cell(fleet))} | {health.state} | {cell(health.reason)} |"


def _table(results: tuple[Result, ...]) -> str:
    if not results:
        return "No findings.\n"
    worst = sorted(results, key=lambda result: WORST_FIRST[result.severity])
    lines = ["| severity | rule | where | finding | what to do |", "| --- | --- | --- | --- | --- |"]
    lines += [_row(result) for result in worst[:TABLE_ROWS]]
    if len(worst) > TABLE_ROWS:
        lines += ["", f"{len(worst) - TABLE_ROWS} more findings are left out, the least severe."]
    return "\n".join(lines) + "\n"


def _row(result: Result) -> str:
    at = result.at
    where = f"`{at.path}`:{at.span.line}:{at.span.column}" if at.path else ""
    cells = (result.severity.value, result.rule.name, where, result.finding.message, result.finding.help)
    return f"| {' | '.join(cell(text) for text in cells)} |"


def cell(text: str) -> str:
    """A sentence for a cell of a Markdown table: code in backticks stays code, all else is plain text.

    Backticks that don't pair up are shown as such.
    """
    spans = "".join(
        f"%{ord(character) - 0xDC00:02X}"
        if "\udc80" <= character <= "\udcff"
        else character
        if character.isprintable() or character in "\u200c\u200d"
        else " "
        if character.isspace()
        else "\ufffd"
        for character in text
    ).split("`")
    if len(spans) % 2 and all(span.strip() for span in spans[1::2]):
        return "`".join(span.replace("|", "\\|") if number % 2 else _plain(span) for number, span in enumerate(spans))
    return _plain("`".join(spans))


def _plain(text: str) -> str:
    return "".join(f"\\{character}" if character in "\\`*_[]<>|~#&!$" else character for character in text)
