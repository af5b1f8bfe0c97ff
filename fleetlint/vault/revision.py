"""Reads a vault from a revision of the git repository around it. The working tree and the index are not touched.

The repository is the one that git finds from the vault's folder, whatever `GIT_DIR` and its like say: a checkout, a linked
worktree, a submodule, a shallow or a bare clone. What is read is what a checkout of the revision would hold, but that
submodules are left out, and links are followed inside of the revision only.
"""

from __future__ import annotations

import io
import os
import subprocess
from typing import IO, TYPE_CHECKING, NamedTuple

from fleetlint.vault.checkout import CUT, MAX_NOTE, by_path, matcher, note_from
from fleetlint.vault.note import Note, Vault, VaultProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

LINK, SUBMODULE = "120000", "160000"
"""Modes of the entries of a tree that are no files."""

MAX_LINKS = 40
"""So many links are followed on the way to one place, as the system does."""

AT_ONCE = 100
"""So many names are written to git before its answers are read: less than a pipe holds, so that neither waits for ever."""

_KEPT = frozenset(
    {
        "GIT_ASKPASS",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
        "GIT_EXEC_PATH",
        "GIT_SSH",
        "GIT_SSH_COMMAND",
        "GIT_SSL_CAINFO",
        "GIT_SSL_NO_VERIFY",
    }
)
"""What git may be told by the environment: where it and its settings lie, and how to fetch what a partial clone lacks."""


class GitError(Exception):
    """Why a revision cannot be read: one sentence that says what to do."""


class Entry(NamedTuple):
    """A file, link or submodule of a revision: git's mode and the name of the object."""

    mode: str
    object: str


class Tree(NamedTuple):
    """What a revision holds of the vault, by path in it. `links` says where each link leads, as it is written in it;
    `prefix` are the folders from the repository's top to the vault."""

    revision: str
    prefix: tuple[str, ...]
    entries: Mapping[str, Entry]
    links: Mapping[str, str]

    @property
    def submodules(self) -> tuple[str, ...]:
        return tuple(sorted(path for path, entry in self.entries.items() if entry.mode == SUBMODULE))


