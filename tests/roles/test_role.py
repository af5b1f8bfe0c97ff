from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetlint.globs import Pattern
from fleetlint.roles import Role, is_role_note, read_role, validate
from fleetlint.roles.raw import parse_list, plain_items, render
from fleetlint.vault import Scalar, Sequence, Span
from fleetlint.vault.frontmatter import find_block, read_note
from tests.strategies import note_bytes

VALID = "fleet_id: t\nmode: change\ntrigger_on: [create]\ntrigger_include: [in/**]\nwrite_patterns: [out/**]\n"


def role(header: str, body: str = "Do it.\n") -> Role:
    data = f"---\n{header}\n---\n{body}".encode()
    block = find_block(data)
    assert block is not None
    note = read_note("roles/a.md", data, block)
    assert note.header is not None, note.fault
    return read_role(note)


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


@pytest.mark.parametrize(
    ("value", "number"),
    [("3", 3), ("+3", 3), ('" 3 "', 3), ('""', 0), ("010", 8), ("1e3", 1000), ("1.0", 1), ("-0", 0), ("0b11", 3)],
)
def test_an_integer_is_what_atoi_makes_of_the_raw_text(value: str, number: int) -> None:
    found = role(f"max_steps: {value}")
    assert (found.max_steps, found.problems) == (number, ())


@pytest.mark.parametrize(
    "value",
    ["3.5", "~", "", "1e6", "99999999999999999999", "'9223372036854775808'", "'3 4'", "'1_0'", "'٣'", "5:00", "[1]"],
)
def test_what_is_no_integer_counts_as_its_default_beside_an_error(value: str) -> None:
    found = role(f"fleet_id: t\nmax_depth: {value}")
    assert (found.stated_max_depth, found.max_depth) == (None, 1)
    assert [(problem.key, problem.span.line) for problem in found.problems] == [("max_depth", 3)]


def test_an_error_shows_what_the_server_made_of_the_number() -> None:
    (problem,) = role("max_depth: 99999999999999999999").problems
    assert "`1e+20`" in problem.message
    assert "`99999999999999999999`" in problem.message


@pytest.mark.parametrize(
    ("value", "enabled"),
    [
        ("yes", True),
        ("'On'", True),
        ("TRUE", True),
        ("no", False),
        ("'OFF'", False),
        ("n", False),
        ("' false '", False),
    ],
)
def test_a_role_is_paused_by_any_no(value: str, enabled: bool) -> None:
    found = role(f"enabled: {value}")
    assert (found.enabled, found.problems) == (enabled, ())


@pytest.mark.parametrize("value", ["maybe", "", "0", "1", "[no]", "'n'", '""'])
def test_what_is_neither_yes_nor_no_is_an_error_and_the_role_runs(value: str) -> None:
    found = role(f"enabled: {value}")
    assert found.enabled
    assert [problem.key for problem in found.problems] == ["enabled"]


def test_texts_are_trimmed_of_unicode_white_space() -> None:
    found = role('fleet_id: "codex "\nmode: "\\u00a0cron\\u3000"\nmodel: 42\ndescription: ~')
    assert (found.fleet_id, found.mode, found.model, found.description) == ("codex", "cron", "42", "<nil>")


@pytest.mark.parametrize(
    ("value", "text"), [("2026-01-02", "2026-01-02"), ("~", "<nil>"), ("", "<nil>"), ("'='", "="), ("=", "=")]
)
def test_a_fleet_id_is_the_rendered_value(value: str, text: str) -> None:
    assert role(f"fleet_id: {value}").fleet_id == text


@pytest.mark.parametrize(
    ("text", "normal"),
    [("/wiki/**", "wiki/**"), ("./wiki/**", "wiki/**"), ("/./wiki/**", "wiki/**"), (".//a", "a"), (".a/b", ".a/b")],
)
def test_patterns_lose_what_the_server_strips(text: str, normal: str) -> None:
    (glob,) = role(f"read_patterns: [{text}]").read_patterns
    assert glob.text == text
    assert glob.pattern == Pattern.parse(normal)


def test_an_empty_and_a_malformed_pattern_match_nothing() -> None:
    empty, bad = role('read_patterns: \'["/", "a["]\'').read_patterns
    assert (empty.pattern, empty.fault) == (None, None)
    assert bad.pattern is None
    assert bad.fault is not None


def test_the_exclamation_mark_of_an_attached_note_is_not_part_of_its_pattern() -> None:
    plain, negated = role("attach_notes: [a.md, '!/b/**']").attach_notes
    assert (plain.negated, negated.negated, negated.text, negated.pattern) == (
        False,
        True,
        "!/b/**",
        Pattern.parse("b/**"),
    )


@pytest.mark.parametrize(
    ("tools", "raises"),
    [
        ("", {"create", "update"}),
        ("tools: []", {"create", "update"}),
        ("tools: [write_note]", {"create", "update"}),
        ("tools: [patch_note, search]", {"update"}),
        ("tools: [read_note]", set()),
    ],
)
def test_tools_decide_which_events_writes_raise(tools: str, raises: set[str]) -> None:
    assert role(VALID + tools).raises == raises


