"""The tuple of rules against what lies on the disk, and what each rule says of itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fleetlint_rules import RULES

if TYPE_CHECKING:
    from fleetlint.rule import Rule

FOLDERS = Path(__file__).parents[2] / "rules" / "fleetlint_rules"

every_rule = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)


def folder_of(rule: Rule) -> Path:
    return FOLDERS / rule.name.replace("-", "_")


def test_the_tuple_names_every_folder_and_no_other() -> None:
    folders = {path.name for path in FOLDERS.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == {folder_of(rule).name for rule in RULES}
    assert len({rule.name for rule in RULES}) == len(RULES)


@every_rule
def test_a_rule_is_one_short_module_with_a_page_and_cases(rule: Rule) -> None:
    source = (folder_of(rule) / "__init__.py").read_text(encoding="utf-8")
    assert source.count("\n") < 150
    assert "print(" not in source
    assert rule.page() == (folder_of(rule) / "README.md").read_text(encoding="utf-8")


@every_rule
def test_a_rule_has_a_clean_and_a_flagged_case(rule: Rule) -> None:
    expected = [path.read_text(encoding="utf-8") for path in (folder_of(rule) / "cases").glob("*/expect.txt")]
    assert any(text == "" for text in expected)
    assert any(text != "" for text in expected)


@every_rule
def test_a_page_is_titled_like_its_rule_and_says_how_to_mend_it(rule: Rule) -> None:
    page = rule.page()
    assert page.startswith(f"# {rule.name}\n")
    for heading in ("## Example", "## How to mend it", "## Settings"):
        assert f"\n{heading}\n" in page


@every_rule
def test_a_summary_is_one_sentence(rule: Rule) -> None:
    assert rule.summary.endswith(".")
    assert len(rule.summary) < 110


def test_the_catalogue_and_the_documentation_are_current() -> None:
    root = FOLDERS.parents[1]
    done = subprocess.run(
        [sys.executable, root / "tools" / "make_catalogue.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_loading_the_rules_reads_no_page_and_no_more_than_a_run_needs() -> None:
    watch = (
        "import sys\n"
        "opened = []\n"
        "sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == 'open' else None)\n"
        "import fleetlint_rules\n"
        "late = {'json', 'hashlib', 'difflib', 'wcmatch', 'fleetlint.registry', 'fleetlint_rules.suspicious_pattern.doubts'}\n"
        "print([path for path in opened if path.endswith('.md')], sorted(late & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", watch], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[] []"
