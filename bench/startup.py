"""What a hook costs on a small vault: fleetlint beside Python's own start and beside other linters of Markdown.

    python bench/startup.py [--rounds 21]

It needs the packages of tests/node (`make node`) and installs pymarkdown into a virtual environment of its own,
`.venv/bench`, since its dependencies are none of ours.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

from measure import ROOT, alternate, run, table

VAULT = ROOT / "examples" / "clean"
BIN = Path(sys.executable).parent
PEERS = ROOT / ".venv" / "bench"
GOAL = 2.0
"""A check of a small vault costs at most so many times what starting Python with click and PyYAML does."""
FINDINGS_OR_NONE = (0, 1)
INSTALLED = {"PYTHONDONTWRITEBYTECODE": ""}
"""An installed program has its bytecode; a shell that forbids Python to write some would compile ours on every run."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    contestants = {
        'python -c "import click, yaml"': partial(run, [sys.executable, "-c", "import click, yaml"], env=INSTALLED),
        "fleetlint check": partial(run, [BIN / "fleetlint", "check", VAULT], env=INSTALLED),
        "pymarkdown scan": partial(
            run, [pymarkdown(), "scan", "--recurse", VAULT], env=INSTALLED, exits=FINDINGS_OR_NONE
        ),
        "markdownlint-cli2": partial(run, [markdownlint(), f"{VAULT}/**/*.md"], exits=FINDINGS_OR_NONE),
    }
    alternate(1, contestants)  # compiles modules and fills the disk cache
    costs = alternate(rounds, contestants)
    imports, ours, *peers = (cost.seconds for cost in costs.values())
    rows = [
        [name, f"{cost.seconds * 1000:.0f} ms", f"{cost.seconds / imports:.2f}", f"{cost.seconds / ours:.2f}"]
        for name, cost in costs.items()
    ]
    print(f"{rounds} alternating runs on {VAULT.relative_to(ROOT)}, {len(list(VAULT.rglob('*.md')))} notes\n")
    print(table(["command", "median", "to the imports", "to fleetlint"], rows))
    small, fastest = ours <= GOAL * imports, ours < min(peers)
    print(f"\nAt most {GOAL} times the imports: {_answer(small)}. Faster than both others: {_answer(fastest)}.")


def _answer(holds: bool) -> str:
    return "yes" if holds else "no"


def pymarkdown() -> Path:
    program = PEERS / "bin" / "pymarkdown"
    if not program.exists():
        subprocess.run([sys.executable, "-m", "venv", PEERS], check=True)
        pip = [PEERS / "bin" / "pip", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "pymarkdownlnt"], check=True)
    return program


def markdownlint() -> str:
    program = shutil.which("markdownlint-cli2", path=ROOT / "tests" / "node" / "node_modules" / ".bin")
    if program is None:
        sys.exit("markdownlint-cli2 is missing; run `make node`")
    return program


if __name__ == "__main__":
    main()
