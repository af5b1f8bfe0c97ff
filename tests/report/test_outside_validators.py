"""SARIF and Mermaid of whole vaults, from reading to text: the shared rolesets, and vaults that people reported."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest

from fleetlint import lint, load_settings, load_vault
from fleetlint.registry import parse_snapshot
from fleetlint.report import render, sarif
from fleetlint.report.mermaid import diagram
from tests.report.builders import context
from tests.report.validators import mermaid_errors, mermaid_labels, sarif_complaints

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fleetlint.lint import Report

ROLE = """---
fleet_id: t
mode: change
trigger_on: [create, update]
trigger_include: ["{include}"]
write_patterns: ["{write}"]
max_depth: 3
---
Do it.
"""


def linted(folder: Path) -> Report:
    settings = load_settings(folder)
    return lint(load_vault(folder, exclude=settings.exclude, keep=settings.keep), settings)


def written(folder: Path, files: Mapping[str, str]) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def log_of(folder: Path, **changes: Any) -> dict[str, Any]:
    changes = {"root": str(folder), "cwd": str(folder)} | changes
    (run,) = json.loads(render("sarif", linted(folder), context(**changes)))["runs"]
    return run


def diagram_of(folder: Path) -> str:
    note = render("mermaid", linted(folder), context(root=str(folder), cwd=str(folder)))
    fence = re.match(r"```mermaid\n(.*?)```\n", note, re.DOTALL)
    assert fence is not None
    return fence[1]


def role(include: str, write: str, **more: str) -> str:
    keys = "".join(f"{key}: {value}\n" for key, value in more.items())
    return ROLE.format(include=include, write=write).replace("---\nDo", f"{keys}---\nDo")


@pytest.fixture(scope="session")
def rolesets(shared: Path) -> list[Path]:
    folders = sorted(path.parent for path in (shared / "rolesets").glob("*/EXPECTED.json"))
    assert folders
    return folders


def test_sarif_of_every_roleset_passes_the_multitool(rolesets: list[Path], tmp_path: Path) -> None:
    for folder in rolesets:
        text = render("sarif", linted(folder), context(root=str(folder), cwd=str(folder)))
        (tmp_path / f"{folder.name}.sarif").write_text(text, encoding="utf-8")
    assert sarif_complaints(tmp_path) == []


def test_sarif_of_every_roleset_loads_in_sarif_tools(rolesets: list[Path], tmp_path: Path) -> None:
    from sarif import loader

    for folder in rolesets:
        report = linted(folder)
        path = tmp_path / f"{folder.name}.sarif"
        path.write_text(render("sarif", report, context(root=str(folder), cwd=str(folder))), encoding="utf-8")
        assert len(loader.load_sarif_file(str(path)).get_results()) == len(report.results)


def test_mermaid_of_every_roleset_parses(rolesets: list[Path]) -> None:
    assert mermaid_errors([diagram_of(folder) for folder in rolesets]) == [None] * len(rolesets)


def test_mermaid_of_the_reported_vaults_parses_and_shows_each_role(shared: Path, tmp_path: Path) -> None:
    lines = (shared / "cases" / "cases.jsonl").read_bytes().splitlines()  # only of bytes are these lines at LF alone
    cases = [json.loads(line) for line in lines]
    vaults = [case for case in cases if case["area"] == "mermaid" and "files" in case["input"]]
    assert len(vaults) >= 6
    diagrams = [diagram_of(written(tmp_path / case["id"], case["input"]["files"])) for case in vaults]
    assert mermaid_errors(diagrams) == [None] * len(diagrams)
    for case, labels in zip(vaults, mermaid_labels(diagrams), strict=True):
        names = {path.rpartition("/")[2].removesuffix(".md") for path in case["input"]["files"]}
        assert names <= {label.removeprefix("⚡ ") for label in labels}


def test_roles_whose_names_differ_in_one_sign_are_three_nodes_and_two_edges(tmp_path: Path) -> None:
    files = {
        "roles/a-b.md": role("in/**", "x/**"),
        "roles/a_b.md": role("x/**", "y/**"),
        "simple/a b.md": role("y/**", "out/**"),
    }
    text = diagram_of(written(tmp_path, files))
    assert len(re.findall(r'^  n\d+\["⚡', text, re.MULTILINE)) == 3
    assert re.findall(r"n\d+ --> n\d+", text) == ["n2 --> n3", "n3 --> n4", "n1 --> n2"]


def test_a_name_in_any_letters_is_a_uri_that_decodes_back(tmp_path: Path) -> None:
    name = "Мои роли/my role [1] 100%.md"
    run = log_of(written(tmp_path, {name: role("in/**", "out/**").replace("mode: change", "mode: bad")}))
    uris = {found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for found in run["results"]}
    assert {unquote(uri) for uri in uris} == {name}
    assert all(uri.endswith("my%20role%20%5B1%5D%20100%25.md") and uri.isascii() for uri in uris)


def test_a_cycle_lies_at_the_line_of_its_first_write_pattern(tmp_path: Path) -> None:
    files = {"roles/a.md": role("y/**", "x/**"), "roles/b.md": role("x/**", "y/**")}
    run = log_of(written(tmp_path, files))
    (cycle,) = [found for found in run["results"] if found["ruleId"] == "cycle"]
    (place,) = cycle["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == "roles/a.md"
    assert place["physicalLocation"]["region"]["startLine"] == 6
    others = [other["physicalLocation"]["artifactLocation"]["uri"] for other in cycle["relatedLocations"]]
    assert others == ["roles/b.md"]
    assert len(cycle["codeFlows"][0]["threadFlows"][0]["locations"]) == 2


def test_fingerprints_stay_when_lines_move_and_tell_findings_apart(tmp_path: Path) -> None:
    text = role("in/**", "out/**", concurrency="x", for_each="y")
    before = log_of(written(tmp_path / "before", {"roles/a.md": text}))["results"]
    after = log_of(written(tmp_path / "after", {"roles/a.md": text.replace("---\n", "---\n# 1\n# 2\n# 3\n", 1)}))["results"]  # fmt: skip
    prints = [json.dumps(found["partialFingerprints"]) for found in before]
    assert len(set(prints)) == len(prints) >= 2
    assert prints == [json.dumps(found["partialFingerprints"]) for found in after]


def test_errors_found_are_no_failure_of_the_run(tmp_path: Path) -> None:
    run = log_of(written(tmp_path, {"roles/a.md": role("in/**", "out/**").replace("mode: change", "mode: bad")}))
    assert any(found["level"] == "error" for found in run["results"])
    assert run["invocations"][0]["executionSuccessful"] is True


def test_a_file_name_that_is_not_utf_8_is_shown_with_its_byte(tmp_path: Path) -> None:
    import os

    (tmp_path / "roles").mkdir()
    name = os.fsdecode(bytes(tmp_path / "roles") + b"/caf\xe9.md")
    try:
        Path(name).write_text(role("in/**", "out/**").replace("mode: change", "mode: bad"), encoding="utf-8")
    except OSError:
        pytest.skip("this file system has no such names")
    run = log_of(tmp_path)
    uris = {found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for found in run["results"]}
    assert "roles/caf%E9.md" in uris


@pytest.mark.slow
def test_thirty_thousand_broken_roles_give_a_log_that_code_scanning_takes(tmp_path: Path) -> None:
    (tmp_path / "roles").mkdir()
    text = role("in/**", "out/**").replace("mode: change", "mode: bad")
    for number in range(30_000):
        (tmp_path / "roles" / f"{number}.md").write_text(text, encoding="utf-8")
    run = log_of(tmp_path)
    assert len(run["results"]) == sarif.MAX_RESULTS
    assert {found["level"] for found in run["results"]} == {"error"}
    said = run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    assert "left out of the SARIF log" in said


def test_webhooks_of_people_are_shown_by_mermaid_whatever_they_are_called(tmp_path: Path) -> None:
    names = ["end", 'say "hi"', "a`b|c]d}e)", "<b>x</b>", "\u202eevil\n--> n1", "🔔 ünï", "x" * 300]
    hooks = [
        {"id": number, "description": name, "onCreate": True, "maxDepth": 5, "includePatterns": ["out/**"]}
        for number, name in enumerate(names)
    ]
    registry = parse_snapshot(json.dumps({"changeWebhooks": hooks, "cronWebhooks": []}), "registry.json")
    folder = written(tmp_path, {"a.md": role("in/**", "out/**")})
    drawn = diagram(lint(load_vault(folder), load_settings(folder), registry=registry))
    assert mermaid_errors([drawn]) == [None]
    (labels,) = mermaid_labels([drawn])
    assert sum(label.startswith("🔔") for label in labels) == len(names)
    assert "🔔 <b>x</b>" in labels
