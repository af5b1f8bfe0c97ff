"""Random notes through all of the command: read, linted and written in every format, without a traceback."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleetlint.cli import main
from fleetlint.report import FORMATS

KEYS = (
    "fleet_id", "mode", "trigger_on", "trigger_include", "trigger_exclude", "read_patterns", "write_patterns",
    "attach_notes", "cron_schedule", "for_each", "concurrency", "max_depth", "timeout_seconds", "tools", "enabled",
    "executor", "Fleet-Id", "<<", "\u202e", "? a",
)  # fmt: skip
VALUES = (
    "", "desk", "change", "both", "cron", "[create, update]", "[a/**, 'b/*.md']", "a/**", "'[\"a/{b,c}/**\", \"x y\"]'",
    "[\"wiki/{a,b}/**\"]", "[[a], {b: c}]", "[a[, '{', '\\']", "**", "'*'", "!a", "&x [*x]", "*x", "~", "08", "1e3", "999999999999",
    "-1", "0", "7", "yes", "maybe", "0 6 * * *", "@daily", "CRON_TZ=UTC", "changed_files", "queue_one", "!!python/object:x",
    "2026-02-30", "{a: b}", "|\n  a\n  ---", "'\x1b[31m'", '"\\ud800 \\x00"', "# gone", "@", "`", "\t", "[" * 50, "é\u0301漢🗒",
)  # fmt: skip

LINES = st.one_of(
    st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)).map(lambda pair: f"{pair[0]}: {pair[1]}"),
    st.sampled_from(["", "...", "%YAML 1.2", "-", "---", "  - a", "\ufeff", "a: b: c", "```sh", "change_file"]),
    st.text(max_size=8),
)
NOTES = st.one_of(
    st.tuples(
        st.sampled_from(["---\n", "-\r\n", "\n---\n", "\ufeff---\n", " ---\n"]), st.lists(LINES, max_size=12)
    ).map(lambda parts: (parts[0] + "\n".join(parts[1]) + "\n---\nDo it.\n").encode("utf-8", "surrogatepass")),
    st.binary(max_size=60).map(b"---\nfleet_id: a\n".__add__),
)


def survives(notes: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "vault"
        root.mkdir()
        for number, content in enumerate(notes):
            (root / f"n{number}.md").write_bytes(content)
        outputs = [
            f"--format={name}" if part == 0 else f"--output={folder}/{name}" for name in FORMATS for part in (0, 1)
        ]
        assert main(["check", str(root), *outputs]) in (0, 1)
        for name in FORMATS:
            assert (Path(folder) / name).read_bytes().decode("utf-8") or name == "github"
        json.loads((Path(folder) / "json").read_bytes())
        json.loads((Path(folder) / "sarif").read_bytes())


@settings(max_examples=15, deadline=None)
@given(st.lists(NOTES, min_size=1, max_size=8))
def test_any_notes_are_linted_and_written_in_every_format(notes: list[bytes]) -> None:
    survives(notes)


@pytest.mark.slow
@settings(max_examples=500, deadline=60_000, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(NOTES, min_size=20, max_size=20))
def test_ten_thousand_notes_are_linted_and_written_in_every_format(notes: list[bytes]) -> None:
    survives(notes)
