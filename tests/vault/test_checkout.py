from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fleetlint.vault import checkout, load_vault
from fleetlint.vault.checkout import find_root

if TYPE_CHECKING:
    from fleetlint.vault import Vault

ROLE = b"---\nfleet_id: t\nmode: cron\n---\nx\n"


def write(root: Path, *paths: str, content: bytes = ROLE) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)


def paths(vault: Vault) -> list[str]:
    return [note.path for note in vault.notes]


def test_notes_that_may_matter_are_kept_in_order_and_all_are_counted(tmp_path: Path) -> None:
    write(tmp_path, "b.md", "a/z.md", "a/b/c.md", "a.md", "Z/ж я.md")
    write(tmp_path, "plain.md", "a/other.md", content=b"---\ntitle: x\n---\n")
    write(tmp_path, "x.txt", "x.MD", ".md")
    vault = load_vault(tmp_path)
    assert paths(vault) == ["Z/ж я.md", "a.md", "a/b/c.md", "a/z.md", "b.md"]
    assert (vault.note_count, vault.folders) == (7, {"a", "a/b", "Z"})
    assert (vault.problems, vault.skipped) == ((), ())


def test_a_note_that_a_fleet_takes_is_kept_when_it_has_metadata(tmp_path: Path) -> None:
    write(tmp_path, "roles/a.md", "b.md", content=b"---\ntitle: x\n---\n")
    write(tmp_path, "roles/c.md", content=b"no header")
    write(tmp_path, "roles/d.md", content=b"---\n---\n")
    assert paths(load_vault(tmp_path, keep=lambda path: path.startswith("roles/"))) == ["roles/a.md"]


def test_a_misspelt_key_keeps_a_note(tmp_path: Path) -> None:
    write(tmp_path, "a.md", content=b"---\nFleet_ID: t\ntrigger-on: [update]\n---\n")
    assert paths(load_vault(tmp_path)) == ["a.md"]


def test_hidden_and_excluded_folders_are_left_out_and_said(tmp_path: Path) -> None:
    write(tmp_path, ".fleet/roles/a.md", ".git/b.md", ".obsidian/c.md", ".trash/d.md", "archive/old/e.md", "keep/f.md")
    write(tmp_path, ".empty/x.txt")
    vault = load_vault(tmp_path, exclude=["archive/**"])
    assert paths(vault) == ["keep/f.md"]
    assert [(problem.path, problem.message.split(":")[0]) for problem in vault.skipped] == [
        (".empty", "the folder is hidden"),
        (".fleet", "1 hidden note with fleet_id skipped"),
        ("archive", "the folder is excluded by the settings"),
    ]


def test_a_single_note_can_be_excluded(tmp_path: Path) -> None:
    write(tmp_path, "a/x.draft.md", "a/y.md")
    vault = load_vault(tmp_path, exclude=["**/*.draft.md"])
    assert (paths(vault), vault.note_count, vault.skipped[0].path) == (["a/y.md"], 1, "a/x.draft.md")


def test_a_nested_vault_is_read_and_said(tmp_path: Path) -> None:
    write(tmp_path, ".obsidian/app.json", "clients/acme/.obsidian/app.json", "clients/acme/roles/a.md")
    vault = load_vault(tmp_path)
    assert paths(vault) == ["clients/acme/roles/a.md"]
    assert [problem.path for problem in vault.skipped] == ["clients/acme"]


def test_links_out_of_the_vault_are_not_followed_and_loops_end(tmp_path: Path) -> None:
    vault_root = tmp_path / "vault"
    write(tmp_path, "outside/o.md", "vault/in/a.md", "vault/.hidden/h.md")
    (vault_root / "out").symlink_to(tmp_path / "outside")
    (vault_root / "out.md").symlink_to(tmp_path / "outside/o.md")
    (vault_root / "in/up").symlink_to(vault_root)
    (vault_root / "in/self").symlink_to(vault_root / "in")
    (vault_root / "A").symlink_to(vault_root / "in")
    (vault_root / "shown").symlink_to(vault_root / ".hidden")
    (vault_root / "b.md").symlink_to(vault_root / "in/a.md")
    (vault_root / "gone.md").symlink_to(vault_root / "nowhere.md")
    (vault_root / "loop.md").symlink_to(vault_root / "loop.md")
    vault = load_vault(vault_root)
    assert paths(vault) == ["b.md", "in/a.md", "shown/h.md"]
    said = {problem.path for problem in (*vault.skipped, *vault.problems)}
    assert {"out", "out.md", "gone.md", "loop.md"} <= said


def test_a_vault_behind_a_link_is_read(tmp_path: Path) -> None:
    write(tmp_path, "real/a.md")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert paths(load_vault(tmp_path / "link")) == ["a.md"]


def test_what_is_no_file_is_never_opened(tmp_path: Path) -> None:
    write(tmp_path, "dir.md/a.md", "roles/ok.md")
    write(tmp_path, "roles/empty.md", content=b"")
    os.mkfifo(tmp_path / "roles/pipe.md")
    with socket.socket(socket.AF_UNIX) as unix:
        here = Path.cwd()
        os.chdir(tmp_path)  # the name of a socket may be no longer than a hundred bytes
        try:
            unix.bind("socket.md")
        finally:
            os.chdir(here)
        vault = load_vault(tmp_path)
    assert paths(vault) == ["dir.md/a.md", "roles/ok.md"]
    assert [problem.path for problem in vault.skipped] == ["roles/pipe.md", "socket.md"]


