"""`fleetlint check` on synthetic vaults of growing size: against the floor, the Go peer's derivation, and ripgrep.

    python bench/scale.py [--roles 10 100 1000 10000 30000] [--notes 1000 10000 100000] [--rounds 3]

The floor is reading the same role notes and composing their YAML in a plain loop (bench/floor.py). The peer derives the
edges from all pairs of roles (bench/peer), reading and parsing not counted. ripgrep, with one thread, lists the files
that have a `fleet_id` line; `check` reads them with `--no-cache`, and with the cache that a run before has filled.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import yaml
from measure import ROOT, SHARED, Cost, alternate, build_peer, run, table


def make_vault(folder: Path, roles: int, notes: int = 0) -> Path:
    vault = folder / f"vault-{roles}-{notes}"
    maker = SHARED / "bench" / "make_vault.py"
    run([sys.executable, maker, vault, "--roles", str(roles), "--notes", str(notes)])
    return vault


def check(vault: Path, *options: str) -> Cost:
    return run([Path(sys.executable).parent / "fleetlint", "check", vault, "--fail-on", "never", *options])


def fleet_view(vault: Path) -> list[dict[str, Any]]:
    """The roles' patterns as the fleet sees them, for the peer; the vaults made here hold lists and JSON lists only."""

    def items(header: dict[str, Any], key: str) -> list[str]:
        value = header.get(key, [])
        return list(json.loads(value)) if isinstance(value, str) else list(value)

    roles = []
    for path in sorted((vault / "roles").rglob("*.md")):
        header = yaml.load(path.read_text("utf-8").split("---\n", 2)[1], Loader=yaml.CSafeLoader)
        keys = {
            "write": "write_patterns",
            "include": "trigger_include",
            "exclude": "trigger_exclude",
            "read": "read_patterns",
        }
        roles.append({short: items(header, key) for short, key in keys.items()})
    return roles


def by_roles(folder: Path, sizes: list[int], rounds: int) -> None:
    peer = build_peer(folder)
    rows = []
    before: tuple[int, float] | None = None
    for size in sizes:
        vault = make_vault(folder, size)
        seen = folder / "roles.json"
        seen.write_text(json.dumps(fleet_view(vault)))
        floor = [sys.executable, ROOT / "bench" / "floor.py", vault]
        costs = alternate(rounds, {"check": partial(check, vault), "floor": partial(run, floor)})
        peer_runs = 1 if size > 10_000 else rounds
        derived = [
            json.loads(subprocess.run([peer, "derive", seen], capture_output=True, check=True).stdout)["seconds"]
            for _ in range(peer_runs)
        ]
        ours, theirs = costs["check"], median(derived)
        growth = "" if before is None else f"{ours.seconds / before[1] / (size / before[0]):.2f}"
        before = size, ours.seconds
        rows.append(
            [
                f"{size:,}",
                f"{ours.seconds:.2f}",
                f"{ours.mebibytes:.0f}",
                f"{costs['floor'].seconds:.2f}",
                f"{ours.seconds / costs['floor'].seconds:.2f}",
                growth,
                f"{theirs:.3f}",
                f"{theirs / ours.seconds:.2f}",
            ]
        )
        shutil.rmtree(vault)
    head = [
        "roles",
        "check, s",
        "peak MiB",
        "floor, s",
        "times the floor",
        "growth against roles",
        "peer, s",
        "peer / check",
    ]
    print(f"\n`fleetlint check` by number of roles, medians of {rounds} alternating runs:\n\n{table(head, rows)}")


def by_notes(folder: Path, sizes: list[int], rounds: int) -> None:
    rg = shutil.which("rg", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    if rg is None:
        print("\nNo `rg` on this machine: the comparison with ripgrep is left out.")
        return
    rows = []
    for size in sizes:
        vault = make_vault(folder, 100, size)
        listing = [rg, "--threads", "1", "--files-with-matches", "--glob", "*.md", "^fleet_id:", vault]
        time.sleep(2.5)  # what was written less than two seconds ago is not remembered
        contestants = {
            "plain": partial(check, vault, "--no-cache"),
            "cached": partial(check, vault),
            "rg": partial(run, listing),
        }
        alternate(1, contestants)  # fills the page cache, and ours
        costs = alternate(rounds, contestants)
        plain, cached, theirs = (costs[name].seconds for name in contestants)
        ratios = [f"{plain / theirs:.1f}", f"{cached / theirs:.1f}"]
        rows.append([f"{size:,}", f"{plain:.2f}", f"{cached:.2f}", f"{theirs:.2f}", *ratios])
        shutil.rmtree(vault)
    head = ["plain notes", "check --no-cache, s", "check, s", "rg, s", "no cache / rg", "cache / rg"]
    print(
        f"\n100 roles among plain notes, page cache warm, medians of {rounds} alternating runs:\n\n{table(head, rows)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--roles", type=int, nargs="*", default=[10, 100, 1_000, 10_000, 30_000])
    parser.add_argument("--notes", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_CACHE_HOME"] = os.path.join(folder, "caches")
        by_roles(Path(folder), arguments.roles, arguments.rounds)
        by_notes(Path(folder), arguments.notes, arguments.rounds)


if __name__ == "__main__":
    main()
