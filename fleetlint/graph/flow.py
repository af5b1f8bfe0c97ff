"""How the trigger edges carry runs: who wakes whom and with how many runs, and which roles share a wave.

Apart from `waves`, which counts, for the rules on waves ask this in every check. The model is the one told there.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.globs import Found, Pattern, find_path, meeting_pairs, witness_key
from fleetlint.globs.syntax import Literal
from fleetlint.globs.work import TooMuchWork
from fleetlint.graph.depth import Wires, limit
from fleetlint.graph.derive import EVENTS, raised
from fleetlint.graph.model import TRIGGER
from fleetlint.graph.owners import owners_of_all

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from fleetlint.graph.model import Edge, Graph
    from fleetlint.roles import Glob, Role


PAIRS = 20_000
"""So many pairs of patterns of one role are looked at for a second path; past that, nobody knows."""

PAIRS_A_ROLE = 2_000
"""So many pairs of includes for each role, and PAIRS more, may meet; past that, whoever listens may be woken together."""

QUESTIONS = 5_000
QUESTIONS_OF_TWO = 500
"""So many pairs of includes are asked about to know which roles one edit wakes, in all and of two roles; what is left then
counts as apart."""


class Flow(NamedTuple):
    """The trigger edges of a graph as they carry runs. Roles are numbers: their places in `roles`, which are by path.

    `into[role]` are the roles with an edge to it, as bits, `splits[role]` those of them
    whose deliveries it splits, and `doubtful[role]` those of these where it is not decided that there are several
    paths. `splits_on_edit` are the roles that split the delivery of one edited note, or of a tick.
    `first` are those that some direct edit wakes, `ticking` the cron roles that run, `writing` those that can write.
    """

    roles: tuple[Role, ...]
    edges: Mapping[tuple[int, int], Edge]
    wires: Wires
    into: Sequence[int]
    splits: Sequence[int]
    doubtful: Sequence[int]
    splits_on_edit: frozenset[int]
    first: tuple[int, ...]
    ticking: tuple[int, ...]
    writing: frozenset[int]


def flow(graph: Graph) -> Flow:
    roles = tuple(node.role for node in graph.nodes if node.role)
    taking = owners_of_all(roles, graph.fleets)
    number = {role.path: index for index, role in enumerate(roles)}
    edges = {(number[edge.source], number[edge.target]): edge for edge in graph.edges if edge.kind == TRIGGER}
    out: list[list[int]] = [[] for _ in roles]
    for source, target in sorted(edges):
        out[source].append(target)
    attached = {index: _attaches_several(role) for index, role in enumerate(roles) if role.for_each == "attached_notes"}
    split = {
        (source, target): attached[target] if target in attached else takes_several(edge, roles[source], roles[target])
        for (source, target), edge in edges.items()
        if roles[target].for_each in ("changed_files", "attached_notes")
    }
    return Flow(
        roles=roles,
        edges=edges,
        wires=Wires(out, [limit(role.max_depth) for role in roles]),
        into=_by_target(edges, len(roles)),
        splits=_by_target((edge for edge, answer in split.items() if answer is not False), len(roles)),
        doubtful=_by_target((edge for edge, answer in split.items() if answer is None), len(roles)),
        splits_on_edit=frozenset(index for index, answer in attached.items() if answer is not False),
        first=tuple(index for index, role in enumerate(roles) if role.path in graph.edited),
        ticking=tuple(index for index, role in enumerate(roles) if role.enabled and role.is_cron),
        writing=frozenset(index for index, role in enumerate(roles) if role.enabled and raised(role, taking[index])),
    )


def _by_target(edges: Iterable[tuple[int, int]], roles: int) -> list[int]:
    found = [0] * roles
    for source, target in edges:
        found[target] |= 1 << source
    return found


def takes_several(edge: Edge, source: Role, target: Role) -> bool | None:
    """Whether the source can write more than one path that wakes the target; None where that is not decided."""
    folder, slash, name = edge.witness.rpartition("/")
    # Where there are several, one with a longer name is mostly among them, and needs no search.
    for longer in (f"{folder}{slash}a{name}", f"{folder}{slash}{name.replace('.', 'a.', 1)}") if edge.exact else ():
        try:
            if (
                _takes(source.write_patterns, longer)
                and _takes(target.trigger_include, longer)
                and not _takes(target.trigger_exclude, longer)
            ):
                return True
        except TooMuchWork:
            break
    return _several(patterns(source.write_patterns), patterns(target.trigger_include), patterns(target.trigger_exclude))


def _takes(globs: Iterable[Glob], path: str) -> bool:
    return any(glob.pattern.matches(path) for glob in globs if glob.pattern)


def _attaches_several(role: Role) -> bool | None:
    return _several(patterns(glob for glob in role.attach_notes if not glob.negated), (), ())


@lru_cache(maxsize=1 << 16)
def _several(these: tuple[Pattern, ...], those: tuple[Pattern, ...], none_of: tuple[Pattern, ...]) -> bool | None:
    """Whether two paths or more are in one of these, one of those (if there are any) and in none of the others."""
    one: str | None = None
    answer: bool | None = False
    pairs = ([this, that] for this in these for that in those) if those else ([this] for this in these)
    for number, all_of in enumerate(pairs):
        if number == PAIRS:
            return None
        known = () if one is None else (_only(one),)
        found = find_path(all_of=all_of, none_of=(*none_of, *known))
        if isinstance(found, Found) and one is None:
            one = found.path
            is_all = any(_is_name(pattern) for pattern in all_of)
            found = None if is_all else find_path(all_of=all_of, none_of=(*none_of, _only(one)))
        if isinstance(found, Found):
            return True
        if found is not None:
            answer = None
    return answer


def _is_name(pattern: Pattern) -> bool:
    """Whether the pattern spells out one name, which is then all that it takes."""
    return all(isinstance(node, Literal) for node in pattern.nodes or (None,))


def _only(path: str) -> Pattern:
    """The pattern that takes this path alone."""
    return Pattern.parse("".join(f"\\{char}" if char in "\\*?[]{},!^-" else char for char in path))


def patterns(globs: Iterable[Glob]) -> tuple[Pattern, ...]:
    """Those that can match something, in the order of the note."""
    return tuple(glob.pattern for glob in globs if glob.pattern)


def witness(pairs: Iterable[tuple[Pattern, Pattern]], none_of: tuple[Pattern, ...]) -> str | None:
    """The best path that is in both of some pair; empty where there may be one, None where there is none."""
    answers = [find_path(all_of=pair, none_of=none_of) for pair in pairs]
    paths = [answer.path for answer in answers if isinstance(answer, Found)]
    return min(paths, key=witness_key, default="" if any(answers) else None)


def bits(places: Iterable[int]) -> int:
    bits = 0
    for place in places:
        bits |= 1 << place
    return bits


def places(bits: int) -> Iterator[int]:
    """The places of the ones, ascending."""
    while bits:
        yield (bits & -bits).bit_length() - 1
        bits &= bits - 1


# --- Which roles share a wave ---


class Together(NamedTuple):
    """Which origins reach which role, as bits. Origin 2i is an edit that wakes role i, origin 2i + 1 a tick of it.

    What trigger edges connect is an island; bits count within one, so that they stay few however many roles there are:
    `islands[island_of[role]]` are its roles in order, and the one at place p has the bits 2p and 2p + 1. `once[role]` are
    the origins whose wave runs the role, `twice[role]` those that can run it more than once, a role's waking itself left
    out. `near[i]` has for each island the edit bits of the roles in it whose triggers may meet that of role i, its own
    among them; `one_edit` tells whether an edit wakes two such roles, and is asked only where it matters.
    """

    islands: Sequence[Sequence[int]]
    island_of: Sequence[int]
    once: Sequence[int]
    twice: Sequence[int]
    near: Mapping[int, Mapping[int, int]]
    one_edit: Callable[[int, int], bool]

    def causes(self, one: int, other: int) -> tuple[int, int] | None:
        """Two origins, mostly the same one, that one edit or tick sets off together: the one reaches the one role, the
        other the other. The smallest there are, None when the roles never run in one wave."""
        if self.island_of[one] == self.island_of[other] and self.once[one] & self.once[other]:
            return (self._first(one, self.once[one] & self.once[other]),) * 2
        return self._joined(one, other)

    def mates(self, role: int) -> list[int]:
        """The roles that one edit may wake together with this one, itself among them: all that it can, and some more."""
        near = self.near.get(role, {})
        return sorted(self.islands[island][bit >> 1] for island, found in near.items() for bit in places(found))

    def repeated(self, role: int) -> tuple[int, int] | None:
        """The same for two runs of one role in one wave of which none follows from the role's own writes alone."""
        if self.twice[role]:
            return (self._first(role, self.twice[role]),) * 2
        return self._joined(role, role)

    def _first(self, role: int, found: int) -> int:
        """The first of these origins, which are bits of the role's island."""
        bit = next(places(found))
        return 2 * self.islands[self.island_of[role]][bit >> 1] + bit % 2

    def _joined(self, one: int, other: int) -> tuple[int, int] | None:
        here, there = self.island_of[one], self.island_of[other]
        for bit in places(self.once[one]):
            waking = self.islands[here][bit >> 1]
            mates = 0 if bit % 2 else self.near.get(waking, {}).get(there, 0) & self.once[other]
            for mate_bit in places(mates & ~(1 << bit) if here == there else mates):
                mate = self.islands[there][mate_bit >> 1]
                if self.one_edit(waking, mate):
                    return 2 * waking, 2 * mate
        return None


