"""A role that fleetlint wakes by writing its own graph note."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fleetlint.globs.normal import normalised
from fleetlint.graph.touch import woken
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.edits import Mend
    from fleetlint.roles import Role


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    note = normalised(facts.graph_note)
    for taken in woken(facts.roles.values(), note):
        yield _finding(taken.role, taken.at, note, facts.settings_file)


def _finding(role: Role, index: int, note: str, settings: str) -> Finding:
    text = role.trigger_include[index].text
    elsewhere = f"set `graph_note` in `{settings or '.fleetlint.yaml'}` to a path that no role takes"
    return Finding(
        message=f"`{text}` takes `{note}`, the note into which fleetlint writes the graph: each new graph wakes this role",
        help=f"add `{note}` to `trigger_exclude`, or {elsewhere}",
        place=Place(role.path, "trigger_include", index),
        nodes=(role.path,),
        identity=(text, note),
        data={"match": text, "witness": note},
        mends=partial(_mends, role.path, note),
    )


def _mends(path: str, note: str) -> Iterator[Mend]:
    from fleetlint.edits import Edit, Mend

    yield Mend((Edit(path, "add", "trigger_exclude", (note,)),), f"exclude `{note}` from what wakes `{path}`")


RULE = Rule(
    name="graph-note-trigger",
    summary="The note into which fleetlint writes the graph is in some role's trigger.",
    severity=Severity.ERROR,
    check=check,
    page=page_beside(__file__),
)
