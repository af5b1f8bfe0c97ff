"""A role note whose YAML does not parse: the role has silently ceased to exist."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.edits import Mend


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    for note in facts.near:
        if note.fault and note.fault.kind == "broken":
            yield Finding(
                message=f"{note.fault.message}; trip2g sees no role here",
                help=note.fault.help,
                place=Place(note.path, span=note.fault.span),
                nodes=(note.path,),
                data={"fault": note.fault.kind},
                mends=partial(_mends, note.path, note.fault.span.line),
            )


def _mends(path: str, line: int) -> Iterator[Mend]:
    from fleetlint.edits import Edit, Mend

    yield Mend(
        (Edit(path, "quote", str(line)),), f"put in quotes what YAML misreads on line {line} of `{path}`", cuts=None
    )


RULE = Rule(
    name="broken-frontmatter",
    summary="The YAML of a role note does not parse, so the role has silently ceased to exist.",
    severity=Severity.ERROR,
    check=check,
    page=page_beside(__file__),
)
