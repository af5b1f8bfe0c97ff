"""The worst cases: what they cost and what was approximated.

python bench/worst.py [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from measure import Cost, alternate, run, table
from scale import make_vault

GROUPS = "{a,b,cd}*" * 20 + ".md"
MORE_GROUPS = "{b,c,da}*" * 20 + "x.md"
STARS = "*a" * 200 + ".md"
MORE_STARS = "*b" * 200 + "*.md"


def write_role(vault: Path, name: str, *, write: list[str], include: list[str], read: list[str]) -> None:
    fields = {"write_patterns": write, "trigger_include": include, "read_patterns": read}
    lines = [f"{key}: '{json.dumps(value)}'" for key, value in fields.items() if value]
    head = ["fleet_id: worst", "mode: change", "trigger_on: [create, update]", "max_depth: 3"]
    (vault / f"{name}.md").write_text("\n".join(["---", *head, *lines, "---", "Do it.", ""]))


def hostile(folder: Path, name: str, left: list[str], right: list[str]) -> Path:
    """A vault with two roles that write and listen to these patterns, each the other's."""
    vault = folder / name
    vault.mkdir()
    write_role(vault, "left", write=left, include=right, read=[])
    write_role(vault, "right", write=right, include=left, read=left)
    return vault


def one_for_all(folder: Path) -> Path:
    """A fleet of 2,000 roles, with one among them that reads, writes and listens to everything."""
    vault = make_vault(folder, 1_999)
    write_role(vault / "roles", "everything", write=["**"], include=["**"], read=["**"])
    return vault


def command(vault: Path, *flags: str) -> list[str | Path]:
    return [Path(sys.executable).parent / "fleetlint", "check", vault, "--fail-on", "never", *flags]


def approximated(vault: Path) -> str:
    printed = subprocess.run(command(vault, "--format", "json"), capture_output=True, check=True)
    edges = json.loads(printed.stdout)["edges"]
    return f"{sum(not edge['exact'] for edge in edges)} of {len(edges)} edges"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        os.environ["XDG_CACHE_HOME"] = os.path.join(name, "caches")
        folder = Path(name)
        many = [f"notes/{number:05d}/*.md" for number in range(10_000)]
        alike = [[f"a*{letter}{number}*b.md" for number in range(4_000)] for letter in "pq"]
        vaults = {
            "20 brace groups": hostile(folder, "groups", [GROUPS], [MORE_GROUPS]),
            "200 stars": hostile(folder, "stars", [STARS], [MORE_STARS]),
            "10,000 patterns on one role": hostile(folder, "patterns", many, ["notes/**"]),
            "4,000 patterns on each of two roles, all alike": hostile(folder, "alike", *alike),
            "`**` in a fleet of 2,000": one_for_all(folder),
        }

        def check(vault: Path) -> Cost:
            return run(command(vault))

        costs = alternate(arguments.rounds, {case: partial(check, vault) for case, vault in vaults.items()})
        rows = [
            [case, f"{cost.seconds:.2f}", f"{cost.mebibytes:.0f}", approximated(vaults[case])]
            for case, cost in costs.items()
        ]
        print(f"\nWorst cases, medians of {arguments.rounds} runs:\n")
        print(table(["case", "check, s", "peak MiB", "approximated"], rows))


if __name__ == "__main__":
    main()
