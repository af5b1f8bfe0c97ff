"""The vault of a trip2g server, read through the same rooms as a checkout."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.roles.raw import render
from fleetlint.roles.role import KEYS, is_role_header
from fleetlint.trip2g import fetch_notes
from fleetlint.vault.checkout import CUT, by_path, matcher, note_from
from fleetlint.vault.note import Vault, VaultProblem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fleetlint.trip2g import LiveNote, Server
    from fleetlint.vault.note import Note

MAX_DIFFERENT = 10
"""So many notes are named in which the server reads something else."""


class _Taken(NamedTuple):
    """What is kept of a note: itself where it matters, whether it was cut, and what the server reads otherwise in it."""

    path: str
    note: Note | None
    is_cut: bool
    difference: str


def load_live_vault(
    server: Server,
    root: str,
    *,
    folders: Sequence[str] = ("",),
    exclude: Sequence[str] = (),
    keep: Callable[[str], bool] | None = None,
    progress: Callable[[int], None] | None = None,
) -> Vault:
    """The notes of a live vault that may matter; `root` is the folder that the vault is said to have.

    Of the notes only those below `folders` are looked into, LIKE prefixes as fleets have them; `exclude` and `keep` are
    those of `fleetlint.vault.load_vault`. Hidden folders are nothing special: what the server lists is a note.
    Raises Trip2gError.
    """
    is_excluded = _exclusion(exclude)
    count = 0

    def take(live: LiveNote) -> _Taken | None:
        nonlocal count
        count += 1
        if progress is not None and not count % 1_000:
            progress(count)
        if is_excluded(live.path):
            return None
        note, is_cut = note_from(io.BytesIO(live.content.encode("utf-8", "surrogatepass")).read, live.path, keep)
        difference = _difference(note, live.meta) if live.meta is not None else ""
        return _Taken(live.path, note, is_cut, difference) if note is not None or difference else None

    listing = fetch_notes(server, folders, take)
    paths = [path for path in listing.paths if not is_excluded(path)]
    problems = [VaultProblem(one.path, CUT) for one in listing.taken if one.is_cut]
    if listing.viewer != "ADMIN" and not (server.credential and server.credential.is_key):
        problems.append(VaultProblem("", f"{server.url}: read as {listing.viewer}, who may not see every note"))
    different = [VaultProblem(one.path, one.difference) for one in listing.taken if one.difference]
    different.sort(key=by_path)
    problems += different[:MAX_DIFFERENT]
    if len(different) > MAX_DIFFERENT:
        more = len(different) - MAX_DIFFERENT
        problems.append(VaultProblem("", f"{server.url}: in {more:,} more notes the server reads something else"))
    return Vault(
        root=root,
        notes=tuple(sorted((one.note for one in listing.taken if one.note), key=lambda note: note.path)),
        folders=frozenset(folder for path in paths for folder in _around(path)),
        note_count=len(paths),
        problems=tuple(sorted(problems, key=by_path)),
    )


def _around(path: str) -> Iterator[str]:
    """The folders that a path lies in."""
    at = path.find("/")
    while at >= 0:
        yield path[:at]
        at = path.find("/", at + 1)


def _exclusion(exclude: Sequence[str]) -> Callable[[str], bool]:
    """Whether a note is left out, for itself or with a folder that it lies in; as in a checkout."""
    if not exclude:
        return lambda path: False  # noqa: ARG005 - nothing is excluded
    is_taken = matcher(exclude)
    folders: dict[str, bool] = {}

    def is_folder_taken(folder: str) -> bool:
        if folder not in folders:
            folders[folder] = is_taken(folder) or is_taken(f"{folder}/")
        return folders[folder]

    return lambda path: any(is_folder_taken(folder) for folder in _around(path)) or is_taken(path)


def _difference(note: Note | None, meta: Mapping[str, str]) -> str:
    """What the server reads otherwise in a header than we do, empty for nothing. What fleets do not read is not compared."""
    header = note.header if note is not None else None
    entries = header.entries if header is not None else ()
    ours = {str(key.value): render(value).text for key, value in entries if key.value in KEYS}
    theirs = {key: raw for key, raw in meta.items() if key in KEYS}
    if ours == theirs or (note is None and not is_role_header(theirs.keys())):
        return ""
    key = min(key for key in ours.keys() | theirs.keys() if ours.get(key) != theirs.get(key))
    here, there = (f"`{texts[key]}`" if key in texts else "missing" for texts in (ours, theirs))
    return (
        f"to the server `{key}` is {there}, and by the note's text it is {here}: fleets see the former, and what is said "
        "of this note may be wrong; see what on the server changes headers, or report it as a fault of fleetlint"
    )
