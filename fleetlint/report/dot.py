"""The graph for Graphviz: solid arrows wake, dashed ones feed, grey dotted ones are cut by depth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.graph.model import TRIGGER

if TYPE_CHECKING:
    from fleetlint.graph.model import Edge, Node
    from fleetlint.lint import Report
    from fleetlint.report import Context


def render(report: Report, context: Context) -> str:  # noqa: ARG001 - every format has this signature
    """A digraph with a final newline. Nodes have generated ids; the label is the role's path."""
    graph = report.graph
    ids = {node.path: f"n{number}" for number, node in enumerate(graph.nodes, 1)}
    lines = ["digraph fleetlint {", "  rankdir=LR;", "  node [shape=box, style=rounded];"]
    lines += [f"  {ids[node.path]} [{_node(node)}];" for node in graph.nodes]
    lines += [f"  {ids[edge.source]} -> {ids[edge.target]} [{_edge(edge)}];" for edge in graph.all_edges]
    return "\n".join([*lines, "}"]) + "\n"


def _node(node: Node) -> str:
    if node.kind == "webhook":
        return f"label={_quoted(f'{node.path} {node.description}'.rstrip())}, shape=cds"
    look = f"label={_quoted(node.path)}"
    if len(node.fleet_ids) > 1 or not node.valid:
        return f"{look}, color=red"
    paused = node.role is not None and not node.role.enabled
    return f'{look}, style="rounded,dashed", color=gray' if node.ghost or paused else look


def _edge(edge: Edge) -> str:
    shown = edge.witness or f"{edge.via.write} (not proven)"
    if edge.kind != TRIGGER:
        return f"label={_quoted(shown)}, style=dashed"
    return f"label={_quoted(shown)}" + (", style=dotted, color=gray" if edge.cut_by_depth else "")


def _quoted(text: str) -> str:
    """A DOT string that shows the text as it is, a byte of a name that is not UTF-8 as `%XX`.

    A backslash begins an escape in a label, and `&` an HTML entity.
    """
    shown = "".join(
        f"%{ord(character) - 0xDC00:02X}"
        if "\udc80" <= character <= "\udcff"
        else character
        if character.isprintable()
        else "\ufffd"
        for character in text
    )
    escaped = shown.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{escaped}"'
