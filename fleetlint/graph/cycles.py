"""Loops of roles: strongly connected components, a shortest loop in each, how often depth lets a member run again.

Roles are numbers here, as in `depth`; a smaller number is a smaller path. Edges of a role to itself play no part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fleetlint.graph.depth import Wires

LOOP_WORK = 2_000_000
"""Edges that the search for a shortest loop follows, about a second; past it the shortest one found so far counts."""


def components(out: Sequence[Sequence[int]]) -> list[list[int]]:
    """The strongly connected components of two or more roles, members ascending, by smallest member. Linear.

    Tarjan's algorithm with a stack of its own, for a chain may be longer than Python recurses.
    """
    order: dict[int, int] = {}
    low: dict[int, int] = {}
    pending: list[int] = []
    is_pending = [False] * len(out)
    found: list[list[int]] = []
    for root in range(len(out)):
        path = [] if root in order else [(root, 0)]
        while path:
            role, at = path.pop()
            if at == 0:
                order[role] = low[role] = len(order)
                pending.append(role)
                is_pending[role] = True
            for index in range(at, len(out[role])):
                target = out[role][index]
                if target not in order:
                    path += [(role, index + 1), (target, 0)]
                    break
                if is_pending[target]:
                    low[role] = min(low[role], order[target])
            else:
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[role])
                if low[role] == order[role]:
                    members = _cut_off(pending, role)
                    for member in members:
                        is_pending[member] = False
                    if len(members) > 1:
                        found.append(sorted(members))
    return sorted(found)


def _cut_off(stack: list[int], last: int) -> list[int]:
    """Takes off the stack all down to the given one, and it too."""
    taken = [stack.pop()]
    while taken[-1] != last:
        taken.append(stack.pop())
    return taken


def shortest_loop(members: Sequence[int], out: Sequence[Sequence[int]]) -> list[int]:
    """A shortest closed walk inside a component: its roles in order, from the smallest one that closes it so shortly.

    Of several from there the lexicographically smallest. A role through which no shorter loop goes is taken out of the
    component, and with it all that then lies on no loop, so that one search is mostly enough.
    """
    onward, back = _inside(members, out)
    left = set(members)
    best: list[int] = []
    work = LOOP_WORK
    for start in members:
        if start not in left:
            continue
        distance = _distances(start, onward, back, left, len(best) - 2 if best else len(members))
        work -= sum(len(back[role]) for role in distance)
        near = min((distance[role] for role in onward[start] if role in distance), default=len(members))
        if not best or near + 1 < len(best):
            best = [start]
            for steps in range(near, 0, -1):
                best.append(min(role for role in onward[best[-1]] if distance.get(role) == steps))
        if len(best) == 2 or work < 0:
            break
        _take_out(start, onward, back, left)
    return best


def _inside(members: Sequence[int], out: Sequence[Sequence[int]]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """The edges inside a component, there and back, without those of a role to itself."""
    within = set(members)
    onward = {role: [target for target in out[role] if target in within and target != role] for role in members}
    back: dict[int, list[int]] = {role: [] for role in members}
    for role, targets in onward.items():
        for target in targets:
            back[target].append(role)
    return onward, back


def _distances(
    start: int, onward: Mapping[int, Sequence[int]], back: Mapping[int, Sequence[int]], left: set[int], most: int
) -> dict[int, int]:
    """How many edges lead from a role back to `start`, up to the first level that closes a loop, at most `most`."""
    closing = set(onward[start])
    distance = {start: 0}
    level = [start]
    for steps in range(1, most + 1):
        level = sorted({before for role in level for before in back[role] if before in left and before not in distance})
        distance.update(dict.fromkeys(level, steps))
        if not level or not closing.isdisjoint(level):
            break
    return distance


def _take_out(
    gone: int, onward: Mapping[int, Sequence[int]], back: Mapping[int, Sequence[int]], left: set[int]
) -> None:
    """Takes a role out of those left, and then each that nothing leads to or that leads nowhere."""
    pending = [gone]
    while pending:
        role = pending.pop()
        if role in left:
            left.remove(role)
            pending += [next_role for next_role in onward[role] if left.isdisjoint(back[next_role])]
            pending += [before for before in back[role] if left.isdisjoint(onward[before])]


def reruns(members: Sequence[int], wires: Wires, first: Mapping[int, int]) -> dict[int, int]:
    """For each member of a component how many further depths it can run at, by edges inside the component alone.

    Each member on its own is set going at `first[member]`: depth 0 where a direct edit (or its own cron run) can wake
    it, else the smallest depth at which some chain does; missing where nothing ever does, and the count is then 0.

    All are followed at once, as bits of integers, level by level: at most LIMIT levels times the component's edges.
    """
    onward, _ = _inside(members, wires.out)
    bit = {role: 1 << number for number, role in enumerate(members)}
    counts = dict.fromkeys(members, 0)
    starting: dict[int, list[int]] = {}
    for role in members:
        if role in first:
            starting.setdefault(first[role], []).append(role)

    def after(running: Mapping[int, int], depth: int) -> dict[int, int]:
        """Who runs at this depth, and set going by whom, when `running` run at the depth before."""
        found: dict[int, int] = {}
        for role, starters in running.items():
            for target in onward[role]:
                if depth < wires.limits[target]:
                    found[target] = found.get(target, 0) | starters
        return found

    def count(running: Mapping[int, int], levels: int) -> None:
        for role, starters in running.items():
            if starters & bit[role]:
                counts[role] += levels

    running: dict[int, int] = {}
    depth = 0
    while running or starting:
        for role in starting.pop(depth, ()):
            running[role] = running.get(role, 0) | bit[role]
        following = after(running, depth + 1)
        levels = 1
        if running and following == running and not starting:
            # Then so do all the next levels, up to the first guard.
            levels = min(wires.limits[role] for role in running) - depth
            count(following, levels - 1)
            following = after(running, depth + levels)
        count(following, 1)
        running = following
        depth += levels
    return counts
