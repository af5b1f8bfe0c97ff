"""No pattern hangs: work is counted, and past the budget the answer is "maybe", the same one every time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleetlint.globs import BadPattern, Found, Maybe, Pattern, algebra, find_path
from fleetlint.globs.syntax import MATCH_WORK
from fleetlint.globs.work import Meter, TooMuchWork

if TYPE_CHECKING:
    from collections.abc import Iterator

HOSTILE = {
    "twenty brace groups": "{a,b}" * 20 + "/**",
    "many stars": "*a" * 23 + "*ab",
    "two hundred stars": "*" * 200,
    "ten thousand stars": "*" * 10_000,
    "a brace of twenty thousand": "{" + ",".join(f"abc{n}" for n in range(20_000)) + "}",
    "five thousand braces deep": "{" * 5_000 + "a" + "}" * 5_000,
    "forty braces deep": "{a," * 40 + "b" + "}" * 40,
    "empty alternatives": "{,}" * 3_000,
    "cut classes": "{a,[}b]" * 12,
    "a class of five thousand": "[" + "".join(chr(0x100 + 2 * n) for n in range(5_000)) + "]*",
    "three hundred classes": "".join(f"[!{chr(0x400 + n)}]*" for n in range(300)),
    "a quarter of a million letters": "a" * 250_000,
    "stars in alternatives": "{*a,*b}" * 20,
    "recursive stars in alternatives": "{**/,a}" * 40,
    "classes that take a slash": "[!a]*" * 100,
}


class _Counting(Meter):
    """Remembers the most that any question has spent."""

    worst = 0

    def spend(self, work: int) -> None:
        super().spend(work)
        _Counting.worst = max(_Counting.worst, algebra.WORK - self.left)


@pytest.fixture
def counted() -> Iterator[type[_Counting]]:
    """Questions count their work from here on, and remember no answers from before."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(algebra, "Meter", _Counting)
        algebra._search.cache_clear()
        algebra._search_inside.cache_clear()
        _Counting.worst = 0
        yield _Counting
    algebra._search.cache_clear()
    algebra._search_inside.cache_clear()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_pattern_is_answered_within_the_budget(name: str, counted: type[_Counting]) -> None:
    pattern = Pattern.parse(HOSTILE[name])
    for other in ("**", "x/*.md", "**/*a*b*a.md", HOSTILE["many stars"], HOSTILE["three hundred classes"]):
        for all_of, none_of in (
            ([pattern, Pattern.parse(other)], []),
            ([pattern], [other]),
            ([Pattern.parse(other)], [HOSTILE[name]]),
        ):
            answer = find_path(all_of=all_of, none_of=[Pattern.parse(text) for text in none_of])
            assert answer is None or isinstance(answer, (Found, Maybe))
    assert 0 < counted.worst <= algebra.WORK


def test_a_match_that_takes_the_library_for_ever_is_given_up_or_answered_by_the_automaton() -> None:
    assert Pattern.parse(HOSTILE["twenty brace groups"]).matches("a" * 20 + "/x.md")
    assert not Pattern.parse("*" + HOSTILE["twenty brace groups"]).matches("a" * 19 + "c/x.md")
    with pytest.raises(TooMuchWork):
        Pattern.parse(HOSTILE["five thousand braces deep"]).matches("b")


def test_the_answer_does_not_depend_on_what_was_asked_before() -> None:
    texts = ["*a*b*c*d*e*[!x]*f*", "**/*[!a]*/**/*b*", HOSTILE["many stars"]]
    first = []
    for text in texts:
        _parsed_afresh(text)
        first.append(find_path(all_of=[_parsed_afresh(text), Pattern.parse("**/*a*b*.md")]))
    for _ in range(2):
        assert [find_path(all_of=[Pattern.parse(text), Pattern.parse("**/*a*b*.md")]) for text in texts] == first


def _parsed_afresh(text: str) -> Pattern:
    from fleetlint.globs import syntax

    syntax._parsed.cache_clear()
    algebra._search.cache_clear()
    algebra._search_inside.cache_clear()
    return Pattern.parse(text)


ADVERSARIAL = st.lists(
    st.sampled_from(
        ["a", "/", "*", "**", "**/", "{", "}", ",", "{*,", "{**/", "[!a]", "[", "]", "?", "\\", "ж", "{,}", "."]
    ),
    max_size=60,
).map("".join)


def check_any_two_patterns(text: str, other: str) -> None:
    parsed, columns = [], []
    for each in (text, other):
        try:
            parsed.append(Pattern.parse(each))
        except BadPattern as fault:
            columns.append((fault.column, len(each)))
    assert all(1 <= column <= length for column, length in columns)
    if len(parsed) == 2:
        p, q = parsed
        answer = find_path(all_of=[p, q])
        if isinstance(answer, Found):
            assert p.matches_within(answer.path, Meter(MATCH_WORK))
            assert q.matches_within(answer.path, Meter(MATCH_WORK))
        find_path(all_of=[p], none_of=[q], any_name=True)


FRESH = [HealthCheck.function_scoped_fixture]


@given(ADVERSARIAL, ADVERSARIAL)
@settings(max_examples=100, deadline=None, suppress_health_check=FRESH)
def test_no_two_patterns_cause_a_traceback_or_exceed_the_budget(
    counted: type[_Counting], text: str, other: str
) -> None:
    check_any_two_patterns(text, other)
    assert counted.worst <= algebra.WORK


@pytest.mark.slow
@given(ADVERSARIAL, ADVERSARIAL)
@settings(max_examples=10_000, deadline=10_000, suppress_health_check=FRESH)
def test_no_two_of_twenty_thousand_patterns_cause_a_traceback_or_exceed_the_budget(
    counted: type[_Counting], text: str, other: str
) -> None:
    check_any_two_patterns(text, other)
    assert counted.worst <= algebra.WORK
