"""A malformed pattern, which the server skips without a word."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.roles.written import pieces
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.roles import Role


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    for role in facts.roles.values():
        yield from _of_role(role)


def _of_role(role: Role) -> Iterator[Finding]:
    for key, globs in role.globs():
        faulty = [(index, glob, glob.fault) for index, glob in enumerate(globs) if glob.fault]
        cut = pieces(role.fields[key]) if faulty else frozenset()
        for index, glob, fault in faulty:
            # A piece of an entry that was cut on its way to the fleet is malformed because of the cut:
            # `mangled-pattern` says so, once.
            if index in cut:
                continue
            yield Finding(
                message=f"the pattern `{glob.text}` is malformed at character {fault.column}: {fault.message}; the server skips it silently, so it matches nothing",
                help="mend the pattern, or put a backslash before a bracket or brace that is meant as itself",
                place=Place(role.path, key, index),
                nodes=(role.path,),
                identity=(key, glob.text),
                data={"key": key, "pattern": glob.text, "column": fault.column},
            )


RULE = Rule(
    name="bad-pattern",
    summary="A malformed pattern matches nothing, and the server does not say so.",
    severity=Severity.ERROR,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "pattern"),
)
