"""Patterns that are valid and hardly ever meant: each kind with the spelling that was."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.roles.written import pieces
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fleetlint.edits import Mend
    from fleetlint.roles import Glob, Role


class Doubt(NamedTuple):
    """A kind of oddity, what is odd in one sentence, and the mend.

    `meant` is the pattern that was meant, empty where the entry is to be dropped, None where that can be several.
    """

    kind: str
    fact: str
    mend: str
    meant: str | None = None


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    from fleetlint_rules.suspicious_pattern.doubts import Folders, doubt

    folders = Folders(facts.folders)
    known: dict[tuple[str, str, bool], Doubt | None] = {}
    for role in facts.roles.values():
        for key, globs in role.globs():
            yield from _of_list(role, key, globs, lambda key, glob: doubt(key, glob, folders), known)


def _of_list(
    role: Role,
    key: str,
    globs: tuple[Glob, ...],
    doubt: Callable[[str, Glob], Doubt | None],
    known: dict[tuple[str, str, bool], Doubt | None],
) -> Iterator[Finding]:
    cut: frozenset[int] | None = None
    for index, glob in enumerate(globs):
        question = (key, glob.text, glob.negated)
        if question not in known:
            known[question] = doubt(key, glob)
        found = known[question]
        # A piece of an entry that was cut on its way is odd because of the cut: `mangled-pattern` says so.
        cut = pieces(role.fields[key]) if found and cut is None else cut
        if found and index not in (cut or ()):
            yield Finding(
                message=found.fact,
                help=found.mend,
                place=Place(role.path, key, index),
                nodes=(role.path,),
                identity=(key, glob.text, found.kind),
                data={"key": key, "pattern": glob.text, "doubt": found.kind},
                mends=partial(_mends, role, key, index, found),
            )


def _mends(role: Role, key: str, index: int, found: Doubt) -> Iterator[Mend]:
    from fleetlint.edits import Edit, Mend

    items = [item.text for item in role.fields[key].items]
    old = items[index]
    if found.kind == "negation" and key == "trigger_include" and found.meant:
        edits = (Edit(role.path, "remove", key, (old,)), Edit(role.path, "add", "trigger_exclude", (found.meant,)))
        yield Mend(edits, f"move `{found.meant}` of `{role.path}` from `{key}` to `trigger_exclude`", cuts=None)
    elif found.meant:
        items[index] = ("!" if key == "attach_notes" and old.lstrip().startswith("!") else "") + found.meant
        sentence = f"write `{items[index]}` for `{old}` in `{key}` of `{role.path}`"
        yield Mend((Edit(role.path, "items", key, tuple(items)),), sentence, cuts=None)
    elif found.meant == "":
        sentence = f"drop the empty entry from `{key}` of `{role.path}`"
        yield Mend((Edit(role.path, "remove", key, (old,)),), sentence, cuts=None)


RULE = Rule(
    name="suspicious-pattern",
    summary="A valid pattern that hardly ever means what it says.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "pattern"),
)
