"""Superfluous patterns: what is dropped takes no note away, on random lists, and long lists end."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from fleetlint.globs import Pattern, covers, find_path
from fleetlint.globs.example import takes_notes
from fleetlint_rules.redundant_pattern.lists import MOST_PAIRS, apart, covered_of

FOLDERS = st.sampled_from(["", "a/", "b/", "*/", "**/", "[ab]/", "{a,b}/", "a*/"])
NAMES = st.sampled_from(["**", "*", "*.md", "a.md", "[a-m]*.md", "[m-z]*.md", "*.txt", "**/*.md"])
LISTS = st.lists(st.builds(lambda folder, name: Pattern.parse(folder + name), FOLDERS, NAMES), min_size=2, max_size=6)


@given(LISTS)
@settings(deadline=None)
def test_all_superfluous_patterns_can_go_at_once(patterns: list[Pattern]) -> None:
    superfluous = covered_of(patterns, False)
    kept = [pattern for number, pattern in enumerate(patterns) if number not in superfluous]
    assert kept
    for number, by in superfluous.items():
        assert find_path(all_of=[patterns[number]], none_of=kept) is None
        assert find_path(all_of=[patterns[number]], none_of=[patterns[other] for other in by]) is None


@given(LISTS)
@settings(deadline=None)
def test_no_pattern_that_stays_is_covered_by_the_others_that_stay(patterns: list[Pattern]) -> None:
    superfluous = covered_of(patterns, False)
    kept = [pattern for number, pattern in enumerate(patterns) if number not in superfluous]
    for number, pattern in enumerate(kept):
        others = kept[:number] + kept[number + 1 :]
        if others and takes_notes(pattern):
            assert find_path(all_of=[pattern], none_of=others) is not None


@given(LISTS)
@settings(deadline=None)
def test_only_twins_go_where_each_entry_counts(patterns: list[Pattern]) -> None:
    for number, by in covered_of(patterns, True).items():
        assert [patterns[other] for other in by] == [patterns[number]]
        assert by[0] < number


@given(LISTS, LISTS)
@settings(deadline=None)
def test_what_is_apart_shares_no_note(patterns: list[Pattern], others: list[Pattern]) -> None:
    meets = [any(find_path(all_of=[one, other]) is not None for other in others) for one in patterns]
    assert apart(patterns, others) == [number for number in range(len(patterns)) if not meets[number]]


def test_a_list_of_thousands_is_compared_in_part_and_nothing_wrong_is_said() -> None:
    patterns = [Pattern.parse(f"**/{number}.md") for number in range(1_000)]
    assert len(patterns) ** 2 > 40 * MOST_PAIRS
    assert covered_of(patterns, False) == {}
    assert apart(patterns, patterns[:1]) == list(range(1, 1_000))
    # Too many questions: nothing is said rather than something unasked.
    assert apart(patterns, [Pattern.parse(f"**/x{number}.md") for number in range(1_000)]) == []


def test_folders_apart_are_never_compared() -> None:
    patterns = [Pattern.parse(f"{number:04}/**") for number in range(5_000)]
    patterns.append(Pattern.parse("0007/notes/**"))
    assert covered_of(patterns, False) == {5_000: (7,)}
    assert covers(patterns[7], patterns[5_000])
