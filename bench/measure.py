"""What the benchmarks share: medians of alternating runs, a child's time and memory, a table with ratios."""

from __future__ import annotations

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ROOT = Path(__file__).parent.parent
SHARED = ROOT.parent / "shared"


@dataclass(frozen=True, slots=True)
class Cost:
    """Wall-clock seconds, and peak resident memory in MiB."""

    seconds: float
    mebibytes: float


def run(
    command: Sequence[str | os.PathLike[str]], *, env: Mapping[str, str] | None = None, exits: Sequence[int] = (0,)
) -> Cost:
    """Run a child to its end, its output thrown away. Raises RuntimeError when it exits otherwise than it should."""
    start = time.perf_counter()
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env={**os.environ, **(env or {})}
    ) as child:
        assert child.stderr is not None
        complaint = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - start
    if child.returncode not in exits:
        raise RuntimeError(f"{command} exits {child.returncode}: {complaint.decode(errors='replace')[-500:]}")
    return Cost(seconds, usage.ru_maxrss / 1024)


def alternate(rounds: int, contestants: Mapping[str, Callable[[], Cost]]) -> dict[str, Cost]:
    """The medians of each contestant; they take turns, so that a slow minute of the machine strikes all of them."""
    costs: dict[str, list[Cost]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, contestant in contestants.items():
            costs[name].append(contestant())
    return {
        name: Cost(median(cost.seconds for cost in found), median(cost.mebibytes for cost in found))
        for name, found in costs.items()
    }


def timed(work: Callable[[], object]) -> Cost:
    """Work inside of this process; memory is not told apart."""
    start = time.perf_counter()
    work()
    return Cost(time.perf_counter() - start, 0.0)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown."""
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) + " |" for line in lines
    )


def build_peer(folder: Path) -> Path:
    """Build the peer in Go into the folder."""
    program = folder / "peer"
    subprocess.run(["go", "build", "-buildvcs=false", "-o", program, "."], cwd=ROOT / "bench" / "peer", check=True)
    return program
