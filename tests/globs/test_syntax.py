from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lark import Lark, LarkError, Token, Transformer

from fleetlint.globs import BadPattern, Pattern
from fleetlint.globs.syntax import AnyChar, Brace, CharClass, Escaped, Literal, Star, parse_nodes

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("a[", 2),
        ("[]", 1),
        ("wiki/[!]/x", 6),
        ("wiki/{a", 6),
        ("b}/{a", 4),
        ("a\\", 2),
        ("{a[,b}", 3),
        ("x{[,a}y", 3),
        ("{[a,b]}", 2),
        ("{{a,b}", 1),
        ("{a}b[c", 5),
    ],
)
def test_a_fault_that_no_name_gets_past_is_reported_at_its_column(text: str, column: int) -> None:
    with pytest.raises(BadPattern) as error:
        Pattern.parse(text)
    assert error.value.column == column


@pytest.mark.parametrize(
    ("text", "name"),
    [("a}", "a}"), ("{a,[}b]", "b"), ("{a,b[}", "a"), ("[^a{]", "b"), ("{a,b}}", "a}"), ("a,b", "a,b")],
)
def test_what_is_odd_but_matches_some_name_is_a_pattern(text: str, name: str) -> None:
    assert Pattern.parse(text).matches(name)


def test_an_alternative_behind_one_that_no_name_gets_past_is_never_reached() -> None:
    assert Pattern.parse("{a,b[,c}").nodes == (Brace(((Literal("a"),),)),)
    assert not Pattern.parse("{a,b[,c}").matches("c")


def test_the_parts_of_a_pattern_are_read_once_and_for_all() -> None:
    assert Pattern.parse(r"wiki/**/[!a-c\]-]?{x,{y,}}\*").nodes == (
        Literal("wiki/"),
        Star(),
        Star(),
        Literal("/"),
        CharClass(((ord("-"), ord("-")), (ord("]"), ord("]")), (ord("a"), ord("c"))), negated=True),
        AnyChar(),
        Brace(((Literal("x"),), (Brace(((Literal("y"),), ())),))),
        Escaped("*"),
    )


class _Parts(Transformer[Token, object]):
    """The tree that Lark itself builds, turned into the same parts."""

    def __default__(self, data: object, children: list[object], meta: object) -> object:
        values = [child for child in children if not isinstance(child, Token) or child.type not in ("LBRACE",)]
        if data == "brace":
            return Brace(tuple(value for value in values if isinstance(value, tuple)))
        if data in ("outer_class", "inner_class"):
            return _class([child for child in values if isinstance(child, Token)])
        return tuple(_part(value) for value in values)


def _part(value: object) -> object:
    if not isinstance(value, Token):
        return value
    if value.type == "ESCAPED":
        return Escaped(value[1])
    return {"STAR": Star(), "ANY": AnyChar()}.get(value.type, Literal(str(value)))


def _class(tokens: list[Token]) -> CharClass:
    points: set[int] = set()
    for token in tokens:
        if token.type.endswith("MEMBER"):
            points.add(ord(token[-1]))
        elif token.type.endswith("RANGE"):
            low = ord(token[1] if token[0] == "\\" else token[0])
            points.update(range(low, ord(token[-1]) + 1) or [low])
    ends = [point for point in sorted(points) if point + 1 not in points]
    starts = [point for point in sorted(points) if point - 1 not in points]
    return CharClass(tuple(zip(starts, ends, strict=True)), negated=any(token.type == "NEGATION" for token in tokens))


@given(st.text(alphabet="ab-/*?[]{},!^\\\n", max_size=14))
@settings(max_examples=1_500, deadline=None)
def test_the_tables_give_what_lark_gives_for_the_grammar(text: str) -> None:
    try:
        expected: object = _Parts().transform(_lark().parse(text))
    except LarkError:
        expected = None
    assert parse_nodes(text) == expected


def _lark(made: list[Lark] = []) -> Lark:  # noqa: B006 - made once, kept
    if not made:
        grammar = (ROOT / "fleetlint" / "globs" / "grammar.lark").read_text(encoding="utf-8")
        made.append(Lark(grammar, parser="lalr", maybe_placeholders=False))
    return made[0]


def test_the_tables_are_made_from_the_grammar_as_it_is() -> None:
    made = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "make_tables.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr


def test_a_text_of_wildcards_alone_is_read_as_the_grammar_reads_it() -> None:
    texts = ["".join(chars) for size in range(7) for chars in product("a*?/", repeat=size)]
    assert [Pattern.parse(text).nodes for text in texts] == [parse_nodes(text) for text in texts]
