"""Rules from outside: the example package, the page that goes through it, and rules of a vault's own folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fleetlint.cli import main
from fleetlint.lint import GROUP, RuleError
from fleetlint.vault_rules import PACKAGE, load_all_rules
from tests.rules.test_cases import SAID, blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "rule-package"
PAGE = ROOT / "docs" / "writing-rules.md"
RULE = """
from fleetlint.rule import Finding, Place, Rule, Severity

def check(facts, options):
    for path in facts.roles:
        yield Finding("is {what}", "leave it", Place(path, "mode"), (path,))

RULE = Rule(name="{name}", summary="s", severity=Severity.ERROR, check=check, page=lambda: "# The page of {name}\\n")
"""
ROLE = "---\nfleet_id: desk\nmode: cron\ncron_schedule: '0 5 * * *'\n{more}---\nDo it.\n"


@pytest.fixture(autouse=True)
def forget_rules() -> Iterator[None]:
    """A rule of one test is none of the next."""
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] in (PACKAGE, "fleetlint_hubs")]:
        del sys.modules[name]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example package on the path, with the entry points that an installer writes."""
    site = tmp_path / "site"
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for package in EXAMPLE.glob("fleetlint_*"):
        shutil.copytree(package, site / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    points = "".join(f"{name} = {target}\n" for name, target in project["entry-points"][GROUP].items())
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{points}", encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The vault of the page."""
    root = tmp_path / "vault"
    for path, text in blocks(PAGE.read_text(encoding="utf-8")):
        if path == ".fleetlint.yaml" or path.startswith("roles/"):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    return root


def own_rule(vault: Path, name: str = "odd", what: str = "odd", module: str = "odd.py") -> None:
    file = vault / ".fleetlint" / "rules" / module
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(RULE.format(name=name, what=what), encoding="utf-8")


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A vault with a rule of its own."""
    root = tmp_path / "own"
    own_rule(root)
    (root / "a.md").write_text(ROLE.format(more=""), encoding="utf-8")
    (root / ".fleetlint.yaml").write_text("rules_folder: .fleetlint/rules\n", encoding="utf-8")
    monkeypatch.chdir(root)
    return root


# --- The example package and the page ---


def test_the_page_shows_the_files_of_the_example_package() -> None:
    shown = dict(blocks(PAGE.read_text(encoding="utf-8")))
    files = [path for path in EXAMPLE.rglob("*") if path.suffix in (".py", ".toml", ".md") and path.parent != EXAMPLE]
    files.append(EXAMPLE / "pyproject.toml")
    for file in files:
        path = file.relative_to(EXAMPLE).as_posix()
        assert shown[path] == file.read_text(encoding="utf-8"), path


def test_the_page_shows_what_a_check_says(
    installed: None,  # noqa: ARG001
    vault: Path,  # noqa: ARG001
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["check", "--select", "hub-role"]) == 0
    out = capsys.readouterr().out
    text = PAGE.read_text(encoding="utf-8")
    said = dict(blocks(text))[SAID]
    if os.environ.get("UPDATE_CASES") and said != out:
        PAGE.write_text(text.replace(f"{SAID}\n\n```text\n{said}```\n", f"{SAID}\n\n```text\n{out}```\n"))
        return
    assert said == out
    assert "[hub-role]" in out


def test_an_installed_rule_is_listed_and_explained(
    installed: None,  # noqa: ARG001
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["rules"]) == 0
    assert "hub-role  " in capsys.readouterr().out
    assert main(["explain", "hub-role"]) == 0
    assert capsys.readouterr().out == (EXAMPLE / "fleetlint_hubs" / "hub_role" / "README.md").read_text(
        encoding="utf-8"
    )


def test_the_tests_of_the_example_package_pass() -> None:
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "-c",
            os.devnull,
            "--rootdir",
            EXAMPLE,
            "tests",
        ],
        cwd=EXAMPLE,
        env={**os.environ, "PYTHONPATH": str(EXAMPLE), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "4 passed" in done.stdout


def test_the_rule_of_the_page_also_runs_from_the_vaults_own_folder(
    vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(
        EXAMPLE / "fleetlint_hubs" / "hub_role",
        vault / ".fleetlint" / "rules" / "hub_role",
        ignore=shutil.ignore_patterns("__pycache__"),
    )
    with open(vault / ".fleetlint.yaml", "a", encoding="utf-8") as file:
        file.write("rules_folder: .fleetlint/rules\n")
    assert main(["check", "--allow-vault-rules", "--select", "hub-role"]) == 0
    assert capsys.readouterr().out == dict(blocks(PAGE.read_text(encoding="utf-8")))[SAID]
    assert main(["explain", "hub-role", "--allow-vault-rules"]) == 0
    assert capsys.readouterr().out.startswith("# hub-role\n")


# --- Rules of a vault's own folder ---


def test_rules_of_the_vault_do_not_run_unless_they_are_allowed(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trap = own / "ran"
    (own / ".fleetlint" / "rules" / "trap.py").write_text(f"open({str(trap)!r}, 'w').close()\nRULE = []\n")
    for command in (["check"], ["graph"], ["impact", "a/**"], ["rules"]):
        assert main(command) == 0
        out, err = capsys.readouterr()
        assert "is odd" not in out
        assert not trap.exists()
        if command != ["rules"]:
            assert "the rules in .fleetlint/rules are not run, for they are code" in err
    assert main(["check", "--allow-vault-rules"]) == 1
    out, err = capsys.readouterr()
    assert "a.md:3:1: error: is odd [odd]" in out
    assert (err, trap.exists()) == ("", True)
    assert main(["rules", "--allow-vault-rules"]) == 0
    assert "odd " in capsys.readouterr().out


def test_settings_and_suppressions_of_rules_that_are_not_allowed_are_passed_over(
    own: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (own / ".fleetlint.yaml").write_text(
        "rules_folder: .fleetlint/rules\nrules: {odd: warn}\npaths: {rules: {'b/**': {odd: off}}}\n"
        "ignore: [{path: 'b/**', rule: odd, reason: why not}]\n"
    )
    (own / "a.md").write_text(ROLE.format(more="fleetlint: {ignore: {odd: it is}}\n"))
    assert main(["check"]) == 0
    assert "unused-suppression" not in capsys.readouterr().out
    assert main(["check", "--allow-vault-rules"]) == 0
    out = capsys.readouterr().out
    assert "is odd" not in out
    assert "`odd` is suppressed in `b/**`, where it finds nothing" in out
    (own / ".fleetlint.yaml").write_text("rules_folder: .fleetlint/rules\nrules: {even: warn}\n")
    assert main(["check", "--allow-vault-rules"]) == 2
    assert "there is no rule `even`" in capsys.readouterr().err


def test_nothing_is_left_behind_in_the_vault(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--allow-vault-rules"]) == 1
    capsys.readouterr()
    assert not list(own.rglob("__pycache__"))


def test_modules_share_code_and_what_is_no_module_is_left_alone(own: Path) -> None:
    folder = own / ".fleetlint" / "rules"
    (folder / "_shared.py").write_text("NAME = 'shared-name'\n")
    (folder / "uses.py").write_text(
        "from . import _shared\n" + RULE.format(name="x", what="y").replace('name="x"', "name=_shared.NAME")
    )
    for name in ("notes.txt", "not-a-name.py", "README.md"):
        (folder / name).write_text("1 / 0")
    (folder / "empty").mkdir()
    names = {rule.name for rule in load_all_rules(own, ".fleetlint/rules")}
    assert names >= {"odd", "shared-name", "cycle"}


def test_the_rules_of_two_vaults_are_kept_apart(own: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    own_rule(other, name="even")
    assert "odd" in {rule.name for rule in load_all_rules(own, ".fleetlint/rules")}
    assert "odd" not in {rule.name for rule in load_all_rules(other, ".fleetlint/rules")}


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("1 / 0", "ZeroDivisionError"),
        ("x = 1", "AttributeError"),
        ("RULE = 3", "TypeError"),
        ("RULE = [3]", "hold a int, which is no Rule"),
        ("import sys; sys.exit(0)", "SystemExit"),
        ("def (", "SyntaxError"),
        ("from . import gone", "ImportError"),
        (RULE.format(name="cycle", what="x"), "brings a rule `cycle`, which there is already; rename it"),
    ],
)
def test_a_rule_that_cannot_be_loaded_is_an_error_that_names_it(own: Path, code: str, says: str) -> None:
    (own / ".fleetlint" / "rules" / "bad.py").write_text(code)
    with pytest.raises(RuleError, match=r"\.fleetlint/rules/bad") as error:
        load_all_rules(own, ".fleetlint/rules")
    assert says in str(error.value)


def test_a_folder_that_is_not_there_is_said(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(own / ".fleetlint")
    assert main(["check", "--allow-vault-rules"]) == 2
    assert "the folder of rules cannot be read" in capsys.readouterr().err


@pytest.mark.parametrize("folder", ["..", "/etc", "a/../../b", ".", "''", "a//b"])
def test_the_folder_lies_in_the_vault(own: Path, capsys: pytest.CaptureFixture[str], folder: str) -> None:
    (own / ".fleetlint.yaml").write_text(f"rules_folder: {folder}\n")
    assert main(["check", "--allow-vault-rules"]) == 2
    assert "name a folder in the vault, such as `.fleetlint/rules`" in capsys.readouterr().err


def test_a_diff_runs_them_on_both_revisions(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tests.repositories import commit, init

    commit(init(own), {})
    commit(own, {"b.md": ROLE.format(more="")})
    assert main(["diff", "HEAD~1", "HEAD", "--allow-vault-rules"]) == 1
    out = capsys.readouterr().out
    assert ("b.md:3:1: error: is odd [odd]" in out, "a.md:3:1" in out) == (True, False)
    assert main(["diff", "HEAD~1", "HEAD"]) == 0
    assert "is odd" not in capsys.readouterr().out
