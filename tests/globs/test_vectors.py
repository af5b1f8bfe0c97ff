"""The rows that the real library produced. See the README beside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fleetlint.globs import BadPattern, Found, Maybe, Pattern, covers, find_path

if TYPE_CHECKING:
    from pathlib import Path


def rows(shared: Path, name: str) -> list[dict[str, Any]]:
    lines = (shared / "vectors" / name).read_text(encoding="utf-8").splitlines()
    assert len(lines) > 1_000
    return [json.loads(line) for line in lines]


def is_note_path(name: str) -> bool:
    segments = name.split("/")
    return all(segment not in ("", ".", "..") for segment in segments) and "." in segments[-1][1:-1]


def test_every_row_agrees_on_whether_the_name_matches(shared: Path) -> None:
    def answer(row: dict[str, Any]) -> bool:
        try:
            return Pattern.parse(row["pattern"]).matches(row["name"])
        except BadPattern:
            return False

    assert [row for row in rows(shared, "match.jsonl") if answer(row) != row["match"]] == []


def test_no_overlap_over_all_names_is_wrong_and_few_are_undecided(shared: Path) -> None:
    wrong, undecided = [], []
    for row in rows(shared, "overlap.jsonl"):
        p, q = Pattern.parse(row["p"]), Pattern.parse(row["q"])
        answer = find_path(all_of=[p, q], any_name=True)
        if isinstance(answer, Maybe):
            undecided.append(row)
        elif (answer is not None) != row["overlap"] or (
            answer
            and not (p.matches(answer.path) and q.matches(answer.path) and len(answer.path) <= len(row["witness"]))
        ):
            wrong.append((row, answer))
    assert wrong == []
    assert len(undecided) * 200 <= 4_254, undecided


def test_no_overlap_over_note_paths_is_wrong(shared: Path) -> None:
    wrong = []
    for row in rows(shared, "overlap.jsonl"):
        answer = find_path(all_of=[Pattern.parse(row["p"]), Pattern.parse(row["q"])])
        shares_a_note = row["overlap"] and is_note_path(row["witness"])
        if (shares_a_note and not isinstance(answer, Found)) or (answer and not row["overlap"]):
            wrong.append((row, answer))
        if isinstance(answer, Found) and not is_note_path(answer.path):
            wrong.append((row, answer))
    assert wrong == []


def test_no_containment_over_all_names_is_wrong_and_few_are_undecided(shared: Path) -> None:
    wrong, undecided = [], []
    for row in rows(shared, "contains.jsonl"):
        answer = covers(Pattern.parse(row["p"]), Pattern.parse(row["q"]), any_name=True)
        if answer is None:
            undecided.append(row)
        elif answer != row["contains"]:
            wrong.append((row, answer))
    assert wrong == []
    assert len(undecided) * 200 <= 1_654, undecided


def test_no_containment_over_note_paths_is_wrong(shared: Path) -> None:
    wrong = []
    for row in rows(shared, "contains.jsonl"):
        answer = covers(Pattern.parse(row["p"]), Pattern.parse(row["q"]))
        if row["contains"] and answer is False:
            wrong.append((row, answer))
        if not row["contains"] and is_note_path(row["witness"]) and answer is True:
            wrong.append((row, answer))
    assert wrong == []
