"""A trigger that no edit can ever set off."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from fleetlint.globs import covers, find_path
from fleetlint.globs.example import takes_notes
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.edits import Mend
    from fleetlint.globs import Pattern
    from fleetlint.roles import Glob, Role

EVENTS = ("create", "update", "remove")

MOST_PAIRS = 100_000
"""So many pairs of an include and an exclude are looked at in one role, the first in the order of the note."""


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    for role in facts.roles.values():
        if role.is_change:
            yield from _unknown_events(role)
            yield from _swallowed(role)


def _unknown_events(role: Role) -> Iterator[Finding]:
    if not role.trigger_on or set(role.trigger_on) & set(EVENTS):
        return
    listed = ", ".join(f"`{event}`" for event in role.trigger_on[:4])
    meant = list(dict.fromkeys(found for event in role.trigger_on if (found := _meant(event))))
    yield Finding(
        message=f"`trigger_on` holds no event that trip2g knows ({listed}), so no edit ever wakes this role",
        help=f"write `trigger_on: [{', '.join(meant)}]`" if meant else "use `create`, `update` or `remove`",
        place=Place(role.path, "trigger_on", 0),
        nodes=(role.path,),
        identity=("trigger_on", *role.trigger_on),
        data={"trigger_on": list(role.trigger_on)},
        mends=partial(_mends, role.path, tuple(meant)) if meant else tuple,
    )


def _mends(path: str, events: tuple[str, ...]) -> Iterator[Mend]:
    from fleetlint.edits import Edit, Mend

    sentence = f"write `trigger_on: [{', '.join(events)}]` in `{path}`"
    yield Mend((Edit(path, "items", "trigger_on", events),), sentence, cuts=None)


def _meant(event: str) -> str | None:
    """The known event that a person most likely had in mind."""
    plain = event.lower()
    for known, signs in (
        ("create", ("creat", "add", "new")),
        ("remove", ("remov", "delet")),
        ("update", ("updat", "chang", "edit", "modif")),
    ):
        if plain.startswith(signs):
            return known
    return None


def _swallowed(role: Role) -> Iterator[Finding]:
    excludes = [(glob, glob.pattern) for glob in role.trigger_exclude if glob.pattern]
    # An include that takes no note path at all is odd by itself; no exclude swallows it.
    includes = [
        (index, glob, glob.pattern)
        for index, glob in enumerate(role.trigger_include)
        if glob.pattern and excludes and takes_notes(glob.pattern)
    ]
    out = [pattern for _, pattern in excludes]
    asked = islice(includes, 1 + MOST_PAIRS // len(out)) if out else ()
    dead = [entry for entry in asked if find_path(all_of=[entry[2]], none_of=out) is None]
    everything = len(dead) == len(includes)
    for index, glob, pattern in dead[:1] if everything else dead:
        swallowing = _swallowing(pattern, excludes)
        by = " and ".join(f"`{text}`" for text in swallowing)
        together = " together" if len(swallowing) > 1 else ""
        excluded = f"excluded by {by}{together}"
        if everything and len(dead) > 1:
            fact = f"all that the {len(dead)} includes take is excluded (`{glob.text}` is {excluded}), so no edit ever wakes this role"
        elif everything:
            fact = f"all that `{glob.text}` takes is {excluded}, so no edit ever wakes this role"
        else:
            fact = f"all that `{glob.text}` takes is {excluded}, so this include never wakes the role"
        yield Finding(
            message=fact,
            help="narrow the exclude, or drop the include",
            place=Place(role.path, "trigger_include", index),
            nodes=(role.path,),
            identity=(glob.text, *swallowing),
            data={
                "includes": [entry[1].text for entry in (dead if everything else [(index, glob, pattern)])],
                "excludes": list(swallowing),
                "never_wakes": everything,
            },
        )


def _swallowing(include: Pattern, excludes: list[tuple[Glob, Pattern]]) -> tuple[str, ...]:
    """The first exclude that does it alone, else those that take a part."""
    for glob, pattern in excludes:
        if covers(pattern, include):
            return (glob.text,)
    return tuple(glob.text for glob, pattern in excludes if find_path(all_of=[include, pattern]) is not None)


RULE = Rule(
    name="dead-trigger",
    summary="A trigger that no edit can set off: its excludes take all, or it listens to no known event.",
    severity=Severity.ERROR,
    check=check,
    page=page_beside(__file__),
)
