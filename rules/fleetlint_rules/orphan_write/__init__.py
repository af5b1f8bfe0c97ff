"""A write pattern that leads nowhere: no other role is woken by it or reads it, and no webhook of a person takes it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from fleetlint.globs import find_path
from fleetlint.globs.example import takes_notes
from fleetlint.graph.derive import meeting, questions_for, raised
from fleetlint.graph.owners import owners
from fleetlint.graph.webhooks import listeners
from fleetlint.roles.written import pieces
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.globs import Pattern
    from fleetlint.roles import Glob, Role


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    # An edge shows for one write pattern that it leads somewhere; only the others need a closer look.
    led = {(edge.source, edge.via.write_index) for edge in facts.graph.all_edges if edge.source != edge.target}
    running = [role for role in facts.roles.values() if role.enabled]
    events = {role.path: raised(role, owners(role, facts.graph.fleets)) for role in running}
    left = [
        (role, index, glob, glob.pattern)
        for role in running
        if events[role.path]
        for index, glob in enumerate(role.write_patterns)
        if glob.pattern and (role.path, index) not in led
    ]
    if not left:
        return
    # A webhook that a person made hands on what it takes: someone reads that.
    users = _users([*running, *(listener for _, listener in listeners(facts.registry).values())])
    takers = list(users)

    def meets(at: int, taker: int) -> bool:
        writer, _, _, pattern = left[at]
        return _leads(writer, events[writer.path], pattern, takers[taker], users[takers[taker]])

    leads = meeting([pattern for *_, pattern in left], takers, questions_for(len(running)), meets)
    cut = cache(lambda path: pieces(facts.roles[path].fields["write_patterns"]))
    for at, (role, index, glob, pattern) in enumerate(left):
        if at not in leads and index not in cut(role.path) and takes_notes(pattern):
            yield _finding(role, index, glob)


def _users(roles: list[Role]) -> dict[Pattern, list[tuple[Role, bool]]]:
    """By pattern the roles that take its paths, and whether they are woken by them (else they read them)."""
    users: dict[Pattern, list[tuple[Role, bool]]] = {}
    for role in roles:
        reads = (*role.read_patterns, *(glob for glob in role.attach_notes if not glob.negated))
        for globs, wakes in ((reads, False), (role.trigger_include if role.is_change else (), True)):
            for glob in globs:
                if glob.pattern:
                    users.setdefault(glob.pattern, []).append((role, wakes))
    return users


def _leads(writer: Role, events: frozenset[str], write: Pattern, take: Pattern, users: list[tuple[Role, bool]]) -> bool:
    others = [(role, wakes) for role, wakes in users if role.path != writer.path]
    if not others or find_path(all_of=[write, take]) is None:
        return False
    return any(not wakes or _wakes(events, write, take, role) for role, wakes in others)


def _wakes(events: frozenset[str], write: Pattern, take: Pattern, role: Role) -> bool:
    if events.isdisjoint(role.trigger_on):
        return False
    excludes = [glob.pattern for glob in role.trigger_exclude if glob.pattern]
    return not excludes or find_path(all_of=[write, take], none_of=excludes) is not None


def _finding(role: Role, index: int, glob: Glob) -> Finding:
    return Finding(
        message=f"no other role is woken by what is written to `{glob.text}`, and none reads it",
        help="let a role read it or be triggered by it; all is well where people are the readers",
        place=Place(role.path, "write_patterns", index),
        nodes=(role.path,),
        identity=(glob.text,),
        data={"write": glob.text},
    )


RULE = Rule(
    name="orphan-write",
    summary="A write pattern that no other role triggers on or reads.",
    severity=Severity.INFO,
    check=check,
    page=page_beside(__file__),
)
