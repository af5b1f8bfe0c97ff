"""The cache and the progress as a user meets them: processes of their own, with a home of their own."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ROLE = """---
fleet_id: desk
mode: change
trigger_on: [update]
trigger_include: ["in/**"]
write_patterns: ["in/**"]
max_depth: 2
---
Do it.
"""
RUN = "import sys; from fleetlint.cli import main; sys.exit(main())"
SETTLED = "import fleetlint.vault.cache as c; c.SETTLED = -10**12; " + RUN
"""Notes just written count as settled."""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / "in").mkdir(parents=True)
    for number in range(600):
        (root / "in" / f"{number}.md").write_text(f"Note {number}.\n" * 20)
    (root / "role.md").write_text(ROLE)
    return root


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    return home


def start(*arguments: object, program: str = SETTLED) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(*arguments: object, program: str = SETTLED) -> tuple[int, str, str]:
    with start(*arguments, program=program) as process:
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err


def test_a_second_run_says_the_same(vault: Path, home: Path) -> None:
    first = run("check", vault)
    (file,) = (home / "fleetlint").iterdir()
    assert b"in/599.md" in file.read_bytes()
    assert first == run("check", vault) == run("check", vault, "--no-cache")
    assert first[0] == 1
    assert "self-trigger" in first[1]
    assert first[2] == ""


@pytest.mark.parametrize("command", ["check", "graph"])
def test_without_a_cache_none_is_made(command: str, vault: Path, home: Path) -> None:
    run(command, vault, "--no-cache")
    assert not home.exists()
    run(command, vault)
    assert home.exists()


def test_a_full_disk_does_no_harm(vault: Path, home: Path) -> None:
    # A limit on the size of files fails a write half-way, as a full disk does.
    full = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000)); " + SETTLED
    expected = run("check", vault, "--no-cache")
    assert run("check", vault, program=full) == expected
    assert list((home / "fleetlint").iterdir()) == []
    code, out, err = run("check", vault, "-v", program=full)
    assert (code, out) == expected[:2]
    assert "fleetlint: the cache cannot be written: file too large\n" in err


def test_runs_that_race_do_no_harm(vault: Path, home: Path) -> None:
    expected = run("check", vault, "--no-cache")
    racing = [start("check", vault) for _ in range(6)]
    for process in racing:
        with process:
            out, err = process.communicate(timeout=60)
            assert (process.returncode, out, err) == expected
    assert len(list((home / "fleetlint").iterdir())) == 1
    assert run("check", vault) == expected


# --- Progress ---

SLOW = """
import time
import fleetlint.cli.progress, fleetlint.vault

def load_vault(*arguments, progress, **options):
    progress(12_000)
    time.sleep(0.5)
    return load(*arguments, progress=progress, **options)

load, fleetlint.vault.load_vault = fleetlint.vault.load_vault, load_vault
fleetlint.cli.progress.AFTER = {after}
"""


def on_a_terminal(program: str, vault: Path) -> tuple[int, str, str]:
    """Exit code, stdout, and what a terminal gets of stderr."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-c", program, "check", str(vault)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        assert process.stdout is not None
        out = process.stdout.read().decode()
        code = process.wait(timeout=60)
    shown = b""
    while select.select([ours], [], [], 0)[0]:
        try:
            shown += os.read(ours, 10_000)
        except OSError:  # the other side is closed, and all is read
            break
    os.close(ours)
    return code, out, shown.decode()


@pytest.mark.usefixtures("home")
def test_on_a_terminal_long_work_is_shown_and_taken_away_again(vault: Path) -> None:
    code, out, shown = on_a_terminal(SLOW.format(after=0.1) + RUN, vault)
    assert "\rfleetlint: reading, 12,000 notes so far (0 s)" in shown
    assert shown.endswith(" \r")
    assert "\n" not in shown
    assert (code, out) == run("check", vault)[:2]


@pytest.mark.usefixtures("home")
def test_short_work_is_not_shown(vault: Path) -> None:
    assert on_a_terminal(SLOW.format(after=60) + RUN, vault)[2] == ""


@pytest.mark.usefixtures("home")
def test_what_is_no_terminal_gets_no_progress(vault: Path) -> None:
    assert run("check", vault, program=SLOW.format(after=0) + RUN)[2] == ""
