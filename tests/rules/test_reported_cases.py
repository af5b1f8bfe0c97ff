"""What people reported about vaults like theirs, retold as tiny vaults: which finding stands where."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from fleetlint.lint import Result

    Check = Callable[[Path, Sequence[str]], tuple[Result, ...]]
    Flagged = Callable[..., list[str]]

QUIET = ("orphan-write", "dangling-trigger", "blind-write")
"""Every tiny vault has ends, and roles that read nothing; these are asked for by name only."""


@pytest.fixture
def results(tmp_path: Path, check: Check) -> Callable[..., tuple[Result, ...]]:
    """Lints a vault of these files with the named rules, or with all but the quiet ones."""

    def of(files: Mapping[str, str | bytes], *rules: str) -> tuple[Result, ...]:
        from fleetlint_rules import RULES

        for path, content in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(content if isinstance(content, bytes) else content.encode())
        return check(tmp_path, rules or [rule.name for rule in RULES if rule.name not in QUIET])

    return of


@pytest.fixture
def flagged(results: Callable[..., tuple[Result, ...]]) -> Flagged:
    """The findings as `path:line severity rule`."""

    def of(files: Mapping[str, str | bytes], *rules: str) -> list[str]:
        return [f"{one.at.path}:{one.at.span.line} {one.severity} {one.rule.name}" for one in results(files, *rules)]

    return of


def change(include: str, write: str, *more: str, on: str = "[create, update]", depth: int = 1) -> str:
    """A change role: fleet_id on line 2, mode 3, trigger_on 4, trigger_include 5, write_patterns 6, max_depth 7."""
    keys = [
        "fleet_id: t",
        "mode: change",
        f"trigger_on: {on}",
        f"trigger_include: {include}",
        f"write_patterns: {write}",
    ]
    return "\n".join(["---", *keys, f"max_depth: {depth}", *more, "---", "Do it.", ""])


# Patterns


def test_a_bare_folder_excludes_nothing_and_leaves_the_edge(results: Callable[..., tuple[Result, ...]]) -> None:
    found = results(
        {
            "roles/all.md": change('["**"]', "[out/**]", 'trigger_exclude: ["private", "secret/"]', depth=9),
            "roles/w.md": change("[x/**]", "[private/a.md]"),
        }
    )
    said = [(one.at.path, one.at.span.line, one.rule.name, one.finding.help) for one in found]
    assert [entry[:3] for entry in said[:2]] == [
        ("roles/all.md", 5, "graph-note-trigger"),
        ("roles/all.md", 6, "self-trigger"),
    ]
    assert [entry for entry in said if entry[2] == "suspicious-pattern"] == [
        (
            "roles/all.md",
            8,
            "suspicious-pattern",
            "write `private/**` for all notes in it, or `private.md` for a note of that name",
        ),
        ("roles/all.md", 8, "suspicious-pattern", "write `secret/**`"),
    ]


def test_an_exclamation_mark_takes_nothing_away(results: Callable[..., tuple[Result, ...]]) -> None:
    (one,) = results({"roles/a.md": change('["wiki/**", "!wiki/private/**"]', "[out/**]")})
    assert (one.at.span.line, one.severity, one.rule.name) == (5, "warn", "suspicious-pattern")
    assert one.finding.help == "put `wiki/private/**` into `trigger_exclude`"


def test_an_unquoted_exclamation_mark_is_a_yaml_error(flagged: Flagged) -> None:
    assert flagged({"roles/a.md": change("[!wiki/**]", "[out/**]")}) == ["roles/a.md:5 error broken-frontmatter"]


@pytest.mark.parametrize("rooted", ["/wiki/**", "./wiki/**", "/./wiki/**"])
def test_a_rooted_spelling_is_what_the_server_strips(rooted: str, flagged: Flagged) -> None:
    assert flagged({"roles/a.md": change(f"[{rooted}]", "[out/**]")}) == []


@pytest.mark.parametrize(
    ("odd", "repaired"),
    [("wiki//**", "wiki/**"), ("wiki/../wiki/**", "wiki/**"), ("~/notes/**", "notes/**"), ("wiki/./a.md", "wiki/a.md")],
)
def test_a_path_that_no_note_has_comes_with_its_repair(
    odd: str, repaired: str, results: Callable[..., tuple[Result, ...]]
) -> None:
    (one,) = results({"roles/a.md": change(f'["{odd}"]', "[out/**]")})
    assert (one.rule.name, one.finding.help) == ("suspicious-pattern", f"write `{repaired}`")


def test_a_folder_with_a_space_is_cut_in_two(results: Callable[..., tuple[Result, ...]]) -> None:
    (one,) = results({"roles/a.md": change('["My Notes/**"]', "[out/**]")})
    assert (one.at.span.line, one.severity, one.rule.name) == (5, "error", "mangled-pattern")
    assert one.finding.data["seen"] == ["My", "Notes/**"]
    assert "trigger_include: '[\"My Notes/**\"]'" in one.finding.help


def test_a_list_in_one_quoted_json_text_survives(flagged: Flagged) -> None:
    assert flagged({"roles/a.md": change('\'["My Notes/**","{a,b}/**"]\'', "[out/**]")}) == []


def test_brackets_of_a_folder_name_are_a_class(results: Callable[..., tuple[Result, ...]]) -> None:
    found = results(
        {
            "roles/a.md": change('["notes/[2026]/**"]', "[out/**]", depth=2),
            "roles/w.md": change("[x/**]", "[notes/2/a.md]"),
        }
    )
    assert [(one.at.path, one.rule.name, one.finding.help) for one in found] == [
        ("roles/a.md", "suspicious-pattern", r"write `notes/\[2026\]/**`, in single quotes")
    ]


def test_a_hidden_folder_is_under_two_stars_without_a_word(flagged: Flagged) -> None:
    vault = {"roles/a.md": change('["**/*.md"]', "[out/table.csv]", "trigger_exclude: [_fleet-graph.md]")}
    assert flagged(vault) == []


def test_an_empty_entry_is_a_warning(flagged: Flagged) -> None:
    vault = {"roles/a.md": change('\'["", "in/**"]\'', "[out/**]")}
    assert flagged(vault) == ["roles/a.md:5 warn suspicious-pattern"]


def test_a_million_brace_alternatives_do_not_hang(flagged: Flagged) -> None:
    twenty = "{a,b}" * 20
    assert flagged({"roles/a.md": change(f"'[\"{twenty}/**\"]'", "[out/**]")}) == []


# Loops


def test_an_update_that_writes_the_record_again_is_an_error(flagged: Flagged) -> None:
    vault = {"roles/a.md": change("[crm/**]", "[crm/deal.md]", on="[update]", depth=3)}
    assert flagged(vault) == ["roles/a.md:6 error self-trigger"]


@pytest.mark.parametrize(("depth", "severity", "reruns"), [(1, "warn", 0), (2, "error", 1)])
def test_depth_decides_how_bad_a_self_trigger_is(
    depth: int, severity: str, reruns: int, results: Callable[..., tuple[Result, ...]]
) -> None:
    both = change("[site/**]", "[site/**]", 'cron_schedule: "0 6 * * *"', depth=depth).replace(
        "mode: change", "mode: both"
    )
    (one,) = results({"roles/a.md": both})
    assert (one.rule.name, one.severity, one.finding.data["reruns"]) == ("self-trigger", severity, reruns)


def test_an_exclude_of_the_whole_overlap_ends_a_self_trigger(flagged: Flagged) -> None:
    vault = {
        "roles/bad.md": change("[uploads/**]", "[uploads/done/**]", depth=2),
        "roles/good.md": change("[up2/**]", "[up2/done/**]", "trigger_exclude: [up2/done/**]", depth=2),
    }
    assert flagged(vault) == ["roles/bad.md:6 error self-trigger"]


def test_a_log_under_two_stars_wakes_its_own_role(flagged: Flagged) -> None:
    vault = {"roles/a.md": change('["**"]', "[log/**]")}
    assert flagged(vault) == ["roles/a.md:5 error graph-note-trigger", "roles/a.md:6 warn self-trigger"]


def test_fan_out_makes_a_loop_of_one_lap_an_error(flagged: Flagged) -> None:
    vault = {
        "roles/a.md": change("[y/**]", "[x/**]", "for_each: changed_files"),
        "roles/b.md": change("[x/**]", "[y/**]"),
    }
    assert flagged(vault) == ["roles/a.md:6 error cycle"]
    vault["roles/a.md"] = vault["roles/a.md"].replace("changed_files", "changed_files\nconcurrency: skip")
    assert flagged(vault) == ["roles/a.md:6 warn cycle"]


def test_a_cron_writer_never_wakes_a_role_of_depth_one(results: Callable[..., tuple[Result, ...]]) -> None:
    ingest = '---\nfleet_id: t\nmode: cron\ncron_schedule: "* * * * *"\nwrite_patterns: [transcripts/**]\n---\nx\n'
    (one,) = results({"roles/ingest.md": ingest, "roles/agent.md": change("[transcripts/**]", "[segments/**]")})
    assert (one.at.path, one.at.span.line, one.rule.name) == ("roles/agent.md", 7, "severed-trigger")
    assert (one.finding.data["needed"], one.finding.data["cut"], one.finding.data["live"]) == (
        2,
        ["roles/ingest.md"],
        [],
    )


@pytest.mark.parametrize(
    ("excludes", "lines"),
    [
        ("[wiki/**]", ["roles/a.md:5 error dead-trigger"]),
        # `wiki/*/**` takes `wiki/a.md` as well.
        ('["wiki/*", "wiki/*/**"]', ["roles/a.md:5 error dead-trigger", "roles/a.md:8 info redundant-pattern"]),
        ("[wiki/private/**]", []),
        ("[other/**]", ["roles/a.md:8 info redundant-pattern"]),
    ],
)
def test_an_exclude_of_all_and_only_that_kills_a_trigger(excludes: str, lines: list[str], flagged: Flagged) -> None:
    assert flagged({"roles/a.md": change("[wiki/**]", "[out/**]", f"trigger_exclude: {excludes}")}) == lines


# Roles


@pytest.mark.parametrize(
    ("events", "mend"),
    [
        ("[Create]", "write `trigger_on: [create]`"),
        ("[delete]", "write `trigger_on: [remove]`"),
        ("[updated, created]", "write `trigger_on: [update, create]`"),
        ("[rename]", "use `create`, `update` or `remove`"),
    ],
)
def test_an_unknown_event_never_comes(events: str, mend: str, results: Callable[..., tuple[Result, ...]]) -> None:
    (one,) = results({"roles/a.md": change("[in/**]", "[out/**]", on=events)})
    assert (one.at.span.line, one.severity, one.rule.name, one.finding.help) == (4, "error", "dead-trigger", mend)


def test_keys_of_older_fleets_and_of_the_role_itself_are_no_finding(flagged: Flagged) -> None:
    code = (
        '---\nfleet_id: t\nmode: cron\ncron_schedule: "0 6 * * *"\nwrite_patterns: [out/**]\nexecutor: code\n'
        'env_passthrough: ["API_TOKEN"]\napi_base_url: x\nmin_seconds: 30\n---\n\n'
        '```python\nprint(\'{"changes": [], "answer": "ok"}\')\n```\n'
    )
    assert flagged({"roles/a.md": code}) == []


def test_keys_one_typo_away_are_said_with_the_right_spelling(results: Callable[..., tuple[Result, ...]]) -> None:
    code = '---\nfleet_id: t\nmode: cron\ncron_schedule: "0 6 * * *"\nwrite_patterns: ["out/**"]\nwrite_pattern: ["o/**"]\n---\nx\n'
    too_few = (
        '---\nFleet_ID: t\nmode: change\ntrigger-on: [update]\ntrigger-include: ["in/**"]\n'
        'write_pattern: ["out/**"]\n---\nx\n'
    )
    found = results({"roles/a.md": too_few, "roles/b.md": code})
    assert [(one.at.path, one.at.span.line, one.rule.name, one.finding.data["known"]) for one in found] == [
        ("roles/a.md", 2, "unknown-key", "fleet_id"),
        ("roles/a.md", 4, "unknown-key", "trigger_on"),
        ("roles/a.md", 5, "unknown-key", "trigger_include"),
        ("roles/a.md", 6, "unknown-key", "write_patterns"),
        ("roles/b.md", 6, "unknown-key", "write_patterns"),
    ]


def test_write_tools_without_a_scope_are_a_warning(flagged: Flagged) -> None:
    vault = {
        "roles/a.md": change("[in/**]", "[]", "tools: [read_note, write_note]").replace("write_patterns: []\n", ""),
        "roles/b.md": change("[in/**]", "[]", "tools: [patch_note]"),
    }
    assert flagged(vault) == ["roles/a.md:7 warn no-write-scope", "roles/b.md:6 warn no-write-scope"]


def test_a_role_that_may_write_role_notes_is_an_error_that_lists_them(
    results: Callable[..., tuple[Result, ...]],
) -> None:
    vault = {"roles/a.md": change("[in/**]", '["**"]'), "agents/b.md": change("[in/**]", "[agents/**]")}
    found = [one for one in results(vault) if one.rule.name == "role-authoring"]
    assert [(one.at.path, one.severity, one.finding.data["role_notes"]) for one in found] == [
        ("agents/b.md", "error", ["agents/b.md"]),
        ("roles/a.md", "error", ["roles/a.md", "agents/b.md"]),
    ]
    assert "current fleets refuse such writes" in found[0].finding.help


# Schedules


@pytest.mark.parametrize(
    ("schedule", "severity", "word"),
    [
        ("@daily", "error", "`0 0 * * *`"),
        ("@every 5m", "error", "`*/5 * * * *`"),
        ("0 0 * * 7", "error", "0 or SUN"),
        ("0 0 * * 5-7", "error", "0 or SUN"),
        ("0 0 * * 0", None, ""),
        ("0 0 * * SUN", None, ""),
        ("0 0 * * MON-FRI", None, ""),
        ("0 0 * * FRI-MON", "error", "5-6,0-1"),
        ("CRON_TZ=UTC", "error", "crashes the server"),
        ("TZ=", "error", "crashes the server"),
        ("CRON_TZ=Europe/Paris 0 6 * * *", None, ""),
        ("TZ=Mars/Phobos 0 6 * * *", "error", "does not exist"),
        ("0 9 1 * 1", "info", "day of week (`1`)"),
        ("0 0 30 2 0", "info", "day of week (`0`)"),
        ("0 0 31 2 *", "error", "at every tick"),
        ("0 0 29 2 *", None, ""),
        ("*-5 * * * *", "info", "`*`"),
        ("+5 * * * *", "info", "`+`"),
        ("00 08 * * *", None, ""),
        ("1.5 * * * *", "error", "no number"),
        ("-1 * * * *", "error", "lacks a number"),
        ("\u0663 * * * *", "error", "no number"),
    ],
)
def test_a_schedule_is_read_as_the_server_reads_it(
    schedule: str, severity: str | None, word: str, results: Callable[..., tuple[Result, ...]]
) -> None:
    note = f'---\nfleet_id: t\nmode: cron\ncron_schedule: "{schedule}"\nwrite_patterns: [out/**]\n---\nx\n'
    found = results({"roles/a.md": note})
    assert [(one.rule.name, one.severity, one.at.span.line) for one in found] == (
        [("bad-cron", severity, 4)] if severity else []
    )
    assert all(word in one.finding.message + one.finding.help for one in found)


# YAML


def test_crlf_changes_nothing(flagged: Flagged) -> None:
    vault = {"roles/a.md": change("[crm/**]", "[crm/deal.md]", depth=3).replace("\n", "\r\n")}
    assert flagged(vault) == ["roles/a.md:6 error self-trigger"]


@pytest.mark.parametrize(
    ("lines", "at", "word"),
    [
        (["mode: cron", "write_patterns:", "\t- out/**"], 5, "tab"),
        (["mode: change", "trigger_include:", "  - {a,b}/**"], 5, "quote"),
        (["description: Step 1: segment", "mode: change"], 3, "quote"),
        (["description: [[Index]] keeper", "mode: change"], 3, "quote"),
        (["tags: [#fleet]", "mode: change"], 3, "quote"),
        (["model: @cf/meta/llama-3", "mode: change"], 3, "quote"),
    ],
)
def test_yaml_that_does_not_parse_is_said_at_its_line(
    lines: list[str], at: int, word: str, results: Callable[..., tuple[Result, ...]]
) -> None:
    note = "\n".join(["---", "fleet_id: t", *lines, "---", "x", ""])
    (one,) = results({"roles/a.md": note})
    assert (one.rule.name, one.severity, one.at.span.line) == ("broken-frontmatter", "error", at)
    assert word in one.finding.message + one.finding.help


def test_a_list_of_wikilinks_is_no_finding(flagged: Flagged) -> None:
    assert flagged({"roles/a.md": change("[in/**]", "[out/**]", "up: [[Index]]")}) == []


def test_keys_that_are_no_texts_do_no_harm(results: Callable[..., tuple[Result, ...]]) -> None:
    note = '---\nfleet_id: t\nmode: change\non: [create]\ntrigger_include: ["in/**"]\n1: x\n2026-01-01: y\n---\nx\n'
    found = results({"roles/a.md": note})
    assert {one.rule.name for one in found} == {"invalid-role", "no-write-scope", "zero-depth"}
    assert [one.finding.message for one in found if one.rule.name == "invalid-role"] == [
        "`mode: change` needs `trigger_on`"
    ]


def test_fences_of_any_length_open_and_close_a_header(flagged: Flagged) -> None:
    keys = 'fleet_id: t\nmode: crn\ncron_schedule: "0 6 * * *"\n'
    vault = {"roles/a.md": f"----\n{keys}----------\nx\n", "roles/b.md": f" ---\n{keys}--- \t\nx\n"}
    assert flagged(vault) == ["roles/a.md:3 error invalid-role", "roles/b.md:3 error invalid-role"]


def test_dashes_in_a_text_block_end_the_header(flagged: Flagged) -> None:
    note = "---\nfleet_id: t\ndescription: |\n  Format:\n  ---\n  id: x\nmode: change\ntrigger_on: [update]\n---\nx\n"
    found = flagged({"roles/a.md": note})
    assert "roles/a.md:5 warn missed-frontmatter" in found
    assert [line.partition(" ")[2] for line in found if "invalid" in line] == ["error invalid-role"]


def test_leading_zeros_are_octal_and_eight_is_not_refused(results: Callable[..., tuple[Result, ...]]) -> None:
    note = change("[in/**]", "[out/**]", "max_steps: 08").replace("max_depth: 1", "max_depth: 010")
    found = results({"roles/a.md": note})
    assert {(one.rule.name, one.severity) for one in found} == {("missed-frontmatter", "warn")}
    assert 7 in {one.at.span.line for one in found}


@pytest.mark.parametrize(
    "line", ["max_depth: 99999999999999999999", "max_depth: 1000", "max_depth: 3.5", "max_depth: -1"]
)
def test_a_depth_that_the_server_refuses_is_invalid(line: str, flagged: Flagged) -> None:
    vault = {"roles/a.md": change("[in/**]", "[out/**]").replace("max_depth: 1", line)}
    assert flagged(vault) == ["roles/a.md:7 error invalid-role"]


def test_a_timeout_of_two_hours_is_invalid(flagged: Flagged) -> None:
    vault = {"roles/a.md": change("[in/**]", "[out/**]", "timeout_seconds: 7200")}
    assert flagged(vault) == ["roles/a.md:8 error invalid-role"]


def test_dates_are_texts(flagged: Flagged) -> None:
    note = change("[in/**]", "[out/**]", "created: 2026-01-02T10:00:00Z", "updated: 2026-02-30")
    assert flagged({"roles/a.md": note.replace("fleet_id: t", "fleet_id: 2026-01-02")}) == []


def test_a_list_that_holds_itself_is_broken(flagged: Flagged) -> None:
    note = '---\nfleet_id: t\nmode: cron\ncron_schedule: "0 6 * * *"\nwrite_patterns: &x [*x]\n---\nx\n'
    assert flagged({"roles/a.md": note}) == ["roles/a.md:5 error broken-frontmatter"]


def test_a_note_that_is_not_utf_8_is_broken_and_hides_no_other(flagged: Flagged) -> None:
    vault = {
        "roles/a.md": b'---\nfleet_id: t\ndescription: caf\xe9\nmode: cron\ncron_schedule: "0 6 * * *"\n---\nx\n',
        "notes/photo.md": b"\x89PNG\r\n\x1a\n\x00\x00",
        "roles/ok.md": change("[in/**]", "[in/**]"),
    }
    assert flagged(vault) == ["roles/a.md:3 error broken-frontmatter", "roles/ok.md:6 warn self-trigger"]


def test_a_zero_width_space_in_a_mode_is_shown(results: Callable[..., tuple[Result, ...]]) -> None:
    note = change("[in/**]", "[out/**]").replace("mode: change", "mode: change\u200b")
    (one,) = results({"roles/a.md": note})
    assert (one.rule.name, "U+200B" in one.finding.message) == ("invalid-role", True)


def test_a_line_separator_ends_the_line_and_the_key_behind_it_counts(flagged: Flagged) -> None:
    note = change("[in/**]", "[out/**]", "description: x\u2028enabled: no")
    assert flagged({"roles/a.md": note}) == ["roles/a.md:8 warn missed-frontmatter"]


def test_one_text_for_a_list_is_split_as_meant(flagged: Flagged) -> None:
    assert flagged({"roles/a.md": change("in/**", "out/** log/**", on="create, update")}) == []


def test_a_comment_that_cuts_a_pattern_is_said(flagged: Flagged) -> None:
    note = change("\n  - notes #inbox/**", "[notes/#inbox/**]")
    assert "roles/a.md:6 warn missed-frontmatter" in flagged({"roles/a.md": note})


@pytest.mark.parametrize("before", ["\n", "<!-- x -->\n", "\ufeff"])
def test_a_header_has_to_begin_on_line_one(before: str, results: Callable[..., tuple[Result, ...]]) -> None:
    (one,) = results({"roles/a.md": before + change("[in/**]", "[in/**]")})
    assert (one.rule.name, one.severity) == ("missed-frontmatter", "warn")


def test_a_role_shown_in_a_code_block_is_no_role(flagged: Flagged) -> None:
    page = "---\ntitle: Fleet\nfree: true\n---\n\n```yaml\n" + change("[in/**]", "[in/**]") + "```\n"
    assert flagged({"docs/fleet.md": page}, *QUIET, "self-trigger", "missed-frontmatter") == []


def test_an_id_without_a_value_is_nobody_s(flagged: Flagged) -> None:
    ids = {"a": "", "b": " ~", "c": ' ""', "d": " 42", "e": ' "codex "'}
    vault = {
        f"roles/{name}.md": change(f"[in{name}/**]", f"[out{name}/**]").replace("fleet_id: t", f"fleet_id:{value}")
        for name, value in ids.items()
    }
    assert flagged(vault) == [f"roles/{name}.md:2 warn unclaimed-role" for name in "abc"]


def test_what_follows_the_end_of_a_document_is_lost(flagged: Flagged) -> None:
    found = flagged({"roles/a.md": "---\nfleet_id: t\n...\nmode: change\n---\nx\n"})
    assert [line for line in found if "missed-frontmatter" in line] == ["roles/a.md:3 warn missed-frontmatter"]


def test_a_yaml_directive_breaks_the_header(flagged: Flagged) -> None:
    vault = {"roles/b.md": "---\n%YAML 1.2\nfleet_id: t\nmode: change\n---\nx\n"}
    assert flagged(vault) == ["roles/b.md:2 error broken-frontmatter"]


def test_tags_are_dropped_and_never_run(flagged: Flagged, tmp_path: Path) -> None:
    evil = f'y: !!python/object/apply:os.mkdir ["{tmp_path}/made"]'
    found = flagged({"roles/a.md": change("[in/**]", "[out/**]", "x: !foo 5", evil)})
    assert not (tmp_path / "made").exists()
    assert not [line for line in found if "error" in line]


# Vaults


def test_copies_and_nested_vaults_are_roles_like_others(flagged: Flagged) -> None:
    vault = {
        "roles/Segment.md": change("[in/**]", "[in/**]"),
        "roles/segment.md": change("[in2/**]", "[in2/**]"),
        ".fleet/roles/hidden.md": change("[in/**]", "[in/**]"),
        "roles/empty.md": "",
        "roles/dir.md/x.txt": "a folder with a note's name",
    }
    assert flagged(vault) == [
        "roles/Segment.md:6 warn self-trigger",
        "roles/segment.md:1 warn conflict-copy",
        "roles/segment.md:6 warn self-trigger",
    ]


def test_of_two_paths_that_differ_in_case_or_unicode_form_the_later_one_is_said(
    results: Callable[..., tuple[Result, ...]],
) -> None:
    paths = ["Roles/segment.md", "roles/Segment.md", "roles/cafe\u0301.md", "roles/caf\xe9.md", "roles/segment.md"]
    vault = {path: change(f"[in{number}/**]", f"[out{number}/**]") for number, path in enumerate(paths)}
    found = results(vault, "conflict-copy")
    assert [(one.at.path, one.finding.data["other"]) for one in found] == [
        ("roles/Segment.md", "Roles/segment.md"),
        ("roles/caf\xe9.md", "roles/cafe\u0301.md"),
        ("roles/segment.md", "Roles/segment.md"),
    ]
    assert "macOS and Windows" in found[0].finding.message


def test_conflict_copies_run_as_second_roles(flagged: Flagged) -> None:
    role = change("[in/**]", "[out/**]")
    vault = {
        "roles/a.md": role,
        "roles/a.sync-conflict-20260112-003022-ABCDEF7.md": role,
        "roles/a (conflicted copy 2026-01-02).md": role,
    }
    assert flagged(vault, "conflict-copy") == [
        "roles/a (conflicted copy 2026-01-02).md:1 warn conflict-copy",
        "roles/a.sync-conflict-20260112-003022-ABCDEF7.md:1 warn conflict-copy",
    ]
