from __future__ import annotations

import io
import json
import os
from typing import TYPE_CHECKING

import pytest

from fleetlint.cli import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., "Done"]


class Done:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "GITHUB_STEP_SUMMARY", "SOURCE_DATE_EPOCH"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(capfdbinary: pytest.CaptureFixture[bytes]) -> Run:
    def run(*arguments: str | Path) -> Done:
        code = main([str(argument) for argument in arguments])
        out, err = capfdbinary.readouterr()
        return Done(code, out.decode(), err.decode())

    return run


def role(include: str, write: str, more: str = "") -> str:
    return (
        "---\nfleet_id: desk\nmode: change\ntrigger_on: [create, update]\n"
        f"trigger_include: ['{include}']\nwrite_patterns: ['{write}']\nmax_depth: 3\n{more}---\nDo it.\n"
    )


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two loops of two roles each, names with blanks and of other alphabets, and a role that is alone."""
    root = tmp_path / "my vault"
    for path, text in {
        ".obsidian/app.json": "{}",
        "roles/my role.md": role("a/**", "b/**"),
        "roles/роль.md": role("b/**", "a/**"),
        "-x.md": role("c/**", "d/**"),
        "roles/deep/y.md": role("d/**", "c/**"),
        "roles/alone.md": role("e/**", "f/**"),
        "notes/plain.md": "Hello.\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(root)
    return root


def cycles(done: Done) -> set[tuple[str, ...]]:
    return {tuple(one["nodes"]) for one in json.loads(done.out)["findings"] if one["kind"] == "cycle"}


ONE = ("roles/my role.md", "roles/роль.md")
TWO = ("-x.md", "roles/deep/y.md")


# --- Which vault, which files ---


def test_without_arguments_the_vault_around_the_working_folder_is_linted(
    vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(vault / "roles" / "deep")
    assert cycles(run("check", "--format", "json")) == {ONE, TWO}


def test_one_folder_is_the_vault_itself(vault: Path, run: Run) -> None:  # noqa: ARG001
    done = run("check", "roles", "--format", "json")
    assert cycles(done) == {("my role.md", "роль.md")}
    assert done.code == 1


@pytest.mark.parametrize("file", ["roles/my role.md", "roles/роль.md", "./roles/../roles/роль.md"])
def test_a_file_shows_what_touches_it_in_the_whole_vault(vault: Path, run: Run, file: str) -> None:  # noqa: ARG001
    assert cycles(run("check", "--format", "json", file)) == {ONE}
    assert cycles(run("check", "--format", "json", os.path.abspath(file))) == {ONE}


def test_a_name_with_a_leading_dash_goes_behind_two_dashes(vault: Path, run: Run) -> None:  # noqa: ARG001
    assert cycles(run("check", "--format", "json", "--", "-x.md")) == {TWO}


def test_files_and_folders_can_be_mixed_and_what_is_missing_is_said(vault: Path, run: Run) -> None:  # noqa: ARG001
    done = run("check", "--format", "json", "roles/my role.md", "roles/gone.md", "--", "roles/deep/")
    assert cycles(done) == {ONE, TWO}
    assert done.err == "fleetlint: roles/gone.md: there is no such file; the others are linted\n"
    assert done.code == 1


def test_a_file_that_no_finding_touches_is_clean(vault: Path, run: Run) -> None:  # noqa: ARG001
    done = run("check", "notes/plain.md")
    assert (done.code, done.out, done.err) == (0, "No findings in 5 roles and 4 edges.\n", "")


def test_a_vault_can_be_named_beside_files(vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    assert cycles(run("check", "--format", "json", "--vault", vault)) == {ONE, TWO}
    assert cycles(run("check", "--format", "json", "--vault", vault, vault / "roles" / "роль.md")) == {ONE}
    assert cycles(run("check", "--format", "json", "--vault", vault / "roles", vault / "roles/deep")) == set()
    assert cycles(run("check", "--format", "json", "--vault", vault, vault)) == {ONE, TWO}


def test_a_file_reached_through_a_link_to_the_vault_is_one_of_the_vault(vault: Path, run: Run) -> None:
    link = vault.parent / "link"
    link.symlink_to(vault, target_is_directory=True)
    assert cycles(run("check", "--format", "json", "--vault", vault, link / "roles" / "роль.md")) == {ONE}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere"], "nowhere: there is no such file or folder"),
        (["nowhere.md", "gone.md"], "nowhere.md: there is no such file or folder"),
        ([""], "a PATH is empty"),
        (["--vault", "nowhere"], "Error: nowhere: there is no such folder"),
        (["--vault", "roles/роль.md"], "there is no such folder"),
        (["--vault", "roles", "notes/plain.md"], "lies outside of the vault"),
        (["--select", "cylce"], "there is no rule `cylce`; did you mean `cycle`?"),
        (["--ignore", "drift,x"], "there is no rule `x`"),
        (["--config", "gone.yaml"], "the settings file does not exist"),
        (["--registry", "gone.json"], "the snapshot cannot be read"),
        (["--registry", "roles"], "the snapshot cannot be read"),
        (["--registry", "notes/plain.md"], "this is no JSON"),
        (["--fleet", "a:b"], "holds a `:`"),
        (["--format", "xml"], "'xml' is not one of"),
        (["--fail-on", "fatal"], "'fatal' is not one of"),
        (["--output", "x"], "--output x has no --format before it"),
        (["--format", "json", "--output", "a", "--output", "b"], "--output b has no --format before it"),
        (["--format", "json", "--format", "text"], "json and text would both go to stdout"),
        (
            ["--format", "json", "--output", "a", "--format", "text", "--output", "./a"],
            "two formats would go to one file",
        ),
        (["--format", "json", "--output", "no/where/a"], "this cannot be written"),
        (["--colour"], "No such option"),
    ],
)
def test_wrong_use_is_one_sentence_on_stderr_and_exits_2(
    vault: Path,  # noqa: ARG001
    run: Run,
    arguments: list[str],
    says: str,
) -> None:
    done = run("check", *arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert "Traceback" not in done.err


def test_broken_settings_exit_2_with_their_line(vault: Path, run: Run) -> None:
    (vault / ".fleetlint.yaml").write_text("rules:\n  cyle: off\n")
    done = run("check")
    assert (done.code, done.out) == (2, "")
    assert done.err == "Error: .fleetlint.yaml:2: there is no rule `cyle`; did you mean `cycle`?\n"


def test_a_folder_without_roles_says_so_and_exits_0(tmp_path: Path, run: Run) -> None:
    (tmp_path / "a.md").write_text("Hello.\n")
    done = run("check", tmp_path)
    assert (done.code, done.out) == (0, "No findings in 0 roles and 0 edges.\n")
    assert done.err == f"fleetlint: there are no roles in {tmp_path} (notes seen: 1)\n"


def test_files_that_cannot_be_read_are_named_and_the_others_linted(vault: Path, run: Run) -> None:
    (vault / "roles" / "bad.md").symlink_to("bad.md")
    done = run("check", "--format", "json")
    assert cycles(done) == {ONE, TWO}


def test_git_variables_change_nothing(vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    before = run("check").out
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_WORK_TREE", "/elsewhere")
    monkeypatch.setenv("GIT_INDEX_FILE", "x")
    (vault / ".git").write_text("gitdir: /nowhere\n")
    assert run("check").out == before
    assert run("check", vault).out == before


def test_verbose_says_which_vault_settings_and_what_is_skipped(vault: Path, run: Run) -> None:
    (vault / ".fleetlint.yaml").write_text("paths: {exclude: ['roles/deep/**']}\n")
    hidden = vault / ".fleet" / "roles"
    hidden.mkdir(parents=True)
    (hidden / "a.md").write_text(role("a", "b"))
    done = run("check", "-v")
    assert f"fleetlint: the vault is {vault}\n" in done.err
    assert "fleetlint: the settings are in .fleetlint.yaml\n" in done.err
    assert "roles/deep" in done.err
    assert "hidden" in done.err
    assert "roles/deep" not in run("check").err


# --- Settings and options ---


def test_rules_are_selected_and_ignored_by_lists(vault: Path, run: Run) -> None:  # noqa: ARG001
    def kinds(*arguments: str) -> set[str]:
        return {one["kind"] for one in json.loads(run("check", "--format", "json", *arguments).out)["findings"]}

    everything = kinds()
    assert {"cycle", "dangling-trigger", "orphan-write"} <= everything
    assert kinds("--select", "cycle,orphan-write", "--select", "drift") == {"cycle", "orphan-write"}
    assert kinds("--ignore", "cycle, orphan-write") == everything - {"cycle", "orphan-write"}


@pytest.mark.parametrize(
    ("fail_on", "select", "code"),
    [
        (None, "cycle", 1),
        (None, "orphan-write", 0),
        ("info", "orphan-write", 1),
        ("warn", "orphan-write", 0),
        ("warn", "cycle", 1),
        ("never", "cycle", 0),
    ],
)
def test_the_exit_code_follows_fail_on(vault: Path, run: Run, fail_on: str | None, select: str, code: int) -> None:
    assert run("check", "--select", select, *(["--fail-on", fail_on] if fail_on else [])).code == code
    (vault / ".fleetlint.yaml").write_text(f"fail_on: {fail_on or 'error'}\n")
    assert run("check", "--select", select).code == code
    (vault / ".fleetlint.yaml").write_text("fail_on: never\n")
    assert run("check", "--select", select, "--fail-on", fail_on or "error").code == code


def test_another_settings_file_takes_the_place_of_the_vaults(vault: Path, run: Run, tmp_path: Path) -> None:
    (vault / ".fleetlint.yaml").write_text("rules: {cycle: off}\n")
    (tmp_path / "other.yaml").write_text("rules: {cycle: info}\n")
    assert run("check").code == 0
    assert cycles(run("check", "--config", tmp_path / "other.yaml", "--format", "json")) == {ONE, TWO}


def test_settings_in_a_pyproject_count(vault: Path, run: Run) -> None:
    (vault / "pyproject.toml").write_text("[tool.fleetlint.rules]\ncycle = 'off'\n")
    assert run("check").code == 0


def test_fleets_of_the_command_line_own_the_roles(vault: Path, run: Run) -> None:  # noqa: ARG001
    done = run(
        "check", "--format", "json", "--fleet", "krisp=roles/", "--fleet", "desk", "--select", "ownership-conflict"
    )
    document = json.loads(done.out)
    assert [fleet["id"] for fleet in document["fleets"]] == ["desk", "krisp"]
    assert {node["note_path"]: node["fleet_ids"] for node in document["nodes"]} == {
        "-x.md": ["desk"],
        "roles/alone.md": ["desk", "krisp"],
        "roles/deep/y.md": ["desk", "krisp"],
        "roles/my role.md": ["desk", "krisp"],
        "roles/роль.md": ["desk", "krisp"],
    }
    assert {one["kind"] for one in document["findings"]} == {"conflict"}


def test_a_registry_is_compared_with_the_roles(vault: Path, run: Run) -> None:
    hook = {
        "id": 7,
        "url": "http://x.test/deliver/y",
        "description": "fleet:desk:roles/gone.md#AAAAAAAA",
        "enabled": True,
    }
    (vault / "registry.json").write_text(json.dumps({"changeWebhooks": [hook], "cronWebhooks": []}))
    document = json.loads(run("check", "--registry", "registry.json", "--select", "drift", "--format", "json").out)
    assert [node["note_path"] for node in document["nodes"] if node["ghost"]] == ["roles/gone.md"]
    assert any("roles/gone.md" in one["nodes"] for one in document["findings"])
    assert json.loads(run("check", "--select", "drift", "--format", "json").out)["findings"] == []


# --- Formats ---


def test_text_is_the_format_and_plain_when_it_is_no_terminal(vault: Path, run: Run) -> None:  # noqa: ARG001
    done = run("check", "--select", "cycle", "roles/роль.md")
    assert done.out.splitlines()[:3] == [
        "roles/my role.md",
        "  roles/my role.md:6:18: error: closes a loop of 2 roles: `roles/my role.md` writes `b/a.md`, `roles/роль.md` "
        "writes `a/a.md`, which wakes `roles/my role.md`; lap budget 3, and one edit can make each of them run once "
        "more [cycle]",
        "    6 | write_patterns: ['b/**']",
    ]
    assert done.out.splitlines()[-1] == "1 error in 5 roles and 4 edges."
    assert "\x1b" not in done.out
    assert done.err == ""


@pytest.mark.parametrize(
    ("environment", "arguments", "is_colored"),
    [
        ({"FORCE_COLOR": "1"}, [], True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, [], False),
        ({"FORCE_COLOR": "1"}, ["--no-color"], False),
        ({"NO_COLOR": "1"}, [], False),
        ({}, [], False),
    ],
)
def test_colours_come_when_asked_for(
    vault: Path,  # noqa: ARG001
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str],
    arguments: list[str],
    is_colored: bool,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in run("check", *arguments).out) is is_colored
    assert "\x1b[" not in run("check", "--format", "json", *arguments).out


def test_formats_go_each_to_its_output_in_the_order_given(vault: Path, run: Run) -> None:
    done = run(
        "check", "--format", "sarif", "--output", "a.sarif", "--format", "text", "--format", "mermaid", "--output", "g.md"
    )  # fmt: skip
    assert done.out.endswith("roles and 4 edges.\n")
    assert json.loads((vault / "a.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert (vault / "g.md").read_text(encoding="utf-8").startswith("```mermaid\n")
    only_files = run("check", "--format", "json", "--output", "a.json")
    assert (only_files.out, only_files.code) == ("", 1)
    assert cycles(Done(0, (vault / "a.json").read_text(encoding="utf-8"), "")) == {ONE, TWO}


def test_colours_are_never_written_to_files(vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    run("check", "--format", "text", "--output", "a.txt")
    assert "\x1b" not in (vault / "a.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["text", "json", "sarif", "github", "mermaid", "dot"])
def test_two_runs_give_the_same_bytes(vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:  # noqa: ARG001
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    first = run("check", "--format", name)
    assert first.out
    assert first.out == run("check", "--format", name).out


def test_the_time_is_fixed_by_the_epoch(vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: ARG001
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1767225600")
    assert json.loads(run("check", "--format", "json").out)["generated_at"] == "2026-01-01T00:00:00Z"
    for epoch in ("soon", "9" * 30, "1e3"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
        done = run("check")
        assert (done.code, done.out) == (2, "")
        assert "set it to a number of seconds since 1970" in done.err


def test_github_gets_annotations_and_a_summary_that_is_added(
    vault: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    summary = vault.parent / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    (vault.parent / ".git").mkdir()
    done = run("check", "--format", "github", "--select", "cycle")
    assert done.out.splitlines()[0].startswith("::error file=my vault/-x.md,line=6,col=18,endColumn=")
    assert summary.read_text(encoding="utf-8").startswith("before\n### fleetlint: 2 errors\n\n```mermaid\n")
    run("check", "--select", "cycle")
    assert summary.read_text(encoding="utf-8").count("### fleetlint") == 1


def test_names_that_are_not_utf8_break_no_format(vault: Path, run: Run) -> None:
    name = os.fsencode(vault) + b"/roles/caf\xe9.md"
    with open(name, "w") as file:
        file.write(role("x/**", "x/y/**"))
    for name in ("text", "json", "sarif", "github", "mermaid", "dot"):
        done = run("check", "--format", name)
        assert "caf" in done.out
        assert done.code == 1
    assert cycles(run("check", "--format", "json", os.fsdecode(b"roles/caf\xe9.md"))) == set()


def test_a_terminal_of_another_encoding_gets_escapes(
    vault: Path,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main(["check", "roles/роль.md", "--select", "cycle"]) == 1
    assert b"roles/\\u0440\\u043e\\u043b\\u044c.md" in written.getvalue()
