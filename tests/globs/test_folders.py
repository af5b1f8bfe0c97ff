"""A question about one folder is asked behind it; the answer must be the one that is found without that."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from fleetlint.globs import BadPattern, Found, Like, Maybe, Pattern, find_path
from fleetlint.globs.algebra import _search
from tests.strategies import glob_texts

FOLDERS = st.sampled_from(["", "a/", "a/b/", "a/b/c/", "v1.0/", "a.d/", "./", "a//", "/", "a/../", "}/", "ж/"])
TEXTS = glob_texts(("a", "b", ".md", "."), ("[ab]", "[!a]", "[/a]"))


def parsed(text: str) -> Pattern | None:
    try:
        return Pattern.parse(text)
    except BadPattern:
        return None


@given(st.lists(st.tuples(FOLDERS, TEXTS), min_size=3, max_size=3), st.integers(1, 3))
@settings(max_examples=300, deadline=None)
def test_a_folder_in_common_changes_no_answer(parts: list[tuple[str, str]], wanted: int) -> None:
    patterns = [parsed(folder + text) for folder, text in parts]
    if any(pattern is None for pattern in patterns):
        return
    languages = [pattern for pattern in patterns if pattern is not None]
    quick = find_path(all_of=languages[:wanted], none_of=languages[wanted:])
    plain = _search(tuple(languages[:wanted]), tuple(languages[wanted:]), False)
    if quick != plain and Maybe() not in (quick, plain):
        # Of an inexact pattern, names are tried in order, and how many are passed depends on what else is asked.
        assert not all(language.automaton.exact for language in languages)
        assert isinstance(quick, Found)
        assert isinstance(plain, Found)


def test_a_folder_that_could_be_a_note_itself_is_not_passed_over() -> None:
    assert find_path(all_of=[Pattern.parse("a.md/**")]) == Found("a.md")
    assert find_path(all_of=[Pattern.parse("wiki/a.md/**"), Pattern.parse("wiki/**")]) == Found("wiki/a.md")


def test_a_fleet_folder_is_asked_behind_a_folder_too() -> None:
    assert find_path(all_of=[Pattern.parse("my/roles/**"), Like.parse("MY/ro")]) == Found("my/roles/a.md")
    assert find_path(all_of=[Pattern.parse("my/roles/**")], none_of=[Like.parse("my")]) is None


def test_a_fault_behind_a_folder_is_reported_where_it_stands() -> None:
    assert parsed("wiki/sub/a[") is None
    try:
        Pattern.parse("wiki/sub/a[")
    except BadPattern as fault:
        column = fault.column
    assert column == 11