def together(flow: Flow) -> Together:
    """Level by level, two runs of a role for each origin at most: a third one can reach nothing that they do not.

    Of more runs the two at the smallest depths count, for the guard lets them furthest.
    """
    islands = _islands(flow.wires.out)
    island_of, place = [0] * len(flow.roles), [0] * len(flow.roles)
    for number, island in enumerate(islands):
        for index, role in enumerate(island):
            island_of[role], place[role] = number, index
    once, twice = [0] * len(flow.roles), [0] * len(flow.roles)
    coming: dict[int, tuple[int, int]] = {}
    for roles, tick in ((flow.first, 0), (flow.ticking, 1)):
        for role in roles:
            bit = 1 << 2 * place[role] + tick
            one, two = coming.get(role, (0, 0))
            coming[role] = one | bit, two | (bit if role in flow.splits_on_edit else 0)
    depth = 0
    while coming:
        depth += 1
        following: dict[int, tuple[int, int]] = {}
        for role, (one, two) in coming.items():
            passing, doubled = one & ~twice[role], two & ~once[role]
            twice[role] |= (one & once[role]) | two
            once[role] |= one
            if not passing:
                continue
            for target in flow.wires.out[role]:
                if target != role and depth < flow.wires.limits[target]:
                    seen, again = following.get(target, (0, 0))
                    again |= (seen & passing) | (passing if flow.splits[target] >> role & 1 else doubled)
                    following[target] = seen | passing, again
        coming = following
    edit_bits = [(island_of[role], 1 << 2 * place[role]) for role in range(len(flow.roles))]
    return Together(islands, island_of, once, twice, *_joining(flow, edit_bits))


