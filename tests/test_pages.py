"""What the README and the pages of docs/ claim: the commands print what is shown, and links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from fleetlint.cli import group

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md"), *ROOT.glob("rules/**/*.md")]
)
SHOWN = [
    pytest.param(command, output, id=f"{page.name}: {command}")
    for page in PAGES
    for command, output in re.findall(
        r"^```text\n\$ (fleetlint [^\n]*examples/[^\n]*)\n(.*?)^```$", page.read_text("utf-8"), re.M | re.S
    )
]


@pytest.mark.parametrize(("command", "output"), SHOWN)
def test_each_command_on_an_example_prints_what_its_page_shows(
    command: str, output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    shown = CliRunner().invoke(group, shlex.split(command)[1:])
    assert shown.exit_code in (0, 1)
    assert _words(shown.output) == _words(output)


def test_there_are_commands_with_output_in_the_readme_and_on_the_page_of_check() -> None:
    assert len(SHOWN) >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_link_of_a_page_leads_to_a_file_and_a_heading(page: Path) -> None:
    for target, anchor in re.findall(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)", page.read_text("utf-8")):
        there = (page.parent / target) if target else page
        assert there.exists(), target
        if anchor:
            assert anchor in _anchors(there.read_text("utf-8")), f"{target}#{anchor}"


def _words(text: str) -> str:
    """Long lines may be broken on a page."""
    return " ".join(text.split())


def _anchors(text: str) -> set[str]:
    """As GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
