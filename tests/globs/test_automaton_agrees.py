"""Automata against the matcher, on pairs drawn from the whole syntax: never fewer names, and no others where exact."""

from __future__ import annotations

from random import Random

import pytest

from fleetlint.globs import BadPattern, Pattern
from fleetlint.globs.automaton import DEAD
from fleetlint.globs.work import Meter, TooMuchWork
from tests.oracle.glob_pairs import pairs
from tests.oracle.shrink import shrink


def accepts(pattern: Pattern, name: str) -> bool | None:
    """Whether the automaton accepts the name, None where it gives up."""
    automaton, meter = pattern.automaton, Meter(1_000_000)
    state = automaton.start
    try:
        for char in name.encode("utf-8", "surrogateescape").decode("utf-8", "replace"):
            state = automaton.row(state, meter)[automaton.alphabet.number(char)]
            if state == DEAD:
                return False
    except TooMuchWork:
        return None
    return automaton.ends(state)


def is_wrong(text: str, name: str) -> bool:
    try:
        pattern = Pattern.parse(text)
    except BadPattern:
        return False
    accepted, matched = accepts(pattern, name), pattern.matches(name)
    return accepted is not None and accepted != matched and (pattern.automaton.exact or matched)


def check(count: int, seed: str) -> int:
    """Compare on so many pairs; gives how many of their patterns have an exact automaton."""
    exact = 0
    for text, name in pairs(Random(seed), count):
        if is_wrong(text, name):
            least = shrink((text, name), lambda cases: [is_wrong(*case) for case in cases])
            pattern = Pattern.parse(least[0])
            pytest.fail(f"{least}: {pattern.matches(least[1])}, the automaton says {accepts(pattern, least[1])}")
        try:
            exact += Pattern.parse(text).automaton.exact
        except BadPattern:
            continue
    return exact


def test_automata_accept_what_the_matcher_matches() -> None:
    assert check(10_000, "small") > 5_000


@pytest.mark.slow
def test_automata_accept_what_the_matcher_matches_on_many_pairs() -> None:
    check(200_000, "many")
