"""The two known versions are those of the issue; the rest is what enters a version and what does not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from fleetlint.registry import change_version, cron_version
from fleetlint.roles import read_role
from fleetlint.vault import load_vault
from tests.graph.by_hand import glob, role

if TYPE_CHECKING:
    from pathlib import Path

CHANGE = role(
    "roles/a.md",
    on=("create", "update"),
    include=["calls/**"],
    read=["calls/**"],
    write=["log/**"],
    depth=3,
    concurrency="skip",
)
CRON = role(
    "roles/b.md",
    mode="cron",
    on=(),
    cron_schedule="*/15 * * * *",
    write=["transcripts/**"],
    depth=1,
    timeout_seconds=120,
)


def test_the_known_change_role_has_its_known_version() -> None:
    assert change_version(CHANGE) == "Asqmgkd_"


def test_the_known_cron_role_has_its_known_version() -> None:
    assert cron_version(CRON) == "aBMkSAhe"


@pytest.mark.parametrize(
    "change",
    [
        {"trigger_include": (glob("other/**"),)},
        {"trigger_exclude": (glob("calls/x/**"),)},
        {"read_patterns": ()},
        {"write_patterns": (glob("log/**"), glob("b/**"))},
        {"attach_notes": (glob("!x.md", key="attach_notes"),)},
        {"trigger_on": ("update", "create")},
        {"stated_max_depth": 2},
        {"concurrency": ""},
        {"timeout_seconds": 120},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_a_change_webhook_registers_enters_its_version(change: dict[str, Any]) -> None:
    assert change_version(replace(CHANGE, **change)) != "Asqmgkd_"


def test_what_a_fleet_keeps_to_itself_enters_no_version() -> None:
    changed: dict[str, Any] = {
        "model": "m",
        "description": "d",
        "tools": ("search",),
        "max_tokens": 5,
        "body": "x",
        "for_each": "changed_files",
        "fleet_id": "f",
    }
    assert change_version(replace(CHANGE, cron_schedule="0 0 * * *", **changed)) == "Asqmgkd_"
    assert cron_version(replace(CRON, trigger_include=(glob("x"),), trigger_on=("update",), **changed)) == "aBMkSAhe"


def test_the_schedule_enters_the_version_of_a_cron_webhook() -> None:
    assert cron_version(replace(CRON, cron_schedule="*/30 * * * *")) != "aBMkSAhe"


def test_a_timeout_that_is_left_out_or_zero_is_five_minutes() -> None:
    versions = {change_version(replace(CHANGE, timeout_seconds=seconds)) for seconds in (None, 0, 300)}
    assert versions == {"Asqmgkd_"}


def test_a_depth_that_is_left_out_is_zero_and_not_one() -> None:
    left_out, zero, one = (change_version(replace(CHANGE, stated_max_depth=depth)) for depth in (None, 0, 1))
    assert left_out == zero != one


def test_a_negated_note_enters_with_its_mark() -> None:
    plain = replace(CHANGE, attach_notes=(glob("x.md"),))
    negated = replace(CHANGE, attach_notes=(glob("!x.md", key="attach_notes"),))
    assert change_version(plain) != change_version(negated)


def test_half_a_surrogate_pair_counts_as_the_character_the_server_makes_of_it() -> None:
    half = replace(CHANGE, read_patterns=(glob("a\ud800b"),))
    whole = replace(CHANGE, read_patterns=(glob("a\ufffdb"),))
    assert change_version(half) == change_version(whole)


def test_a_note_read_from_a_file_has_the_known_version(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "---\nfleet_id: f\nmode: change\ntrigger_on: [create, update]\ntrigger_include: ['calls/**']\n"
        "read_patterns: ['calls/**']\nwrite_patterns: ['log/**']\nmax_depth: 3\nconcurrency: skip\n---\nDo it.\n",
        encoding="utf-8",
    )
    (note,) = load_vault(tmp_path).notes
    assert change_version(read_role(note)) == "Asqmgkd_"


def test_a_note_read_from_a_file_keeps_the_marks_of_its_attached_notes(tmp_path: Path) -> None:
    versions = set()
    for name, attached in (("a.md", "x.md"), ("b.md", "!x.md")):
        (tmp_path / name).write_text(
            f"---\nfleet_id: f\nmode: cron\nattach_notes: ['{attached}']\n---\n", encoding="utf-8"
        )
    for note in load_vault(tmp_path).notes:
        versions.add(cron_version(read_role(note)))
    assert len(versions) == 2
