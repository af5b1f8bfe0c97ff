"""Real git repositories for tests, the same whatever the settings of the machine say."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NOBODY = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
}


def git(folder: Path, *arguments: str | Path) -> str:
    """What a git command prints; `-c` options let clones of files and submodules through."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", "-c", "core.autocrlf=false", "-C", folder, *arguments],
        env=inherited | NOBODY,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return os.fsdecode(done.stdout).strip()


def init(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main", ".")
    return folder


def write(folder: Path, files: Mapping[str, str | bytes | None]) -> None:
    """Writes the files; None takes one away."""
    for path, content in files.items():
        file = folder / path
        if content is None:
            file.unlink()
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())


def commit(folder: Path, files: Mapping[str, str | bytes | None], *, vault: str = "") -> str:
    """Writes the files below the vault's folder and commits all there is; gives the commit's name."""
    write(folder / vault, files)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "a commit")
    return git(folder, "rev-parse", "HEAD")
