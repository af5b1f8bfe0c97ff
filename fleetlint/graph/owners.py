"""Which fleets take which role, by the settings, by the roles themselves, and by what is registered."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from fleetlint.globs import Like
from fleetlint.globs.work import TooMuchWork
from fleetlint.graph.model import Fleet
from fleetlint.roles import DEFAULT_TOOLS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fleetlint.registry import Registry
    from fleetlint.roles import Role

FOLDER = "folder"
SELECTOR = "selector"

UNNAMED = ""
"""The id of the one fleet of a vault whose roles name none: a checkout alone does not tell its real id."""


def inferred_fleets(roles: Sequence[Role]) -> tuple[Fleet, ...]:
    """The fleets of a vault without settings, by id.

    Each `fleet_id` is a selector fleet over the whole vault. When no role has one, a single folder fleet without a
    name takes all.
    """
    ids = sorted({role.fleet_id for role in roles if role.fleet_id})
    if not ids and roles:
        return (Fleet(UNNAMED, FOLDER, "", DEFAULT_TOOLS),)
    return tuple(Fleet(fleet_id, SELECTOR, "", DEFAULT_TOOLS) for fleet_id in ids)


def owners(role: Role, fleets: Sequence[Fleet]) -> tuple[Fleet, ...]:
    """The fleets that take the role, in their order; two of them run it twice.

    A folder fleet takes what lies in its folder, whatever `fleet_id` says. A selector fleet takes under its folder
    what names it and, when it is the default fleet, what names none.
    """
    return tuple(fleet for fleet in fleets if _wants(fleet, role) and holds(fleet.folder, role.path))


def owners_of_all(roles: Sequence[Role], fleets: Sequence[Fleet]) -> list[tuple[Fleet, ...]]:
    """The owners of each role. Each role meets only the fleets that may want it: there can be as many as roles."""
    named: dict[str, list[Fleet]] = {}
    others: list[Fleet] = []
    for fleet in fleets:
        if fleet.mode == SELECTOR and not fleet.default:
            named.setdefault(fleet.id, []).append(fleet)
        else:
            others.append(fleet)
    return [owners(role, [*named.get(role.fleet_id, ()), *others]) for role in roles]


def claims(registry: Registry | None) -> Mapping[str, frozenset[str]]:
    """By note path the ids of the fleets that have registered a webhook for it."""
    found: dict[str, set[str]] = {}
    for webhook in registry.webhooks if registry else ():
        if webhook.marker:
            found.setdefault(webhook.marker.path, set()).add(webhook.marker.fleet_id)
    return {path: frozenset(ids) for path, ids in found.items()}


def owner_ids(taking: Sequence[Fleet], claiming: frozenset[str]) -> tuple[str, ...]:
    """The ids of all fleets that have to do with a role, sorted: those that take it and those that registered it.

    The fleet without a name gives way to the one that registered the role, for that is its name.
    """
    ids = {fleet.id for fleet in taking} | claiming
    return tuple(sorted(ids - {UNNAMED} if claiming else ids))


def with_callbacks(fleets: Sequence[Fleet], registry: Registry | None) -> tuple[Fleet, ...]:
    """The fleets, each with the callback base that more than half of its webhooks have; None where there is no such.

    The fleet without a name has that of the only fleet that has registered anything.
    """
    if registry is None:
        return tuple(fleets)
    from fleetlint.registry.delivery import callback_of_most, callbacks

    by_fleet = {fleet_id: callback_of_most(bases) for fleet_id, bases in callbacks(registry).items()}
    if len(by_fleet) == 1:
        by_fleet[UNNAMED] = next(iter(by_fleet.values()))
    return tuple(replace(fleet, callback=by_fleet.get(fleet.id)) for fleet in fleets)


def offered(taking: Sequence[Fleet]) -> tuple[str, ...]:
    """The tools that all of these fleets offer, or the default offer where no fleet takes the role."""
    if not taking:
        return DEFAULT_TOOLS
    return tuple(tool for tool in taking[0].tools if all(tool in fleet.tools for fleet in taking))


def _wants(fleet: Fleet, role: Role) -> bool:
    if fleet.mode == FOLDER:
        return True
    return role.fleet_id == fleet.id if role.fleet_id else fleet.default


def holds(folder: str, path: str) -> bool:
    """Whether a path lies in a fleet's folder, as `LIKE folder%` reads it."""
    if not folder:
        return True
    try:
        return _like(folder).matches(path)
    except TooMuchWork:
        # A folder of thousands of `%`. Better a claim too many than a role that seems to run nowhere.
        return True


@lru_cache(maxsize=1024)
def _like(folder: str) -> Like:
    """Kept, for a folder is asked about each role, and what it has read of one path serves the next."""
    return Like.parse(folder)
