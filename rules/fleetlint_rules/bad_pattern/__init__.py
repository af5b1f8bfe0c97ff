"""A malformed pattern, which the server skips without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.roles.written import mangled
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.roles import Role


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    for role in facts.roles.values():
        yield from _of_role(role)


def _of_role(role: Role) -> Iterator[Finding]:
    for key, globs in role.globs():
        faulty = [(index, glob) for index, glob in enumerate(globs) if glob.fault]
        # The pieces of an entry that was cut on its way to the fleet are malformed because of the cut, not by
        # themselves: `mangled-pattern` says so, once.
        cut = {index for entry in mangled(role.fields[key]) for index in entry.items} if faulty else set()
        for index, glob in faulty:
            if glob.fault is None or index in cut:
                continue
            yield Finding(
                message=f"the pattern `{glob.text}` is malformed at character {glob.fault.column}: {glob.fault.message}; the server skips it silently, so it matches nothing",
                help="mend the pattern, or put a backslash before a bracket or brace that is meant as itself",
                place=Place(role.path, key, index),
                nodes=(role.path,),
                identity=(key, glob.text),
                data={"key": key, "pattern": glob.text, "column": glob.fault.column},
            )


RULE = Rule(
    name="bad-pattern",
    summary="A malformed pattern matches nothing, and the server does not say so.",
    severity=Severity.ERROR,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "pattern"),
)
