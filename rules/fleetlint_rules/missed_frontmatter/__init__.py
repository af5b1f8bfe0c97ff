"""Frontmatter, whole or in part, that trip2g does not see as it was meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    for note in facts.near:
        if note.fault and note.fault.kind == "missed":
            yield Finding(
                message=f"{note.fault.message}; trip2g sees no role here",
                help=note.fault.help,
                place=Place(note.path, span=note.fault.span),
                nodes=(note.path,),
                data={"fault": note.fault.kind},
            )
    role_like = {*facts.roles, *(note.path for note in facts.near)}
    for path in sorted(role_like & facts.notes.keys()):
        for remark in facts.notes[path].remarks:
            yield Finding(
                message=remark.message,
                help=remark.help,
                place=Place(path, span=remark.span),
                nodes=(path,),
                identity=(remark.message,),
                data={"fault": "read otherwise"},
            )


RULE = Rule(
    name="missed-frontmatter",
    summary="Frontmatter, or a part of it, that trip2g does not see as a person meant it.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
)
