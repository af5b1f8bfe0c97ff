"""The shrinker finds the small case inside a large one."""

from __future__ import annotations

from tests.oracle.shrink import shrink


def test_what_does_not_matter_is_deleted() -> None:
    def differs(cases: list[tuple[str, ...]]) -> list[bool]:
        return ["*" in pattern and "/" in name for pattern, name in cases]

    assert shrink(("wiki/[a-z]*.md", "wiki/notes/b.md"), differs) == ("*", "/")


def test_characters_become_plain_where_that_keeps_the_difference() -> None:
    def differs(cases: list[tuple[str, ...]]) -> list[bool]:
        return [len(pattern) > 1 and pattern[0] == name[-1:] for pattern, name in cases]

    assert shrink(("жzz", "xж"), differs) == ("aa", "a")
