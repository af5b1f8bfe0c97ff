from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest

import fleetlint
from fleetlint.cli import COMMANDS, group, main

if TYPE_CHECKING:
    from collections.abc import Iterator

ROLE = """\
---
fleet_id: desk
mode: change
trigger_on: [create, update]
trigger_include: ["in/**"]
write_patterns: ["in/out/**"]
max_depth: 3
---
Do it.
"""


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "roles").mkdir()
    (tmp_path / "roles" / "a.md").write_text(ROLE)
    return tmp_path


def started(*arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """The program as a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", "import sys; from fleetlint.cli import main; sys.exit(main())", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, **more},
    )


# --- Help ---


def commands() -> Iterator[click.Command]:
    context = click.Context(group)
    for name in COMMANDS:
        command = group.get_command(context, name)
        assert command is not None
        yield command


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_every_command(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([flag]) == 0
    out = capsys.readouterr().out
    assert all(f"\n  {name} " in out for name in COMMANDS)
    assert "Exit codes" in out
    assert "_FLEETLINT_COMPLETE" in out


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_each_command_has_an_example_of_it(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "-h"]) == 0
    out = capsys.readouterr().out
    assert "Examples:\n" in out
    assert f"  fleetlint {name}" in out.partition("Examples:")[2]


def test_every_option_says_what_it_does() -> None:
    for command in commands():
        for parameter in command.params:
            if isinstance(parameter, click.Option) and parameter.name != "help":
                assert parameter.help, f"{command.name} {parameter.name}"


def test_every_module_of_a_command_is_in_the_list() -> None:
    folder = Path(fleetlint.__file__).parent / "cli"
    found = {file.stem for file in folder.glob("*.py") if "@click.command" in file.read_text(encoding="utf-8")}
    assert found == set(COMMANDS)


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    import tomllib

    pyproject = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"fleetlint, version {pyproject['project']['version']}\n"
    assert fleetlint.__version__ == pyproject["project"]["version"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["chek"], "`chek` is no command; did you mean `check`?"),
        (["."], "`.` is no command; did you mean `fleetlint check .`?"),
        (["--versio"], "No such option"),
        (["explain", "cyle"], "there is no rule `cyle`; did you mean `cycle`?"),
        (["overlap", "a"], "Missing argument 'Q'"),
        (["overlap", "a[", "b"], "the pattern `a[` is malformed at column 2"),
        (["overlap", "a", "b", "--not", "{"], "the pattern `{` is malformed"),
        (["match", "./", "b"], "nothing is left of the pattern `./`"),
        (["match", "\x1b[", "b"], "`\\x1b[` is malformed"),
        (["graph", "--format", "svg"], "'svg' is not one of"),
        (["graph", "nowhere"], "Error: nowhere: there is no such folder"),
        ([], "Usage: fleetlint [OPTIONS] COMMAND [ARGS]..."),
    ],
)
def test_wrong_use_exits_2_and_says_why(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err


# --- The glob algebra by hand ---


@pytest.mark.parametrize(
    ("arguments", "code", "out", "err"),
    [
        (["overlap", "wiki/**", "*/a.md"], 0, "wiki/a.md\n", ""),
        (["overlap", "/./wiki/**", " */a.md "], 0, "wiki/a.md\n", ""),
        (["overlap", "wiki/**", "notes/**"], 1, "", "fleetlint: no note path is in both\n"),
        (["overlap", "wiki/*", "wiki/{a,b}.md", "--not", "*/a.md"], 0, "wiki/b.md\n", ""),
        (["overlap", "a/*.md", "a/b.md", "--not", "**/b*", "--not", "x"], 1, "", "fleetlint: no note path is in both and in no exclude\n"),
        (["covers", "wiki/**", "wiki/a/*"], 0, "", "fleetlint: every note path of Q is one of P\n"),
        (["covers", "wiki/*", "wiki/**"], 1, "wiki/a/a.md\n", ""),
        (["match", "wiki/**", "wiki/a.md", "b.md", "wiki/b/c.md"], 0, "wiki/a.md\nwiki/b/c.md\n", ""),
        (["match", "wiki/**", "b.md"], 1, "", ""),
        (["match", "*.md", "--", "-x.md"], 0, "-x.md\n", ""),
    ],
)  # fmt: skip
def test_patterns_are_compared_by_hand(
    arguments: list[str], code: int, out: str, err: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    assert tuple(capsys.readouterr()) == (out, err)


def test_what_cannot_be_decided_is_said_to_be_maybe(capsys: pytest.CaptureFixture[str]) -> None:
    wide, narrow = "*" + "?" * 40 + "a*", "*a" + "?" * 40 + "b*"
    assert main(["overlap", wide, narrow, "--not", "*a" + "?" * 22, "--not", "**/" + "?" * 9 + "a*"]) == 0
    assert tuple(capsys.readouterr()) == ("", "fleetlint: maybe: this could not be decided in the work allowed\n")


# --- Rules ---


def test_rules_are_listed_with_severity_and_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines == sorted(lines)
    assert "cycle               warn   Roles wake each other in a loop." in lines


def test_rules_are_listed_for_machines(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--format", "json"]) == 0
    rules = {rule["name"]: rule for rule in json.loads(capsys.readouterr().out)}
    assert rules["cycle"]["options"] == {"severity": ["exact"]}
    assert {rule["severity"] for rule in rules.values()} <= {"error", "warn", "info"}


def test_a_rule_is_explained_by_its_page(capsys: pytest.CaptureFixture[str]) -> None:
    from fleetlint.lint import load_rules

    for rule in load_rules():
        assert main(["explain", rule.name]) == 0
        assert capsys.readouterr().out == rule.page()


# --- The graph ---


def test_the_graph_is_printed_as_mermaid_json_or_dot(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", str(vault)]) == 0
    assert capsys.readouterr().out.startswith("flowchart LR\n")
    assert main(["graph", str(vault), "--format", "dot"]) == 0
    assert capsys.readouterr().out.startswith("digraph fleetlint {\n")
    assert main(["graph", str(vault), "--format", "json", "--fleet", "krisp=roles/"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [edge["witness"] for edge in document["edges"]] == ["in/out/a.md"]
    assert [fleet["id"] for fleet in document["fleets"]] == ["krisp"]
    assert document["findings"] == []


def test_the_graph_of_the_vault_around_the_working_folder_is_the_default(
    vault: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (vault / ".obsidian").mkdir()
    monkeypatch.chdir(vault / "roles")
    assert main(["graph", "--format", "json"]) == 0
    assert [node["note_path"] for node in json.loads(capsys.readouterr().out)["nodes"]] == ["roles/a.md"]


# --- The process ---


def test_whoever_closes_the_pipe_gets_no_traceback(vault: Path) -> None:
    for number in range(300):
        (vault / "roles" / f"r{number}.md").write_text(ROLE.replace("in/", f"in{number}/"))
    command = f'{sys.executable} -c "import sys; from fleetlint.cli import main; sys.exit(main())" check "{vault}" | head -n 1'
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1


def test_an_interrupt_exits_130_without_a_traceback(vault: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr("fleetlint.vault.load_vault", interrupted)
    # A shell lets what it starts in the background ignore the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        assert main(["check", str(vault)]) == 130
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_rule_that_fails_exits_2_and_is_named(
    vault: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    site = vault / "site"
    (site / "bad-1.dist-info").mkdir(parents=True)
    (site / "bad-1.dist-info" / "entry_points.txt").write_text("[fleetlint.rules]\nx = bad_rules_module:RULES\n")
    monkeypatch.syspath_prepend(str(site))
    assert main(["check", str(vault)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Error: the rules at `bad_rules_module:RULES` cannot be loaded: ModuleNotFoundError")


def test_the_shell_completes_commands_options_and_rules() -> None:
    def completed(line: str) -> list[str]:
        words = line.split(" ")
        done = started(_FLEETLINT_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
        return [row.partition(",")[2] for row in done.stdout.splitlines()]

    assert completed("fleetlint ch") == ["check"]
    assert "--fail-on" in completed("fleetlint check --fa")
    assert completed("fleetlint explain self-") == ["self-trigger"]
    assert completed("fleetlint check --select self-") == ["self-trigger"]
