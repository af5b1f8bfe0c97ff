from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetlint.roles import read_role
from fleetlint.roles.written import Mangled, mangled, surviving
from fleetlint.vault.frontmatter import find_block, read_note

if TYPE_CHECKING:
    from fleetlint.roles import Field

KEY = "write_patterns"


def field(line: str) -> Field:
    data = f"---\n{line}\n---\n".encode("utf-8", "surrogatepass")
    block = find_block(data)
    assert block is not None
    return read_role(read_note("roles/a.md", data, block)).fields[KEY]


@pytest.mark.parametrize(
    "value",
    ["[a/**, b.md]", "a/** b.md", "a/**, b.md", "'[a/**, b.md]'", '\'["My Notes/**", "{a,b}"]\'', "[]", '[""]'],
)
def test_what_arrives_as_it_was_meant_is_not_mangled(value: str) -> None:
    assert mangled(field(f"{KEY}: {value}")) == ()


@pytest.mark.parametrize(
    ("value", "written", "seen", "first"),
    [
        ('["My Notes/**"]', "My Notes/**", ("My", "Notes/**"), 0),
        ('[a, "{b,c}/**", d]', "{b,c}/**", ("{b", "c}/**"), 1),
        ('"{b,c}/**"', "{b,c}/**", ("{b", "c}/**"), 0),
        ('"[a-z]*.md"', "[a-z]*.md", ("a-z]*.md",), 0),
        ('"[a-z]/[0-9]"', "[a-z]/[0-9]", ("a-z]/[0-9",), 0),
        ('"notes/[a-z]"', "notes/[a-z]", ("notes/[a-z",), 0),
        ("[[a]]", None, ("[a]",), 0),
        ("", None, ("<nil>",), 0),
        ("{a: b}", None, ("map[a:b",), 0),
        ("[a, ~]", "a, ~", ("a", "<nil>"), 0),
        ("[yes]", "yes", ("true",), 0),
    ],
)
def test_what_is_cut_or_read_otherwise_is_said_with_its_pieces(
    value: str, written: str | None, seen: tuple[str, ...], first: int
) -> None:
    assert mangled(field(f"{KEY}: {value}")) == (Mangled(written, seen, first),)


def listed(items: list[str]) -> Field:
    """A list of double-quoted texts: JSON is YAML as far as these go."""
    return field(f"{KEY}: {json.dumps(items)}")


texts = st.text(alphabet="ab/*{},[] '\"\t\x1c\u00a0é", max_size=8)


@given(st.lists(texts, max_size=4))
def test_a_list_is_mangled_just_when_the_fleet_sees_another(items: list[str]) -> None:
    one = listed(items)
    assert (mangled(one) == ()) == ([item.text for item in one.items] == [text for text in map(trimmed, items) if text])


def trimmed(text: str) -> str:
    """An entry of nothing but blanks, commas and quotes leaves nothing."""
    text = text.strip(" \t\u00a0")
    return "" if not text.strip(" \t\u00a0,'\"") else text


@given(st.lists(texts, max_size=4))
def test_the_surviving_line_gives_the_fleet_just_these_items(items: list[str]) -> None:
    assert [item.text for item in field(surviving(KEY, items)).items] == items
