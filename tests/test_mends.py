"""Mends: on random small fleets each does what it says, and nothing else."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fleetlint.lint import lint
from fleetlint.mends import mend_all, with_fixes
from fleetlint.rule import Severity
from fleetlint.settings import Settings
from fleetlint.vault.frontmatter import find_block, read_note
from fleetlint.vault.note import Vault

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fleetlint.edits import Fix
    from fleetlint.lint import Report, Result

SETTINGS = Settings()


def vault_of(texts: Mapping[str, str]) -> Vault:
    notes = []
    for path, text in sorted(texts.items()):
        data = text.encode()
        block = find_block(data)
        assert block
        notes.append(read_note(path, data, block))
    return Vault(Path("/vault"), tuple(notes), frozenset(), len(notes))


def judge(vault: Vault, rules: Sequence[str] | None = None) -> Report:
    return lint(vault, SETTINGS, select=rules)


def fixes_of(vault: Vault) -> list[tuple[Result, Fix]]:
    report, left_out = with_fixes(judge(vault), SETTINGS, judge)
    assert left_out == 0
    return [(result, result.fix) for result in report.results if result.fix]


def applied(texts: Mapping[str, str], fix: Fix) -> dict[str, str]:
    """The texts with the fix, put in as someone does who has but the SARIF log."""
    found = dict(texts)
    for change in fix.replacements:
        lines = found[change.path].split("\n")
        line, column, end_line, end_column = change.span
        head = "\n".join([*lines[: line - 1], lines[line - 1][: column - 1]])
        tail = "\n".join([lines[end_line - 1][end_column - 1 :], *lines[end_line:]])
        found[change.path] = head + change.text + tail
    return found


def role(**keys: object) -> str:
    lines = {"fleet_id": "desk", "mode": "change", "trigger_on": "[create, update]", "max_depth": 1} | keys
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in lines.items() if value is not None) + "---\nDo it.\n"


PATTERNS = ("a/**", "b/**", "a/x/**", "b/x.md", "**/x.md", "c/*", "a/[m-z]*.md", "{a,b}/y.md", "c d/**")


def random_fleet(rng: random.Random) -> dict[str, str]:
    def some(least: int, most: int) -> str:
        return "[" + ", ".join(f"'{rng.choice(PATTERNS)}'" for _ in range(rng.randint(least, most))) + "]"

    return {
        f"roles/{name}.md": role(
            mode=(mode := rng.choice(("change", "change", "change", "both", "cron"))),
            cron_schedule=None if mode == "change" else "'0 6 * * *'",
            trigger_include=some(1, 2),
            trigger_exclude=some(1, 1) if rng.random() < 0.3 else None,
            write_patterns=some(0, 2),
            read_patterns=some(1, 1) if rng.random() < 0.3 else None,
            max_depth=rng.choice((1, 1, 2, 3)),
            tools="[write_note]" if rng.random() < 0.5 else None,
        )
        for name in "abcd"[: rng.randint(1, 4)]
    }


def chains(report: Report, kind: str = "trigger") -> dict[tuple[str, str], frozenset[str]]:
    return {(edge.source, edge.target): edge.live for edge in report.graph.edges if edge.kind == kind}


@pytest.mark.parametrize("count", [30, pytest.param(600, marks=pytest.mark.slow)])
def test_a_proposed_edit_removes_its_finding_and_changes_the_graph_as_it_says(count: int) -> None:
    rng = random.Random(5)
    kinds: Counter[str] = Counter()
    for _ in range(count):
        texts = random_fleet(rng)
        vault = vault_of(texts)
        before = judge(vault)
        for result, fix in fixes_of(vault):
            kinds[result.rule.name] += 1
            after = judge(vault_of(applied(texts, fix)))
            assert result.fingerprint not in {one.fingerprint for one in after.results}
            was, now = chains(before), chains(after)
            cut = {pair for pair in was if pair not in now or (was[pair] and not now[pair])}
            fed = {pair for pair in chains(before, "feed") if pair not in chains(after, "feed") and pair not in now}
            assert cut | fed == set(fix.cuts)
            assert fix.mend.cuts in (None, cut | fed)
            assert {pair for pair in now if now[pair] - was.get(pair, frozenset()) or pair not in was} == set(fix.wakes)
            known = Counter(one.rule.name for one in before.results if one.severity != Severity.INFO)
            worse = Counter(one.rule.name for one in after.results if one.severity != Severity.INFO) - known
            assert not worse or fix.wakes or after.graph.nodes != before.graph.nodes
            assert not Counter(one.rule.name for one in after.results if one.severity == Severity.ERROR) - Counter(
                one.rule.name for one in before.results if one.severity == Severity.ERROR
            )
            if fix.safe:
                assert (was, before.graph.depths) == (now, after.graph.depths)
    assert {"self-trigger", "cycle", "severed-trigger", "mangled-pattern"} <= set(kinds)


@pytest.mark.parametrize("count", [15, pytest.param(200, marks=pytest.mark.slow)])
def test_all_that_is_mended_together_holds_together(count: int) -> None:
    rng = random.Random(7 + count)
    mended_at_all = 0
    for _ in range(count):
        report = judge(vault_of(random_fleet(rng)))
        for unsafe in (False, True):
            mended = mend_all(report, SETTINGS, judge, unsafe=unsafe)
            again = judge(mended.report.vault)
            assert [one.fingerprint for one in again.results] == [one.fingerprint for one in mended.report.results]
            assert not {one.result.fingerprint for one in mended.taken} & {one.fingerprint for one in again.results}
            if not unsafe:
                assert chains(again) == chains(report)
            else:
                mended_at_all += bool(mended.taken)
                assert mend_all(mended.report, SETTINGS, judge, unsafe=True).taken == ()
    assert mended_at_all > count / 4


# --- What is proposed, and what not ---


def only_fix(**texts: str) -> Fix | None:
    found = fixes_of(vault_of({f"{name}.md": text for name, text in texts.items()}))
    return found[0][1] if found else None


def test_a_self_trigger_is_broken_by_excluding_what_the_role_writes() -> None:
    fix = only_fix(a=role(trigger_include="[wiki/**]", write_patterns="[wiki/index.md, out/**]"))
    assert fix is not None
    assert fix.mend.sentence == "exclude `wiki/index.md` from the trigger of `a.md`"
    assert fix.mend.cuts == {("a.md", "a.md")}
    assert not fix.safe


def test_no_exclude_is_proposed_that_would_cut_another_role_off() -> None:
    reader = role(trigger_include="[wiki/**]", write_patterns="[wiki/index.md]")
    assert only_fix(a=reader, b=role(trigger_include="[in/**]", write_patterns="[wiki/index.md]", max_depth=2)) is None


def test_no_exclude_is_proposed_that_leaves_nothing_of_a_trigger() -> None:
    assert only_fix(a=role(trigger_include="[wiki/a/**]", write_patterns="[wiki/**]")) is None


def test_a_loop_is_broken_at_the_hop_that_can_be_spared() -> None:
    fix = only_fix(
        a=role(trigger_include="[x/**]", write_patterns="[y/**]", max_depth=3),
        b=role(trigger_include="[y/**]", write_patterns="[x/back/**]", max_depth=3),
    )
    assert fix is not None
    assert fix.mend.cuts == {("b.md", "a.md")}
    assert [change.text for change in fix.replacements] == ["trigger_exclude: [x/back/**]\n"]


def test_two_loops_that_share_no_hop_are_broken_together() -> None:
    fix = only_fix(
        a=role(trigger_include="[a/**]", write_patterns="[b/in/**, c/in/**]", max_depth=3),
        b=role(trigger_include="[b/**]", write_patterns="[a/b/**]", max_depth=3),
        c=role(trigger_include="[c/**]", write_patterns="[a/c/**]", max_depth=3),
    )
    assert fix is not None
    assert fix.mend.cuts == {("b.md", "a.md"), ("c.md", "a.md")}


def test_a_severed_chain_is_revived_by_a_deeper_guard() -> None:
    fix = only_fix(
        a=role(trigger_include="[in/**]", write_patterns="[mid/note.md]", tools="[write_note]"),
        b=role(trigger_include="[mid/*]", max_depth=1, tools="[read_note]"),
    )
    assert fix is not None
    assert fix.mend.sentence == "set `max_depth` of `b.md` to 2"
    assert fix.wakes == (("a.md", "b.md"),)


def test_a_mangled_list_that_is_only_read_is_mended_safely() -> None:
    fix = only_fix(a=role(trigger_include="[in/**]", read_patterns="['my notes/**', '{x,y}/*']", tools="[read_note]"))
    assert fix is not None
    assert fix.safe
    assert [change.text for change in fix.replacements] == ['\'["my notes/**", "{x,y}/*"]\'']


def test_a_mangled_list_that_may_write_more_when_mended_is_not_mended_safely() -> None:
    fix = only_fix(a=role(trigger_include="[in/**]", write_patterns="['{x,y}/*']", tools="[write_note]"))
    assert fix is not None
    assert not fix.safe


def test_a_mistyped_exclude_takes_effect_and_what_it_cuts_is_named() -> None:
    mistyped = role(trigger_include="[wiki/**]", trigger_exlude="[wiki/x.md]", write_patterns="[wiki/x.md]")
    fixes = {result.rule.name: fix for result, fix in fixes_of(vault_of({"a.md": mistyped}))}
    assert [change.text for change in fixes["unknown-key"].replacements] == ["c"]
    assert fixes["unknown-key"].cuts == (("a.md", "a.md"),)


def test_a_superfluous_pattern_is_dropped_safely() -> None:
    fix = only_fix(a=role(trigger_include="[in/**, in/a/*]", tools="[read_note]"))
    assert fix is not None
    assert fix.safe
    assert fix.mend.sentence == "drop `in/a/*` from `trigger_include` of `a.md`"


def test_a_guard_that_is_left_out_is_stated_but_not_safely() -> None:
    fix = only_fix(a=role(trigger_include="[in/**]", tools="[read_note]", max_depth=None))
    assert fix is not None
    assert not fix.safe
    assert [change.text for change in fix.replacements] == ["max_depth: 1\n"]


@pytest.mark.parametrize("value", ["['a/**, b/**']", "[\"'a b'\"]", "a/{x,y}/** b/**", "[['a b']]"])
def test_a_list_that_may_be_meant_in_two_ways_is_left_alone(value: str) -> None:
    assert only_fix(a=role(trigger_include="[in/**]", read_patterns=value, tools="[read_note]")) is None


def test_what_yaml_misreads_comes_to_life_in_quotes() -> None:
    fix = only_fix(a=role(trigger_include="[*/x.md]", tools="[read_note]"))
    assert fix is not None
    assert not fix.safe
    assert fix.mend.sentence == "put in quotes what YAML misreads on line 6 of `a.md`"


@pytest.mark.parametrize(
    ("key", "before", "after"),
    [
        ("trigger_include", "['**.md', b/**]", "['**/*.md', b/**]"),
        ("trigger_include", "[a/** , wiki** ] # both", "[a/** , wiki/** ] # both"),
        ("trigger_include", '["secret/"]', '["secret/**"]'),
        ("trigger_include", "\n  - a/**\n  - 'week-{1..3}.md'  # three", "\n  - a/**\n  - 'week-[1-3].md'  # three"),
        ("trigger_include", "[notes//a.md]", "[notes/a.md]"),
        ("trigger_include", "[~/notes/**]", "[notes/**]"),
        ("trigger_include", """'["a/**", ""]'""", """'["a/**"]'"""),
        ("trigger_include", "[a/**, '!a/b/**']", "[a/**]\ntrigger_exclude: [a/b/**]"),
        ("trigger_include", "[notes/private]", "[notes/private/**]"),
        ("trigger_include", "['Notes/*.md']", "['notes/*.md']"),
        ("attach_notes", "[a/*.md, '!a/**.md']", "[a/*.md, '!a/**/*.md']"),
        ("attach_notes", "[a/**, '!!a/b/*.md']", "[a/**, '!a/b/*.md']"),
    ],
)
def test_a_pattern_that_can_mean_one_thing_only_is_respelled_and_nothing_else(
    key: str, before: str, after: str
) -> None:
    keys = {"trigger_include": "[in/**]", "tools": "[read_note]"}
    texts = {"a.md": role(**keys | {key: before})}
    vault = replace(vault_of(texts), folders=frozenset({"notes", "notes/private"}))
    (fix,) = [fix for result, fix in fixes_of(vault) if result.rule.name == "suspicious-pattern"]
    assert applied(texts, fix) == {"a.md": role(**keys | {key: after})}


@pytest.mark.parametrize("pattern", ["private", "a**b.md", "a\\b.md", "'{1..20}.md'", "'{ab..cd}.md'"])
def test_a_pattern_that_can_mean_several_things_is_left_alone(pattern: str) -> None:
    assert only_fix(a=role(trigger_include=f"[in/**, {pattern}]", tools="[read_note]")) is None


def test_an_exclude_that_may_be_meant_as_an_exception_is_left_alone() -> None:
    excludes = "[in/a/**, '!in/a/b/**']"
    assert only_fix(a=role(trigger_include="[in/**]", trigger_exclude=excludes, tools="[read_note]")) is None


def test_an_event_by_another_name_is_mended() -> None:
    fix = only_fix(a=role(trigger_on="[delete]", trigger_include="[in/**]", tools="[read_note]"))
    assert fix is not None
    assert not fix.safe
    assert [change.text for change in fix.replacements] == ["remov"]
    assert only_fix(a=role(trigger_on="[tick]", trigger_include="[in/**]", tools="[read_note]")) is None


def test_what_is_left_untried_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fleetlint.mends.LEAST", 2)
    monkeypatch.setattr("fleetlint.mends.MOST_SHOWN", 0)
    texts = {f"{n}.md": role(trigger_include=f"['{n}/**']", write_patterns=f"['{n}/index.md']") for n in "abcde"}
    report, left_out = with_fixes(judge(vault_of(texts)), SETTINGS, judge)
    assert left_out == 3
    assert sum(result.fix is not None for result in report.results) == 2


def test_many_mends_take_few_trials() -> None:
    texts = {f"{n}.md": role(trigger_include=f"[n{n}/**]", write_patterns=f"[n{n}/index.md]") for n in range(64)}
    texts["z.md"] = role(trigger_include="[n0/**, z/**]", write_patterns="[z/**]")
    trials = 0

    def counted(vault: Vault, rules: Sequence[str]) -> Report:
        nonlocal trials
        trials += 1
        return judge(vault, rules)

    report = judge(vault_of(texts))
    mended = mend_all(report, SETTINGS, counted, unsafe=True)
    assert len(mended.taken) == 64
    assert trials < 20
    assert [one.finding.nodes for one in mended.report.results if one.rule.name == "self-trigger"] == [("z.md",)]


def test_a_mend_that_is_not_allowed_to_touch_a_note_is_not_made() -> None:
    report = judge(vault_of({"a.md": role(trigger_include="[x/**]", write_patterns="[x/index.md]")}))
    assert mend_all(report, SETTINGS, judge, unsafe=True, may_touch=lambda path: path != "a.md").taken == ()
    assert mend_all(replace(report, results=()), SETTINGS, judge, unsafe=True).taken == ()
    safe = mend_all(report, SETTINGS, judge, unsafe=False)
    assert (safe.taken, safe.withheld) == ((), 1)
