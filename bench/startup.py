"""What a hook costs on a small vault: fleetlint beside Python's own start and beside other linters of Markdown.

Processes alternate, so that a busy moment of the machine hits all alike; each is run once before it counts. Prints
medians and ratios. `make bench` runs it: it needs the packages of tests/node, and installs pymarkdown into a virtual
environment of its own, `.venv/bench`.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VAULT = ROOT / "examples" / "clean"
BIN = ROOT / ".venv" / "bin"
PEERS = ROOT / ".venv" / "bench"
ROUNDS = 21


def main() -> int:
    """Exit 1 when a goal is missed."""
    commands = {
        "python -c 'import click, yaml'": [str(BIN / "python"), "-c", "import click, yaml"],
        "fleetlint check": [str(BIN / "fleetlint"), "check", str(VAULT)],
        "pymarkdown scan": [str(_pymarkdown()), "scan", "--recurse", str(VAULT)],
        "markdownlint-cli2": [_markdownlint(), f"{VAULT}/**/*.md"],
    }
    times: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(ROUNDS + 1):
        for name, command in commands.items():
            seconds = _run(command)
            if number:
                times[name].append(seconds)
    medians = {name: statistics.median(measured) for name, measured in times.items()}
    base, ours, *peers = medians.values()
    notes = len(list(VAULT.rglob("*.md")))
    print(f"{ROUNDS} alternating runs on {VAULT.relative_to(ROOT)} ({notes} notes)\n")
    print(f"{'command':32}{'median':>10}{'to Python':>12}{'to fleetlint':>14}")
    for name, median in medians.items():
        print(f"{name:32}{median * 1000:>7.0f} ms{median / base:>12.2f}{median / ours:>14.2f}")
    small, fastest = ours <= 2 * base, ours < min(peers)
    print(
        f"\nat most twice the imports: {'yes' if small else 'no'}; faster than both others: {'yes' if fastest else 'no'}"
    )
    return 0 if small and fastest else 1


def _run(command: list[str]) -> float:
    """Seconds until the process has ended. A linter that finds something ends with 1; more is a failure."""
    start = time.perf_counter()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, cwd=ROOT, check=False)
    seconds = time.perf_counter() - start
    if done.returncode > 1:
        sys.exit(f"{' '.join(command)} failed with {done.returncode}:\n{done.stderr.decode(errors='replace')}")
    return seconds


def _pymarkdown() -> Path:
    program = PEERS / "bin" / "pymarkdown"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", str(PEERS)], check=True)
        pip = [str(PEERS / "bin" / "pip"), "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "pymarkdownlnt"], check=True)
    return program


def _markdownlint() -> str:
    program = shutil.which("markdownlint-cli2", path=str(ROOT / "tests" / "node" / "node_modules" / ".bin"))
    if program is None:
        sys.exit("markdownlint-cli2 is missing; run `make node`")
    return program


if __name__ == "__main__":
    sys.exit(main())
