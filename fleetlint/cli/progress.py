"""What a run is at, in a line on stderr: on a terminal only, and not before it has taken a second."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from threading import Event

AFTER = 1.0
EVERY = 0.2
"""Seconds."""


@contextmanager
def progress(what: str) -> Iterator[Callable[[str], None]]:
    """Shows `what` and the seconds it takes, or what the function that this gives is told meanwhile.

    The line is gone in the end. Nothing else may be written to stderr until then.
    """
    if not sys.stderr.isatty():
        yield lambda what: None  # noqa: ARG005 - nobody is there to see it
        return
    from threading import Event, Thread

    at = [what]
    over = Event()
    # A thread, for a step may take long without a word.
    shower = Thread(target=_show, args=(at, over), daemon=True)
    shower.start()
    try:
        yield lambda what: at.__setitem__(0, what)
    finally:
        over.set()
        shower.join()


def _show(at: list[str], over: Event) -> None:
    from time import monotonic

    start = monotonic()
    if over.wait(AFTER):
        return
    # A terminal that is gone is no reason to stop.
    with suppress(OSError, ValueError):
        while True:
            # One column stays free: a full line would wrap. Some terminals do not know how many they have.
            width = (os.get_terminal_size(sys.stderr.fileno()).columns or 80) - 1
            line = f"fleetlint: {at[0]} ({monotonic() - start:.0f} s)"
            _write(f"\r{line[:width]:<{width}}")
            if over.wait(EVERY):
                _write(f"\r{'':<{width}}\r")
                return


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
