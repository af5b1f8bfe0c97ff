"""Start-up, guarded without a clock: what a command loads that it does not need is what makes it slow."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ROLES = {
    "fetch": "mode: cron\ncron_schedule: '0 6 * * *'\nwrite_patterns: [inbox/*.md]\n",
    "sort": (
        "mode: change\ntrigger_on: [create, update]\ntrigger_include: [inbox/*.md]\nread_patterns: [inbox/*.md]\n"
        "write_patterns: [notes/*.md]\n"
    ),
    "sum": (
        "mode: change\ntrigger_on: [create, update]\ntrigger_include: [notes/*.md]\nread_patterns: [notes/*.md]\n"
        "write_patterns: [sums/*.md]\n"
    ),
}
SETTINGS = """\
fleets:
  - {id: desk, mode: selector}
rules: {orphan-write: off}
paths:
  rules: {}
"""

HEAVY = (
    *("argparse", "asyncio", "csv", "ctypes", "decimal", "difflib", "email", "hashlib", "http", "importlib.metadata"),
    *(
        "ipaddress",
        "json",
        "logging",
        "pathlib",
        "random",
        "shutil",
        "socket",
        "ssl",
        "subprocess",
        "tempfile",
        "textwrap",
        "tomllib",
    ),
    *("unittest", "urllib.request", "xml", "zipfile"),
    *("attr", "bracex", "lark", "rich", "sarif_om", "wcmatch"),
)
FOR_OTHER_COMMANDS = (
    *(
        "fleetlint.baseline",
        "fleetlint.edits",
        "fleetlint.graph.budget",
        "fleetlint.graph.cuts",
        "fleetlint.graph.waves",
    ),
    *("fleetlint.mends", "fleetlint.registry.snapshot", "fleetlint.report.github", "fleetlint.report.json"),
    *("fleetlint.report.mermaid", "fleetlint.report.sarif", "fleetlint.vault.mends", "fleetlint.vault.revision"),
)
MOST_DATACLASSES = 28
"""Each takes half a millisecond to make, as long as a small module with all that it does; a named tuple a fifth of it."""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "roles").mkdir()
    for name, text in ROLES.items():
        (tmp_path / "roles" / f"{name}.md").write_text(
            f"---\nfleet_id: desk\ntools: [read_note, write_note]\n{text}max_depth: 3\n---\nDo it.\n"
        )
    (tmp_path / ".fleetlint.yaml").write_text(SETTINGS)
    return tmp_path


def loaded(*arguments: str | Path) -> tuple[int, set[str], int]:
    """The exit code of a command, the modules that are loaded in the end, and how many of our dataclasses there are."""
    program = """\
import sys
from fleetlint.cli import main

code = main(sys.argv[1:])
ours = [module for name, module in sys.modules.items() if name.partition(".")[0] in ("fleetlint", "fleetlint_rules")]
made = {
    value
    for module in ours
    for value in vars(module).values()
    if isinstance(value, type) and "__dataclass_fields__" in vars(value) and value.__module__ == module.__name__
}
print("\\n=", code, len(made), *sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)], capture_output=True, text=True, check=True
    )
    code, dataclasses, *modules = done.stdout.rpartition("\n= ")[2].split()
    return int(code), set(modules), int(dataclasses)


def test_a_check_of_a_small_vault_loads_nothing_heavy(vault: Path) -> None:
    code, modules, _ = loaded("check", vault)
    assert code == 0
    assert "fleetlint_rules" in modules
    assert modules.isdisjoint(HEAVY), sorted(modules.intersection(HEAVY))
    assert modules.isdisjoint(FOR_OTHER_COMMANDS), sorted(modules.intersection(FOR_OTHER_COMMANDS))


def test_findings_as_text_need_only_the_hash_of_their_fingerprints(vault: Path) -> None:
    (vault / "roles" / "loop.md").write_text(
        "---\nfleet_id: desk\nmode: change\ntrigger_on: [update]\ntrigger_include: [log/**]\nwrite_patterns: [log/**]\n"
        "max_depth: 3\n---\n"
    )
    code, modules, _ = loaded("check", vault)
    assert code == 1
    assert modules.intersection(HEAVY) == {"hashlib"}


def test_a_check_of_a_small_vault_makes_few_dataclasses(vault: Path) -> None:
    _, _, dataclasses = loaded("check", vault)
    assert 0 < dataclasses <= MOST_DATACLASSES


def test_a_project_file_that_does_not_speak_of_fleetlint_is_not_parsed(vault: Path) -> None:
    (vault / "pyproject.toml").write_text('[project]\nname = "notes"\n')
    _, modules, _ = loaded("check", vault)
    assert "tomllib" not in modules


@pytest.mark.parametrize(
    "arguments", [("match", "a/**", "a/b.md"), ("overlap", "a/**", "*/b.md"), ("covers", "**", "a")]
)
def test_questions_about_globs_know_nothing_of_vaults_and_rules(arguments: tuple[str, ...]) -> None:
    code, modules, _ = loaded(*arguments)
    assert code == 0
    assert "fleetlint.globs" in modules
    rooms = ("vault", "roles", "registry", "graph", "rule", "lint", "settings")
    assert modules.isdisjoint(("yaml", "fleetlint_rules", *HEAVY, *(f"fleetlint.{room}" for room in rooms)))


def test_the_package_by_itself_loads_none_of_its_rooms() -> None:
    program = "import sys, fleetlint; print(*(name for name in sys.modules if name.startswith(('fleetlint', 'click', 'yaml'))))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert sorted(done.stdout.split()) == ["fleetlint", "fleetlint.version"]
