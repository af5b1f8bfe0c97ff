"""What a former reading of a vault found: the notes that do not matter, which need not be opened again.

One file a vault, below the user's cache folder. It holds a *state* for each such note: its path in the vault with the size,
inode, and times of modification and change, in nanoseconds, that its file had. A note whose file has that very state is
taken to be what it was. Nothing else is believed: a state that matches no file is never looked at, and a file of another
version, of another vault or with a wrong checksum is ignored.

What is remembered depends on the notes' bytes alone, never on settings. Notes that matter are read on every run: making
their headers out of a cache would take Python as long as the C parser takes.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMAT = 1
"""Goes up with the layout of the file, and with what makes a note matter when the version of fleetlint stays."""

END = "\0\n"
"""Ends the root and each state: a path holds no NUL, and the NUL inside of a state is followed by a digit."""

MAX_FILE = 512 * 1024 * 1024
"""Bytes; a larger file is ignored."""

SETTLED = 2_000_000_000
"""Nanoseconds. A file that changed less than so long before a run may change again and keep its times, which some file
systems count in steps of two seconds. It is not remembered."""

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Not blocking: what lies there may be a pipe."""

_WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def cache_folder() -> str:
    """Where the platform keeps what can be made again: `XDG_CACHE_HOME` and its likes. Empty when there is no such place."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "")
        # A relative path is invalid and has to be ignored, says the specification of the base folders.
        base = base if os.path.isabs(base) else os.path.expanduser("~/.cache")
    return os.path.join(base, "fleetlint") if os.path.isabs(base) else ""


class Cache:
    """The states of one vault: those that were `known`, and those that this run saw."""

    def __init__(self, folder: str, root: str) -> None:
        """`root` is the vault's real path. Never raises."""
        from hashlib import sha256

        self._root = root
        self._file = os.path.join(folder, sha256(os.fsencode(root)).hexdigest()[:32])
        self._settled = time.time_ns() - SETTLED
        self._seen: list[str] = []
        self._new = 0
        self.known, self.problem = _read(self._file, root)

    @staticmethod
    def state(path: str, found: os.stat_result) -> str:
        return f"{path}\0{found.st_size} {found.st_ino} {found.st_mtime_ns} {found.st_ctime_ns}"

    def see(self, state: str, found: os.stat_result) -> None:
        """A note was found not to matter; `found` is how its file was before it was read."""
        if state in self.known:
            self._seen.append(state)
        elif max(found.st_mtime_ns, found.st_ctime_ns) < self._settled:
            self._seen.append(state)
            self._new += 1

    def write(self) -> str:
        """Remember what was seen, if it is news enough. Gives what hinders it, else nothing."""
        # Reading a few notes again is cheaper than writing all states.
        if self._new * 50 <= len(self.known):
            return ""
        return _write(self._file, self._root, self._seen)


def _magic() -> bytes:
    from fleetlint.version import VERSION

    return f"fleetlint {VERSION} notes {FORMAT} ".encode()


def _checksum(payload: bytes) -> bytes:
    from zlib import crc32

    return b"%08x\n" % crc32(payload)


def _read(file: str, root: str) -> tuple[frozenset[str], str]:
    """The states in a file, none when it is not what `_write` wrote; and why it cannot be read, if so."""
    nothing: frozenset[str] = frozenset()
    try:
        with open(os.open(file, _READ), "rb") as opened:
            size = os.fstat(opened.fileno()).st_size
            data = opened.read(size) if size <= MAX_FILE else b""
    except FileNotFoundError:
        return nothing, ""
    except OSError as error:
        return nothing, f"the cache cannot be read: {_reason(error)}"
    magic = _magic()
    start = len(magic) + 9
    payload = data[start:]
    if data[:start] != magic + _checksum(payload):
        return nothing, ""
    found, *states = payload.decode("utf-8", "surrogateescape").split(END)
    return (frozenset(states) if found == root else nothing), ""


def _write(file: str, root: str, states: Iterable[str]) -> str:
    """Writes a file beside and puts it in place at once, so that who reads meanwhile has the old one or the new."""
    payload = END.join([root, *states]).encode("utf-8", "surrogateescape")
    beside = f"{file}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
        try:
            with open(os.open(beside, _WRITE, 0o600), "wb") as opened:
                opened.write(_magic() + _checksum(payload))
                opened.write(payload)
            os.replace(beside, file)
        except OSError:
            # What cannot be written may be impossible to remove as well.
            with suppress(OSError):
                os.unlink(beside)
            raise
    except OSError as error:
        return f"the cache cannot be written: {_reason(error)}"
    return ""


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
