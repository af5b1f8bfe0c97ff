"""A role that may write every note of the vault."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.globs import Pattern, find_path
from fleetlint.graph.derive import writers
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.roles import Role

EVERY_NOTE = "**/*.md"
"""A vault is a tree of Markdown notes: who may write these may write all of it."""


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    every = Pattern.parse(EVERY_NOTE)
    for role, _ in writers(facts.graph):
        scope = [glob.pattern for glob in role.write_patterns if glob.pattern]
        # Where each pattern begins with some text of its own, notes that begin otherwise are left: nearly all scopes are so.
        is_partial = all(pattern.beginning for pattern in scope)
        if role.enabled and not is_partial and find_path(all_of=[every], none_of=scope) is None:
            yield _finding(role, every)


def _finding(role: Role, every: Pattern) -> Finding:
    alone = next(
        (
            (index, glob.text)
            for index, glob in enumerate(role.write_patterns)
            if glob.pattern and find_path(all_of=[every], none_of=[glob.pattern]) is None
        ),
        None,
    )
    index, text = alone or (0, "")
    texts = [glob.text for glob in role.write_patterns if glob.pattern]
    what = f"`{text}` takes" if text else "its write patterns together take"
    return Finding(
        message=f"may write every note of the vault: {what} all of them, role notes included",
        help="name the folders that it has to write into, such as `wiki/**`",
        place=Place(role.path, "write_patterns", index),
        nodes=(role.path,),
        identity=(text,) if text else tuple(sorted(texts)),
        data={"write": [text] if text else texts},
    )


RULE = Rule(
    name="unbounded-write",
    summary="A role whose write scope covers the whole vault.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "security"),
    security_severity="6.0",
)
