"""A role that wakes many others: whatever it gets wrong, they all work on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.rule import Facts, Finding, Place, Rule, Severity, Step, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.graph import Edge

ALLOWED = 3
"""Roles that one role may wake where the settings name no number."""


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:
    allowed = int(options.get("allowed", ALLOWED))
    woken: dict[str, list[Edge]] = {}
    for edge in facts.graph.edges:
        if edge.kind == "trigger" and edge.source != edge.target and not edge.cut_by_depth:
            woken.setdefault(edge.source, []).append(edge)
    for path, edges in woken.items():
        if len(edges) > allowed:
            yield Finding(
                message=f"wakes {len(edges)} roles, the first of them `{edges[0].target}` by `{edges[0].witness}`",
                help=f"let at most {allowed} listen to what it writes, or raise `allowed`",
                place=Place(path, "write_patterns"),
                nodes=(path,),
                identity=("write_patterns",),
                related=tuple(
                    Step(Place(edge.target, edge.via.match_key, edge.via.match_index), f"is woken by `{edge.witness}`")
                    for edge in edges
                ),
                data={"woken": [edge.target for edge in edges], "allowed": allowed},
            )


RULE = Rule(
    name="hub-role",
    summary="A role that wakes more roles than are allowed.",
    severity=Severity.INFO,
    check=check,
    page=page_beside(__file__),
    numbers=("allowed",),
)