def _islands(out: Sequence[Sequence[int]]) -> list[list[int]]:
    """The roles that edges connect, whichever way these lead; each island ascending, and they by their first role."""
    beside: list[list[int]] = [list(targets) for targets in out]
    for source, targets in enumerate(out):
        for target in targets:
            beside[target].append(source)
    found: list[list[int]] = []
    seen = [False] * len(out)
    for start in range(len(out)):
        if seen[start]:
            continue
        seen[start] = True
        island = [start]
        for role in island:
            for other in beside[role]:
                if not seen[other]:
                    seen[other] = True
                    island.append(other)
        found.append(sorted(island))
    return found


def edits_that_wake(flow: Flow, one: int, other: int) -> tuple[str, str] | None:
    """A path and an event whose direct edit wakes both roles, the path empty where none is proven; None without one."""
    first, second = flow.roles[one], flow.roles[other]
    events = sorted(EVENTS.intersection(first.trigger_on, second.trigger_on))
    includes = patterns(first.trigger_include), patterns(second.trigger_include)
    path = _path_of_both(*includes, patterns(first.trigger_exclude) + patterns(second.trigger_exclude))
    return None if path is None or not events else (path, events[0])


@lru_cache(maxsize=1 << 14)
def _path_of_both(these: tuple[Pattern, ...], those: tuple[Pattern, ...], none_of: tuple[Pattern, ...]) -> str | None:
    if these == those:
        pairs = list(zip(these, these, strict=True))
    else:
        meeting = islice(meeting_pairs(these, those), QUESTIONS_OF_TWO)
        pairs = [(these[left], those[right]) for left, right in meeting]
    return witness(pairs[:QUESTIONS_OF_TWO], none_of)


