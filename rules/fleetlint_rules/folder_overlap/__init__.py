"""Two folder fleets that could take one note."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from fleetlint.globs import Found, Like, find_path
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, page_beside
from fleetlint.vault.note import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.graph import Fleet


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    fleets = sorted((fleet for fleet in facts.graph.fleets if fleet.mode == "folder"), key=lambda fleet: fleet.id)
    for one, other in combinations(fleets, 2):
        shared = find_path(all_of=[Like(one.folder), Like(other.folder)])
        if shared is None:
            continue
        witness = shared.path if isinstance(shared, Found) else ""
        proof = f"both take `{witness}`" if witness else "may share a path; none is proven or ruled out"
        yield Finding(
            message=f"the folders of the fleets {_named(one)} and {_named(other)} overlap: {proof}, and a role there runs twice",
            help=_mend(one, other),
            place=_place(facts, max(one.line, other.line)),
            nodes=(),
            identity=(one.id, one.folder, other.id, other.folder),
            data={"fleets": [one.id, other.id], "folders": [one.folder, other.folder], "witness": witness},
        )


def _place(facts: Facts, line: int) -> Place:
    """The later of the two in the settings file; both may come from the command line."""
    return Place(facts.settings_file, span=Span(line, 1, line, 1) if line else None)


def _named(fleet: Fleet) -> str:
    return f"`{fleet.id}` (`{fleet.folder}`)"


def _mend(one: Fleet, other: Fleet) -> str:
    folders = (one.folder, other.folder)
    if any("_" in folder or "%" in folder for folder in folders):
        return "choose folder names without `_` and `%`: the server takes `_` as any character and `%` as any text"
    if one.folder.lower() == other.folder.lower():
        return "give each fleet a folder of its own; the server does not tell upper from lower case here"
    if any(not folder.endswith("/") for folder in folders):
        return "end each folder with `/`: without it the server takes every path that begins with that text"
    return "give each fleet a folder of its own, neither inside the other's"


RULE = Rule(
    name="folder-overlap",
    summary="Two fleets take roles from folders that share a path.",
    severity=Severity.ERROR,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "ownership"),
)
