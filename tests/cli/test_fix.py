"""`check --fix`: what it writes, what it leaves, and what it says."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fleetlint.cli import main
from fleetlint.vault import rewrite
from tests.report.validators import sarif_complaints

if TYPE_CHECKING:
    from collections.abc import Callable

    Run = Callable[..., tuple[int, str, str]]

SELF = (
    "---\r\nfleet_id: desk # ours\r\nmode: change\r\ntrigger_on: [create, update]\r\ntrigger_include:\r\n  - 'wiki/**'\r\n"
    "write_patterns: ['wiki/index.md']\r\nmax_depth: 3\r\n---\r\nCaf\xe9, no end"
).encode("latin-1")
MENDED = SELF.replace(b"'wiki/**'\r\n", b"'wiki/**'\r\ntrigger_exclude:\r\n  - 'wiki/index.md'\r\n")
MANGLED = (
    b"---\nfleet_id: desk\nmode: change\ntrigger_on: [create]\ntrigger_include: [in/**]\n"
    b"read_patterns: ['my notes/**'] # all\nmax_depth: 1\ntools: [read_note]\n---\nDo it.\n"
)
SURVIVING = MANGLED.replace(b"['my notes/**']", b"'[\"my notes/**\"]'")


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    def run(*arguments: str | Path) -> tuple[int, str, str]:
        code = main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return code, out.decode("utf-8", "surrogateescape"), err.decode()

    return run


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "vault"
    (root / ".obsidian").mkdir(parents=True)
    (root / "self.md").write_bytes(SELF)
    (root / "mangled.md").write_bytes(MANGLED)
    monkeypatch.chdir(root)
    return root


def test_fix_mends_what_changes_nothing_that_wakes_and_says_what_is_left(vault: Path, run: Run) -> None:
    code, out, err = run("check", "--fix")
    assert code == 1
    assert (vault / "mangled.md").read_bytes() == SURVIVING
    assert (vault / "self.md").read_bytes() == SELF
    assert "mangled-pattern" not in out
    assert err == (
        "fleetlint: write `read_patterns` of `mangled.md` as one quoted text [mangled-pattern]\n"
        "fleetlint: 1 finding mended in 1 file\n"
        "fleetlint: 1 more may be mended with --unsafe-fixes, by changing what wakes whom\n"
    )


def test_unsafe_fixes_change_what_wakes_whom_and_the_exit_code_is_that_of_what_is_left(vault: Path, run: Run) -> None:
    code, out, err = run("check", "--fix", "--unsafe-fixes")
    assert code == 0
    assert (vault / "self.md").read_bytes() == MENDED
    assert (vault / "mangled.md").read_bytes() == SURVIVING
    assert "self-trigger" not in out
    assert "fleetlint: exclude `wiki/index.md` from the trigger of `self.md` [self-trigger]\n" in err
    assert "fleetlint: 2 findings mended in 2 files\n" in err
    assert run("check", "--fix", "--unsafe-fixes")[2] == "fleetlint: 0 findings mended in 0 files\n"


def test_a_diff_shows_what_would_be_done_and_does_nothing(vault: Path, run: Run) -> None:
    code, out, err = run("check", "--fix", "--unsafe-fixes", "--diff")
    assert code == 1
    assert "fleetlint: 2 findings would be mended in 2 files\n" in err
    assert ((vault / "self.md").read_bytes(), (vault / "mangled.md").read_bytes()) == (SELF, MANGLED)
    git = shutil.which("git")
    assert git
    done = subprocess.run([git, "apply", "-"], input=out.encode("utf-8", "surrogateescape"), cwd=vault, check=False)
    assert done.returncode == 0
    assert ((vault / "self.md").read_bytes(), (vault / "mangled.md").read_bytes()) == (MENDED, SURVIVING)


def test_files_that_are_not_named_are_left_alone(vault: Path, run: Run) -> None:
    run("check", "self.md", "--fix", "--unsafe-fixes")
    assert ((vault / "self.md").read_bytes(), (vault / "mangled.md").read_bytes()) == (MENDED, MANGLED)


def test_findings_that_are_not_selected_or_that_a_baseline_knows_are_left_alone(vault: Path, run: Run) -> None:
    run("check", "--select", "cycle,self-trigger", "--fix", "--unsafe-fixes")
    assert (vault / "mangled.md").read_bytes() == MANGLED
    run("check", "--generate-baseline", "known.json")
    code, out, _ = run("check", "--baseline", "known.json", "--fix", "--unsafe-fixes")
    assert (vault / "mangled.md").read_bytes() == MANGLED
    assert code == 0
    assert "mangled-pattern" not in out


def test_the_mode_of_a_file_and_a_link_to_it_stay(vault: Path, run: Run) -> None:
    (vault / "real").mkdir()
    os.rename(vault / "self.md", vault / "real" / "kept.txt")
    (vault / "real" / "kept.txt").chmod(0o640)
    (vault / "self.md").symlink_to("real/kept.txt")
    run("check", "--fix", "--unsafe-fixes")
    assert (vault / "self.md").is_symlink()
    assert (vault / "real" / "kept.txt").read_bytes() == MENDED
    assert (vault / "real" / "kept.txt").stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir(vault / "real")) == ["kept.txt"]


def test_a_file_that_changed_meanwhile_is_not_touched(vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    original = rewrite.plan

    def plan(root: str, path: str, *rest: Any) -> rewrite.Rewriting:
        Path(root, path).write_bytes(b"---\nmode: cron\n---\n")
        return original(root, path, *rest)

    monkeypatch.setattr(rewrite, "plan", plan)
    monkeypatch.setattr("fleetlint.cli.fixing.plan", plan)
    _, _, err = run("check", "--fix")
    assert (vault / "mangled.md").read_bytes() == b"---\nmode: cron\n---\n"
    assert "fleetlint: mangled.md: the file has changed since it was read; run fleetlint again\n" in err
    assert "fleetlint: 0 findings mended in 0 files\n" in err


def test_a_file_that_changes_while_it_is_written_keeps_the_change(vault: Path) -> None:
    planned = rewrite.plan(vault, "mangled.md", MANGLED.decode(), 4, 5, "F")
    (vault / "mangled.md").write_bytes(b"new")
    with pytest.raises(rewrite.Changed):
        rewrite.rewrite(planned)
    assert sorted(os.listdir(vault)) == [".obsidian", "mangled.md", "self.md"]
    assert (vault / "mangled.md").read_bytes() == b"new"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--diff"], "--diff says how to mend; give --fix with it"),
        (["--unsafe-fixes"], "--unsafe-fixes says how to mend; give --fix with it"),
        (["--fix", "--diff", "--format", "json"], "--diff takes the place of a report"),
    ],
)
def test_options_that_go_with_others_only_are_refused_alone(
    vault: Path,  # noqa: ARG001
    run: Run,
    arguments: list[str],
    says: str,
) -> None:
    code, out, err = run("check", *arguments)
    assert (code, out) == (2, "")
    assert says in err


# --- SARIF ---


def fixes_in(out: str) -> dict[str, list[dict[str, Any]]]:
    (log,) = json.loads(out)["runs"]
    return {result["ruleId"]: result["fixes"] for result in log["results"] if "fixes" in result}


def test_sarif_carries_the_mends_with_their_exact_regions(vault: Path, run: Run) -> None:  # noqa: ARG001
    fixes = fixes_in(run("check", "--format", "sarif")[1])
    assert set(fixes) == {"self-trigger", "mangled-pattern"}
    (fix,) = fixes["self-trigger"]
    assert fix["description"]["text"] == (
        "Exclude `wiki/index.md` from the trigger of `self.md`; it changes what wakes whom; "
        "`self.md` is then no longer woken or fed by `self.md`."
    )
    assert fix["artifactChanges"] == [
        {
            "artifactLocation": {"uri": "self.md"},
            "replacements": [
                {
                    "deletedRegion": {"startLine": 7, "startColumn": 1, "endLine": 7, "endColumn": 1},
                    "insertedContent": {"text": "trigger_exclude:\r\n  - 'wiki/index.md'\r\n"},
                }
            ],
        }
    ]


def test_sarif_with_fixes_is_valid(vault: Path, run: Run, tmp_path: Path) -> None:  # noqa: ARG001
    run("check", "--format", "sarif", "--output", tmp_path / "vault.sarif")
    assert '"fixes"' in (tmp_path / "vault.sarif").read_text(encoding="utf-8")
    assert sarif_complaints(tmp_path) == []