class Repository:
    """The repository around the vault at `root`, with one process of git that gives the contents of objects; close it."""

    def __init__(self, root: str) -> None:
        """Raises GitError when there is none, or no git."""
        self.root = root
        done = self._git("rev-parse", "--is-shallow-repository", "--show-prefix")
        if done.returncode:
            raise GitError(f"{root}: git finds no repository here ({_said(done)}); name a vault in a git repository")
        shallow, _, prefix = os.fsdecode(done.stdout).partition("\n")
        self._is_shallow = shallow == "true"
        self._prefix = prefix.removesuffix("\n").rstrip("/")
        self._batch: subprocess.Popen[bytes] | None = None
        self._read: dict[tuple[str, str, bool], tuple[Note | None, bool]] = {}

    def __enter__(self) -> Repository:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._batch is not None:
            self._batch.kill()
            self._batch.communicate()

    def tree(self, revision: str) -> Tree | None:
        """What a revision (a commit, branch, tag or tree) holds of the vault; None when the vault's folder is not in it.

        Raises GitError.
        """
        # A leading hyphen would be an option, and begins no name that git allows.
        done = None if revision.startswith("-") or "\0" in revision else self._object(f"{revision}^{{tree}}")
        if not done:
            hint = "; this clone is shallow: fetch the revision first" if self._is_shallow else ""
            raise GitError(f"`{revision}` is no revision of the repository; name a commit, a branch or a tag{hint}")
        if self._prefix:
            done = self._object(f"{done}:{self._prefix}")
            if not done:
                return None
        listed = self._git("ls-tree", "-r", "-z", "--full-tree", done)
        if listed.returncode:
            raise GitError(f"`{revision}` cannot be listed ({_said(listed)}); see whether the repository is complete")
        prefix = tuple(self._prefix.split("/")) if self._prefix else ()
        entries = dict(_entries(listed.stdout))
        return Tree(revision, prefix, entries, self._links(entries))

    def submodules(self) -> tuple[str, ...]:
        """The submodules in the vault's working tree, by the index."""
        listed = self._git("ls-files", "-z", "--stage")
        found = (os.fsdecode(record).partition("\t") for record in listed.stdout.split(b"\0"))
        return tuple(sorted({path for mode, _, path in found if mode.startswith(SUBMODULE)}))

    def read_file(self, tree: Tree, path: str, limit: int) -> bytes | None:
        """The first bytes of a file, through links; None when there is none."""
        found = resolve(tree, path)
        entry = tree.entries.get(found) if found is not None else None
        if entry is None or entry.mode in (LINK, SUBMODULE):
            return None
        ((_, data),) = self.contents([entry.object], limit)
        return data

    def load_vault(
        self,
        tree: Tree | None,
        *,
        exclude: Sequence[str] = (),
        keep: Callable[[str], bool] | None = None,
        known: Mapping[str, Note] | None = None,
    ) -> Vault:
        """The vault as it is in a revision, read like `fleetlint.vault.load_vault` reads a checkout.

        A note that was read before, of an equal file at the same path, is not read again; neither is one that has the
        text of the `known` note there (which must have been kept for the same reasons).
        """
        if tree is None:
            return Vault(root=self.root, notes=(), folders=frozenset(), note_count=0)
        found = _Walk(tree, exclude)
        wanted = [(path, name, keep is not None and keep(path)) for path, name in found.files]
        self._read_notes([one for one in wanted if one not in self._read], known or {})
        problems = [VaultProblem(path, "this is a submodule, whose notes are left out") for path in found.submodules]
        notes = []
        for one in wanted:
            note, is_cut = self._read[one]
            if note is not None:
                notes.append(note)
                if is_cut:
                    problems.append(VaultProblem(note.path, CUT))
        return Vault(
            root=self.root,
            notes=tuple(sorted(notes, key=lambda note: note.path)),
            folders=frozenset(found.folders),
            note_count=len(wanted),
            problems=tuple(sorted(problems, key=by_path)),
        )

    def _read_notes(self, wanted: Sequence[tuple[str, str, bool]], known: Mapping[str, Note]) -> None:
        names = [name for _, name, _ in wanted]
        for one, (_, data) in zip(wanted, self.contents(names, MAX_NOTE + 1), strict=True):
            path, _, kept = one
            text = data.decode("utf-8", "replace") if path in known else ""
            # What is not UTF-8 can differ under one text.
            if path in known and known[path].text == text and "\ufffd" not in text:
                self._read[one] = known[path], len(data) > MAX_NOTE
            else:
                self._read[one] = note_from(io.BytesIO(data).read, path, (lambda path: True) if kept else None)  # noqa: ARG005

    def contents(self, objects: Sequence[str], limit: int) -> Iterator[tuple[str, bytes]]:
        """Name and content of each object, of a longer one the first `limit` bytes. Raises GitError for one that is not
        there."""
        for first in range(0, len(objects), AT_ONCE):
            names = objects[first : first + AT_ONCE]
            batch = self._batch = self._batch or self._start()
            assert batch.stdin is not None
            assert batch.stdout is not None
            try:
                batch.stdin.write("".join(f"{name}\n" for name in names).encode())
                batch.stdin.flush()
            except OSError as error:
                raise GitError(f"git stopped while it was read ({error.strerror}); try it again") from None
            for name in names:
                yield name, _content(batch.stdout, name, limit)

    def _links(self, entries: Mapping[str, Entry]) -> dict[str, str]:
        links = [(path, entry.object) for path, entry in entries.items() if entry.mode == LINK]
        contents = self.contents([name for _, name in links], 4096)
        return {path: os.fsdecode(data) for (path, _), (_, data) in zip(links, contents, strict=True)}

    def _object(self, name: str) -> str:
        """The full name of an object, empty when there is none."""
        done = self._git("rev-parse", "--verify", "--quiet", name)
        return os.fsdecode(done.stdout).strip() if done.returncode == 0 else ""

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self._command, "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )

    def _git(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        try:
            return subprocess.run(
                [*self._command, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                check=False,
                env=_environment(),
            )
        except OSError as error:
            raise GitError(f"git cannot be run ({error.strerror}); install it") from None

    @property
    def _command(self) -> list[str]:
        # A monitor of files is a program that the repository's settings name.
        return ["git", "-c", "core.fsmonitor=false", "-C", self.root]


def _environment() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_")
        or name in _KEPT
        or name.startswith(("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_SSL_"))
    }
    return kept | {"LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}


def _said(done: subprocess.CompletedProcess[bytes]) -> str:
    """The first line of what git complains of, without its `fatal:`."""
    lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[0].removeprefix("fatal: ").strip()[:200] if lines else "it says nothing"


def _entries(listing: bytes) -> Iterator[tuple[str, Entry]]:
    """The records `mode type object\\tpath`, each ended by NUL."""
    for record in listing.split(b"\0")[:-1]:
        head, _, path = record.partition(b"\t")
        mode, _, name = head.decode("ascii").split(" ")
        yield os.fsdecode(path), Entry(mode, name)


def _content(answers: IO[bytes], name: str, limit: int) -> bytes:
    """The next answer, `object type size` and so many bytes: of a long one only the first are kept."""
    head = answers.readline().split()
    if len(head) != 3 or not head[2].isdigit():
        raise GitError(f"the repository lacks the object {name}; fetch it, or make the clone complete")
    size = int(head[2])
    data = answers.read(min(size, limit))
    rest = size - len(data) + 1
    while rest:
        part = answers.read(min(rest, 1 << 20))
        if not part:
            raise GitError("git stopped while it was read; try it again")
        rest -= len(part)
    return data


def resolve(tree: Tree, path: str) -> str | None:
    """The path in the vault with every link on it followed, empty for the vault itself; None when it leads out of it, or
    round in a circle."""
    if not tree.links:
        return path
    prefix = list(tree.prefix)

    def inside(parts: list[str]) -> str | None:
        return "/".join(parts[len(prefix) :]) if parts[: len(prefix)] == prefix else None

    waiting = [*prefix, *path.split("/")][::-1]
    reached: list[str] = []
    followed = 0
    while waiting:
        part = waiting.pop()
        if part in ("", "."):
            continue
        if part == "..":
            if not reached:
                return None
            reached.pop()
            continue
        target = tree.links.get(inside([*reached, part]) or "")
        if target is None:
            reached.append(part)
            continue
        followed += 1
        if target.startswith("/") or followed > MAX_LINKS:
            return None
        waiting.extend(target.split("/")[::-1])
    return inside(reached)


class _Walk:
    """The notes and folders of a revision that a reader of its checkout would see; as in `fleetlint.vault.checkout`."""

    def __init__(self, tree: Tree, exclude: Sequence[str]) -> None:
        self.files: list[tuple[str, str]] = []
        self.folders: set[str] = set()
        self.submodules: list[str] = []
        self._tree = tree
        self._is_excluded = matcher(exclude)
        self._entered: set[str] = set()
        self._linked: list[tuple[str, str]] = []
        self._below = _by_folder(tree.entries)
        self._walk([("", "")])
        # Linked folders come last, so that a note is read where it lies and not through a link to it.
        while self._linked:
            linked, self._linked = sorted(self._linked), []
            for path, place in linked:
                self._walk([(place, path)])

    def _walk(self, waiting: list[tuple[str, str]]) -> None:
        while waiting:
            place, path = waiting.pop()
            if place in self._entered:
                continue
            self._entered.add(place)
            if path:
                self.folders.add(path)
            for name in self._below.get(place, ()):
                there, here = f"{place}/{name}" if place else name, f"{path}/{name}" if path else name
                if self._entry(name, there, here):
                    waiting.append((there, here))

    def _entry(self, name: str, place: str, path: str) -> bool:
        """Takes in an entry of a folder; says whether it is a folder to be entered."""
        entry = self._tree.entries.get(place)
        if entry is None:
            return self._enters(name, path)
        if entry.mode == SUBMODULE:
            if self._enters(name, path):
                self.submodules.append(path)
                self.folders.add(path)
        elif entry.mode == LINK:
            self._link(name, place, path)
        elif _is_note(name):
            self._file(path, entry)
        return False

    def _enters(self, name: str, path: str) -> bool:
        return not (name.startswith(".") or self._is_excluded(path) or self._is_excluded(f"{path}/"))

    def _link(self, name: str, place: str, path: str) -> None:
        target = resolve(self._tree, place)
        if target is None:
            return
        if target in self._below or not target:
            if self._enters(name, path):
                self._linked.append((path, target))
        elif _is_note(name):
            entry = self._tree.entries.get(target)
            if entry is not None and entry.mode != SUBMODULE:
                self._file(path, entry)

    def _file(self, path: str, entry: Entry) -> None:
        if not self._is_excluded(path):
            self.files.append((path, entry.object))


def _is_note(name: str) -> bool:
    return name.endswith(".md") and len(name) > 3


def _by_folder(paths: Iterable[str]) -> dict[str, list[str]]:
    """The names in each folder."""
    below: dict[str, list[str]] = {"": []}
    for path in paths:
        folder, _, name = path.rpartition("/")
        while folder not in below:
            below[folder] = [name]
            folder, _, name = folder.rpartition("/")
        below[folder].append(name)
    return below
