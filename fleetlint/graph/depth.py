"""At which depths roles run, and which chains cross which edge.

A direct edit raises its event at depth 0, a role that runs at depth d writes at depth d + 1, and a role runs at depth d
when d is below its `max_depth`. A cron run happens whatever `max_depth` says and writes at depth 1: it runs at depth 0.
The guard is monotone: what gets through at some depth gets through at each smaller one. So the smallest depth at which
an origin reaches a role decides which edges its chains cross.

Roles and origins are numbers here, sets of them bits of an integer, and everything goes level by level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LIMIT = 999
"""The largest `max_depth` that the server takes; a larger one counts as this."""


class Wires(NamedTuple):
    """The trigger edges between roles, which are numbered from 0.

    `out[role]` are the targets, ascending, the role itself among them when it triggers itself. `limits[role]` is its
    `max_depth`, 0 to LIMIT: it runs at depths below that.
    """

    out: Sequence[Sequence[int]]
    limits: Sequence[int]


def limit(max_depth: int) -> int:
    """The guard to compute with: what the server refuses, below 0 or above LIMIT, counts as the nearest it takes."""
    return min(max(max_depth, 0), LIMIT)


def reach(wires: Wires, starts: Sequence[Sequence[int]]) -> list[dict[int, int]]:
    """For each role the origins whose chains reach it, by the smallest depth at which they do: depth -> origins.

    `starts[origin]` are the roles that the origin starts at depth 0; origin i is bit i of the sets. An origin stands
    at one depth of a role only.

    A role is looked at once for each depth at which new origins reach it, its edges with it: at most `LIMIT` times,
    in practice as often as chains of different length end in it.
    """
    found: list[dict[int, int]] = [{} for _ in wires.out]
    seen = [0] * len(wires.out)
    coming: dict[int, int] = {}
    for origin, roles in enumerate(starts):
        for role in roles:
            coming[role] = coming.get(role, 0) | 1 << origin
    depth = 0
    while coming:
        following: dict[int, int] = {}
        for role, origins in coming.items():
            new = origins & ~seen[role]
            if new:
                found[role][depth] = new
                seen[role] |= new
                for target in wires.out[role]:
                    if depth + 1 < wires.limits[target]:
                        following[target] = following.get(target, 0) | new
        coming = following
        depth += 1
    return found


def crossing(reached: Mapping[int, int], target_limit: int) -> tuple[int, int]:
    """Of the origins that reach a role, those whose chains cross its edge to a target, and those stopped there."""
    live = cut = 0
    for depth, origins in reached.items():
        if depth + 1 < target_limit:
            live |= origins
        else:
            cut |= origins
    return live, cut


def all_depths(wires: Wires, starts: Sequence[int]) -> list[int]:
    """For each role the set of depths at which it can run, as bits, when the given roles start at depth 0.

    At most `LIMIT` levels, each with the edges of the roles that run there. Where a level runs the same roles as the
    one before, so do the next ones, up to the first guard.
    """
    depths = [0] * len(wires.out)
    running = set(starts)
    depth = 0
    while running:
        following = {target for role in running for target in wires.out[role] if depth + 1 < wires.limits[target]}
        levels = 1
        if following == running:
            levels = min(wires.limits[role] for role in running) - depth
            following = {
                target for role in running for target in wires.out[role] if depth + levels < wires.limits[target]
            }
        bits = ((1 << levels) - 1) << depth
        for role in running:
            depths[role] |= bits
        running = following
        depth += levels
    return depths
