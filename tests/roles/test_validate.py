from __future__ import annotations

import pytest

from fleetlint.roles import Role, validate
from fleetlint.roles.validate import code_blocks
from tests.roles.written_header import VALID, role

BOTH = VALID.replace("change", "both")


def messages(found: Role) -> list[str]:
    return [problem.message for problem in validate(found)]


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
    (VALID + "for_each:", "", "for_each", 7, "leave the key out"),
    (VALID + "concurrency: ~", "", "concurrency", 7, "leave the key out"),
    ("mode: ''", "", "mode", 2, "`change`, `cron` or `both`"),
    (VALID + "for_each: attached-notes", "", "for_each", 7, "`for_each: attached_notes`"),
    (VALID + 'env_prefix: \'["A_", "\u3000"]\'', "", "env_prefix", 7, "take the entry out"),
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
        ("max_depth: 0", ""),
        ("max_depth: ''", ""),
        ("for_each: attached_notes", ""),
        ("for_each: ''", ""),
        ("concurrency: allow_overlap", ""),
        ("concurrency: skip", ""),
        ("concurrency: queue_one", ""),
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


def test_a_fleet_that_offers_nothing_has_every_tool_taken_out() -> None:
    (problem,) = validate(role(VALID + "tools: [search]"), ())
    assert problem.help == "take it out"


def test_a_role_of_both_modes_needs_what_each_of_them_needs() -> None:
    assert messages(role("mode: both")) == [
        "`mode: both` needs a `cron_schedule`",
        "`mode: both` needs `trigger_on`",
        "`mode: both` needs `trigger_include`",
    ]
    assert messages(role(BOTH + "cron_schedule: 0 6 * * *")) == []


def test_an_empty_trigger_is_none() -> None:
    found = role("mode: both\ncron_schedule: ' '\ntrigger_on: ''\ntrigger_include: [',']")
    assert [(problem.key, problem.span.line) for problem in validate(found)] == [
        ("cron_schedule", 3),
        ("trigger_on", 4),
        ("trigger_include", 5),
    ]


def test_a_mode_that_no_fleet_knows_needs_nothing_more() -> None:
    assert messages(role("mode: Change")) == ["the mode is `Change`, which no fleet knows"]


def test_all_problems_of_a_role_are_told_at_once() -> None:
    found = role("mode: change\ntools: [a, search, b]\nmax_depth: -1\nexecutor: code\nconcurrency: x")
    assert [(problem.key, problem.item) for problem in validate(found)] == [
        (None, None),
        (None, None),
        ("concurrency", None),
        ("tools", 0),
        ("tools", 2),
        ("executor", None),
        ("max_depth", None),
    ]


def test_a_key_without_a_value_is_not_quoted_as_if_someone_had_written_nil() -> None:
    (problem,) = validate(role("mode:"))
    assert "`mode` has no value" in problem.message


def test_a_key_with_nothing_behind_it_is_the_place() -> None:
    (problem,) = validate(role("mode:\nfleet_id: t"))
    assert problem.span == (2, 1, 2, 5)


KNOWN = "py python python3 js javascript node sh bash rb ruby php pl perl"


@pytest.mark.parametrize("language", [*KNOWN.split(), "Python", "SH"])
def test_a_fleet_runs_a_block_in_this_language(language: str) -> None:
    assert messages(role(VALID + "executor: code", f"```{language}\n```\n")) == []


def test_each_language_that_no_fleet_runs_is_told_once_where_it_stands_first() -> None:
    body = "a\n```cobol\n```\n```sh\n```\n x ```c++ \n```\n```cobol\n```\n"
    found = validate(role(VALID + "executor: code", body))
    assert [problem.span for problem in found] == [(10, 1, 10, 9), (14, 4, 14, 10)]
    assert ["cobol" in found[0].message, "c++" in found[1].message] == [True, True]


def test_the_one_changed_file_is_pointed_at() -> None:
    (problem,) = validate(role(VALID, "a\nb {{ change_file }}"))
    assert problem.span == (10, 6, 10, 17)


@pytest.mark.parametrize(
    ("body", "languages"),
    [
        ("", []),
        ("```", []),
        ("```py", []),
        ("```py\n", []),
        ("```py\n```", ["py"]),
        ("```py\nx```", ["py"]),
        ("text ``` Py \t\nx\n``` ```sh\n```", ["Py", "sh"]),
        ("```py ``` x\n```", ["py ``` x"]),
        ("```py ``` x\n```\nsh ```\n", ["py ``` x"]),
        ("```py\n```\n```sh\nopen", ["py"]),
        ("````py\n````", ["`py"]),
        ("```\r\nx\r\n```\r\n", [""]),
    ],
)
def test_three_backticks_open_a_block_and_the_next_three_close_it(body: str, languages: list[str]) -> None:
    assert [language for language, _ in code_blocks(body)] == languages
