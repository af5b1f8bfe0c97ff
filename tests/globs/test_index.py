from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from fleetlint.globs import Pattern, find_path, meeting_pairs
from tests.strategies import patterns

SOME = patterns(("a", "b", "ab"), ("[ab]", "[!a]"))


@given(st.lists(SOME, max_size=5), st.lists(SOME, max_size=5))
@settings(max_examples=100, deadline=None)
def test_no_pair_that_shares_a_name_is_left_out(left: list[Pattern], right: list[Pattern]) -> None:
    pairs = list(meeting_pairs(left, right))
    assert pairs == sorted(set(pairs))
    for i, p in enumerate(left):
        for j, q in enumerate(right):
            assert (i, j) in pairs or find_path(all_of=[p, q], any_name=True) is None


def test_pairs_that_begin_apart_are_not_compared() -> None:
    left = [Pattern.parse(f"team-{n:03}/inbox/**") for n in range(200)]
    right = [Pattern.parse(f"team-{n:03}/**") for n in range(200)] + [Pattern.parse("**/*.md")]
    assert len(list(meeting_pairs(left, right))) == 400
