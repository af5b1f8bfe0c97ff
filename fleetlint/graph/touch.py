"""What one path, written by hand or by fleetlint itself, has to do with roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fleetlint.globs.work import TooMuchWork

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from fleetlint.roles import Glob, Role

RAISED = frozenset({"create", "update"})
"""What writing a note is to the server."""


class Taken(NamedTuple):
    """The pattern of a role that takes the path: its place in `trigger_include`, or in `write_patterns`."""

    role: Role
    at: int
    pattern: str


def woken(roles: Iterable[Role], path: str) -> Iterator[Taken]:
    """The roles that a direct edit of this path wakes; it comes at depth 0."""
    for role in roles:
        if role.enabled and role.is_change and role.max_depth > 0 and RAISED & set(role.trigger_on):
            index = _first(role.trigger_include, path)
            if index is not None and _first(role.trigger_exclude, path) is None:
                yield Taken(role, index, role.trigger_include[index].text)


def writing(roles: Iterable[Role], path: str) -> Iterator[Taken]:
    """The roles, of those that have a tool to write with, whose scope takes this path."""
    for role in roles:
        index = _first(role.write_patterns, path) if role.enabled and (role.is_change or role.is_cron) else None
        if index is not None:
            yield Taken(role, index, role.write_patterns[index].text)


def _first(globs: Sequence[Glob], path: str) -> int | None:
    """The index of the first pattern that takes the path."""
    for index, glob in enumerate(globs):
        try:
            if glob.pattern and glob.pattern.matches(path):
                return index
        except TooMuchWork:  # a pattern that the library itself could hardly answer about
            continue
    return None
