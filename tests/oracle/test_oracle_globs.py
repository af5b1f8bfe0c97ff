"""`Pattern.matches` against doublestar itself, on pairs drawn from the whole syntax.

The matcher follows 4.9.1, as the vectors and the server do; in what the newest version differs is held here too.
"""

from __future__ import annotations

from itertools import islice
from random import Random
from typing import TYPE_CHECKING

import pytest

from fleetlint.globs import BadPattern, Pattern
from tests.oracle.glob_pairs import pairs
from tests.oracle.shrink import shrink

if TYPE_CHECKING:
    from tests.oracle.conftest import Oracle

BATCH = 20_000


def ours(pattern: str, name: str) -> bool:
    """A malformed pattern matches nothing."""
    try:
        return Pattern.parse(pattern).matches(name)
    except BadPattern:
        return False


def differences(oracle: Oracle, cases: list[tuple[str, ...]]) -> list[bool]:
    asked = [(pattern, name) for pattern, name in cases]
    return [ours(*pair) != theirs for pair, theirs in zip(asked, oracle.matches(asked), strict=True)]


def compare(oracle: Oracle, count: int, seed: str) -> float:
    """Compare on so many pairs; gives the share that matches."""
    stream = pairs(Random(seed), count)
    matched = 0
    while batch := list(islice(stream, BATCH)):
        theirs = oracle.matches(batch)
        matched += sum(theirs)
        for pair, answer in zip(batch, theirs, strict=True):
            if ours(*pair) != answer:
                pattern, name = shrink(pair, lambda cases: differences(oracle, cases))
                pytest.fail(f"{pattern!r} on {name!r}: we say {ours(pattern, name)} (found as {pair!r}, seed {seed!r})")
    return matched / count


def test_matching_agrees_with_doublestar(oracle: Oracle) -> None:
    assert 0.4 < compare(oracle, 20_000, "small") < 0.6


def may_differ(pattern: str) -> bool:
    """Whether versions after 4.9.1 may read the pattern in another way.

    They read a class in a brace over before they look for the end of the brace, and a brace in mid-segment no longer
    counts as the start of one, which a `**` that comes to stand there shows.
    """
    return "{" in pattern and ("[" in pattern or pattern.count("*") > 1)


def compare_newest(oracle: Oracle, newest_oracle: Oracle, count: int, seed: str) -> None:
    stream = pairs(Random(seed), count)
    differing = 0
    while batch := list(islice(stream, BATCH)):
        for pair, server, newest in zip(batch, oracle.matches(batch), newest_oracle.matches(batch), strict=True):
            differing += server != newest
            assert server == newest or may_differ(pair[0]), pair
    assert differing < count * 0.02
    assert differing > 0, "the newest doublestar agrees with 4.9.1 by now: compare the matcher with both"


def test_the_newest_doublestar_differs_in_braces_only(oracle: Oracle, newest_oracle: Oracle) -> None:
    compare_newest(oracle, newest_oracle, 20_000, "newest")


@pytest.mark.slow
def test_matching_agrees_with_doublestar_on_a_million_pairs(oracle: Oracle) -> None:
    assert 0.4 < compare(oracle, 1_000_000, "million") < 0.6


@pytest.mark.slow
def test_the_newest_doublestar_differs_in_braces_only_on_many_pairs(oracle: Oracle, newest_oracle: Oracle) -> None:
    compare_newest(oracle, newest_oracle, 300_000, "newest, many")


@pytest.mark.parametrize(
    ("pattern", "name"),
    [("{{[!a,}a}", "a"), ("{[!a,}a", "a"), ("a{{a{[,]}},}", "a"), ("a{b{[,]},}", "a")],
)
def test_a_name_may_get_past_a_fault_in_one_alternative(oracle: Oracle, pattern: str, name: str) -> None:
    assert oracle.matches([(pattern, name)]) == [True]
    assert Pattern.parse(pattern).matches(name)
