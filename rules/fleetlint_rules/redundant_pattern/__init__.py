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

Entry = tuple[int, str, "Pattern"]
"""An entry of a list: its index, its text, its pattern."""
Question = tuple[tuple["Pattern", ...], bool]
"""The patterns of a list that count, and whether only a twin is superfluous in it."""


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    known: dict[Question, Covered] = {}
    for role in facts.roles.values():
        for key, globs in role.globs():
            covered = list(_superfluous(role, key, globs, known)) if len(globs) > 1 else []
            yield from covered
            if key == "trigger_exclude" and globs and role.is_change:
                yield from _excludes_nothing(role, {found.place.item for found in covered})


def _superfluous(role: Role, key: str, globs: tuple[Glob, ...], known: dict[Question, Covered]) -> Iterator[Finding]:
    # Each plain entry of `attach_notes` asks for a note of its own, each `!` entry for the absence of all it takes.
    for negated in (False, True) if key == "attach_notes" else (False,):
        listed = [
            (index, glob.text, glob.pattern)
            for index, glob in enumerate(globs)
            if glob.pattern and glob.negated == negated
        ]
        only_twins = key == "attach_notes" and not negated
        found = _asked(listed, only_twins, known)
        if found and (cut := pieces(role.fields[key])):
            # Pieces of an entry that was cut on its way are nobody's patterns: `mangled-pattern` speaks of them.
            listed = [entry for entry in listed if entry[0] not in cut]
            found = _asked(listed, only_twins, known)
        for number, by in found.items():
            index, text, _ = listed[number]
            yield _finding(role, key, index, text, tuple(listed[other][1] for other in by))


def _asked(listed: list[Entry], only_twins: bool, known: dict[Question, Covered]) -> Covered:
    if len(listed) < 2:
        return {}
    question = (tuple([pattern for *_, pattern in listed]), only_twins)
    if question not in known:
        known[question] = covered_of(question[0], only_twins)
    return known[question]


def _excludes_nothing(role: Role, covered: set[int | None]) -> Iterator[Finding]:
    # A leading `!` is odd in another way.
    excludes = [
        (index, glob.text, glob.pattern)
        for index, glob in enumerate(role.trigger_exclude)
        if glob.pattern and index not in covered and not glob.text.startswith("!")
    ]
    includes = [glob.pattern for glob in role.trigger_include if glob.pattern]
    found = apart([pattern for *_, pattern in excludes], includes) if includes else []
    cut = pieces(role.fields["trigger_exclude"]) if found else frozenset()
    for index, text, _ in (excludes[number] for number in found):
        if index not in cut:
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
