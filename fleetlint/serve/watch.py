"""Notices that a vault may have changed."""

from __future__ import annotations

import asyncio
import os
import time
from contextlib import aclosing
from typing import TYPE_CHECKING

from watchfiles import awatch

from fleetlint.serve.logs import log

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Want = Callable[[str], None]

QUIET = 100
LONGEST = 2_000
"""Milliseconds: changes are told once none has come for so long, at the latest so long after the first."""
LOOK = 500
"""Milliseconds between looks at what no event tells of: whether the folder is still the one that is watched, files
elsewhere, and the day (by which suppressions expire)."""

SETTINGS = (".fleetlint.yaml", ".fleetlint.yml", "pyproject.toml")


async def watch_checkout(root: str, files: Sequence[str], want: Want) -> None:
    """Calls `want` at first, and then after each change in the folder `root`, or of one of the files; never returns.

    The folder may vanish and return. Where the system cannot watch it, it is looked through again and again instead.
    """
    is_polling = is_gone = False
    while True:
        watched = _identity(root)
        if watched is not None:
            is_gone = False
            try:
                await _watch(root, watched, files, want, is_polling)
            except Exception as error:  # whatever it is that the system has against watching
                if not is_polling and _identity(root) == watched:
                    log("polling", level="warning", reason=f"{root} cannot be watched: {error}")
                    is_polling = True
        elif not is_gone:
            is_gone = True
            want("the folder is not there")
        await asyncio.sleep(LOOK / 1000)


async def poll(seconds: float, want: Want) -> None:
    """Calls `want` at first and again and again; never returns."""
    while True:
        want("it is asked for again")
        await asyncio.sleep(seconds)


async def _watch(root: str, watched: object, files: Sequence[str], want: Want, is_polling: bool) -> None:
    """Returns when there is no folder, or another one, at its path."""
    changes = awatch(
        root,
        watch_filter=lambda _, path: may_matter(root, path),
        debounce=LONGEST,
        step=QUIET,
        rust_timeout=LOOK,
        yield_on_timeout=True,
        ignore_permission_denied=True,
        force_polling=is_polling or None,
        poll_delay_ms=LONGEST,
    )
    async with aclosing(changes):
        first = asyncio.ensure_future(anext(changes))
        await asyncio.sleep(0)
        # The watch has begun, and whatever changes from here on is told; what changed before is in this derivation.
        want("the folder is watched")
        seen = _look(files)
        found = await first
        while _identity(root) == watched:
            now = _look(files)
            if found or now != seen:
                want(f"{len(found)} changed" if found else "a file elsewhere, or the day")
            seen = now
            found = await anext(changes)


def may_matter(root: str, path: str) -> bool:
    """Whether a change of a path can change what is derived: not one of a hidden file, or of a file that is no note,
    no settings and no rule. What is gone, or is a folder, may have held notes.
    """
    parts = os.path.relpath(path, root).split(os.sep)
    name = parts[-1]
    if any(part.startswith(".") for part in parts[:-1]) or (name.startswith(".") and name not in SETTINGS):
        return False
    return name in SETTINGS or name.endswith((".md", ".py")) or not os.path.isfile(path)


def _identity(root: str) -> object:
    """What tells one folder from another one at its path; None where there is none."""
    try:
        found = os.stat(root)
    except OSError:
        return None
    return (found.st_dev, found.st_ino) if os.path.isdir(root) else None


def _look(files: Sequence[str]) -> tuple[object, ...]:
    """The day, and of each file what changes when it does."""
    return (time.strftime("%Y-%m-%d", time.gmtime()), *map(_state, files))


def _state(file: str) -> object:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino)
