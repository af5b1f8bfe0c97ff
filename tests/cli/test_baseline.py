from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from fleetlint.cli import main

if TYPE_CHECKING:
    from pathlib import Path

ROLE = """\
---
fleet_id: desk
mode: change
trigger_on: [create, update]
trigger_include: [{name}/**]
write_patterns: [{name}/index.md]
max_depth: 2
{more}---
Do it.
"""


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    (tmp_path / ".obsidian").mkdir()
    add(tmp_path, "one")
    add(tmp_path, "two")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def add(vault: Path, name: str, more: str = "") -> None:
    (vault / f"{name}.md").write_text(ROLE.format(name=name, more=more), encoding="utf-8")


def test_with_a_baseline_only_new_findings_count(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--fail-on", "info"]) == 1
    capsys.readouterr()
    assert main(["check", "--generate-baseline", "known.json"]) == 0
    out, err = capsys.readouterr()
    assert (out, "findings written" in err) == ("", True)
    first = (vault / "known.json").read_bytes()
    assert main(["check", "--fail-on", "info", "--baseline", "known.json"]) == 0
    assert capsys.readouterr().out.startswith("No findings in 2 roles")
    add(vault, "three")
    assert main(["check", "--fail-on", "info", "--baseline", "known.json", "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert {one["path"] for one in document["findings"]} == {"three.md"}
    assert {one["suppression"]["path"] for one in document["suppressed"]} == {"known.json"}
    (vault / "three.md").unlink()
    assert main(["check", "--generate-baseline", "known.json"]) == 0
    assert (vault / "known.json").read_bytes() == first


def test_what_a_baseline_knows_is_still_told_as_suppressed_after_a_fix(
    vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--generate-baseline", "known.json"]) == 0
    add(vault, "three")
    capsys.readouterr()
    main(["check", "--baseline", "known.json", "--fix", "--unsafe-fixes", "--format", "json"])
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert "three.md" in err
    assert "stale" not in err
    assert {one["path"] for one in document["findings"]} <= {"three.md"}
    assert {one["path"] for one in document["suppressed"]} == {"one.md", "two.md"}
    assert {one["suppression"]["path"] for one in document["suppressed"]} == {"known.json"}


def test_a_finding_stays_known_when_other_lines_move(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--generate-baseline", "known.json"])
    add(vault, "one", "model: a\n# a remark\n")
    (vault / "one.md").write_text((vault / "one.md").read_text().replace("mode:", "# a remark\nmode:"))
    capsys.readouterr()
    assert main(["check", "--fail-on", "info", "--baseline", "known.json"]) == 0
    assert capsys.readouterr().err == ""


def test_stale_entries_are_named(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--generate-baseline", "known.json"])
    (vault / "two.md").unlink()
    capsys.readouterr()
    assert main(["check", "--baseline", "known.json"]) == 0
    err = capsys.readouterr().err
    assert "known.json: stale, for nothing answers to it any more: two.md: " in err
    assert "stale entries; write the baseline anew with `--generate-baseline known.json`" in err
    assert main(["check", "--baseline", "known.json", "--select", "drift"]) == 0
    assert capsys.readouterr().err == ""


def test_stale_entries_are_told_for_the_whole_vault_whatever_is_shown(
    vault: Path,  # noqa: ARG001
    capsys: pytest.CaptureFixture[str],
) -> None:
    main(["check", "--generate-baseline", "known.json"])
    capsys.readouterr()
    assert main(["check", "--baseline", "known.json", "--fail-on", "info", "one.md"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--baseline", "gone.json"], "gone.json: the baseline cannot be read"),
        (["--baseline", "."], "the baseline cannot be read"),
        (["--baseline", "one.md"], "one.md: this is no JSON"),
        (["--generate-baseline", "no/where.json"], "this cannot be written"),
        (["--generate-baseline", "a.json", "--baseline", "b.json"], "give one of them"),
    ],
)
def test_wrong_use_exits_2(
    vault: Path,  # noqa: ARG001
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    says: str,
) -> None:
    assert main(["check", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert says in err


def test_the_day_is_that_of_the_epoch(
    vault: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    add(vault, "one", "fleetlint: {ignore: {self-trigger: {reason: soon, until: 2026-01-01}}}\n")
    for epoch, suppressed in (("1767225600", ["self-trigger"]), ("1767312000", [])):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
        main(["check", "one.md", "--format", "json", "--fail-on", "never"])
        document = json.loads(capsys.readouterr().out)
        assert [one["rule"] for one in document["suppressed"]] == suppressed
        assert ("unused-suppression" in {one["rule"] for one in document["findings"]}) is not suppressed
