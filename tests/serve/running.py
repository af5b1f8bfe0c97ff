"""A real `fleetlint serve` in a process of its own, and what tests ask of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

DEADLINE = 60.0
"""Seconds after which something that does not happen is taken for a fault: long, for machines are busy."""

PROGRAM = "import sys; from fleetlint.cli import main; sys.exit(main())"


class Server:
    """A running server, until the end of the block. `url` ends in a slash; `client` follows no redirects and sends no cookies
    of its own."""

    def __init__(
        self,
        folder: Path | None,
        log_file: Path,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> None:
        self.log_file = log_file
        with log_file.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", PROGRAM, "serve", *([str(folder)] if folder else []), "--port", "0", *arguments],
                cwd=cwd,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=os.environ | (environment or {}),
            )
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline().decode()
        if not self.said:
            self.process.wait(DEADLINE)
            raise AssertionError(log_file.read_text())
        self.url = self.said.rpartition(" at ")[2].split()[0]
        self.client = httpx.Client(base_url=self.url, timeout=DEADLINE, trust_env=False)

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.client.get(path, **options)

    def wait_ready(self) -> Server:
        until(lambda: self.get("readyz").status_code == 200)
        return self

    def log(self) -> list[dict[str, Any]]:
        """The lines that are complete; each has to be JSON."""
        lines = self.log_file.read_text().split("\n")
        return [json.loads(line) for line in lines[:-1]]

    def events(self, name: str) -> list[dict[str, Any]]:
        return [line for line in self.log() if line["event"] == name]

    @property
    def child(self) -> int:
        """The process id of the child that derives."""
        return int(self.events("child_started")[-1]["pid"])

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.stop()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ends it; the exit code."""
        self.client.close()
        self.process.send_signal(number)
        code = self.process.wait(DEADLINE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


def until(happens: Callable[[], object]) -> None:
    """Waits for it. Fails after a generous deadline."""
    end = time.monotonic() + DEADLINE
    while not happens():
        assert time.monotonic() < end, "this has not happened"
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    # A child that ended and that nobody has waited for is still listed.
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True
