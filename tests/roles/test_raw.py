"""What the server prints for a value, and the list that a fleet makes of it. The renderings were obtained from Go."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetlint.globs.normal import SPACE
from fleetlint.roles.raw import parse_list, plain_items, render
from fleetlint.vault import Mapping, Scalar, Sequence, Span
from tests.roles.written_header import role

SPAN = Span(1, 1, 1, 2)


def text(value: str | bool | int | float | None) -> Scalar:
    return Scalar(value, str(value), True, SPAN)


def items(value: str) -> list[str]:
    return [item.text for item in role(f"read_patterns: {value}").fields["read_patterns"].items]


LISTS = {
    "[a, b]": ["a", "b"],
    "create, update": ["create", "update"],
    "out/** log/**": ["out/**", "log/**"],
    '["wiki/{a,b}/**"]': ["wiki/{a", "b}/**"],
    '["my notes/**"]': ["my", "notes/**"],
    '"[a-z]*.md"': ["a-z]*.md"],
    '["[a-z]*.md"]': ["[a-z]*.md"],
    "[[Note]]": ["[Note]"],
    "": ["<nil>"],
    "[]": [],
    '""': [],
    "[~]": ["<nil>"],
    "[yes, 08, 1e6]": ["true", "8", "1e+06"],
    "{b: 1, a: 2}": ["map[a:2", "b:1"],
    "'[\"wiki/{a,b}/**\"]'": ["wiki/{a,b}/**"],
    '\'["", "a b"]\'': ["", "a b"],
    "'[\"\\u00e9\"]'": ["é"],
    "'[\"\\ud800\"]'": ["\ufffd"],
    "'[\"a\", 1]'": ["a", "1"],
    "'[1, [\"a\"]]'": ["1", '["a"]'],
    "\"'a' '' b'\"": ["a", "b"],
    '"a\\u00a0b\\u2028c\\x1cd"': ["a", "b", "c\x1cd"],
    '"["': [],
    '"]"': [],
    '"[a"': ["a"],
}


@pytest.mark.parametrize(("value", "expected"), LISTS.items())
def test_a_list_is_what_the_fleet_makes_of_the_raw_text(value: str, expected: list[str]) -> None:
    assert items(value) == expected


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ("[a/**, 'b/**']", [(17, 21), (23, 29)]),
        ('["my notes/**"]', [(18, 20), (21, 29)]),
        ("out/** log/**", [(16, 22), (23, 29)]),
        ('\'["x y", "z"]\'', [(19, 22), (26, 27)]),
        ('"\\x61 b"', [(16, 24), (16, 24)]),
        ("", [(15, 15)]),
    ],
)
def test_each_item_stands_where_its_text_is_written(value: str, places: list[tuple[int, int]]) -> None:
    found = role(f"read_patterns: {value}".rstrip()).fields["read_patterns"].items
    assert [(item.span.line, item.span.column, item.span.end_column) for item in found] == [
        (2, *place) for place in places
    ]


RENDERINGS = {
    "[1.0, 2.5, -0.0, 123456.5, 999999.0]": "[1 2.5 -0 123456.5 999999]",
    "[1e6, 1234567.0, 1e21, -1e100]": "[1e+06 1.234567e+06 1e+21 -1e+100]",
    "[1e-4, 0.00012, 1e-5, 5e-324]": "[0.0001 0.00012 1e-05 5e-324]",
    "[.inf, -.inf, .nan]": "[+Inf -Inf NaN]",
    "[~, yes, n, -7, 18446744073709551615]": "[<nil> true false -7 18446744073709551615]",
    "[{}, [], [a, [b c]]]": "[map[] [] [a [b c]]]",
    "{a: {c: 1, b: [x, {}]}, '': ~}": "map[:<nil> a:map[b:[x map[]] c:1]]",
    "{-3: a, -20: b, 0: c}": "map[-20:b -3:a 0:c]",
    '{é: 1, z: 2, "😀": 3, "\uffee": 4}': "map[z:2 é:1 \uffee:4 😀:3]",
    "{.inf: a, -.inf: b, .nan: c, 0.5: d}": "map[NaN:c -Inf:b 0.5:d +Inf:a]",
    "{10: a, 9: b, 2.5: c, x: d, yes: e, no: f, ~: g, 18446744073709551615: h}": (
        "map[<nil>:g x:d 18446744073709551615:h 9:b 10:a 2.5:c false:f true:e]"
    ),
}


@pytest.mark.parametrize(("value", "raw"), RENDERINGS.items())
def test_a_value_is_rendered_as_go_prints_it(value: str, raw: str) -> None:
    assert role(f"x: {value}").fields["x"].raw == raw


def test_a_value_of_any_depth_is_rendered() -> None:
    deep: Scalar | Sequence | Mapping = text("x")
    for level in range(60_000):
        deep = Sequence((deep,), SPAN) if level % 2 else Mapping(((text("k"), deep),), SPAN)
    raw = render(deep)
    assert raw.text == "[map[k:" * 30_000 + "x" + "]]" * 30_000
    assert len(parse_list(raw)) == 1


@pytest.mark.parametrize("inner", ["[" * 50_000, '["a", ' * 50_000])
def test_a_text_that_opens_many_json_lists_is_read_like_any_other(inner: str) -> None:
    value = f'["a", {inner}]'
    assert [item.text for item in parse_list(render(text(value)))] == plain_reading(value)


def plain_reading(raw: str) -> list[str]:
    """The list as section 2 of the contract words it."""
    raw = raw.strip(SPACE)
    try:
        listed = json.loads(raw)
    except (ValueError, RecursionError):
        listed = None
    if isinstance(listed, list) and all(isinstance(item, str) for item in listed):
        return listed
    words = re.split(f"[,{SPACE}]+", raw.removeprefix("[").removesuffix("]"))
    return [item for word in words if (item := word.strip("\"'"))]


BITS = st.sampled_from([*"[]\"',ab \t\n{}\xa0\u2028\x1c\u200b", '"a"', '", "', '["', '"]', "[]", "null", "1"])
TEXTS = st.lists(BITS, max_size=8).map("".join)


@given(TEXTS | TEXTS.map("[{}]".format))
def test_a_list_is_read_as_the_contract_words_it(raw: str) -> None:
    assert [item.text for item in parse_list(render(text(raw)))] == plain_reading(raw)


@given(st.lists(st.text("ab/*[]{}\\!.#,\"' \xa0", max_size=4), max_size=4))
def test_the_short_way_to_the_items_of_a_list_gives_what_the_long_one_gives(texts: list[str]) -> None:
    span = Span(1, 1, 1, 2)
    value = Sequence(tuple(Scalar(text, text, True, span) for text in texts), span)
    short = plain_items(value)
    assert short is None or short == parse_list(render(value))


@given(st.text('ab/*[]{}!., "', min_size=1, max_size=12) | st.lists(st.text("ab/*{} ", min_size=1)).map(json.dumps))
def test_an_item_of_a_quoted_text_stands_where_its_characters_are(value: str) -> None:
    line = f"read_patterns: '{value}'"
    items = role(line).fields["read_patterns"].items
    for item in items:
        # An item that is the whole text stands with its quotes, as in a list.
        assert line[item.span.column - 1 : item.span.end_column - 1] in (item.text, f"'{item.text}'")
    assert all(before.span.end_column <= after.span.column for before, after in pairwise(items))


def test_the_same_item_twice_has_two_places() -> None:
    for value in ("'a a'", '\'["a", "a"]\''):
        first, second = role(f"read_patterns: {value}").fields["read_patterns"].items
        assert first.span < second.span


def test_the_items_of_a_list_that_comes_out_as_json_stand_where_their_scalars_do() -> None:
    first, second = role("""read_patterns: ['"a",', '"a"']""").fields["read_patterns"].items
    assert (first.text, second.text) == ("a", "a")
    assert (first.span.column, second.span.column) == (19, 27)


def test_an_item_of_a_nested_list_stands_where_its_scalar_does() -> None:
    items = role("read_patterns: [[a, b], {k: c}]").fields["read_patterns"].items
    assert [item.text for item in items] == ["[a", "b]", "map[k:c]"]
    assert [item.span.column for item in items[:2]] == [18, 21]


def test_an_item_of_a_text_on_several_lines_has_the_place_of_the_text() -> None:
    first, second = role("read_patterns: |\n  a\n  b").fields["read_patterns"].items
    assert first.span == second.span
    assert first.span.line == 2


def test_what_is_no_list_has_no_items() -> None:
    assert role("description: a, b").fields["description"].items == ()
