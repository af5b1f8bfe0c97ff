"""The graph: plain frozen data, sorted, so that the same vault gives the same bytes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fleetlint.registry import Webhook
    from fleetlint.roles import Problem, Role

TRIGGER = "trigger"
FEED = "feed"

DIRECT = ""
"""The origin of chains that a direct edit starts; every other origin is the path of a cron role."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """A fleet of the settings, or one inferred from the roles. `mode` is `folder` or `selector`; `tools` is its offer."""

    id: str
    mode: str
    folder: str
    tools: tuple[str, ...]
    default: bool = False
    callback: str | None = None
    line: int = field(default=0, compare=False)
    """Where it stands in the settings file, 0 when it does not."""


@dataclass(frozen=True, slots=True)
class Node:
    """A role note, or a ghost: a registered webhook whose role is gone (then `role` is None).

    With `kind` "webhook" it is a webhook that a person made and that a role's writes can make fire; `path` is `webhook:<id>`.
    """

    path: str
    role: Role | None
    fleet_ids: tuple[str, ...]
    registered: bool
    errors: tuple[Problem, ...] = ()
    kind: str = "role"
    webhook: Webhook | None = None
    """Only of a webhook that a person made."""

    @property
    def ghost(self) -> bool:
        return self.role is None and self.kind == "role"

    @property
    def valid(self) -> bool:
        return not self.errors

    @property
    def description(self) -> str:
        """What people call it, empty where they don't."""
        return self.role.description if self.role else self.webhook.description if self.webhook else ""


class Via(NamedTuple):
    """The pair of patterns that meets: the texts as the fleet sees them, with key and index of each in its role.

    The best pair is the one with the best witness; `match_key` is `trigger_include`, `read_patterns` or `attach_notes`.
    """

    write: str
    write_index: int
    match: str
    match_key: str
    match_index: int


@dataclass(frozen=True, slots=True)
class Edge:
    """`source` can wake (`trigger`) or feed (`feed`) `target`; `witness` is a path that shows it, empty when not exact.

    `live` and `cut` are the origins (`DIRECT` or a cron role's path) whose chains cross the edge, and whose chains
    reach `source` but are stopped here by `max_depth`. A feed edge has neither.
    """

    source: str
    target: str
    kind: str
    via: Via
    witness: str
    exact: bool
    fanout: bool
    maybe_excluded: bool = False
    live: frozenset[str] = frozenset()
    cut: frozenset[str] = frozenset()

    @property
    def cut_by_depth(self) -> bool:
        """Whether no chain at all crosses the edge, for depth or because its source never runs."""
        return self.kind == TRIGGER and not self.live


@dataclass(frozen=True, slots=True)
class Cycle:
    """A strongly connected component of two or more roles over trigger edges (self-triggers do not count).

    `loop` is one shortest closed walk through the smallest member that can be closed shortest, edge by edge.
    `reruns` says for each member how many further depths it can run at after one direct edit that wakes it.
    """

    members: tuple[str, ...]
    loop: tuple[Edge, ...]
    lap_budget: int
    reruns: Mapping[str, int]


class SelfTrigger(NamedTuple):
    """A role whose writes wake it; `reruns` as in `Cycle`, over its own edge alone."""

    edge: Edge
    lap_budget: int
    reruns: int


@dataclass(frozen=True, slots=True)
class Graph:
    """Everything derived. Nodes by path; edges by source, target, kind; cycles by members.

    `depths[path]` are the depths at which a role can run, ascending, over all origins; empty when it never runs.
    `edited` are the roles that some direct edit wakes. `webhook_edges` are the trigger edges to webhooks of people, apart
    from `edges`, which lie between roles: whatever follows edges ends there.
    """

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    fleets: tuple[Fleet, ...]
    cycles: tuple[Cycle, ...]
    self_triggers: tuple[SelfTrigger, ...]
    depths: Mapping[str, tuple[int, ...]]
    edited: frozenset[str] = frozenset()
    webhook_edges: tuple[Edge, ...] = ()

    @property
    def all_edges(self) -> tuple[Edge, ...]:
        """Those between roles and those to webhooks, by source, target, kind."""
        if not self.webhook_edges:
            return self.edges
        edges = (*self.edges, *self.webhook_edges)
        return tuple(sorted(edges, key=lambda edge: (edge.source, edge.target, edge.kind)))