@pytest.mark.parametrize(
    ("header", "is_role"),
    [
        ("fleet_id:", True),
        ("mode: x\nfor_each: y", True),
        ("mode: x\ntitle: y", False),
        ("mode: x\nmode: y", False),
        ("x: {fleet_id: t}", False),
        ("Fleet_ID: t\ntrigger-on: x", False),
    ],
)
def test_a_fleet_id_or_two_keys_make_a_role(header: str, is_role: bool) -> None:
    data = f"---\n{header}\n---\n".encode()
    block = find_block(data)
    assert block is not None
    assert is_role_note(read_note("a.md", data, block)) == is_role


def test_a_valid_role_has_no_problem() -> None:
    found = role(VALID + "max_depth: 999\ntimeout_seconds: 3600\nfor_each: changed_files", "{{ change_file.Path }}")
    assert (found.problems, validate(found)) == ((), ())


VALIDATION = [
    ("mode: chnage", "", "mode", 2, "`mode: change`"),
    ("mode: Cron\ncron_schedule: x", "", "mode", 2, "`mode: cron`"),
    ("fleet_id: t", "", None, 1, "mode"),
    ("mode:\nfleet_id: t", "", "mode", 2, ""),
    ("mode: cron", "", None, 1, "cron_schedule"),
    ("mode: change\ntrigger_on: [create]", "", None, 1, "trigger_include"),
    ("mode: change\ntrigger_on: []\ntrigger_include: [a]", "", "trigger_on", 3, "trigger_on"),
    (VALID + "for_each: each_file", "", "for_each", 7, "changed_files"),
    (VALID + "concurrency: queue", "", "concurrency", 7, "`concurrency: queue_one`"),
    (VALID + "max_depth: 1000", "", "max_depth", 7, ""),
    (VALID + "max_depth: -1", "", "max_depth", 7, ""),
    (VALID + "timeout_seconds: -1", "", "timeout_seconds", 7, ""),
    (VALID + "timeout_seconds: 3601", "", "timeout_seconds", 7, "3600"),
    (VALID + "tools: [search, send_mail]", "", "tools", 7, "`write_note`"),
    (VALID + 'env_prefix: \'["A_", ""]\'', "", "env_prefix", 7, ""),
    (VALID + "enabled: no\nconcurrency: queue", "", "concurrency", 8, ""),
    (VALID, "a\nb {{ change_file }}", None, 9, "changed_files"),
    (VALID + "executor: code", "no block", "executor", 7, "block"),
    (VALID + "executor: code", "```python\nopen", "executor", 7, "block"),
    (VALID + "executor: code", "x\n```python\n```\n```cobol\n```\n", None, 12, "python"),
    (VALID + "executor: code", "```\nx\n```\n", None, 9, "python"),
]


@pytest.mark.parametrize(("header", "body", "key", "line", "help"), VALIDATION)
def test_a_role_that_a_fleet_refuses_says_where_and_how_to_mend_it(
    header: str, body: str, key: str | None, line: int, help: str
) -> None:
    (problem,) = validate(role(header.rstrip(), body))
    assert (problem.key, problem.span.line) == (key, line)
    assert help in problem.help


@pytest.mark.parametrize(
    ("more", "body"),
    [
        ("timeout_seconds: 0", ""),
        ("tools: []", ""),
        ("concurrency: ''", ""),
        ("executor: llm", "```cobol\n```"),
        ("executor: code", "```PYTHON\n``` ```sh\n```"),
        ("x: 1", "changed_files and changed_file"),
        ("env_prefix: [A_, B_]", ""),
    ],
)
def test_what_a_fleet_takes_is_no_problem(more: str, body: str) -> None:
    assert validate(role(VALID + more, body)) == ()


def test_the_fleet_decides_which_tools_there_are() -> None:
    found = role(VALID + "tools: [send_mail]")
    assert validate(found, ("send_mail",)) == ()
    assert [problem.item for problem in validate(found, ("search",))] == [0]


def test_an_invisible_character_is_shown() -> None:
    (problem,) = validate(role(VALID.replace("change", "change\u200b")))
    assert "U+200B" in problem.message


@given(st.lists(st.text("ab/*[]{}\\!.#,\"' \xa0", max_size=4), max_size=4))
def test_the_short_way_to_the_items_of_a_list_gives_what_the_long_one_gives(texts: list[str]) -> None:
    span = Span(1, 1, 1, 2)
    value = Sequence(tuple(Scalar(text, text, True, span) for text in texts), span)
    short = plain_items(value)
    assert short is None or short == parse_list(render(value))


@given(note_bytes())
def test_no_note_gives_a_traceback(data: bytes) -> None:
    block = find_block(data)
    if block is not None:
        note = read_note("a.md", data, block)
        if note.header is not None:
            validate(read_role(note))
