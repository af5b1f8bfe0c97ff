from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fleetlint import lint, load_settings, load_vault
from fleetlint.cli import main
from tests.report.validators import mermaid_errors
from tests.repositories import commit, git, init, write

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fleetlint.lint import Report


def role(include: str, write: str, more: str = "", fleet: str = "desk") -> str:
    return (
        f"---\nfleet_id: {fleet}\nmode: change\ntrigger_on: [create, update]\n"
        f"trigger_include: ['{include}']\nwrite_patterns: ['{write}']\nmax_depth: 3\n{more}---\nDo it.\n"
    )


CHAIN = {"roles/a.md": role("in/**", "mid/**"), "roles/b.md": role("mid/**", "out/**"), "notes/plain.md": "Hello.\n"}
LOOP = {"roles/b.md": role("mid/**", "in/**")}


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "SOURCE_DATE_EPOCH"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A chain of two roles, which the second commit closes to a loop."""
    root = init(tmp_path / "vault")
    commit(root, CHAIN)
    commit(root, LOOP)
    monkeypatch.chdir(root)
    return root


def said(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> dict[str, Any]:
    code = main(["diff", *map(str, arguments), "--format", "json"])
    captured = capsys.readouterr()
    assert code in (0, 1), captured.err
    document: dict[str, Any] = json.loads(captured.out)
    return document


def kinds(findings: Sequence[dict[str, Any]]) -> set[str]:
    return {one["rule"] for one in findings}


# --- What changed ---


def test_a_loop_that_a_commit_closes_is_new_and_fails(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: ARG001
    assert main(["diff", "HEAD~1", "HEAD"]) == 1
    out = capsys.readouterr().out
    assert out.splitlines()[:7] == [
        "HEAD~1 → HEAD",
        "",
        "roles",
        "  ~ `roles/b.md`: write_patterns `[out/**]` → `[in/**]`",
        "",
        "edges",
        "  + `roles/b.md` wakes `roles/a.md` by `in/a.md`",
    ]
    assert "[cycle]" in out
    assert main(["diff", "HEAD", "HEAD~1"]) == 0
    assert "1 edge gone" in capsys.readouterr().out


def test_nothing_changed_is_said_so(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: ARG001
    assert main(["diff", "HEAD", "--fail-on", "info"]) == 0
    assert capsys.readouterr().out == ("HEAD → the working tree\n\nNo change of roles and edges; no new findings.\n")


def test_without_a_head_the_working_tree_is_compared_with_what_is_not_committed(
    vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(vault, {"roles/c.md": role("out/**", "end/**", fleet="night"), "roles/a.md": None})
    found = said(capsys, "HEAD")
    assert [node["note_path"] for node in found["roles"]["new"]] == ["roles/c.md"]
    assert [node["note_path"] for node in found["roles"]["gone"]] == ["roles/a.md"]
    assert found["fleets"] == {"new": ["night"], "gone": []}
    assert kinds(found["findings"]["gone"]) >= {"cycle"}
    assert git(vault, "status", "--porcelain") == "D roles/a.md\n?? roles/c.md"


def test_owners_budgets_and_cuts_are_told(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(
        vault,
        {
            "roles/a.md": role("in/**", "mid/**", fleet="night"),
            "roles/b.md": role("mid/**", "in/**").replace("max_depth: 3", "max_depth: 1"),
        },
    )
    found = said(capsys, "HEAD")
    assert found["owners"] == [{"note_path": "roles/a.md", "before": ["desk"], "after": ["night"]}]
    assert [(edge["from"], edge["to"]) for edge in found["edges"]["cut"]] == [("roles/a.md", "roles/b.md")]
    assert {one["note_path"]: (one["before"]["text"], one["after"]["text"]) for one in found["budgets"]} == {
        "roles/a.md": ("3", "1"),
        "roles/b.md": ("3", "2"),
    }
    assert found["roles"]["changed"] == [
        {"note_path": "roles/a.md", "fields": [{"key": "fleet_id", "before": "desk", "after": "night"}]},
        {"note_path": "roles/b.md", "fields": [{"key": "max_depth", "before": "3", "after": "1"}]},
    ]


def test_a_finding_that_becomes_worse_is_new(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(vault, {".fleetlint.yaml": "rules: {cycle: info}\n"})
    commit(vault, {".fleetlint.yaml": "rules: {cycle: error}\n"})
    found = said(capsys, "HEAD~1", "HEAD")
    assert [(one["rule"], one["severity"]) for one in found["findings"]["new"]] == [("cycle", "error")]
    assert found["findings"]["gone"] == []
    assert said(capsys, "HEAD", "HEAD~1")["findings"]["new"] == []


@pytest.mark.parametrize(("fail_on", "code"), [("error", 1), ("never", 0)])
def test_new_findings_count_from_a_severity_on(
    vault: Path,
    capsys: pytest.CaptureFixture[str],
    fail_on: str,
    code: int,
) -> None:
    assert main(["diff", "HEAD~1", "HEAD", "--fail-on", fail_on]) == code
    # The settings that count are those of the newer revision.
    commit(vault, {".fleetlint.yaml": f"fail_on: {fail_on}\n"})
    assert main(["diff", "HEAD~2", "HEAD"]) == code
    capsys.readouterr()


def test_old_findings_do_not_fail(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(vault, {"notes/more.md": "x"})
    assert main(["check"]) == 1
    assert main(["diff", "HEAD~1", "HEAD", "--fail-on", "info"]) == 0
    capsys.readouterr()


def test_each_revision_has_its_own_settings(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(vault, {".fleetlint.yaml": "paths: {exclude: ['roles/a.md']}\n"})
    found = said(capsys, "HEAD~1", "HEAD")
    assert [node["note_path"] for node in found["roles"]["gone"]] == ["roles/a.md"]
    commit(vault, {".fleetlint.yaml": None, "pyproject.toml": "[tool.fleetlint.paths]\nexclude = ['roles/b.md']\n"})
    assert [node["note_path"] for node in said(capsys, "HEAD~1", "HEAD")["roles"]["gone"]] == ["roles/b.md"]
    (vault / "any.yaml").write_text("fail_on: never\n")
    assert said(capsys, "HEAD~1", "HEAD", "--config", "any.yaml")["roles"]["gone"] == []


def test_what_a_suppression_lets_stay_is_not_new(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(vault, {".fleetlint.yaml": 'ignore: [{path: "**", rule: cycle, reason: a game}]\n'})
    assert "cycle" not in kinds(said(capsys, "HEAD~2", "HEAD")["findings"]["new"])
    assert "cycle" in kinds(said(capsys, "HEAD~1", "HEAD")["findings"]["gone"])


def test_a_registry_and_fleets_are_taken_as_check_takes_them(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hook = {"id": 7, "url": "http://x.test/deliver/y", "description": "fleet:desk:roles/c.md#A", "enabled": True}
    write(vault, {"registry.json": json.dumps({"changeWebhooks": [hook], "cronWebhooks": []})})
    commit(vault, {"roles/c.md": role("c/**", "d/**")})
    found = said(capsys, "HEAD~1", "HEAD", "--registry", "registry.json", "--fleet", "krisp=roles/")
    (new,) = found["roles"]["new"]
    assert (new["fleet_ids"], new["registered"]) == (["desk", "krisp"], True)


# --- The same as linting two checkouts ---


def linted(root: Path) -> Report:
    settings = load_settings(root)
    return lint(load_vault(root, exclude=settings.exclude, keep=settings.keep), settings)


def two_checkouts(root: Path, folder: Path, base: str, head: str, *, vault: str = "") -> tuple[set[str], set[str]]:
    """Fingerprints that are new and gone, by cloning and linting each revision on its own."""
    found = []
    for name in (base, head):
        clone = folder / re.sub(r"\W", "_", name)
        git(folder, "clone", "-q", root, clone)
        git(clone, "checkout", "-q", git(root, "rev-parse", name))
        found.append({result.fingerprint for result in linted(clone / vault).results})
    return found[1] - found[0], found[0] - found[1]


def new_and_gone(document: dict[str, Any]) -> tuple[set[str], set[str]]:
    findings = document["findings"]
    return tuple({one["fingerprint"] for one in findings[kind]} for kind in ("new", "gone"))  # type: ignore[return-value]


def test_the_examples_differ_as_two_checkouts_of_them_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    examples = Path(__file__).parents[2] / "examples"
    root = init(tmp_path / "vault")

    def taken(name: str) -> dict[str, str | bytes | None]:
        folder = examples / name
        return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}

    commit(root, taken("clean"))
    git(root, "rm", "-q", "-r", ".")
    commit(root, taken("broken"))
    expected = two_checkouts(root, tmp_path, "HEAD~1", "HEAD")
    assert len(expected[0]) > 20
    assert new_and_gone(said(capsys, "HEAD~1", "HEAD", "--vault", root)) == expected
    assert new_and_gone(said(capsys, "HEAD~1", "--vault", root)) == expected


def test_a_vault_in_a_subfolder_with_a_submodule_in_a_worktree_of_a_shallow_clone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = init(tmp_path / "inner")
    commit(inner, {"roles/inner.md": role("in/**", "in/**")})
    origin = init(tmp_path / "origin")
    commit(origin, {"too-old.txt": ""})
    commit(origin, CHAIN, vault="my vault")
    git(origin, "submodule", "add", "-q", inner, "my vault/inner")
    commit(origin, {})
    commit(origin, LOOP, vault="my vault")
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{origin}", "shallow")
    git(tmp_path / "shallow", "submodule", "update", "-q", "--init")
    git(tmp_path / "shallow", "worktree", "add", "-q", "-b", "side", tmp_path / "side")
    git(tmp_path / "side", "submodule", "update", "-q", "--init")
    assert (tmp_path / "side" / "my vault" / "inner" / "roles" / "inner.md").exists()
    expected = two_checkouts(origin, tmp_path, "HEAD~1", "HEAD", vault="my vault")
    for clone in ("shallow", "side"):
        vault = tmp_path / clone / "my vault"
        assert new_and_gone(said(capsys, "HEAD~1", "HEAD", "--vault", vault)) == expected
        assert new_and_gone(said(capsys, "HEAD~1", "--vault", vault)) == expected
        assert main(["diff", "HEAD~1", "--vault", str(vault)]) == 1
        assert "inner: this is a submodule, whose notes are left out" in capsys.readouterr().err
        assert main(["diff", "HEAD~2", "--vault", str(vault)]) == 2
        assert "this clone is shallow" in capsys.readouterr().err


# --- Markdown ---


def test_the_markdown_is_short_and_has_a_picture_that_parses(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hostile = ["end", 'quo"te', "[x](y)", "@someone #12", "a|b", "b`tick", "<b>", "ﬂ°°60¶ß", "x" * 150, "сл ово"]
    files = {f"roles/{name}.md": role("in/**", "mid/**") for name in hostile}
    write(vault, files | {f"many/{number}.md": role("mid/**", "in/**") for number in range(20)})
    assert main(["diff", "HEAD~1", "--format", "markdown"]) == 1
    text = capsys.readouterr().out
    assert text.startswith("### fleetlint: ")
    assert "| error | cycle |" in text
    assert "more are left out." in text
    assert len(text.splitlines()) < 200
    (picture,) = re.findall(r"```mermaid\n(.*?)```", text, re.DOTALL)
    assert picture.count('|"') == 40
    assert "more changes are not drawn" in picture
    assert main(["diff", "HEAD~1", "HEAD", "--format", "markdown"]) == 1
    (small,) = re.findall(r"```mermaid\n(.*?)```", capsys.readouterr().out, re.DOTALL)
    assert small.splitlines()[:4] == ["flowchart LR", '  n1["a"]', '  n2["b"]', '  n2 -->|"new"| n1']
    assert mermaid_errors([picture, small]) == [None, None]


def test_markdown_without_changes_has_no_picture(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:  # noqa: ARG001
    assert main(["diff", "HEAD", "--format", "markdown"]) == 0
    assert capsys.readouterr().out == (
        "### fleetlint: no new findings\n\n"
        "`HEAD` → `the working tree`: No change of roles and edges; no new findings.\n"
    )


# --- Wrong use ---


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["gone"], "`gone` is no revision of the repository"),
        (["HEAD", "gone"], "`gone` is no revision of the repository"),
        (["HEAD", "--vault", "nowhere"], "there is no such folder"),
        (["HEAD", "--registry", "gone.json"], "the snapshot cannot be read"),
        (["HEAD", "--config", "gone.yaml"], "the settings file does not exist"),
        (["HEAD~1", "HEAD", "--vault", "new"], "this folder is neither in HEAD~1 nor in HEAD"),
        ([], "Missing argument 'BASE'"),
        (["HEAD", "--", "-x"], "`-x` is no revision"),
    ],
)
def test_wrong_use_exits_2_and_says_why(
    vault: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    (vault / "new").mkdir()
    assert main(["diff", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err


def test_settings_that_are_broken_in_one_revision_are_named_with_it(
    vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    commit(vault, {".fleetlint.yaml": "fail_on: error\nruls: {}\n"})
    commit(vault, {".fleetlint.yaml": "rules: {cylce: off}\n"})
    write(vault, {".fleetlint.yaml": "fail_on: never\n"})
    for base, sentence in (
        ("HEAD~1", "Error: HEAD~1: .fleetlint.yaml:2: `ruls` is no key of the settings file"),
        ("HEAD", "Error: HEAD: .fleetlint.yaml:1: there is no rule `cylce`"),
    ):
        assert main(["diff", base]) == 2
        assert capsys.readouterr().err.startswith(sentence)


def test_outside_of_a_repository_it_exits_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["diff", "HEAD"]) == 2
    assert "git finds no repository here" in capsys.readouterr().err


def test_a_vault_that_is_new_in_the_head_is_all_new(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(vault, CHAIN, vault="second")
    found = said(capsys, "HEAD~1", "HEAD", "--vault", vault / "second")
    assert [node["note_path"] for node in found["roles"]["new"]] == ["roles/a.md", "roles/b.md"]


# --- The page, and speed ---


def test_the_page_names_every_key_of_the_json(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "diff.md").read_text(encoding="utf-8")
    write(vault, {"roles/a.md": role("in/**", "mid/**", fleet="night"), "roles/c.md": role("mid/**", "in/**")})

    def keys(value: object) -> set[str]:
        if isinstance(value, dict):
            return set(value) | {key for inner in value.values() for key in keys(inner)}
        return {key for inner in value for key in keys(inner)} if isinstance(value, list) else set()

    document = said(capsys, "HEAD~1")
    graphs = [
        document["roles"].pop("new"),
        document["roles"].pop("gone"),
        document.pop("edges"),
        document.pop("findings"),
    ]
    assert all(f"`{key}`" in page for key in keys(document))
    assert graphs


def test_two_processes_with_other_hash_seeds_print_the_same_bytes(vault: Path) -> None:
    command = [sys.executable, "-c", "import sys; from fleetlint.cli import main; sys.exit(main())"]
    for name in ("markdown", "json"):
        outputs = set()
        for seed in ("1", "2"):
            done = subprocess.run(
                [*command, "diff", "HEAD~1", "HEAD", "--format", name],
                env={**os.environ, "PYTHONHASHSEED": seed},
                cwd=vault,
                capture_output=True,
                check=False,
            )
            assert done.returncode == 1, done.stderr
            outputs.add(done.stdout)
        assert len(outputs) == 1, name


@pytest.mark.slow
def test_one_changed_role_of_a_thousand_gives_the_findings_of_two_checkouts(
    tmp_path: Path, make_vault: Callable[..., Path], capsys: pytest.CaptureFixture[str]
) -> None:
    root = make_vault(init(tmp_path / "vault"), 1_000)
    commit(root, {})
    changed = next((root / "roles").rglob("*.md"))
    changed.write_text(re.sub(r"(?m)^max_depth:.*$", "max_depth: 1", changed.read_text(encoding="utf-8")))
    commit(root, {})
    expected = two_checkouts(root, tmp_path, "HEAD~1", "HEAD")
    assert any(expected)
    assert new_and_gone(said(capsys, "HEAD~1", "HEAD", "--vault", root)) == expected
