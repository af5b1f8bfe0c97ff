"""Reads a vault from a folder: every note under it is seen, those whose header may matter are kept."""

from __future__ import annotations

import os
import stat
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from fleetlint.vault.frontmatter import MAX_BLOCK, find_block, may_matter, read_note
from fleetlint.vault.missed import BEGINNINGS, find_missed, missed_note
from fleetlint.vault.note import Note, Vault, VaultProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from fleetlint.vault.cache import Cache

HEAD = 4096
"""Bytes read of every note."""

MAX_NOTE = 4 * 1024 * 1024
"""Bytes read of a note that is kept; of a longer one the rest is not looked at."""

CUT = f"it is longer than {MAX_NOTE >> 20} MiB; the rest was not read"

SMALL = 500
"""So many notes are read without a look into the cache, for it would cost as much; a smaller vault has none."""

_EVERY = 1_000
"""Of so many notes one is told to who follows the progress."""

_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Not blocking: should a file have become a pipe since it was seen, opening it must not wait."""

NEVER_ENTERED = (".git", ".obsidian", ".trash")
_MAX_HIDDEN = 2_000
"""So many hidden notes are looked into, to say that they are left out."""


def find_root(start: str | os.PathLike[str]) -> str:
    """The vault around a path: the nearest folder upwards, itself included, with settings or `.obsidian`; without any
    the top of the git checkout around it, else the path's own folder.
    """
    folder = os.path.abspath(start)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    for candidate in upwards(folder):
        if os.path.exists(os.path.join(candidate, ".fleetlint.yaml")) or os.path.isdir(
            os.path.join(candidate, ".obsidian")
        ):
            return candidate
    return find_repository(folder) or folder


def find_repository(folder: str) -> str | None:
    """The top of the git checkout around a folder, found by its `.git`, whatever GIT_DIR says."""
    return next((candidate for candidate in upwards(folder) if os.path.lexists(os.path.join(candidate, ".git"))), None)


def upwards(folder: str) -> Iterator[str]:
    """The folder, absolute, and those around it, from the inside."""
    # Not by pathlib: loading it takes as long as reading a small vault.
    yield folder
    while (above := os.path.dirname(folder)) != folder:
        folder = above
        yield folder


def load_vault(
    root: str | os.PathLike[str],
    *,
    exclude: Sequence[str] = (),
    keep: Callable[[str], bool] | None = None,
    use_cache: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Vault:
    """Read the vault at `root`. What cannot be read is named in `problems` and never ends the reading.

    `exclude` are wcmatch globs of files and folders to leave out. `keep` tells of a path whether its note matters
    whenever it has metadata. `use_cache` remembers for the next time, in the user's cache folder, which notes of a large
    vault do not matter. `progress` is told now and then how many notes have been seen.
    Raises NotADirectoryError when there is no such folder.
    """
    root = os.fspath(root)
    if not os.path.isdir(root):
        raise NotADirectoryError(f"{root}: no such folder")
    return _Reader(root, exclude, keep, use_cache, progress).read()


class _Reader:
    def __init__(
        self,
        root: str,
        exclude: Sequence[str],
        keep: Callable[[str], bool] | None,
        use_cache: bool,
        progress: Callable[[int], None] | None,
    ) -> None:
        self._root = root
        self._real_root = os.path.realpath(root)
        self._is_excluded = matcher(exclude)
        self._keep = keep
        self._use_cache = use_cache
        self._cache: Cache | None = None
        self._progress = progress
        self._entered: set[tuple[int, int]] = set()
        self._links: list[tuple[str, str]] = []
        self._hidden: list[str] = []
        self._notes: list[Note] = []
        self._folders: set[str] = set()
        self._count = 0
        self._problems: list[VaultProblem] = []
        self._skipped: list[VaultProblem] = []

    def read(self) -> Vault:
        self._walk(self._root, "")
        # Linked folders come last, so that a note is read where it lies and not through a link to it.
        links, self._links = sorted(self._links), []
        while links:
            for place, path in links:
                self._walk(place, path)
            links, self._links = sorted(self._links), []
        self._say_hidden()
        if self._cache is not None:
            self._say_of_cache(self._cache.write())
        return Vault(
            root=self._root,
            notes=tuple(sorted(self._notes, key=lambda note: note.path)),
            folders=frozenset(self._folders),
            note_count=self._count,
            problems=tuple(sorted(self._problems, key=by_path)),
            skipped=tuple(sorted(self._skipped, key=by_path)),
        )

    def _walk(self, place: str, path: str) -> None:
        """Read a folder and all below it, without recursion: a tree may be as deep as a path can be long."""
        waiting = [(place, path)]
        while waiting:
            place, path = waiting.pop()
            try:
                known = os.stat(place)
                if (known.st_dev, known.st_ino) in self._entered:
                    continue
                self._entered.add((known.st_dev, known.st_ino))
                with os.scandir(place) as found:
                    entries = sorted(found, key=attrgetter("name"))
            except OSError as error:
                self._problems.append(VaultProblem(path or ".", f"the folder cannot be read: {_reason(error)}"))
                continue
            if path:
                self._folders.add(path)
            waiting.extend(reversed([(entry.path, below) for entry, below in self._entries(entries, path)]))

    def _entries(self, entries: list[os.DirEntry[str]], folder: str) -> Iterator[tuple[os.DirEntry[str], str]]:
        """Read the notes of a folder; yield the folders in it that are to be entered."""
        prefix = f"{folder}/" if folder else ""
        for entry in entries:
            name = entry.name
            path = prefix + name
            is_note = name.endswith(".md") and len(name) > 3
            try:
                if is_note and entry.is_file(follow_symlinks=False):
                    self._file(entry, path)
                elif entry.is_dir(follow_symlinks=False):
                    if self._enters(name, path):
                        yield entry, path
                elif entry.is_symlink():
                    self._link(entry, path, is_note=is_note)
                elif is_note:
                    self._skipped.append(VaultProblem(path, "it is no file and was not opened"))
            except OSError as error:
                self._problems.append(VaultProblem(path, f"it cannot be read: {_reason(error)}"))

    def _enters(self, name: str, path: str) -> bool:
        if name.startswith("."):
            if name == ".obsidian" and "/" in path:
                nested = path.rpartition("/")[0]
                self._skipped.append(
                    VaultProblem(
                        nested, "a vault of its own lies here (`.obsidian`); its notes are read as notes of this one"
                    )
                )
            elif name not in NEVER_ENTERED:
                self._hidden.append(path)
            return False
        # `archive/**` takes the folder itself as well when it ends in a slash, which spares reading it.
        if self._is_excluded(path) or self._is_excluded(f"{path}/"):
            self._skipped.append(VaultProblem(path, "the folder is excluded by the settings"))
            return False
        return True

    def _link(self, entry: os.DirEntry[str], path: str, *, is_note: bool) -> None:
        is_folder = entry.is_dir()
        if not is_folder and not is_note:
            return
        target = os.path.realpath(entry.path)
        if target != self._real_root and not target.startswith(self._real_root.rstrip(os.sep) + os.sep):
            self._skipped.append(VaultProblem(path, "the link leads out of the vault and was not followed"))
        elif is_folder:
            if self._enters(entry.name, path):
                self._links.append((entry.path, path))
        elif not os.path.lexists(target) or not os.path.exists(entry.path):
            self._skipped.append(VaultProblem(path, "the link leads nowhere"))
        elif entry.is_file():
            self._file(entry, path)
        else:
            self._skipped.append(VaultProblem(path, "it is no file and was not opened"))

    def _file(self, entry: os.DirEntry[str], path: str) -> None:
        if self._is_excluded(path):
            self._skipped.append(VaultProblem(path, "the note is excluded by the settings"))
            return
        self._count += 1
        if self._progress is not None and not self._count % _EVERY:
            self._progress(self._count)
        if self._count == SMALL and self._use_cache:
            self._open_cache()
        cache = self._cache
        if cache is not None and not (self._keep is not None and self._keep(path)):
            # Before it is read, so that a change meanwhile is seen the next time.
            found = entry.stat()
            state = cache.state(path, found)
            if state not in cache.known and self._read(entry.path, path):
                return
            cache.see(state, found)
        else:
            self._read(entry.path, path)

    def _read(self, place: str, path: str) -> bool:
        """Whether the note may matter; it is then among the notes."""
        note, cut = _read_file(place, path, self._keep)
        if note is None:
            return False
        self._notes.append(note)
        if cut:
            self._problems.append(VaultProblem(path, CUT))
        return True

    def _open_cache(self) -> None:
        # Late: few vaults are large enough.
        from fleetlint.vault.cache import Cache, cache_folder

        folder = cache_folder()
        if folder:
            self._cache = Cache(folder, self._real_root)
            self._say_of_cache(self._cache.problem)

    def _say_of_cache(self, problem: str) -> None:
        if problem:
            self._skipped.append(VaultProblem("", problem))

    def _say_hidden(self) -> None:
        for path in sorted(self._hidden):
            count = _count_hidden(os.path.join(self._root, path))
            if count:
                notes = "1 hidden note" if count == 1 else f"{count} hidden notes"
                self._skipped.append(
                    VaultProblem(path, f"{notes} with fleet_id skipped: trip2g's notes are never hidden")
                )
            else:
                self._skipped.append(VaultProblem(path, "the folder is hidden"))


def _read_file(place: str, path: str, keep: Callable[[str], bool] | None) -> tuple[Note | None, bool]:
    descriptor = os.open(place, _OPEN_FLAGS)
    try:
        return note_from(partial(os.read, descriptor), path, keep)
    finally:
        os.close(descriptor)


def note_from(read: Callable[[int], bytes], path: str, keep: Callable[[str], bool] | None) -> tuple[Note | None, bool]:
    """The note of a file when it may matter, and whether a part of it was not read.

    `read(size)` gives the next bytes of the file, at most so many, and none at its end only.
    """
    data = read(HEAD)
    if _is_plain(data) and (keep is None or not keep(path)):
        return None, False
    complete = len(data) < HEAD
    block = find_block(data if complete else _whole_lines(data))
    if block is None:
        fault = find_missed(data)
        if fault is None:
            return None, False
        data, complete = _read_on(read, data, complete, MAX_NOTE)
        return missed_note(path, data, fault), not complete
    if not block.closed and not complete:
        data, complete = _read_on(read, data, complete, MAX_BLOCK + HEAD)
        block = find_block(data if complete else _whole_lines(data)) or block
        if not block.closed and not complete:
            block = block._replace(end=len(data), body=len(data))
    kept = keep is not None and keep(path)
    if not kept and not may_matter(data[block.start : block.end]):
        return None, False
    if block.closed or len(data) <= MAX_BLOCK:
        data, complete = _read_on(read, data, complete, MAX_NOTE)
    else:
        complete = True  # it is refused for its size, which says enough
    note = read_note(path, data, block)
    has_metadata = note.header is not None and bool(note.header.entries)
    return (note if has_metadata or note.fault else None), not complete


def _is_plain(head: bytes) -> bool:
    """Whether a note that begins with these bytes does not matter: a quick test, true of most such notes and no other."""
    if not head.startswith(b"---\n"):
        return head[:1] not in BEGINNINGS
    end = head.find(b"\n---\n", 3)
    # The header may end before that, at a fence of another form. It then holds no more words than this.
    return end > 0 and not may_matter(head[4 : end + 1])


def _read_on(read: Callable[[int], bytes], data: bytes, complete: bool, limit: int) -> tuple[bytes, bool]:
    """More of a file, up to `limit` bytes in all, and whether that is all of it."""
    parts = [data]
    size = len(data)
    while not complete and size < limit:
        part = read(limit - size)
        complete = not part
        parts.append(part)
        size += len(part)
    return b"".join(parts), complete or not read(1)


def _whole_lines(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1]


def _count_hidden(place: str) -> int:
    """How many notes with a `fleet_id` lie in a hidden folder, as far as it is looked into."""
    from fleetlint.vault.frontmatter import looks_like_role

    seen = count = 0
    for folder, folders, files in os.walk(place):
        folders[:] = sorted(name for name in folders if name not in NEVER_ENTERED)
        for name in sorted(files):
            if not name.endswith(".md"):
                continue
            seen += 1
            if seen > _MAX_HIDDEN:
                return count
            count += looks_like_role(_hidden_block(os.path.join(folder, name)))
    return count


def _hidden_block(place: str) -> bytes:
    try:
        if not stat.S_ISREG(os.lstat(place).st_mode):
            return b""
        with open(place, "rb") as file:
            head = file.read(HEAD)
    except OSError:
        return b""
    block = find_block(head)
    return head[block.start : block.end] if block else b""


def matcher(exclude: Sequence[str]) -> Callable[[str], bool]:
    """Whether one of the wcmatch globs takes a path."""
    if not exclude:
        return lambda path: False  # noqa: ARG005 - nothing is excluded
    from wcmatch import glob

    patterns = list(exclude)
    flags = glob.GLOBSTAR | glob.DOTGLOB | glob.BRACE
    return lambda path: bool(glob.globmatch(path, patterns, flags=flags))


def by_path(problem: VaultProblem) -> tuple[str, str]:
    return (problem.path, problem.message)


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
