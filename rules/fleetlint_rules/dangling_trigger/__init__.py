"""An include that no role writes into: where people set the fleet going."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from fleetlint.globs import find_path
from fleetlint.globs.example import takes_notes
from fleetlint.graph import TRIGGER
from fleetlint.graph.derive import meeting, questions_for, raised
from fleetlint.graph.owners import owners
from fleetlint.roles.written import pieces
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.roles import Glob, Role


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    # An edge shows for one include that a role writes into it; only the others need a closer look.
    fed = {(edge.target, edge.via.match_index) for edge in facts.graph.edges if edge.kind == TRIGGER}
    running = [role for role in facts.roles.values() if role.enabled]
    left = [
        (role, index, glob, glob.pattern)
        for role in running
        if role.is_change
        for index, glob in enumerate(role.trigger_include)
        if glob.pattern and (role.path, index) not in fed
    ]
    # Events and excludes do not count: a role that writes here shows that the place is not one for people.
    writers = [role for role in running if raised(role, owners(role, facts.graph.fleets))]
    written = list(dict.fromkeys(glob.pattern for role in writers for glob in role.write_patterns if glob.pattern))
    reached = meeting(
        [pattern for *_, pattern in left],
        written,
        questions_for(len(running)),
        lambda at, writer: find_path(all_of=[written[writer], left[at][3]]) is not None,
    )
    cut = cache(lambda path: pieces(facts.roles[path].fields["trigger_include"]))
    for at, (role, index, glob, pattern) in enumerate(left):
        if at not in reached and index not in cut(role.path) and takes_notes(pattern):
            yield _finding(role, index, glob)


def _finding(role: Role, index: int, glob: Glob) -> Finding:
    return Finding(
        message=f"no role writes into `{glob.text}`, so only people can wake this role there",
        help="if a role should feed it, check the spelling of its write pattern; an entry point that is meant needs no mending",
        place=Place(role.path, "trigger_include", index),
        nodes=(role.path,),
        identity=(glob.text,),
        data={"match": glob.text},
    )


RULE = Rule(
    name="dangling-trigger",
    summary="A trigger that no role writes into: an entry point for people.",
    severity=Severity.INFO,
    check=check,
    page=page_beside(__file__),
)
