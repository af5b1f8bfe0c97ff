"""A role that a fleet refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    for node in facts.graph.nodes:
        for problem in node.errors:
            yield Finding(
                message=problem.message,
                help=problem.help,
                place=Place(node.path, problem.key, problem.item, problem.span),
                nodes=(node.path,),
                # Two errors of one key differ in what they say.
                identity=(problem.key or "", problem.message),
                data={"key": problem.key},
            )


RULE = Rule(
    name="invalid-role",
    summary="A role that the fleet refuses: it registers nothing for it.",
    severity=Severity.ERROR,
    check=check,
    page=page_beside(__file__),
)
