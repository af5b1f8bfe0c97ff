from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

PROJECT = Path(__file__).parents[1]


def hook() -> dict[str, Any]:
    (only,) = yaml.safe_load((PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    assert isinstance(only, dict)
    return only


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("roles/a.md", True),
        ("my role.md", True),
        ("роль.md", True),
        ("-x.md", True),
        (".fleetlint.yaml", True),
        ("vaults/one/.fleetlint.yaml", True),
        ("pyproject.toml", True),
        ("a.mdx", False),
        ("md", False),
        ("notes.txt", False),
        ("x.fleetlint.yaml", False),
        ("my-pyproject.toml", False),
        (".obsidian/app.json", False),
        ("a.md/picture.png", False),
    ],
)
def test_the_hook_runs_for_notes_and_settings(name: str, wanted: bool) -> None:
    assert bool(re.search(hook()["files"], name)) is wanted


def test_the_hook_reads_the_whole_vault_once() -> None:
    assert hook()["pass_filenames"] is False
    assert hook()["entry"] == "fleetlint check"


def role(include: str, write: str) -> str:
    return (
        "---\nfleet_id: desk\nmode: change\ntrigger_on: [create, update]\n"
        f"trigger_include: [{include}/**]\nwrite_patterns: [{write}/**]\nread_patterns: [{include}/**]\n"
        "max_depth: 5\n---\nDo it.\n"
    )


class Vault:
    """A git repository whose commits go through the real pre-commit with this project's hook."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "PRE_COMMIT_HOME": str(home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.test",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.test",
            # The project may be a checkout of another user, as in a container.
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": "*",
        }
        self.git("init", "-q")
        script = folder / ".git" / "hooks" / "pre-commit"
        script.parent.mkdir(exist_ok=True)
        script.write_text(
            f'#!/bin/sh\nexec "{sys.executable}" -m pre_commit try-repo "{PROJECT}" fleetlint --verbose\n'
        )
        script.chmod(0o755)

    def git(self, *arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            ["git", *arguments],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=500,
            check=False,
        )
        return done.returncode, done.stdout.decode("utf-8", "replace")

    def commit(self, files: dict[str, str]) -> tuple[int, str]:
        for name, content in files.items():
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name).write_text(content, encoding="utf-8")
        self.git("add", "-A")
        return self.git("commit", "-q", "-m", "x")

    def commits(self) -> int:
        code, text = self.git("rev-list", "--count", "HEAD")
        return int(text) if code == 0 else 0


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "my vault ü").mkdir()
    return Vault(tmp_path / "my vault ü", tmp_path / "home")


@pytest.mark.slow
def test_pre_commit_refuses_a_commit_that_closes_a_loop_and_lets_a_clean_one_through(vault: Vault) -> None:
    clean = {
        "roles/первая роль.md": role("in", "mid"),
        "roles/second role.md": role("mid", "out"),
        "in/a note.md": "Hello.\n",
    }
    code, said = vault.commit(clean)
    assert code == 0, said
    assert vault.commits() == 1

    # A commit without notes does not even start the hook.
    code, said = vault.commit({"picture.txt": "x"})
    assert code == 0, said
    assert "Skipped" in said

    code, said = vault.commit({"roles/third role.md": role("out", "in")})
    assert code != 0
    assert "[cycle]" in said
    assert "roles/первая роль.md" in said
    assert vault.commits() == 2

    code, said = vault.commit({"roles/third role.md": role("out", "elsewhere")})
    assert code == 0, said
    assert vault.commits() == 3
