"""The algebra against brute force: every name over a few characters, up to a length, given to the matcher.

The characters are the literals of the patterns drawn and `c`, which stands for all that no pattern here names. So a
shortest name that the algebra finds has its like among them, as long as it is not longer than the bound.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleetlint.globs import Found, Maybe, Pattern, covers, equivalent, find_path, meeting_pairs
from tests.strategies import patterns

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Law = Callable[[st.DataObject, bool, int], None]

NAME_PATTERNS = patterns(("a", "b"), ("[ab]", "[!a]", "[^b/]", "[b-a]", "[/a]", "[a-b]", "[!ab]"))
PATH_PATTERNS = patterns(("a", ".", ".md", "d"), ("[ad]", "[!a]", "[^./]", "[m-d]", "[/a]", "[.-/]", "[!.-/]"))

BOTH = pytest.mark.parametrize("any_name", [True, False], ids=["all strings", "note paths"])
QUICK = settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=1_000, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def is_note_path(name: str) -> bool:
    segments = name.split("/")
    return all(segment not in ("", ".", "..") for segment in segments) and "." in segments[-1][1:-1]


@cache
def universe(any_name: bool, bound: int) -> tuple[str, ...]:
    """All strings up to the bound; of the note paths also those that end in `.md` and are longer by one."""
    letters = "abc/" if any_name else "ac/.md"
    names = ["".join(chars) for size in range(bound + 1) for chars in product(letters, repeat=size)]
    if any_name:
        return tuple(names)
    longer = ["".join(chars) + ".md" for chars in product(letters, repeat=bound - 2)]
    return tuple(filter(is_note_path, names + longer))


@cache
def accepted(pattern: Pattern, any_name: bool, bound: int) -> frozenset[str]:
    return frozenset(filter(pattern.matches, universe(any_name, bound)))


def rank(name: str, any_name: bool) -> tuple[bool, int]:
    """Of two note paths one that ends in `.md` is the better witness, then the shorter."""
    return not any_name and not name.endswith(".md"), len(name)


def check_against_brute_force(
    all_of: Sequence[Pattern], none_of: Sequence[Pattern], any_name: bool, bound: int
) -> Found | Maybe | None:
    brute = frozenset(universe(any_name, bound))
    for pattern in all_of:
        brute &= accepted(pattern, any_name, bound)
    for pattern in none_of:
        brute -= accepted(pattern, any_name, bound)
    answer = find_path(all_of=all_of, none_of=none_of, any_name=any_name)
    if isinstance(answer, Maybe):
        assert not all(pattern.automaton.exact for pattern in (*all_of, *none_of))
    elif answer is None:
        assert not brute
    else:
        assert any_name or is_note_path(answer.path)
        assert all(pattern.matches(answer.path) for pattern in all_of)
        assert not any(pattern.matches(answer.path) for pattern in none_of)
        best = min((rank(name, any_name) for name in brute), default=None)
        found = rank(answer.path, any_name)
        if best is None:
            assert len(answer.path) > bound
        else:
            assert found <= best
            assert found == best or len(answer.path) > bound
    return answer


def of(any_name: bool) -> st.SearchStrategy[Pattern]:
    return NAME_PATTERNS if any_name else PATH_PATTERNS


def the_answer_is_that_of_brute_force(data: st.DataObject, any_name: bool, bound: int) -> None:
    all_of = data.draw(st.lists(of(any_name), min_size=1, max_size=3), "all_of")
    none_of = data.draw(st.lists(of(any_name), max_size=2), "none_of")
    check_against_brute_force(all_of, none_of, any_name, bound)


def overlap_is_symmetric_and_idempotent(data: st.DataObject, any_name: bool, bound: int) -> None:
    p, q = data.draw(of(any_name), "p"), data.draw(of(any_name), "q")
    answer = check_against_brute_force([p, q], [], any_name, bound)
    assert find_path(all_of=[q, p], any_name=any_name) == answer
    assert find_path(all_of=[p, p], any_name=any_name) == find_path(all_of=[p], any_name=any_name)
    assert find_path(all_of=[p], none_of=[p], any_name=any_name) is None


def covers_is_a_partial_order(data: st.DataObject, any_name: bool, bound: int) -> None:
    p, q, r = (data.draw(of(any_name), name) for name in "pqr")
    assert covers(p, p, any_name=any_name) is True
    there, back = covers(p, q, any_name=any_name), covers(q, p, any_name=any_name)
    if there is True:
        assert accepted(q, any_name, bound) <= accepted(p, any_name, bound)
        if covers(q, r, any_name=any_name) is True:
            assert covers(p, r, any_name=any_name) is not False
    if there is True and back is True:
        assert equivalent(p, q, any_name=any_name) is True
        assert accepted(p, any_name, bound) == accepted(q, any_name, bound)
    if there is False or back is False:
        assert equivalent(p, q, any_name=any_name) is False


def two_excludes_take_what_each_of_them_takes(data: st.DataObject, any_name: bool, bound: int) -> None:
    p, q, r = (data.draw(of(any_name), name) for name in "pqr")
    both = check_against_brute_force([p], [q, r], any_name, bound)
    assert find_path(all_of=[p], none_of=[r, q], any_name=any_name) == both
    for one in (q, r):
        without_one = check_against_brute_force([p], [one], any_name, bound)
        if without_one is None:
            assert not isinstance(both, Found)
        if isinstance(without_one, Found) and isinstance(both, Found):
            assert rank(without_one.path, any_name) <= rank(both.path, any_name)
    # not (q or r) is (not q) and (not r)
    outside = check_against_brute_force([p, p], [r, q, q], any_name, bound)
    assert (outside is None) == (both is None)


def no_meeting_pair_is_missed_by_the_index(data: st.DataObject, any_name: bool, bound: int) -> None:
    left = data.draw(st.lists(of(any_name), max_size=6), "left")
    right = data.draw(st.lists(of(any_name), max_size=6), "right")
    pairs = list(meeting_pairs(left, right))
    assert pairs == sorted(set(pairs))
    for i, p in enumerate(left):
        for j, q in enumerate(right):
            if accepted(p, any_name, bound) & accepted(q, any_name, bound):
                assert (i, j) in pairs
            elif (i, j) not in pairs:
                assert not isinstance(find_path(all_of=[p, q], any_name=any_name), Found)


LAWS = [
    the_answer_is_that_of_brute_force,
    overlap_is_symmetric_and_idempotent,
    covers_is_a_partial_order,
    two_excludes_take_what_each_of_them_takes,
    no_meeting_pair_is_missed_by_the_index,
]


@BOTH
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@QUICK
@given(data=st.data())
def test_the_law_holds(data: st.DataObject, law: Law, any_name: bool) -> None:
    law(data, any_name, 4)


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@LONG
@given(data=st.data())
def test_the_law_holds_for_longer_names_too(data: st.DataObject, law: Law, any_name: bool) -> None:
    law(data, any_name, 5)
