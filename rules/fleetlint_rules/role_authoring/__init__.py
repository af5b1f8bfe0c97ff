"""An agent that may write role notes, and so give itself, or a successor, more powers."""

from __future__ import annotations

from bisect import bisect_left
from itertools import takewhile
from typing import TYPE_CHECKING

from fleetlint.globs import Found, Like, find_path
from fleetlint.globs.work import TooMuchWork
from fleetlint.graph.derive import writers
from fleetlint.roles.written import pieces
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, Step, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fleetlint.globs import Pattern
    from fleetlint.roles import Role

SHOWN = 3
"""So many role notes are named in a message; the data has them all."""
RELATED = 20
"""So many are pointed at beside the finding."""


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    paths = sorted(facts.roles)
    folders = _folders(facts)
    reached: dict[Pattern, tuple[str, ...]] = {}
    for role, _ in writers(facts.graph):
        if not role.enabled:
            continue
        cut = pieces(role.fields["write_patterns"]) if role.write_patterns else frozenset()
        for index, glob in enumerate(role.write_patterns):
            pattern = glob.pattern
            if pattern is None or index in cut:
                continue
            if pattern not in reached:
                reached[pattern] = tuple(_reached(pattern, paths))
            if reached[pattern]:
                yield _of_notes(role, index, reached[pattern])
            elif (found := _in_a_folder(pattern, folders)) is not None:
                yield _of_folder(role, index, *found)


def _folders(facts: Facts) -> tuple[str, ...]:
    """The folders from which fleets of the settings take roles. The whole vault is no folder: all writes are in it."""
    named = facts.graph.fleets if facts.configured else ()
    return tuple(sorted({fleet.folder for fleet in named if fleet.folder.strip("%")}))


def _reached(pattern: Pattern, paths: Sequence[str]) -> Iterator[str]:
    """The role notes that the pattern takes: those that begin as it does stand together."""
    beginning, ending = pattern.beginning, pattern.ending
    first = bisect_left(paths, beginning)
    for path in takewhile(lambda path: path.startswith(beginning), (paths[at] for at in range(first, len(paths)))):
        try:
            if path.endswith(ending) and pattern.matches(path):
                yield path
        except TooMuchWork:
            # What is not decided counts as reached: here silence would be the worse mistake.
            yield path


def _in_a_folder(pattern: Pattern, folders: Sequence[str]) -> tuple[str, str] | None:
    """The first fleet's folder in which the pattern takes some path, and that path, empty when it is not proven."""
    for folder in folders:
        answer = find_path(all_of=[pattern, Like.parse(folder)])
        if answer is not None:
            return folder, answer.path if isinstance(answer, Found) else ""
    return None


def _of_notes(role: Role, index: int, reached: tuple[str, ...]) -> Finding:
    # Its own note is the shortest way to more powers.
    named = sorted(reached, key=lambda path: (path != role.path, path))
    more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
    what = "the role note" if len(named) == 1 else f"{len(named)} role notes:"
    listed = ", ".join(f"`{path}`{' (itself)' if path == role.path else ''}" for path in named[:SHOWN])
    return _finding(
        role,
        index,
        f"`{role.write_patterns[index].text}` reaches {what} {listed}{more}",
        tuple(Step(Place(path), "this role note can be rewritten") for path in named[:RELATED]),
        {"role_notes": named},
    )


def _of_folder(role: Role, index: int, folder: str, witness: str) -> Finding:
    text = role.write_patterns[index].text
    what = f"can write `{witness}`" if witness else f"may write by `{text}`"
    return _finding(
        role,
        index,
        f"{what}, in `{folder}`, from which a fleet takes roles",
        (),
        {"witness": witness, "folder": folder},
    )


def _finding(role: Role, index: int, fact: str, related: tuple[Step, ...], data: dict[str, object]) -> Finding:
    text = role.write_patterns[index].text
    return Finding(
        message=f"{fact}, so this agent can give itself or a new role any scope and tools",
        help="narrow the write scope so that it holds no role notes; current fleets refuse such writes, older ones do not",
        place=Place(role.path, "write_patterns", index),
        nodes=(role.path,),
        identity=(text,),
        related=related,
        data={"write": text, **data},
    )


RULE = Rule(
    name="role-authoring",
    summary="An agent's write scope reaches role notes: it can give itself more powers.",
    severity=Severity.ERROR,
    check=check,
    page=page_beside(__file__),
    tags=("security", "privilege-escalation"),
    security_severity="8.0",
)
