from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetlint import lint, load_settings, load_vault
from fleetlint.lint import load_rules
from fleetlint.settings import Settings, SettingsError
from fleetlint.vault.frontmatter import find_block, read_note
from fleetlint.vault.note import Vault
from tests.report.builders import context
from tests.report.validators import sarif_complaints

if TYPE_CHECKING:
    from pathlib import Path

    from fleetlint.lint import Report

ROLE = """\
---
fleet_id: desk
mode: change
trigger_on: [create, update]
trigger_include: [wiki/**]
write_patterns: [wiki/index.md]
max_depth: 2
{more}---
Do it.
"""
RULES = load_rules()


def written(root: Path, more: str = "", settings: str = "") -> Path:
    (root / "roles").mkdir(exist_ok=True)
    (root / "roles" / "a.md").write_text(ROLE.format(more=more), encoding="utf-8")
    if settings:
        (root / ".fleetlint.yaml").write_text(settings, encoding="utf-8")
    return root


def linted(root: Path, today: str | None = None, **options: list[str]) -> Report:
    settings = load_settings(root)
    return lint(load_vault(root), settings, rules=RULES, today=today, **options)


def names(report: Report) -> list[str]:
    return [result.rule.name for result in report.results]


def test_a_note_silences_a_rule_for_itself_with_a_reason(tmp_path: Path) -> None:
    before = linted(written(tmp_path))
    assert "self-trigger" in names(before)
    after = linted(written(tmp_path, "fleetlint: {ignore: {self-trigger: it settles}}\n"))
    assert names(after) == [name for name in names(before) if name != "self-trigger"]
    (silent,) = after.suppressed
    assert silent.suppression is not None
    assert (silent.rule.name, silent.suppression.reason, silent.suppression.in_note) == (
        "self-trigger", "it settles", True,
    )  # fmt: skip
    (open_one,) = (result for result in before.results if result.rule.name == "self-trigger")
    assert silent.fingerprint == open_one.fingerprint


def test_a_note_silences_nothing_of_other_notes(tmp_path: Path) -> None:
    written(tmp_path, "fleetlint: {ignore: {self-trigger: it settles}}\n")
    (tmp_path / "b.md").write_text(ROLE.format(more="").replace("wiki", "blog"), encoding="utf-8")
    assert [result.at.path for result in linted(tmp_path).results if result.rule.name == "self-trigger"] == ["b.md"]


def test_the_settings_silence_a_rule_in_the_files_that_a_glob_takes(tmp_path: Path) -> None:
    settings = 'ignore: [{path: "roles/**", rule: self-trigger, reason: it settles}]\n'
    report = linted(written(tmp_path, settings=settings))
    assert "self-trigger" not in names(report)
    (silent,) = report.suppressed
    assert silent.suppression is not None
    assert (silent.suppression.in_note, silent.suppression.place.path) == (False, ".fleetlint.yaml")


@pytest.mark.parametrize(
    ("today", "is_silent"),
    [(None, True), ("2026-05-30", True), ("2026-05-31", True), ("2026-06-01", False), ("2027-01-01", False)],
)
def test_a_suppression_counts_up_to_its_last_day(tmp_path: Path, today: str | None, is_silent: bool) -> None:
    for more, settings in (
        ('fleetlint: {ignore: {self-trigger: {reason: "soon", until: 2026-05-31}}}\n', ""),
        ("", 'ignore: [{path: "**", rule: self-trigger, reason: soon, until: 2026-05-31}]\n'),
    ):
        report = linted(written(tmp_path, more, settings), today)
        assert ("self-trigger" not in names(report)) is is_silent
        assert ("unused-suppression" in names(report)) is not is_silent


def test_where_two_silence_a_finding_neither_is_unused(tmp_path: Path) -> None:
    settings = 'ignore: [{path: "roles/**", rule: self-trigger, reason: it settles}]\n'
    report = linted(written(tmp_path, "fleetlint: {ignore: {self-trigger: it settles}}\n", settings))
    assert "unused-suppression" not in names(report)
    assert len(report.suppressed) == 1


def test_a_suppression_of_a_rule_that_did_not_run_is_not_judged(tmp_path: Path) -> None:
    written(tmp_path, "fleetlint: {ignore: {cycle: there is none}}\n")
    assert "unused-suppression" in names(linted(tmp_path))
    assert "unused-suppression" not in names(linted(tmp_path, ignore=["cycle"]))


