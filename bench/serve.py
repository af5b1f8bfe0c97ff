"""`fleetlint serve` with 1,000 roles under the load that wrk makes: rates as ratios, and what a normal client waits meanwhile.

python bench/serve.py [--seconds 5]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from measure import ROOT, table
from scale import make_vault

sys.path.insert(0, str(ROOT))
from tests.serve.load import ask_role_graph, rates, under_attack
from tests.serve.running import Server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5)
    seconds = parser.parse_args().seconds
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(make_vault(Path(folder), 1_000), Path(folder) / "log") as server,
    ):
        server.wait_ready()
        graph, static = rates(server, rounds=3, seconds=max(1, seconds / 3))
        same = ask_role_graph(server, seconds, is_anew=False)
        anew = ask_role_graph(server, seconds, is_anew=True)
        waits = under_attack(server, seconds)
    print(
        table(
            ("what", "a second", "÷ static file", "failed"),
            [
                ["a static file", f"{static:.0f}", "1.00", ""],
                ["GET /graph.json, If-None-Match", f"{graph:.0f}", f"{graph / static:.2f}", ""],
                ["roleGraph, 50 at once", f"{same.rate:.0f}", f"{same.rate / static:.2f}", str(same.failed)],
                ["roleGraph, each another text", f"{anew.rate:.1f}", f"{anew.rate / static:.3f}", str(anew.failed)],
            ],
        )
    )
    print()
    print(
        table(
            ("a normal request, while hostile ones come", "median, ms", "99th percentile, ms"),
            [[kind, f"{one.median * 1000:.1f}", f"{one.p99 * 1000:.1f}"] for kind, one in waits.items()],
        )
    )


if __name__ == "__main__":
    main()
