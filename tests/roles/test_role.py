from __future__ import annotations

import pytest
from hypothesis import given

from fleetlint.globs import Pattern
from fleetlint.roles import is_role_note, read_role, validate
from fleetlint.roles.role import shown
from fleetlint.vault.frontmatter import find_block, read_note
from tests.roles.written_header import VALID, role
from tests.strategies import note_bytes


@pytest.mark.parametrize(
    ("value", "number"),
    [
        ("3", 3),
        ("+3", 3),
        ("'+3'", 3),
        ("'-3'", -3),
        ("'0000000000000000000000003'", 3),
        ("'9223372036854775807'", 2**63 - 1),
        ("'-9223372036854775808'", -(2**63)),
        ('" 3 "', 3),
        ('"\\u30003"', 3),
        ('""', 0),
        ("010", 8),
        ("1e3", 1000),
        ("1.0", 1),
        ("-0", 0),
        ("0b11", 3),
    ],
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
    assert problem.message == (
        "`max_depth` is `1e+20`, which is what the server makes of `99999999999999999999`, and that is no integer"
    )


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


@pytest.mark.parametrize(
    ("mode", "is_change", "is_cron"),
    [("change", True, False), ("cron", False, True), ("both", True, True), ("Both", False, False), ("", False, False)],
)
def test_the_mode_says_what_wakes_a_role(mode: str, is_change: bool, is_cron: bool) -> None:
    found = role(f"fleet_id: t\nmode: '{mode}'")
    assert (found.is_change, found.is_cron) == (is_change, is_cron)


@pytest.mark.parametrize(
    ("concurrency", "may"), [("", True), ("allow_overlap", True), ("x", True), ("skip", False), ("queue_one", False)]
)
def test_deliveries_run_side_by_side_unless_the_role_says_otherwise(concurrency: str, may: bool) -> None:
    assert role(f"fleet_id: t\nconcurrency: '{concurrency}'").may_overlap_itself is may


def test_a_role_is_named_like_its_file() -> None:
    assert role("fleet_id: t").name == "a"


def test_every_key_of_the_note_is_kept_and_keys_that_are_no_texts_do_no_harm() -> None:
    found = role("fleet_id: t\nyes: a\n1: b\n~: c\nmin_seconds: 30")
    assert found.fields["min_seconds"].raw == "30"
    assert len(found.fields) == 5


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a b", ("a b",)),
        ("[a, 08, 'c d']", ("a", "08", "c d")),
        ("[]", ()),
        ("", ("",)),
        ("[a, [b]]", None),
        ("{a: b}", None),
    ],
)
def test_what_a_person_wrote_is_kept_item_by_item(value: str, written: tuple[str, ...] | None) -> None:
    assert role(f"write_patterns: {value}").fields["write_patterns"].written == written


def test_the_line_on_which_the_body_begins_is_known() -> None:
    assert role("fleet_id: t\nmode: cron").body_line == 5


def test_an_error_says_when_there_is_no_value_at_all() -> None:
    assert [problem.message for problem in role("max_depth:\nenabled: ~").problems] == [
        "`max_depth` has no value",
        "`enabled` has no value",
    ]


def test_a_text_is_shown_on_one_line_and_not_at_length() -> None:
    assert shown("a\nb\u200b") == "a<U+000A>b<U+200B>"
    assert shown("x" * 80) == "x" * 80
    assert shown("x" * 81) == "x" * 77 + "..."
    assert len(shown("\u200b" * 1_000_000)) == 80


@given(note_bytes())
def test_no_note_gives_a_traceback(data: bytes) -> None:
    block = find_block(data)
    if block is not None:
        note = read_note("a.md", data, block)
        if note.header is not None:
            validate(read_role(note))
