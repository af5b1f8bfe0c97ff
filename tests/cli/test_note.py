"""`fleetlint note`: what is written where, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fleetlint import trip2g as client
from fleetlint.cli import main
from fleetlint.vault import rewrite
from tests.trip2g_server import ADMIN_KEY, USER_COOKIE, Failure

if TYPE_CHECKING:
    from tests.trip2g_server import Trip2gServer

NOTE = "_fleet-graph.md"
ROLE = """\
---
fleet_id: desk
mode: change
trigger_on: [create, update]
trigger_include: ["{}"]
write_patterns: ["{}"]
max_depth: 3
---
Do it.
"""
RUN = "import sys; from fleetlint.cli import main; sys.exit(main())"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("URL", "API_KEY_FILE", "COOKIE", "COOKIE_FILE"):
        monkeypatch.delenv(f"FLEETLINT_TRIP2G_{name}", raising=False)
    monkeypatch.setenv("FLEETLINT_TRIP2G_API_KEY", ADMIN_KEY)
    monkeypatch.setattr(client, "BACKOFF", 0.01)


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    put(folder, "roles/a.md", ROLE.format("in/**", "out/**"))
    return folder


def put(folder: Path, path: str, text: str) -> None:
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(text.encode())


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    code = main(["note", *map(str, arguments)])
    out, err = capsys.readouterr()
    assert out == ""
    return code, err


def files(folder: Path) -> set[str]:
    return {place.relative_to(folder).as_posix() for place in folder.rglob("*") if place.is_file()}


# --- Into a folder ---


def test_the_note_holds_the_graph_and_the_findings(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(vault, "roles/b.md", ROLE.format("out/**", "in/**"))
    assert run(capsys, vault) == (0, f"fleetlint: {NOTE}: written\n")
    text = (vault / NOTE).read_text("utf-8")
    assert "```mermaid\nflowchart LR\n" in text
    assert "| error | cycle |" in text
    assert str(vault) not in text
    assert files(vault) == {"roles/a.md", "roles/b.md", NOTE}, "and nothing is left beside it"


def test_what_is_up_to_date_is_not_written(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, vault)
    before = (vault / NOTE).stat()
    assert run(capsys, vault) == (0, f"fleetlint: {NOTE}: up to date\n")
    after = (vault / NOTE).stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_line_ends_that_git_changed_are_no_edit(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, vault)
    text = (vault / NOTE).read_bytes().replace(b"\n", b"\r\n")
    (vault / NOTE).write_bytes(text)
    assert run(capsys, vault)[1] == f"fleetlint: {NOTE}: up to date\n"
    put(vault, "roles/b.md", ROLE.format("out/**", "log/**"))
    assert run(capsys, vault)[1] == f"fleetlint: {NOTE}: written\n"


def test_a_change_of_a_role_makes_the_note_out_of_date(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, vault, "--check")[0] == 1
    assert not (vault / NOTE).exists()
    run(capsys, vault)
    assert run(capsys, vault, "--check") == (0, f"fleetlint: {NOTE}: up to date\n")
    before = (vault / NOTE).read_bytes()
    put(vault, "roles/b.md", ROLE.format("out/**", "log/**"))
    assert run(capsys, vault, "--check") == (1, f"fleetlint: {NOTE}: out of date; `fleetlint note` writes it\n")
    assert (vault / NOTE).read_bytes() == before
    (vault / NOTE).chmod(0o640)
    assert run(capsys, vault)[0] == 0
    assert "n1 --> n2" in (vault / NOTE).read_text("utf-8")
    assert (vault / NOTE).stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    "text", ["", "# My own words\n", "---\ngenerated_by: fleetlint\ncontent: 0000000000000000\n---\n", "\xff"]
)
def test_a_note_of_somebody_else_is_not_overwritten(vault: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (vault / NOTE).write_bytes(text.encode("latin-1"))
    code, said = run(capsys, vault, "--force")
    assert code == 2
    assert said == (
        f"Error: {NOTE} is not written: somebody wrote or edited what is there; move it to another note, or name another "
        "one as `graph_note`\n"
    )
    assert (vault / NOTE).read_bytes() == text.encode("latin-1")


def test_an_edit_by_hand_of_the_written_note_is_kept(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, vault)
    text = (vault / NOTE).read_text("utf-8") + "\nAsk Ann about this.\n"
    (vault / NOTE).write_text(text, "utf-8")
    assert run(capsys, vault)[0] == 2
    assert (vault / NOTE).read_text("utf-8") == text


def test_a_note_that_would_wake_a_role_or_that_one_may_write_is_refused_with_the_proof(
    vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    put(vault, "roles/b.md", ROLE.format("*.md", "x/**"))
    put(vault, "roles/c.md", ROLE.format("y/**", "_*"))
    # Paused, by its events, its excludes or its tools, none of these has anything to do with it.
    put(vault, "roles/d.md", ROLE.format("**", "**").replace("max_depth", "enabled: no\nmax_depth"))
    put(vault, "roles/e.md", ROLE.format("**", "x/**").replace("[create, update]", "[remove]"))
    put(vault, "roles/f.md", ROLE.format("**", "x/**").replace("max_depth", 'trigger_exclude: ["_*"]\nmax_depth'))
    put(vault, "roles/g.md", ROLE.format("y/**", "**").replace("max_depth", "tools: [read_note]\nmax_depth"))
    code, said = run(capsys, vault)
    assert code == 2
    assert said == (
        f"Error: {NOTE} is not written: that wakes `roles/b.md`, whose trigger `*.md` takes it; `roles/c.md` may write it, "
        "too, by `_*`. Exclude it there, name another note as `graph_note`, or give --force.\n"
    )
    assert not (vault / NOTE).exists()
    assert run(capsys, vault, "--force")[0] == 0
    assert (vault / NOTE).exists()


def test_a_webhook_of_a_person_counts_where_the_registry_is_known(
    vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry = tmp_path / "registry.json"
    registry.write_text(
        '{"changeWebhooks": [{"id": 7, "url": "https://a.example/", "description": "Ann\'s", "includePatterns": ["*"], '
        '"excludePatterns": [], "onCreate": true, "onUpdate": true, "onRemove": false, "enabled": true, "maxDepth": 1}], '
        '"cronWebhooks": []}'
    )
    code, said = run(capsys, vault, "--registry", registry)
    assert code == 2
    assert "that fires `webhook:7`, whose pattern `*` takes it" in said


def test_another_path_is_that_of_the_settings(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    put(vault, ".fleetlint.yaml", "graph_note: reports/deep/graph.md\n")
    assert run(capsys, vault)[0] == 0
    assert (vault / "reports/deep/graph.md").is_file()
    assert run(capsys, vault) == (0, "fleetlint: reports/deep/graph.md: up to date\n")


@pytest.mark.parametrize("path", ["../out.md", "graph.txt", "a//b.md", ".", "roles/../../x.md"])
def test_a_path_that_is_no_note_of_the_vault_is_refused(
    vault: Path, capsys: pytest.CaptureFixture[str], path: str
) -> None:
    put(vault, ".fleetlint.yaml", f"graph_note: {path}\n")
    code, said = run(capsys, vault)
    assert code == 2
    assert "which is no note of the vault; name one such as" in said
    assert files(vault) == {"roles/a.md", ".fleetlint.yaml"}


def test_a_link_is_not_followed(vault: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (vault / NOTE).symlink_to(tmp_path / "elsewhere.md")
    code, said = run(capsys, vault)
    assert code == 2
    assert "a link leads elsewhere" in said
    assert not (tmp_path / "elsewhere.md").exists()


def test_a_place_that_cannot_be_written_is_told(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (vault / NOTE).mkdir()
    code, said = run(capsys, vault)
    assert code == 2
    assert f"{NOTE} cannot be written (Is a directory)" in said


@pytest.mark.parametrize("exists", [False, True])
def test_an_edit_in_the_middle_wins_and_is_told(
    vault: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, exists: bool
) -> None:
    if exists:
        run(capsys, vault)
        put(vault, "roles/b.md", ROLE.format("out/**", "log/**"))
    beside = rewrite._beside

    def edited(place: str, content: bytes) -> object:
        Path(place).write_text("Ann was here\n", "utf-8")
        return beside(place, content)

    monkeypatch.setattr(rewrite, "_beside", edited)
    code, said = run(capsys, vault)
    assert code == 2
    assert said == f"Error: {NOTE} is not written: it was edited just now; nothing is lost, run this again\n"
    assert (vault / NOTE).read_text("utf-8") == "Ann was here\n"
    assert not [name for name in files(vault) if name.endswith(".fleetlint")]


# --- Into a live vault ---


@pytest.fixture
def live(trip2g: Trip2gServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trip2gServer:
    trip2g.put("roles/a.md", ROLE.format("in/**", "out/**"))
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    return trip2g


def test_the_note_is_pushed_once(live: Trip2gServer, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    push = ("--push", "--trip2g-url", live.url)
    assert run(capsys, *push, "--check") == (
        1,
        f"fleetlint: {NOTE}: out of date; `fleetlint note --push` writes it\n",
    )
    assert run(capsys, *push) == (0, f"fleetlint: {NOTE}: written\n")
    text = live.content(NOTE)
    assert text is not None
    assert "flowchart LR" in text
    assert run(capsys, *push) == (0, f"fleetlint: {NOTE}: up to date\n")
    assert run(capsys, *push, "--check")[0] == 0
    live.put("roles/b.md", ROLE.format("out/**", "log/**"))
    assert run(capsys, *push)[0] == 0
    assert live.writes == [NOTE, NOTE]
    assert files(tmp_path / "empty") == set()
    # A checkout of the same vault has the same note.
    folder = tmp_path / "checkout"
    for path, content in live.notes():
        put(folder, path, content)
    assert run(capsys, folder, "--registry", "live", "--trip2g-url", live.url) == (
        0,
        f"fleetlint: {NOTE}: up to date\n",
    )


def test_a_checkout_is_pushed_with_the_server_of_the_environment(
    vault: Path, live: Trip2gServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLEETLINT_TRIP2G_URL", live.url)
    assert run(capsys, vault, "--push")[0] == 0
    assert live.writes == [NOTE]
    assert NOTE not in files(vault)


def test_a_live_note_that_wakes_somebody_or_is_somebodys_is_left(
    live: Trip2gServer, capsys: pytest.CaptureFixture[str]
) -> None:
    push = ("--push", "--trip2g-url", live.url)
    live.put(NOTE, "Ann's\n")
    assert run(capsys, *push)[0] == 2
    live.put("roles/b.md", ROLE.format("**", "x/**"))
    assert "that wakes `roles/b.md`, whose trigger `**` takes it" in run(capsys, *push)[1]
    assert live.writes == []
    assert live.content(NOTE) == "Ann's\n"


@pytest.mark.parametrize("exists", [False, True])
def test_an_edit_between_reading_and_pushing_wins(
    live: Trip2gServer, capsys: pytest.CaptureFixture[str], exists: bool
) -> None:
    push = ("--push", "--trip2g-url", live.url)
    if exists:
        run(capsys, *push)
        live.put("roles/b.md", ROLE.format("out/**", "log/**"))
    live.before_update = lambda path: live.put(path, "Ann was here\n")
    code, said = run(capsys, *push)
    assert code == 2
    assert said == f"Error: {NOTE} is not written: it was edited just now; nothing is lost, run this again\n"
    assert live.content(NOTE) == "Ann was here\n"


def test_of_two_pushes_at_once_one_wins_and_the_other_refuses(live: Trip2gServer, tmp_path: Path) -> None:
    import threading

    both = threading.Barrier(2, timeout=60)

    def meet(path: str) -> None:
        assert path == NOTE
        both.wait()  # Each has read the note before either writes.

    live.before_update = meet
    # Two checkouts that differ, so that the two notes do.
    for name, writes in (("one", "out/**"), ("two", "log/**")):
        put(tmp_path / name, "roles/a.md", ROLE.format("in/**", "x/**"))
        put(tmp_path / name, "roles/b.md", ROLE.format("x/**", writes))
        put(tmp_path / name, f"roles/{name}.md", ROLE.format("x/**", writes))
    arguments = ("--push", "--registry", "live", "--trip2g-url", live.url)
    pushes = [
        subprocess.Popen(
            [sys.executable, "-c", RUN, "note", str(tmp_path / name), *arguments], stderr=subprocess.PIPE, text=True
        )
        for name in ("one", "two")
    ]
    ended = sorted((push.wait(60), push.communicate()[1]) for push in pushes)
    assert ended == [
        (0, f"fleetlint: {NOTE}: written\n"),
        (2, f"Error: {NOTE} is not written: it was edited just now; nothing is lost, run this again\n"),
    ]
    assert live.writes == [NOTE]
    text = live.content(NOTE)
    assert text is not None
    assert ("⚡ one" in text) != ("⚡ two" in text)


def test_who_may_not_write_is_told_and_no_secret_is(
    live: Trip2gServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("FLEETLINT_TRIP2G_API_KEY")
    monkeypatch.setenv("FLEETLINT_TRIP2G_COOKIE", USER_COOKIE)
    (Path.cwd() / "none.json").write_text('{"changeWebhooks": [], "cronWebhooks": []}')
    code, said = run(capsys, "--push", "--trip2g-url", live.url, "--registry", "none.json")
    assert code == 2
    assert said.endswith(f"Error: {NOTE} is not written: the server refuses it (unauthorized)\n")
    assert USER_COOKIE not in said


@pytest.mark.parametrize("failure", [Failure.HTML, Failure.CUT])
def test_a_server_that_fails_is_told_in_a_sentence(
    live: Trip2gServer, vault: Path, capsys: pytest.CaptureFixture[str], failure: Failure
) -> None:
    live.failing = failure
    code, said = run(capsys, vault, "--push", "--registry", "live", "--trip2g-url", live.url)
    assert code == 2
    assert said.startswith("Error: ")
    assert said.count("\n") == 1
    assert ADMIN_KEY not in said
