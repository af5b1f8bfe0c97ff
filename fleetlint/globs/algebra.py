"""One primitive: is there a path in all of these patterns and in none of those? And what follows from it.

Answered with the best such path (a witness), with a proof that there is none, or with "maybe" where the library's
corners or the budget leave it open. The way: walk the product of the patterns' automata breadth first; when nothing is
reached, nothing exists, for an automaton accepts at least what the library matches. Else the plain matcher confirms the
first name; the next ones are tried where it does not, which only patterns that are not `exact` can bring about.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol

from fleetlint.globs.automaton import DEAD, effort, symbols
from fleetlint.globs.note_path import ANY_NOTE, MD_NOTE, is_note_path
from fleetlint.globs.work import Meter, TooMuchWork

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fleetlint.globs.automaton import Walk

WORK = 100_000
"""Steps that one search may take. A question of n patterns makes n + 1 searches at most, most of them shared."""

TRIES = 200
"""Names of one search that the matcher is asked about."""


@dataclass(frozen=True, slots=True)
class Found:
    """A path that shows it."""

    path: str


@dataclass(frozen=True, slots=True)
class Maybe:
    """Not decided: neither a path nor a proof that there is none, within the budget."""


class Language(Protocol):
    """A set of names: a Pattern or a Like. All of them begin and end with these texts, and `automaton` accepts them."""

    @property
    def text(self) -> str: ...

    @property
    def folder(self) -> str: ...

    def behind(self, folder: str) -> Language: ...

    @property
    def beginning(self) -> str: ...

    @property
    def ending(self) -> str: ...

    @property
    def only_name(self) -> str | None: ...

    @property
    def automaton(self) -> Walk: ...

    def matches_within(self, path: str, meter: Meter) -> bool: ...


def find_path(
    *, all_of: Sequence[Language], none_of: Sequence[Language] = (), any_name: bool = False
) -> Found | Maybe | None:
    """The best path in all of the first and none of the second, None when there is provably none, else Maybe.

    Over note paths, or with `any_name` over every string. Best: ends in `.md` (note paths only), then shortest, then
    most readable (`witness_key`). The answer is the same whatever was asked before.
    """
    wanted, unwanted = tuple(dict.fromkeys(all_of)), tuple(dict.fromkeys(none_of))
    if not wanted:
        raise ValueError("find_path needs at least one pattern that the path is to match")
    for index, language in enumerate(wanted):
        if language in unwanted or any(_are_apart(language, other) for other in wanted[:index]):
            return None
    if unwanted:
        unwanted = tuple([exclude for exclude in unwanted if not any(_are_apart(exclude, p) for p in wanted)])
    folder = "" if any_name else max([language.folder for language in wanted], key=len)
    for language in wanted:
        if language.only_name is not None:
            return _at_most(language.only_name, wanted, unwanted, any_name)
    short = _between_the_ends(wanted, unwanted, folder, any_name)
    if short is not None:
        return Found(short)
    if not any_name:
        inside = _inside(folder, wanted, unwanted)
        if inside is not None:
            answer = _search_inside(*inside)
            return Found(folder + answer.path) if isinstance(answer, Found) and folder else answer
    for language in wanted if len(wanted) + len(unwanted) > 2 else ():
        # The best path of one pattern is the best of the question when all the rest agrees with it. Most do.
        best = _search((language,), (), any_name)
        if best is None:
            return None
        if isinstance(best, Found) and _agrees(best.path, wanted, unwanted, Meter(WORK)):
            return best
    return _search(wanted, unwanted, any_name)


def covers(p: Language, q: Language, *, any_name: bool = False) -> bool | None:
    """Whether every path of `q` is one of `p`: True, False, or None when that is not decided."""
    outside = find_path(all_of=[q], none_of=[p], any_name=any_name)
    return True if outside is None else None if isinstance(outside, Maybe) else False


def equivalent(p: Language, q: Language, *, any_name: bool = False) -> bool | None:
    """Whether both take the same paths: True, False, or None when that is not decided."""
    there, back = covers(p, q, any_name=any_name), covers(q, p, any_name=any_name)
    return False if there is False or back is False else None if there is None or back is None else True


def witness_key(path: str) -> tuple[bool, int, int, str]:
    """Sorts the better witness first: `.md`, then the shorter, then the more readable path."""
    return not path.endswith(".md"), len(path), sum(map(effort, path)), path


def _are_apart(p: Language, q: Language) -> bool:
    """Whether how their names begin or end shows that they share none."""
    return not (
        (p.beginning.startswith(q.beginning) or q.beginning.startswith(p.beginning))
        and (p.ending.endswith(q.ending) or q.ending.endswith(p.ending))
    )


def _at_most(
    name: str, wanted: Sequence[Language], unwanted: Sequence[Language], any_name: bool
) -> Found | Maybe | None:
    """The answer when there can be no other name."""
    if not any_name and not is_note_path(name):
        return None
    meter = Meter(WORK)
    try:
        is_it = _in_all(name, wanted, unwanted, meter)
    except TooMuchWork:
        return Maybe()
    return Found(name) if is_it else None


def _between_the_ends(
    wanted: tuple[Language, ...], unwanted: tuple[Language, ...], folder: str, any_name: bool
) -> str | None:
    """The best path, when it is hardly more than the texts with which all of them have to begin and end.

    There is just one name of each length up to both texts together, and of the next length one with an `a` between them
    is the best. So the first of these that the matcher confirms is the answer.
    """
    first = max([language.beginning for language in wanted], key=len)
    if not any_name and len(first) <= len(folder):
        return None  # a question that many folders share, and that is answered once for all of them
    last = max([language.ending for language in wanted], key=len)
    if not any_name and not last.endswith(".md"):
        if not ".md".endswith(last):
            return None
        last = ".md"
    meter = Meter(WORK)
    for shared in range(min(len(first), len(last)), -1, -1):
        if first.endswith(last[:shared]):
            name = first + last[shared:]
            if (any_name or is_note_path(name)) and _agrees(name, wanted, unwanted, meter):
                return name
    name = f"{first}a{last}"
    return name if (any_name or is_note_path(name)) and _agrees(name, wanted, unwanted, meter) else None


def _agrees(path: str, wanted: Sequence[Language], unwanted: Sequence[Language], meter: Meter) -> bool:
    """Whether the path is known to be in all of the first and none of the second."""
    try:
        return _in_all(path, wanted, unwanted, meter)
    except TooMuchWork:
        return False


def _in_all(path: str, wanted: Sequence[Language], unwanted: Sequence[Language], meter: Meter) -> bool:
    return all(language.matches_within(path, meter) for language in wanted) and not any(
        language.matches_within(path, meter) for language in unwanted
    )


_Place = tuple["Language", int]
"""A language and the state of its automaton behind a folder."""


def _inside(
    folder: str, wanted: tuple[Language, ...], unwanted: tuple[Language, ...]
) -> tuple[tuple[_Place, ...], tuple[_Place, ...]] | None:
    """The question as it stands behind a folder in which all the answers lie. None where that is not so simple.

    Most questions of a fleet are the same but for the folder, and are then asked once.
    """
    if folder and not is_plain(folder):
        return None
    places: list[list[_Place]] = [[], []]
    for side, languages in enumerate((wanted, unwanted)):
        for language in languages:
            place = _behind(folder, language)
            if place is None:
                return None
            if place[1] != DEAD:
                places[side].append(place)
            elif languages is wanted:
                return ((place,), ())
    return tuple(dict.fromkeys(places[0])), tuple(dict.fromkeys(places[1]))


def is_plain(folder: str) -> bool:
    """Whether a note's path may begin with the folder, and the folder itself is no note's path."""
    segments = folder[:-1].split("/")
    return "" not in segments and "." not in segments and ".." not in segments and "." not in segments[-1][1:]


def _behind(folder: str, language: Language) -> _Place | None:
    """The language behind the folder, in the state DEAD when it has no name there; None when that is not known."""
    shared = language.folder if folder.startswith(language.folder) else folder
    if not language.folder.startswith(shared):
        return language, DEAD
    inner = language.behind(shared)
    automaton = inner.automaton
    if not automaton.exact:
        return None
    if shared == folder:
        return inner, automaton.start
    try:
        return inner, automaton.walk(automaton.start, folder[len(shared) :], Meter(WORK))
    except TooMuchWork:
        return None


@lru_cache(maxsize=1 << 17)
def _search_inside(wanted: tuple[_Place, ...], unwanted: tuple[_Place, ...]) -> Found | Maybe | None:
    """`_search` over note paths behind a folder, for languages whose automata are exact."""
    if any(state == DEAD for _, state in wanted):
        return None
    taken = [(language.automaton, state) for language, state in wanted]
    left_out = [(language.automaton, state) for language, state in unwanted]
    meter = Meter(WORK)
    try:
        for domain in (MD_NOTE, ANY_NOTE):
            name = _Product([*taken, (domain, domain.start)], left_out, [], meter).first_name()
            if name is not None:
                return Found(name)
    except TooMuchWork:
        return Maybe()
    return None


@lru_cache(maxsize=1 << 17)
def _search(wanted: tuple[Language, ...], unwanted: tuple[Language, ...], any_name: bool) -> Found | Maybe | None:
    proven = True
    meter = Meter(WORK)
    for domain in (None,) if any_name else (MD_NOTE, ANY_NOTE):
        answer = _search_in(wanted, unwanted, domain, meter)
        if isinstance(answer, Found):
            return answer
        proven = proven and answer is None
    return None if proven else Maybe()


def _search_in(
    wanted: tuple[Language, ...], unwanted: tuple[Language, ...], domain: Walk | None, meter: Meter
) -> Found | Maybe | None:
    taken = _automata(wanted) + ([domain] if domain else [])
    sharp = tuple(language for language in unwanted if language.automaton.exact)
    blurred = tuple(language for language in unwanted if not language.automaton.exact)
    # Names that only an inexact exclude would remove are asked about one by one.
    answer = _first(taken, sharp, wanted, blurred, meter)
    if isinstance(answer, Maybe) and blurred:
        # Where that does not end: a name outside of all that these excludes could possibly take.
        return _first(taken, unwanted, wanted, (), meter) or answer
    return answer


def _first(
    taken: list[Walk],
    left_out: Sequence[Language],
    wanted: Sequence[Language],
    unwanted: Sequence[Language],
    meter: Meter,
) -> Found | Maybe | None:
    """The first name of the product that the matcher confirms: it is in all of `wanted` and none of `unwanted`."""
    certain = not unwanted and all(language.automaton.exact for language in wanted)
    try:
        product = _Product(_at_start(taken), _at_start(_automata(left_out)), _automata(unwanted), meter)
        name = product.first_name()
        if name is None:
            return None
        if certain or _agrees(name, wanted, unwanted, meter):
            return Found(name)
        for tries, other in enumerate(product.names()):
            if _agrees(other, wanted, unwanted, meter):
                return Found(other)
            if tries >= TRIES or meter.left < 0:
                return Maybe()
    except TooMuchWork:
        return Maybe()
    # Finitely many names, one for each that the patterns can tell apart, and the matcher refused all.
    return Maybe() if any(automaton.blind for automaton in _automata([*wanted, *unwanted])) else None


def _automata(languages: Sequence[Language]) -> list[Walk]:
    return [language.automaton for language in languages]


def _at_start(automata: list[Walk]) -> list[tuple[Walk, int]]:
    return [(automaton, automaton.start) for automaton in automata]


_State = tuple[int, ...]


class _Product:
    """What the `taken` accept from these states on and the `left_out` do not, walked on demand.

    All of it may raise TooMuchWork.

    Characters that the `asked` tell apart are told apart, too: their patterns are asked about each name.
    """

    def __init__(
        self, taken: list[tuple[Walk, int]], left_out: list[tuple[Walk, int]], asked: list[Walk], meter: Meter
    ) -> None:
        self._automata = [automaton for automaton, _ in taken + left_out]
        self._taken = len(taken)
        self.meter = meter
        alphabets = [automaton.alphabet for automaton in self._automata]
        all_alphabets = [*alphabets, *(automaton.alphabet for automaton in asked)]
        classes = {char_class for alphabet in all_alphabets for char_class in alphabet.classes}
        meter.spend(sum(len(char_class.intervals) for char_class in classes) * len(classes) // 4)
        chars = symbols(all_alphabets)
        # (how hard to read, the character, the number of its set in the alphabets: the first, the second, the others)
        first, second, *others = alphabets if len(alphabets) > 1 else alphabets * 2
        self._symbols = [
            (effort(char), char, first.number(char), second.number(char), [a.number(char) for a in others])
            for char in chars
        ]
        meter.spend(len(chars) * len(alphabets) // 4)
        self._start: _State = tuple([state for _, state in taken + left_out])

    def _ends(self, state: _State) -> bool:
        taken = self._taken
        return all(self._automata[index].ends(part) == (index < taken) for index, part in enumerate(state))

    def _onward(self, state: _State) -> list[tuple[int, str, _State]]:
        """What can be read in a state (how hard that is to read, the character) and where it leads."""
        meter = self.meter
        meter.spend(1 + len(self._symbols) // 8)
        rows = [
            [DEAD] * len(automaton.alphabet.members) if part == DEAD else automaton.row(part, meter)
            for automaton, part in zip(self._automata, state, strict=True)
        ]
        if len(rows) == 1:
            row = rows[0]
            return [(cost, char, (row[n],)) for cost, char, n, _, _ in self._symbols if row[n] != DEAD]
        # Most symbols lead nowhere in the first automaton or the second: these two are looked at without a loop.
        first_row, second_row, *other_rows = rows
        both, must_others = self._taken > 1, self._taken - 2
        found: list[tuple[int, str, _State]] = []
        for cost, char, number, second_number, other_numbers in self._symbols:
            first = first_row[number]
            if first == DEAD:
                continue
            second = second_row[second_number]
            if second == DEAD and both:
                continue
            if not other_rows:
                found.append((cost, char, (first, second)))
                continue
            others = [row[other] for row, other in zip(other_rows, other_numbers, strict=True)]
            if must_others <= 0 or DEAD not in others[:must_others]:
                found.append((cost, char, (first, second, *others)))
        return found

    def first_name(self) -> str | None:
        """The shortest name, of these the most readable one; None when there is none."""
        layer: dict[_State, tuple[int, str]] = {self._start: (0, "")}
        seen = {self._start}
        while layer:
            ended = [key for state, key in layer.items() if self._ends(state)]
            if ended:
                return min(ended)[1]
            below: dict[_State, tuple[int, str]] = {}
            for state, (cost, text) in layer.items():
                for more, char, after in self._onward(state):
                    if after not in seen:
                        key = (cost + more, text + char)
                        if after not in below or key < below[after]:
                            below[after] = key
            seen.update(below)
            layer = below
        return None

    def names(self) -> Iterator[str]:
        """All names, the best first; ends when there are finitely many."""
        onward: dict[_State, list[tuple[int, str, _State]]] = {}
        back: dict[_State, list[_State]] = {}
        pending = [self._start]
        onward[self._start] = []
        for state in pending:
            onward[state] = self._onward(state)
            for _, _, after in onward[state]:
                back.setdefault(after, []).append(state)
                if after not in onward:
                    onward[after] = []
                    pending.append(after)
        # How far it is to the end of a name from each state: what leads nowhere is not walked.
        distance = {state: 0 for state in pending if self._ends(state)}
        nearest = list(distance)
        for state in nearest:
            for before in back.get(state, ()):
                if before not in distance:
                    distance[before] = distance[state] + 1
                    nearest.append(before)
        if self._start not in distance:
            return
        # (length of the shortest name through here, cost so far, text so far, whether the text itself is the name)
        heap: list[tuple[int, int, str, bool, _State]] = [(distance[self._start], 0, "", False, self._start)]
        while heap:
            _, cost, text, whole, state = heapq.heappop(heap)
            self.meter.spend(1 + len(heap).bit_length())
            if whole:
                yield text
                continue
            if self._ends(state):
                heapq.heappush(heap, (len(text), cost, text, True, state))
            for more, char, after in onward[state]:
                if after in distance:
                    longer = len(text) + 1 + distance[after]
                    heapq.heappush(heap, (longer, cost + more, text + char, False, after))
