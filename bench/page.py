"""The graph page in the system's Chromium: seconds until the graph is drawn, and until a filter is.

python bench/page.py [--rounds 3]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from measure import ROOT, table
from playwright.sync_api import Browser, sync_playwright
from scale import make_vault

sys.path.insert(0, str(ROOT))
from tests.serve.browser import Shown, launch
from tests.serve.running import Server

SIZES = (10, 100, 2_000)


def measured(browser: Browser, server: Server) -> tuple[float, float]:
    """First paint, in a browser without a cache, and the click on a severity with what it draws anew."""
    page = Shown(browser)
    start = time.perf_counter()
    page.open(server.url)
    drawn = time.perf_counter()
    button = page.find("#filter-severities button", has_text="warn")
    begin = time.perf_counter()
    button.click()
    # Asked in the page's own thread, so after what the click set off.
    page.cy("cy.nodes().length")
    filtered = time.perf_counter()
    page.context.close()
    return drawn - start, filtered - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    rows = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = launch(playwright)
        for roles in SIZES:
            place = Path(folder) / str(roles)
            place.mkdir()
            with Server(make_vault(place, roles), place / "log") as server:
                server.wait_ready()
                found = [measured(browser, server) for _ in range(rounds)]
            rows.append([f"{roles:,}", *(f"{median(seconds):.2f}" for seconds in zip(*found, strict=True))])
        browser.close()
    print(table(("roles", "first paint, s", "filter, s"), rows))


if __name__ == "__main__":
    main()
