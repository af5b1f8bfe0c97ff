"""`fleetlint diff` on a git vault of 1,000 roles, one of them changed, beside a plain `check`.

python bench/diff.py [--rounds 5]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from measure import alternate, run, table
from scale import make_vault


def committed(folder: Path) -> Path:
    """A vault in a repository of its own; its last commit changes one role."""
    vault = make_vault(folder, 1_000)

    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
        subprocess.run(["git", "-C", vault, *identity, *arguments], check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    role = min((vault / "roles").rglob("*.md"))
    role.write_text(re.sub(r"(?m)^max_depth:.*$", "max_depth: 1", role.read_text(encoding="utf-8")), encoding="utf-8")
    git("commit", "-qam", "two")
    return vault


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    fleetlint = Path(sys.executable).parent / "fleetlint"
    with tempfile.TemporaryDirectory() as folder:
        vault = committed(Path(folder))
        quiet = ["--fail-on", "never"]
        contestants = {
            "check": partial(run, [fleetlint, "check", vault, *quiet]),
            "diff of two revisions": partial(run, [fleetlint, "diff", "HEAD~1", "HEAD", "--vault", vault, *quiet]),
            "diff to the working tree": partial(run, [fleetlint, "diff", "HEAD~1", "--vault", vault, *quiet]),
        }
        costs = alternate(rounds, contestants)
    check = costs["check"].seconds
    rows = [(name, f"{cost.seconds:.2f} s", f"{cost.seconds / check:.2f}") for name, cost in costs.items()]
    print(table(("command", "median", "to check"), rows))


if __name__ == "__main__":
    main()
