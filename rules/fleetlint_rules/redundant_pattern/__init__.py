"""A pattern that the others of its list make superfluous, and an exclude that excludes nothing."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fleetlint.roles.written import pieces
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside
from fleetlint_rules.redundant_pattern.lists import apart, covered_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.edits import Mend
    from fleetlint.globs import Pattern
    from fleetlint.roles import Glob, Role
    from fleetlint_rules.redundant_pattern.lists import Covered

Question = tuple[tuple["Pattern", bool], ...]
"""The patterns of a list that count, and whether a note may only be dropped from it as a twin."""


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    known: dict[Question, Covered] = {}
    for role in facts.roles.values():
        for key, globs in role.globs():
            covered = list(_superfluous(role, key, globs, known)) if len(globs) > 1 else []
            yield from covered
            if key == "trigger_exclude" and globs and role.is_change:
                yield from _excludes_nothing(role, {found.place.item for found in covered})


def _superfluous(role: Role, key: str, globs: tuple[Glob, ...], known: dict[Question, Covered]) -> Iterator[Finding]:
    # Pieces of an entry that was cut on its way are nobody's patterns: `mangled-pattern` speaks of them.
    cut = pieces(role.fields[key])
    # Each plain entry of `attach_notes` asks for a note of its own, each `!` entry for the absence of all it takes.
    for negated in (False, True) if key == "attach_notes" else (False,):
        listed = [
            (index, glob, glob.pattern)
            for index, glob in enumerate(globs)
            if glob.pattern and glob.negated == negated and index not in cut
        ]
        only_twins = key == "attach_notes" and not negated
        question = tuple((pattern, only_twins) for *_, pattern in listed)
        if question not in known:
            known[question] = covered_of([pattern for *_, pattern in listed], only_twins)
        for number, by in known[question].items():
            index, glob, _ = listed[number]
            yield _finding(role, key, index, glob.text, tuple(listed[other][1].text for other in by))


def _excludes_nothing(role: Role, covered: set[int | None]) -> Iterator[Finding]:
    cut = pieces(role.fields["trigger_exclude"])
    # A leading `!` is odd in another way.
    excludes = [
        (index, glob.text, glob.pattern)
        for index, glob in enumerate(role.trigger_exclude)
        if glob.pattern and index not in cut and index not in covered and not glob.text.startswith("!")
    ]
    includes = [glob.pattern for glob in role.trigger_include if glob.pattern]
    for number in apart([pattern for *_, pattern in excludes], includes) if includes else ():
        index, text, _ = excludes[number]
        yield _finding(role, "trigger_exclude", index, text, ())


def _finding(role: Role, key: str, index: int, text: str, by: tuple[str, ...]) -> Finding:
    together = " together" if len(by) > 1 else ""
    covering = " and ".join(f"`{one}`" for one in by)
    if text in by:
        fact = f"`{text}` is in `{key}` twice"
    elif by:
        fact = f"all that `{text}` takes is taken by {covering}{together} already"
    else:
        fact = f"`{text}` excludes nothing: no include takes any of its notes"
    return Finding(
        message=fact,
        help="drop it" if by else "drop it, or write the folder that is to be excluded",
        place=Place(role.path, key, index),
        nodes=(role.path,),
        identity=(key, text, *by),
        data={"key": key, "pattern": text, "covered_by": list(by)},
        mends=partial(_mends, role.path, key, text) if text not in by else tuple,
    )


def _mends(path: str, key: str, text: str) -> Iterator[Mend]:
    from fleetlint.edits import Edit, Mend

    yield Mend((Edit(path, "remove", key, (text,)),), f"drop `{text}` from `{key}` of `{path}`")


RULE = Rule(
    name="redundant-pattern",
    summary="A pattern that the others of its list cover, or an exclude that excludes nothing.",
    severity=Severity.INFO,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "pattern"),
)
