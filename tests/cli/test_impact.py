from __future__ import annotations

import json
from pathlib import Path

import pytest

from fleetlint.cli import main

PAGE = Path(__file__).parents[2] / "docs" / "impact.md"

ROLES = {
    "ingest": "mode: cron\ncron_schedule: '0 * * * *'\nwrite_patterns: [in/**]\nmax_depth: 1",
    "segment": "mode: change\ntrigger_on: [create, update]\ntrigger_include: [in/**]\nwrite_patterns: [calls/**]\n"
    "max_depth: 2\nmax_tokens: 16000",
    "extract": "mode: change\ntrigger_on: [create]\ntrigger_include: [calls/**]\nfor_each: changed_files\nmax_depth: 2",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    (tmp_path / "roles").mkdir()
    for name, keys in ROLES.items():
        (tmp_path / "roles" / f"{name}.md").write_text(f"---\nfleet_id: desk\n{keys}\n---\nDo it.\n")
    return tmp_path


def test_the_text_tells_levels_cuts_and_costs(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["impact", "in/**", str(vault)]) == 0
    assert capsys.readouterr().out == (
        "A direct edit of one path of `in/**`\n"
        "  depth 0\n"
        "    roles/segment.md: in/a.md\n"
        "  depth 1\n"
        "    roles/extract.md (N runs a delivery): roles/segment.md writes calls/a.md\n"
        "  runs per edit, worst case: exactly 1 + N\n"
        "  tokens per edit: at most 16,000, without roles/extract.md (no `max_tokens`)\n"
        "  N: the notes that one delivery holds where `for_each` splits it\n"
        "\n"
        "A tick of `roles/ingest.md`, which can write in/a.md\n"
        "  depth 0\n"
        "    roles/ingest.md: in/a.md\n"
        "  depth 1\n"
        "    roles/segment.md: roles/ingest.md writes in/a.md\n"
        "  cut by depth\n"
        "    roles/extract.md: roles/segment.md writes calls/a.md at depth 2, which its `max_depth` stops\n"
        "  runs per tick, worst case: exactly 2\n"
        "  tokens per tick: at most 16,000, without roles/ingest.md (no `max_tokens`)\n"
    )


def test_the_json_says_the_same(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["impact", "in/**", str(vault), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    edit, tick = document["waves"]
    assert (document["glob"], edit["origin"], tick["origin"]["role"]) == ("in/**", {"kind": "edit"}, "roles/ingest.md")
    assert edit["runs"] == {"text": "1 + N", "powers_of_n": [1, 1]}
    assert edit["worst"] == {"path": "in/a.md", "event": "create", "wakes": ["roles/segment.md"]}
    assert tick["cuts"] == [{"from": "roles/segment.md", "to": "roles/extract.md", "witness": "calls/a.md", "depth": 2}]
    assert [run["from"] for level in edit["levels"] for run in level["runs"]] == [None, "roles/segment.md"]


def test_the_page_names_every_key_of_the_json(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["impact", "in/**", str(vault), "--format", "json"])

    def keys(value: object) -> set[str]:
        if isinstance(value, dict):
            return set(value) | {key for inner in value.values() for key in keys(inner)}
        return {key for inner in value for key in keys(inner)} if isinstance(value, list) else set()

    page = PAGE.read_text(encoding="utf-8")
    found = keys(json.loads(capsys.readouterr().out))
    assert "powers_of_n" in found
    assert [key for key in sorted(found) if f"`{key}`" not in page] == []


def test_a_path_that_wakes_nobody_is_said_so(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["impact", "elsewhere/a.md", str(vault)]) == 0
    assert capsys.readouterr().out == "Nobody wakes when a path of `elsewhere/a.md` is touched.\n"


def test_a_folder_name_that_no_note_has_is_warned_about(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["impact", "in", str(vault)]) == 0
    assert "no note path is in `in`" in capsys.readouterr().err


def test_a_malformed_pattern_is_wrong_use(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["impact", "{in", str(vault)]) == 2
    assert "malformed at column 1" in capsys.readouterr().err


def test_a_role_s_name_reaches_the_terminal_as_text(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (vault / "roles" / "segment.md").rename(vault / "roles" / "\x1b[31m.md")
    assert main(["impact", "in/**", str(vault)]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "\\x1b[31m.md" in out


def test_what_is_too_long_is_cut_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys = "mode: change\ntrigger_on: [create]\nmax_depth: 999"
    for number in range(60):
        (tmp_path / f"r{number:02}.md").write_text(
            f"---\nfleet_id: d\n{keys}\ntrigger_include: [s{number}/**]\nwrite_patterns: [s{number + 1}/**]\n---\n"
        )
        (tmp_path / f"t{number:02}.md").write_text(
            f"---\nfleet_id: d\n{keys}\ntrigger_include: [s0/**]\nwrite_patterns: []\n---\n"
        )
    assert main(["impact", "s0/**", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "    and 11 more\n" in out
    assert "  and 40 more depths\n" in out
    assert "runs per edit, worst case: exactly 120\n" in out
