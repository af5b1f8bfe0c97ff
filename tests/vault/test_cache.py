from __future__ import annotations

import os
import random
import shutil
from contextlib import suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest

from fleetlint.vault import cache, checkout, load_vault
from fleetlint.vault.cache import cache_folder

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from fleetlint.vault import Vault

ROLE = "---\nfleet_id: t\nmode: cron\n---\nx\n"
PLAIN = "---\ntitle: one\n---\nHello.\n"
NUMBER = 62
ODD_NAMES = ("new\nline.md", "nul\\0.md", "ж я.md", os.fsdecode(b"caf\xe9.md"))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkout, "SMALL", 20)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """More notes than a small vault has, most of them plain, in a flat folder."""
    root = tmp_path / "vault"
    (root / "notes").mkdir(parents=True)
    (root / "roles").mkdir()
    for number in range(NUMBER):
        (root / "notes" / f"{number:02}.md").write_text(PLAIN if number % 2 else "Hello.\n")
    for name in ODD_NAMES:
        (root / "notes" / name).write_text(PLAIN)
    (root / "roles" / "a.md").write_text(ROLE)
    return root


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path / "caches" / "fleetlint"


@pytest.fixture
def old(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notes just written count as settled."""
    monkeypatch.setattr(cache, "SETTLED", -(10**12))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The notes that are opened."""
    names: list[str] = []
    open_file = os.open

    def note(path: str, flags: int, mode: int = 0o777) -> int:
        if path.endswith(".md"):
            names.append(path)
        return open_file(path, flags, mode)

    monkeypatch.setattr(checkout.os, "open", note)
    return names


def paths(vault: Vault) -> list[str]:
    return [note.path for note in vault.notes]


def file_in(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


@pytest.mark.usefixtures("old")
def test_what_was_found_not_to_matter_is_not_opened_again(vault: Path, opened: list[str]) -> None:
    first = load_vault(vault, use_cache=True)
    assert len(opened) == NUMBER + len(ODD_NAMES) + 1
    opened.clear()
    assert load_vault(vault, use_cache=True) == first == load_vault(vault)
    # Those that are read before the vault is known to be large, and the role.
    assert len(opened) - (NUMBER + len(ODD_NAMES) + 1) == checkout.SMALL
    assert opened[checkout.SMALL - 1].endswith("roles/a.md")
    assert first.note_count == NUMBER + len(ODD_NAMES) + 1


@pytest.mark.usefixtures("old")
def test_a_small_vault_neither_reads_nor_writes_a_cache(tmp_path: Path, folder: Path) -> None:
    for number in range(checkout.SMALL - 1):
        (tmp_path / f"{number}.md").write_text(PLAIN)
    load_vault(tmp_path, use_cache=True)
    assert not folder.exists()
    (tmp_path / "one more.md").write_text(PLAIN)
    load_vault(tmp_path, use_cache=True)
    assert folder.exists()


def test_what_changed_in_the_last_seconds_is_not_remembered(vault: Path, opened: list[str]) -> None:
    load_vault(vault, use_cache=True)
    opened.clear()
    load_vault(vault, use_cache=True)
    assert len(opened) == NUMBER + len(ODD_NAMES) + 1


def keep_times(note: Path, change: Callable[[Path], object]) -> None:
    before = note.stat()
    change(note)
    os.utime(note, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert note.stat().st_size == before.st_size
    assert note.stat().st_mtime_ns == before.st_mtime_ns


def overwrite(note: Path) -> None:
    note.write_text(ROLE[: note.stat().st_size])


def put_in_place(note: Path) -> None:
    beside = note.with_suffix(".new")
    beside.write_text(ROLE[: note.stat().st_size])
    beside.replace(note)


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize("change", [overwrite, put_in_place])
def test_a_change_that_keeps_size_and_time_is_seen(vault: Path, change: Callable[[Path], object]) -> None:
    note = vault / "notes" / "59.md"
    note.write_text("x" * len(ROLE))
    assert paths(load_vault(vault, use_cache=True)) == ["roles/a.md"]
    keep_times(note, change)
    assert paths(load_vault(vault, use_cache=True)) == ["notes/59.md", "roles/a.md"]


@pytest.mark.usefixtures("old")
def test_a_link_that_leads_to_another_note_is_seen(vault: Path) -> None:
    link = vault / "zz.md"
    link.symlink_to(vault / "notes" / "57.md")
    assert paths(load_vault(vault, use_cache=True)) == ["roles/a.md"]
    link.unlink()
    link.symlink_to(vault / "roles" / "a.md")
    assert paths(load_vault(vault, use_cache=True)) == ["roles/a.md", "zz.md"]


@pytest.mark.usefixtures("old")
def test_a_change_of_the_note_behind_a_link_is_seen(vault: Path) -> None:
    (vault / "zz.md").symlink_to(vault / "notes" / "57.md")
    assert paths(load_vault(vault, use_cache=True)) == ["roles/a.md"]
    (vault / "notes" / "57.md").write_text(ROLE)
    assert paths(load_vault(vault, use_cache=True)) == ["notes/57.md", "roles/a.md", "zz.md"]


@pytest.mark.parametrize("field", ["st_size", "st_ino", "st_mtime_ns", "st_ctime_ns", "path"])
def test_a_state_tells_files_apart_by_each_of_its_parts(field: str) -> None:
    parts = {"path": "a.md", "st_size": 1, "st_ino": 1, "st_mtime_ns": 1, "st_ctime_ns": 1}

    def state(**parts: object) -> str:
        return cache.Cache.state(str(parts["path"]), cast("os.stat_result", SimpleNamespace(**parts)))

    assert state(**parts) != state(**parts | {field: 2})


@pytest.mark.usefixtures("old")
def test_what_is_remembered_does_not_depend_on_the_settings(vault: Path) -> None:
    def takes(path: str) -> bool:
        return path.startswith("notes/5")

    load_vault(vault, use_cache=True)
    in_folder = load_vault(vault, use_cache=True, keep=takes)
    assert in_folder == load_vault(vault, keep=takes)
    assert len(in_folder.notes) == 5 + 1
    assert paths(load_vault(vault, use_cache=True, exclude=["notes/**"])) == ["roles/a.md"]
    assert paths(load_vault(vault, use_cache=True)) == ["roles/a.md"]


@pytest.mark.usefixtures("old")
def test_with_a_cache_a_vault_reads_the_same_whatever_happens_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkout, "SMALL", 3)
    dice = random.Random(13)
    root = tmp_path / "vault"
    names = [root / sub / f"{letter}.md" for sub in ("", "a", "a/b") for letter in "uvwxyz"]
    texts = [PLAIN, ROLE, "Hello.\n", "\n" + ROLE, "---\ntitle: one\nmode: x\n", PLAIN.replace("one", "two"), ""]
    (root / "a" / "b").mkdir(parents=True)
    seen = set()
    for _ in range(300):
        note, other = dice.choice(names), dice.choice(names)
        # Mostly at most one change between two readings.
        for act in dice.choices(("write", "remove", "move", "swap"), k=dice.choice((0, 1, 1, 4))):
            with suppress(FileNotFoundError):
                if act == "write":
                    note.write_text(dice.choice(texts))
                elif act == "remove":
                    note.unlink()
                elif act == "move":
                    note.replace(other)
                else:
                    note.replace(tmp_path / "held")
                    other.replace(note)
                    (tmp_path / "held").replace(other)
        found = load_vault(root, use_cache=True)
        assert found == load_vault(root)
        seen.add(tuple(paths(found)))
    assert len(seen) > 50


def other_version(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fleetlint.version.VERSION", "0.0.1")


def other_format(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "FORMAT", cache.FORMAT + 1)


def cut(file: Path, _: pytest.MonkeyPatch) -> None:
    file.write_bytes(file.read_bytes()[:-1])


def cut_short(file: Path, _: pytest.MonkeyPatch) -> None:
    file.write_bytes(file.read_bytes()[:12])


def empty(file: Path, _: pytest.MonkeyPatch) -> None:
    file.write_bytes(b"")


def flip_a_bit(file: Path, _: pytest.MonkeyPatch) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def add_a_byte(file: Path, _: pytest.MonkeyPatch) -> None:
    file.write_bytes(file.read_bytes() + b"\0")


def noise(file: Path, _: pytest.MonkeyPatch) -> None:
    file.write_bytes(random.Random(1).randbytes(100_000))


def pickle(file: Path, _: pytest.MonkeyPatch) -> None:
    file.write_bytes(b"cos\nsystem\n(S'touch pwned'\ntR.")


def a_pipe(file: Path, _: pytest.MonkeyPatch) -> None:
    file.unlink()
    os.mkfifo(file)


def too_large(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MAX_FILE", 100)


SPOILT = (other_version, other_format, cut, cut_short, empty, flip_a_bit, add_a_byte, noise, pickle, a_pipe, too_large)


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize("spoil", SPOILT)
def test_a_file_that_is_not_as_it_was_written_is_ignored_and_replaced(
    vault: Path,
    folder: Path,
    opened: list[str],
    monkeypatch: pytest.MonkeyPatch,
    spoil: Callable[[Path, pytest.MonkeyPatch], object],
) -> None:
    first = load_vault(vault, use_cache=True)
    spoil(file_in(folder), monkeypatch)
    opened.clear()
    assert load_vault(vault, use_cache=True) == first
    assert len(opened) == first.note_count
    monkeypatch.setattr(cache, "MAX_FILE", 1 << 20)
    opened.clear()
    load_vault(vault, use_cache=True)
    assert len(opened) == checkout.SMALL


@pytest.mark.usefixtures("old")
def test_the_file_of_another_vault_is_ignored(vault: Path, folder: Path, opened: list[str], tmp_path: Path) -> None:
    load_vault(vault, use_cache=True)
    ours = file_in(folder)
    moved = tmp_path / "moved"
    vault.rename(moved)  # keeps all that a state holds
    load_vault(moved, use_cache=True)
    (theirs,) = (file for file in folder.iterdir() if file != ours)
    ours.replace(theirs)
    opened.clear()
    load_vault(moved, use_cache=True)
    assert len(opened) == NUMBER + len(ODD_NAMES) + 1


@pytest.mark.usefixtures("old")
def test_the_file_is_written_for_many_new_notes_and_not_for_a_few(vault: Path, folder: Path) -> None:
    for number in range(60):
        (vault / "notes" / f"more {number}.md").write_text(PLAIN)
    load_vault(vault, use_cache=True)
    before = file_in(folder).stat()
    (vault / "zz.md").write_text(PLAIN)
    load_vault(vault, use_cache=True)
    assert file_in(folder).stat().st_mtime_ns == before.st_mtime_ns
    for number in range(10):
        (vault / f"zz{number}.md").write_text(PLAIN)
    load_vault(vault, use_cache=True)
    assert file_in(folder).stat().st_size > before.st_size
    shutil.rmtree(vault / "notes")
    for number in range(60):
        (vault / f"zzz{number}.md").write_text(PLAIN)
    load_vault(vault, use_cache=True)
    assert b"notes/57.md" not in file_in(folder).read_bytes()


@pytest.mark.usefixtures("old")
def test_the_file_is_for_its_owner_alone(vault: Path, folder: Path) -> None:
    load_vault(vault, use_cache=True)
    assert (folder.stat().st_mode & 0o777, file_in(folder).stat().st_mode & 0o777) == (0o700, 0o600)


@pytest.mark.usefixtures("old")
@pytest.mark.parametrize("blocked", ["caches", "caches/fleetlint"])
def test_a_cache_that_cannot_be_used_is_said_among_what_was_skipped(vault: Path, tmp_path: Path, blocked: str) -> None:
    (tmp_path / blocked).parent.mkdir(exist_ok=True)
    (tmp_path / blocked).write_text("a file")
    found = load_vault(vault, use_cache=True)
    assert paths(found) == ["roles/a.md"]
    assert [problem.message.split(":")[0] for problem in found.skipped] == [
        "the cache cannot be read",
        "the cache cannot be written",
    ]
    assert found.problems == ()


def test_the_cache_lies_where_the_platform_keeps_such_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/caches")
    monkeypatch.setattr(cache.sys, "platform", "linux")
    assert cache_folder() == "/var/caches/fleetlint"
    for invalid in ("relative", ""):
        monkeypatch.setenv("XDG_CACHE_HOME", invalid)
        assert cache_folder() == "/home/me/.cache/fleetlint"
    monkeypatch.setattr(cache.sys, "platform", "darwin")
    assert cache_folder() == "/home/me/Library/Caches/fleetlint"
    monkeypatch.setattr(cache.sys, "platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", "/c/local")
    assert cache_folder() == "/c/local/fleetlint"
    monkeypatch.delenv("LOCALAPPDATA")
    assert cache_folder() == ""
