"""Lints every case of every rule, and the example of every page, with that rule alone.

`UPDATE_CASES=1 python -m pytest tests/rules/test_cases.py` writes what is found into the `expect.txt` files and pages, for
review in the diff.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fleetlint_rules import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fleetlint.lint import Result
    from fleetlint.rule import Rule

    Check = Callable[[Path, Sequence[str]], tuple[Result, ...]]

FOLDERS = Path(__file__).parents[2] / "rules" / "fleetlint_rules"
SAID = "fleetlint says:"


def folder_of(rule: Rule) -> Path:
    return FOLDERS / rule.name.replace("-", "_")


def cases() -> Iterator[object]:
    for rule in RULES:
        for case in sorted((folder_of(rule) / "cases").iterdir()):
            yield pytest.param(rule, case, id=f"{rule.name}/{case.name}")


def as_text(results: Sequence[Result]) -> str:
    return "".join(
        f"{one.at.path}:{one.at.span.line}:{one.at.span.column}: {one.severity} {one.finding.message} [{one.rule.name}]\n"
        for one in results
    )


def hold_against(expected: Path, before: str, after: str) -> None:
    if os.environ.get("UPDATE_CASES") and before != after:
        expected.write_text(after, encoding="utf-8")
    else:
        assert after == before


@pytest.mark.parametrize(("rule", "case"), list(cases()))
def test_a_case_gives_what_it_expects(rule: Rule, case: Path, check: Check) -> None:
    expected = case / "expect.txt"
    hold_against(expected, expected.read_text(encoding="utf-8"), as_text(check(case, [rule.name])))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_the_example_of_a_page_gives_what_the_page_says(rule: Rule, tmp_path: Path, check: Check) -> None:
    page = folder_of(rule) / "README.md"
    text = page.read_text(encoding="utf-8")
    files = dict(blocks(text))
    said = files.pop(SAID)
    for path, content in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(content, encoding="utf-8")
    found = as_text(check(tmp_path, [rule.name]))
    assert found
    # The empty block of a new page is filled in by the update.
    hold_against(page, text, text.replace(f"{SAID}\n\n```text\n{said}```\n", f"{SAID}\n\n```text\n{found}```\n"))


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """The fenced blocks of a page, each by the line before it: a path in backticks, or what fleetlint says."""
    lines = page.splitlines(keepends=True)
    named = ""
    at = 0
    while at < len(lines):
        if lines[at].startswith("```"):
            end = lines.index("```\n", at + 1)
            yield named.removesuffix(":").strip("`") if named != SAID else SAID, "".join(lines[at + 1 : end])
            at = end
        elif lines[at].strip():
            named = lines[at].strip()
        at += 1
