"""The shared fleets: where they end, and every finding of the rules on single roles with what makes it right."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fleetlint.lint import Result


@pytest.mark.parametrize(
    ("rule", "key", "data"), [("orphan-write", "orphan", "write"), ("dangling-trigger", "dangling", "match")]
)
def test_the_shared_fleets_have_the_ends_that_are_expected(
    rule: str, key: str, data: str, shared: Path, check: Callable[[Path, Sequence[str]], tuple[Result, ...]]
) -> None:
    compared = 0
    for expected in sorted((shared / "rolesets").glob("*/EXPECTED.json")):
        wanted = json.loads(expected.read_text(encoding="utf-8"))
        if key not in wanted:
            continue
        found: dict[str, list[str]] = {}
        for one in check(expected.parent, [rule]):
            found.setdefault(one.at.path, []).append(one.finding.data[data])
        assert found == wanted[key], expected.parent.name
        compared += 1
    assert compared >= 4


UNREAD = "blind-write"
"""No `tools` gives all that the fleet offers, `patch_note` too, and no read pattern takes what is written."""
UNSTATED = "zero-depth"
"""A change role without `max_depth`, for which fleets register 0."""
APART = "redundant-pattern"
"""An exclude in another folder than all includes: it excludes nothing."""

SINGLE = {
    "cron-into-both": [("roles/a.md", 6, UNREAD)],
    "docs-demo": [
        ("demo/krisp/roles/transcript-ingest.md", 7, UNREAD),
        ("demo/krisp/roles/transcript-segment.md", 10, APART),
        ("demo/krisp/roles/transcript-segment.md", 10, APART),
        ("demo/krisp/roles/transcript-wiki.md", 10, APART),
    ],
    "docs-fleet-krisp-new": [
        ("krisp/roles/transcript-ingest.md", 7, UNREAD),
        ("krisp/roles/transcript-segment.md", 11, APART),
        ("krisp/roles/transcript-segment.md", 11, APART),
        ("krisp/roles/transcript-wiki.md", 11, APART),
    ],
    "e2e-stand": [("roles/krisp/transcript-ingest.md", 7, UNREAD)],
    "krisp-cycle": [("roles/ingest.md", 6, UNREAD)],
    "krisp-dead-edge": [("roles/ingest.md", 6, UNREAD)],
    "krisp-excluded-part": [("roles/ingest.md", 6, UNREAD)],
    "krisp-knowledge-v1": [("roles/ingest.md", 6, UNREAD)],
    "up-cycle": [
        ("roles/a.md", 1, UNSTATED),
        ("roles/a.md", 6, UNREAD),
        ("roles/b.md", 1, UNSTATED),
        ("roles/b.md", 6, UNREAD),
    ],
    "up-exclude": [
        ("roles/indexer.md", 1, UNSTATED),
        ("roles/indexer.md", 7, UNREAD),
        ("roles/writer.md", 1, UNSTATED),
        ("roles/writer.md", 6, UNREAD),
    ],
    "up-linear": [
        ("roles/indexer.md", 1, UNSTATED),
        ("roles/indexer.md", 6, UNREAD),
        ("roles/writer.md", 1, UNSTATED),
        ("roles/writer.md", 6, UNREAD),
    ],
    "up-self": [("roles/loop.md", 6, UNREAD)],
}


def test_the_rules_on_single_roles_find_what_the_contract_says_and_no_more(
    shared: Path, check: Callable[[Path, Sequence[str]], tuple[Result, ...]]
) -> None:
    rules = [UNREAD, UNSTATED, APART, "role-authoring", "no-write-scope", "unbounded-write", "bad-cron", "unknown-key"]
    rules += ["conflict-copy", "graph-note-trigger"]
    found = {
        expected.parent.name: [(one.at.path, one.at.span.line, one.rule.name) for one in check(expected.parent, rules)]
        for expected in sorted((shared / "rolesets").glob("*/EXPECTED.json"))
    }
    assert found == SINGLE


RACES_AND_LOSSES = {
    # Each tick may bring many transcripts while the segmenter, which skips, still runs; so do its segments further on.
    "docs-demo": ["transcript-segment lost-update", "transcript-wiki lost-update"],
    "docs-fleet-krisp-new": ["transcript-segment lost-update", "transcript-wiki lost-update"],
    # `ingest` writes transcripts/**, `extract` transcripts/notes/**, and both run in the wave of a tick.
    "krisp-cycle": ["extract lost-update", "extract write-race", "segment lost-update"],
    # Depth cuts the tick off the segmenter, which an edit still wakes.
    "krisp-dead-edge": ["extract lost-update"],
    "krisp-excluded-part": ["extract lost-update", "segment lost-update"],
    "krisp-knowledge-v1": ["extract lost-update", "segment lost-update"],
}


def test_the_shared_fleets_race_and_lose_only_where_the_facts_say_so(
    shared: Path, check: Callable[[Path, Sequence[str]], tuple[Result, ...]]
) -> None:
    for vault in sorted((shared / "rolesets").glob("*/")):
        found = check(vault, ["write-race", "lost-update"])
        said = sorted(f"{one.at.path.rpartition('/')[2].removesuffix('.md')} {one.rule.name}" for one in found)
        assert said == RACES_AND_LOSSES.get(vault.name, []), vault.name
