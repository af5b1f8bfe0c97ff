from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetlint.globs import BadPattern, Pattern, find_path
from fleetlint.globs.example import takes_notes


@pytest.mark.parametrize(
    "text",
    [
        "**",
        "*",
        "**/*.md",
        "wiki/**",
        "wiki/*/a-*.md",
        "a.md",
        "{a,b}/x.md",
        "a**/*.txt",
        "d/202[0-9]-?.md",
        "[!a]/x.md",
        "\\[x\\]/**",
    ],
)
def test_these_take_notes(text: str) -> None:
    assert takes_notes(Pattern.parse(text))


@pytest.mark.parametrize("text", ["wiki", "wiki/", "**/run", "a//**", "../**", "a/./b.md", ".md", "*/.md", "wiki/**/"])
def test_these_take_none(text: str) -> None:
    assert not takes_notes(Pattern.parse(text))


@given(st.text(alphabet="a./*{,}[]", max_size=9))
def test_the_short_way_answers_like_the_search(text: str) -> None:
    try:
        pattern = Pattern.parse(text)
    except BadPattern:
        return
    assert takes_notes(pattern) == (find_path(all_of=[pattern]) is not None)
