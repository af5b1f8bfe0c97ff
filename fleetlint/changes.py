"""What changed between two lintings of one vault: roles, owners, edges, budgets and findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fleetlint.settings import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fleetlint.graph.budget import Count
    from fleetlint.graph.model import Edge, Graph, Node
    from fleetlint.lint import Report, Result

BODY = "body"
"""The name that stands for a note's text below its header among the changed fields."""


class FieldChange(NamedTuple):
    """A key of a role's header with its value as the server renders it, None where it is missing.

    The text below the header counts as a field, BODY, whose values are not told.
    """

    key: str
    before: str | None
    after: str | None


class RoleChange(NamedTuple):
    """A role that appears (`before` is None), disappears (`after` is None), or whose fields changed."""

    path: str
    before: Node | None
    after: Node | None
    fields: tuple[FieldChange, ...] = ()


class OwnerChange(NamedTuple):
    """The fleets that take a role, by id, where they are others than before."""

    path: str
    before: tuple[str, ...]
    after: tuple[str, ...]


class EdgeChange(NamedTuple):
    """An edge that appears (`before` is None), disappears (`after` is None), or that depth cuts or lets live anew."""

    before: Edge | None
    after: Edge | None

    @property
    def edge(self) -> Edge:
        """The edge as it is, or was."""
        edge = self.after or self.before
        assert edge is not None
        return edge

    @property
    def kind(self) -> str:
        """`new`, `gone`, `cut` (it was live) or `live` (it was cut)."""
        if self.before is None:
            return "new"
        if self.after is None:
            return "gone"
        return "cut" if self.after.cut_by_depth else "live"


class Runs(NamedTuple):
    """The most runs that one start brings about; `total` is None where they are too many to be counted."""

    total: Count | None


class BudgetChange(NamedTuple):
    """What the start of a role costs where it costs more or less than before: `start` is `edit` (a direct edit that wakes
    the role) or `tick` (of its schedule). None where it does not start so."""

    path: str
    start: str
    before: Runs | None
    after: Runs | None


class Changes(NamedTuple):
    """All changes, each kind in the order of its paths.

    `fleets` are ids that are new and ids that are gone. `new` are findings that were not there, or were less severe;
    `gone` those that are not there any more. What is suppressed is not there.
    """

    roles: tuple[RoleChange, ...]
    fleets: tuple[tuple[str, ...], tuple[str, ...]]
    owners: tuple[OwnerChange, ...]
    edges: tuple[EdgeChange, ...]
    budgets: tuple[BudgetChange, ...]
    new: tuple[Result, ...]
    gone: tuple[Result, ...]


def compare(before: Report, after: Report) -> Changes:
    """What changed from one report of a vault to another one."""
    old, new = before.graph, after.graph
    was, now = ({result.fingerprint: result for result in report.results} for report in (before, after))
    return Changes(
        roles=_roles(before, after),
        fleets=(_other_ids(new, old), _other_ids(old, new)),
        owners=_owners(old, new),
        edges=_edges(old, new),
        budgets=_budgets(old, new),
        new=tuple(result for key, result in now.items() if key not in was or _is_worse(result, was[key])),
        gone=tuple(result for key, result in was.items() if key not in now),
    )


def _is_worse(result: Result, before: Result) -> bool:
    return SEVERITIES.index(result.severity) < SEVERITIES.index(before.severity)


def _other_ids(graph: Graph, other: Graph) -> tuple[str, ...]:
    """The ids of the fleets that only the first graph has."""
    return tuple(sorted({fleet.id for fleet in graph.fleets} - {fleet.id for fleet in other.fleets}))


def _roles(old: Report, new: Report) -> tuple[RoleChange, ...]:
    was, now = _by_path(old.graph), _by_path(new.graph)
    # A note that did not change is read once for both revisions.
    same = {path for path, note in new.notes.items() if note is old.notes.get(path)}
    found = []
    for path in sorted((was.keys() | now.keys()) - (was.keys() & now.keys() & same)):
        before, after = was.get(path), now.get(path)
        fields = _fields(before, after) if before and after else ()
        if before is None or after is None or fields:
            found.append(RoleChange(path, before, after, fields))
    return tuple(found)


def _by_path(graph: Graph) -> Mapping[str, Node]:
    """The roles; webhooks whose note is gone are no roles."""
    return {node.path: node for node in graph.nodes if node.role}


def _fields(before: Node, after: Node) -> tuple[FieldChange, ...]:
    was, now = before.role, after.role
    if was is None or now is None:
        return ()
    old, new = was.fields, now.fields
    changed = [
        FieldChange(key, old[key].raw if key in old else None, new[key].raw if key in new else None)
        for key in dict.fromkeys((*new, *old))
        if key not in old or key not in new or old[key].raw != new[key].raw
    ]
    return (*changed, *([FieldChange(BODY, None, None)] if was.body != now.body else []))


def _owners(old: Graph, new: Graph) -> tuple[OwnerChange, ...]:
    was = {node.path: node.fleet_ids for node in old.nodes}
    return tuple(
        OwnerChange(node.path, was[node.path], node.fleet_ids)
        for node in new.nodes
        if node.path in was and was[node.path] != node.fleet_ids
    )


def _edges(old: Graph, new: Graph) -> tuple[EdgeChange, ...]:
    was, now = ({(edge.source, edge.target, edge.kind): edge for edge in graph.all_edges} for graph in (old, new))
    changes = []
    for key in sorted(was.keys() | now.keys()):
        before, after = was.get(key), now.get(key)
        if before is None or after is None or before.cut_by_depth != after.cut_by_depth:
            changes.append(EdgeChange(before, after))
    return tuple(changes)


def _budgets(old: Graph, new: Graph) -> tuple[BudgetChange, ...]:
    was, now = _runs(old), _runs(new)
    return tuple(
        BudgetChange(*key, was.get(key), now.get(key))
        for key in sorted(was.keys() | now.keys())
        if was.get(key) != now.get(key)
    )


def _runs(graph: Graph) -> dict[tuple[str, str], Runs]:
    """What each start of a role costs, by path and kind of start."""
    from fleetlint.graph.flow import flow
    from fleetlint.graph.waves import on_start, run_totals

    currents = flow(graph)
    totals = run_totals(currents)
    return {
        (currents.roles[role].path, start): Runs(count)
        for start, roles in (("edit", currents.first), ("tick", currents.ticking))
        for role, count in on_start(currents, roles, totals).items()
    }