def test_what_cannot_be_read_hides_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "a.md", "secret.md", "locked/x.md", "z/z.md")
    open_file, scan = os.open, os.scandir

    def refuse_file(path: str, flags: int) -> int:
        if path.endswith("secret.md"):
            raise PermissionError(13, "Permission denied")
        return open_file(path, flags)

    def refuse_folder(path: str) -> object:
        if path.endswith("locked"):
            raise PermissionError(13, "Permission denied")
        return scan(path)

    # Permissions say nothing to the superuser, as which tests often run.
    monkeypatch.setattr(checkout.os, "open", refuse_file)
    monkeypatch.setattr(checkout.os, "scandir", refuse_folder)
    vault = load_vault(tmp_path)
    assert paths(vault) == ["a.md", "z/z.md"]
    assert [(problem.path, "permission denied" in problem.message) for problem in vault.problems] == [
        ("locked", True),
        ("secret.md", True),
    ]


def test_a_name_that_is_not_utf_8_keeps_its_bytes(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_bytes(ROLE)
    (note,) = load_vault(tmp_path).notes
    assert os.fsencode(note.path) == b"caf\xe9.md"


def test_only_the_head_of_a_large_plain_note_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open(tmp_path / "large.md", "wb") as file:
        file.write(b"text\n")
        file.truncate(200 * 1024 * 1024)
    with open(tmp_path / "rule.md", "wb") as file:
        file.write(b"---\n")
        file.truncate(200 * 1024 * 1024)
    read, total = os.read, [0]

    def counted(descriptor: int, size: int) -> bytes:
        data = read(descriptor, size)
        total[0] += len(data)
        return data

    monkeypatch.setattr(checkout.os, "read", counted)
    assert load_vault(tmp_path).notes == ()
    assert total[0] < 600 * 1024


def test_a_long_header_and_a_long_body_are_read_to_their_ends(tmp_path: Path) -> None:
    header = b"---\nfleet_id: t\n" + b"# comment\n" * 10_000 + b"mode: cron\n---\n"
    write(tmp_path, "long.md", content=header + b"change_file\n")
    write(tmp_path, "huge.md", content=ROLE + b"x\n" * (3 * 1024 * 1024))
    vault = load_vault(tmp_path)
    huge, long = vault.notes
    assert long.header is not None
    assert [key.value for key, _ in long.header.entries] == ["fleet_id", "mode"]
    assert long.body == "change_file\n"
    assert huge.body.startswith("x\nx\n")
    assert [problem.path for problem in vault.problems] == ["huge.md"]


def test_a_header_without_an_end_is_broken_when_it_looks_like_a_role(tmp_path: Path) -> None:
    write(tmp_path, "a.md", content=b"---\nfleet_id: t\n" + b"text\n" * 100_000)
    (note,) = load_vault(tmp_path).notes
    assert note.fault is not None
    assert "256 KiB" in note.fault.message


def test_notes_that_are_nearly_roles_are_kept_with_their_fault(tmp_path: Path) -> None:
    write(tmp_path, "blank.md", content=b"\n" + ROLE)
    write(tmp_path, "broken.md", content=b"---\nfleet_id: t\na: b: c\n---\n")
    write(tmp_path, "photo.md", content=b"\x89PNG\r\n\x1a\n\x00\x00")
    write(tmp_path, "page.md", content=b"---\ntitle: x\n---\n\n```yaml\n" + ROLE + b"```\n")
    assert [(note.path, note.fault and note.fault.kind) for note in load_vault(tmp_path).notes] == [
        ("blank.md", "missed"),
        ("broken.md", "broken"),
    ]


def test_a_folder_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError, match="nowhere"):
        load_vault(tmp_path / "nowhere")


@pytest.mark.parametrize("marker", [".fleetlint.yaml", ".obsidian/app.json"])
def test_the_root_is_the_nearest_folder_with_settings_or_obsidian(marker: str, tmp_path: Path) -> None:
    write(tmp_path, ".obsidian/app.json", f"inner/{marker}", "inner/deep/a.md")
    assert find_root(tmp_path / "inner/deep") == str(tmp_path / "inner")
    assert find_root(tmp_path / "inner/deep/a.md") == str(tmp_path / "inner")


def test_the_root_is_else_the_top_of_the_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    write(tmp_path, "repo/.git", content=b"gitdir: elsewhere\n")
    write(tmp_path, "repo/a/b/c.md")
    assert find_root(tmp_path / "repo/a/b") == str(tmp_path / "repo")


def test_two_readings_give_the_same(tmp_path: Path) -> None:
    write(tmp_path, *(f"{letter}/{number}.md" for letter in "cab" for number in range(3)), ".h/x.md")
    assert load_vault(tmp_path) == load_vault(tmp_path)
