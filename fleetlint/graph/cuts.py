"""How a trigger edge is cut with the least effect: by what to exclude."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.edits import Edit, Mend
from fleetlint.globs import Pattern, find_path
from fleetlint.globs.normal import normalised

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fleetlint.graph.model import Cycle, Edge
    from fleetlint.roles import Role

HOPS = 8
"""So many hops of a loop are tried."""


def excluded(source: Role, target: Role) -> tuple[str, ...]:
    """The source's write patterns that meet the target's trigger, in the note's order.

    Excluding them takes from the trigger what the source writes and nothing else, so no smaller exclude cuts the edge.
    """
    excludes = [glob.pattern for glob in target.trigger_exclude if glob.pattern]
    includes = [glob.pattern for glob in target.trigger_include if glob.pattern]
    return tuple(
        dict.fromkeys(
            glob.text
            for glob in source.write_patterns
            if glob.pattern
            and any(find_path(all_of=[glob.pattern, include], none_of=excludes) is not None for include in includes)
        )
    )


def cut(roles: Mapping[str, Role], edges: Sequence[Edge]) -> Iterator[Mend]:
    """The mend that cuts these trigger edges; none where an include of a target would take nothing any more."""
    found = [(edge.target, excluded(roles[edge.source], roles[edge.target])) for edge in edges]
    if any(_is_dead_with(roles[path], texts) for path, texts in found):
        return
    said = [f"exclude {', '.join(f'`{text}`' for text in texts)} from the trigger of `{path}`" for path, texts in found]
    yield Mend(
        edits=tuple(Edit(path, "add", "trigger_exclude", texts) for path, texts in found),
        sentence=" and ".join(said),
        cuts=frozenset((edge.source, edge.target) for edge in edges),
    )


def _is_dead_with(role: Role, excludes: tuple[str, ...]) -> bool:
    wrong = [Pattern.parse(normalised(text)) for text in excludes]
    return any(find_path(all_of=[glob.pattern], none_of=wrong) is None for glob in role.trigger_include if glob.pattern)


def cut_loop(roles: Mapping[str, Role], cycle: Cycle, edges: Sequence[Edge]) -> Iterator[Mend]:
    """Mends that leave no loop among the members: one hop, and where several loops share none, a set of hops.

    `edges` are the graph's. A hop that is in every loop is in the shortest one, so no other has to be tried. The set is
    what leads back to an earlier member, which may be more than the fewest.
    """
    for hop in cycle.loop[-1 : -HOPS - 1 : -1]:
        yield from cut(roles, [hop])
    place = {path: number for number, path in enumerate(cycle.members)}
    back = [
        edge
        for edge in edges
        if edge.kind == "trigger" and place.get(edge.source, -1) > place.get(edge.target, len(place))
    ]
    if 1 < len(back) <= HOPS:
        yield from cut(roles, back)