def test_selected_alone_the_rule_knows_what_the_others_would_find(tmp_path: Path) -> None:
    written(tmp_path, "fleetlint: {ignore: {cycle: there is none, self-trigger: it settles}}\n")
    report = linted(tmp_path, select=["unused-suppression"])
    (only,) = report.results
    assert only.finding.data["rule"] == "cycle"
    assert report.suppressed == ()


def test_the_settings_cannot_silence_a_rule_that_there_is_not(tmp_path: Path) -> None:
    written(tmp_path, settings='fail_on: error\nignore:\n  - {path: "**", rule: cylce, reason: x}\n')
    with pytest.raises(SettingsError, match=r"^\.fleetlint\.yaml:3: there is no rule `cylce`; did you mean `cycle`\?$"):
        linted(tmp_path)


def test_the_server_sees_the_role_as_before(tmp_path: Path) -> None:
    plain = linted(written(tmp_path)).graph
    suppressing = linted(written(tmp_path, "fleetlint: {ignore: {self-trigger: it settles}}\n")).graph
    assert suppressing.edges == plain.edges
    assert [node.errors for node in suppressing.nodes] == [()]


def test_json_lists_what_is_suppressed_apart_and_text_counts_it(tmp_path: Path) -> None:
    from fleetlint.report import render

    report = linted(written(tmp_path, "fleetlint: {ignore: {self-trigger: it settles}}\n"))
    document = json.loads(render("json", report, context(root=str(tmp_path))))
    assert "self-trigger" not in {one["rule"] for one in document["findings"]}
    assert [(one["rule"], one["suppression"]) for one in document["suppressed"]] == [
        ("self-trigger", {"path": "roles/a.md", "line": 8, "reason": "it settles", "until": None})
    ]
    assert render("text", report, context(root=str(tmp_path))).endswith("in 1 role and 1 edge; 1 finding suppressed.\n")


def test_sarif_keeps_a_suppressed_finding_with_its_reason(tmp_path: Path) -> None:
    from fleetlint.report import render

    settings = 'ignore: [{path: "**", rule: dangling-trigger, reason: people write}]\n'
    more = "fleetlint: {ignore: {self-trigger: it settles}}\n"
    (tmp_path / "b.md").write_text(ROLE.format(more="").replace("wiki/**", "in/**"), encoding="utf-8")
    report = linted(written(tmp_path, more, settings))
    text = render("sarif", report, context(root=str(tmp_path), cwd=str(tmp_path)))
    (run,) = json.loads(text)["runs"]
    said = {one["ruleId"]: one["suppressions"] for one in run["results"]}
    assert said["self-trigger"] == [{"kind": "inSource", "justification": "It settles."}]
    assert said["dangling-trigger"] == [{"kind": "external", "justification": "People write."}]
    assert [] in said.values()
    plain = render("sarif", linted(written(tmp_path, settings="fail_on: error\n")), context(root=str(tmp_path)))
    assert '"suppressions"' not in plain
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.sarif").write_text(text, encoding="utf-8")
    assert sarif_complaints(folder) == []


VALUES = st.recursive(
    st.sampled_from(["off", "3", "~", "''", "cycle", "why", "2026-01-01", "&a x", '"\\u202e"']),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | st.dictionaries(st.sampled_from(["ignore", "reason", "until", "cycle", "x", "self-trigger", "3"]), inner).map(
            lambda items: "{" + ", ".join(f"{key}: {value}" for key, value in items.items()) + "}"
        )
    ),
)


@given(VALUES)
def test_whatever_a_note_says_of_suppressions_is_read_or_is_a_finding(value: str) -> None:
    data = ROLE.format(more=f"fleetlint: {value}\n").encode()
    block = find_block(data)
    assert block is not None
    note = read_note("roles/a.md", data, block)
    vault = Vault("/vault", (note,), frozenset({"roles"}), 1)
    report = lint(vault, Settings(), rules=RULES, today="2026-06-01")
    silent = {result.rule.name for result in report.suppressed}
    assert silent <= {"self-trigger"}
    if value in ("off", "3", "cycle", "why"):
        assert "unused-suppression" in names(report)