def _joining(
    flow: Flow, edit_bits: Sequence[tuple[int, int]]
) -> tuple[dict[int, dict[int, int]], Callable[[int, int], bool]]:
    """`near` and `one_edit` of a Together; an edit's bit comes with its island. Roles that listen alike are compared once."""
    alike: dict[tuple[object, ...], int] = {}
    groups: list[list[int]] = []
    group_of: dict[int, int] = {}
    for role in flow.first:
        it = flow.roles[role]
        key = (patterns(it.trigger_include), patterns(it.trigger_exclude), EVENTS.intersection(it.trigger_on))
        group_of[role] = alike.setdefault(key, len(groups))
        if group_of[role] == len(groups):
            groups.append([])
        groups[group_of[role]].append(role)
    edits: list[dict[int, int]] = []
    listening: dict[Pattern, list[int]] = {}
    for number, group in enumerate(groups):
        edits.append({})
        for island, bit in (edit_bits[role] for role in group):
            edits[-1][island] = edits[-1].get(island, 0) | bit
        for include in dict.fromkeys(patterns(flow.roles[group[0]].trigger_include)):
            listening.setdefault(include, []).append(number)
    distinct = list(listening)
    near: list[dict[int, int]] = [{} for _ in groups]
    most = PAIRS + PAIRS_A_ROLE * len(flow.roles)
    for asked, (left, right) in enumerate(meeting_pairs(distinct, distinct)):
        if asked == most:
            everything: dict[int, int] = {}
            for island, found in (entry for edit in edits for entry in edit.items()):
                everything[island] = everything.get(island, 0) | found
            near = [everything] * len(groups)
            break
        for one in listening[distinct[left]]:
            for other in listening[distinct[right]]:
                for island, found in edits[other].items():
                    near[one][island] = near[one].get(island, 0) | found
    known: dict[tuple[int, int], bool] = {}
    questions = QUESTIONS

    def one_edit(one: int, other: int) -> bool:
        nonlocal questions
        pair = min(group_of[one], group_of[other]), max(group_of[one], group_of[other])
        if pair not in known and pair[0] == pair[1]:
            known[pair] = True
        elif pair not in known:
            includes = (patterns(flow.roles[role].trigger_include) for role in (one, other))
            questions -= min(QUESTIONS_OF_TWO, prod(map(len, includes)))
            known[pair] = questions >= 0 and edits_that_wake(flow, one, other) is not None
        return known[pair]

    return {role: near[number] for role, number in group_of.items()}, one_edit
