from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetlint.report import mermaid
from fleetlint.roles.role import Problem
from fleetlint.rule import Severity
from fleetlint.vault.note import Span
from tests.report.builders import context, edge, feed, ghost, graph, node, report, result, rule
from tests.report.validators import mermaid_errors, mermaid_labels

if TYPE_CHECKING:
    from fleetlint.lint import Report

HOSTILE = (
    "end",
    "the end",
    "default index",
    "call (v2) [old] {x}",
    'say "hi"',
    "<img src=x onerror=alert(1)>",
    "a#quot;b #35;",
    "1. Collect",
    "- list",
    "--- x",
    "**bold** _it_ ~~no~~",
    "`code`",
    "back\\nslash",
    "%% comment %%{init: {}}%%",
    "subgraph; graph TD; click n1 href",
    "a | b",
    "style: #x ;y",
    "classDef a:#b;",
    "ﬂ°°60¶ß",
    "👩‍👩‍👧 семья 🚀",
    "عربي \u202e flipped",
    "tab\tnew\nline\rnul\0",
    "caf\udce9 \ud800",
    "x" * 10_000,
    "",
    ":::",
    "-->",
    "o",
    "x",
    "[[wiki link]]",
    "$x$ &amp; &#35;",
    "@{ shape: circle }",
)


def lines_of(of: Report) -> list[str]:
    return [line.strip() for line in mermaid.diagram(of).splitlines()]


def arrows_in(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if re.match(r" *n\d+ -", line)]


def hostile_reports() -> list[Report]:
    """Each name as a role, a fleet, a ghost, a folder of a collapsed graph, and all of them in one graph."""
    reports = [
        report(of=graph([node(f"{name}.md", (name, "other")), ghost("b.md")], [edge(f"{name}.md", "b.md")]))
        for name in HOSTILE
    ]
    everyone = [node(f"{number} {name}.md") for number, name in enumerate(HOSTILE)]
    every_edge = [edge(first.path, second.path) for first in everyone for second in everyone]
    reports.append(report(of=graph(everyone, every_edge[:400])))
    reports.append(report(of=graph([node(f"{name}/{n}.md") for n, name in enumerate(HOSTILE)], every_edge[:0])))
    return reports


def test_nodes_have_generated_ids_and_quoted_labels() -> None:
    lines = lines_of(report(of=graph([node("end.md"), node("roles/the_end.md")], [edge("end.md", "roles/the_end.md")])))
    assert lines[:3] == ["flowchart LR", 'n1["👤 human"]', 'n2["⚡ end"]']
    assert 'n3["⚡ the#95;end"]' in lines
    assert "n2 --> n3" in lines


def test_names_that_differ_in_one_sign_stay_apart() -> None:
    paths = ["roles/a b.md", "roles/a-b.md", "roles/a_b.md"]
    lines = lines_of(report(of=graph([node(path) for path in paths], [edge(*paths[:2]), edge(*paths[1:])])))
    labels = [line for line in lines if '["⚡' in line]
    assert labels == ['n2["⚡ a b"]', 'n3["⚡ a-b"]', 'n4["⚡ a#95;b"]']
    assert "n2 --> n3" in lines
    assert "n3 --> n4" in lines


def test_roles_with_one_stem_are_called_by_their_path() -> None:
    lines = lines_of(report(of=graph([node("a/index.md"), node("b/index.md"), node("b/x.md")])))
    assert 'n2["⚡ a/index"]' in lines
    assert 'n3["⚡ b/index"]' in lines
    assert 'n4["⚡ x"]' in lines


def test_a_label_says_mode_and_fan_out() -> None:
    nodes = [node("a.md", mode="cron", for_each="changed_files"), node("b.md", mode="both"), node("c.md", mode="bad")]
    lines = lines_of(report(of=graph(nodes)))
    assert [line.partition("[")[2] for line in lines if "[" in line][1:] == ['"⏰ a ×N"]', '"⚡⏰ b"]', '"c"]']


def test_fleets_have_a_class_each_and_are_named_when_there_are_several() -> None:
    text = mermaid.diagram(
        report(of=graph([node("a.md", ("krisp",)), node("b.md", ("desk",)), node("c.md", ("desk",))]))
    )
    assert "class n2 fleet2" in text
    assert "class n3,n4 fleet1" in text
    assert 'n2["⚡ a<br>krisp"]' in text
    assert "<br>" not in mermaid.diagram(report(of=graph([node("a.md"), node("b.md")])))


def test_conflict_invalid_ghost_and_paused_have_classes() -> None:
    problem = Problem("bad", "mend", None, Span(1, 1, 1, 1))
    nodes = [node("a.md", ("x", "y")), node("b.md", errors=(problem,)), ghost("c.md"), node("d.md", enabled=False)]
    lines = lines_of(report(of=graph(nodes)))
    assert [line for line in lines if line.startswith("class ")] == [
        "class n2 conflict",
        "class n4 ghost",
        "class n1 human",
        "class n3 invalid",
        "class n5 paused",
    ]
    assert "stroke:#c92a2a" in next(line for line in lines if line.startswith("classDef conflict"))


def test_a_feed_is_dashed_and_a_cut_trigger_grey_dotted_and_labelled() -> None:
    nodes = [node("a.md"), node("b.md"), node("c.md")]
    edges = [edge("a.md", "b.md", live=frozenset()), edge("b.md", "c.md", fanout=True, maybe_excluded=True), feed("c.md", "a.md")]  # fmt: skip
    lines = lines_of(report(of=graph(nodes, edges)))
    assert 'n2 -.->|"cut"| n3' in lines
    assert 'n3 -->|"×N, maybe-excluded"| n4' in lines
    assert "n4 -.-> n2" in lines
    assert "linkStyle 0 stroke:#8c8c8c,stroke-dasharray:2 4" in lines


def test_people_feed_the_triggers_that_no_role_writes_into() -> None:
    nodes = [node("a.md"), node("b.md"), node("c.md", mode="cron"), node("d.md", enabled=False), node("e.md")]
    edges = [edge("a.md", "b.md"), edge("a.md", "e.md")]
    dangling = result("e.md", rule("dangling-trigger", Severity.INFO))
    assert [arrow for arrow in arrows_in(mermaid.diagram(report([dangling], graph(nodes, edges)))) if arrow[:3] == "n1 "] == [
        "n1 --> n2",
        "n1 --> n6",
    ]  # fmt: skip


def test_without_such_a_trigger_nobody_is_drawn() -> None:
    of = graph([node("a.md"), node("b.md")], [edge("a.md", "b.md"), edge("b.md", "a.md")])
    assert "human" not in mermaid.diagram(report(of=of))


def test_the_note_is_a_fence_and_a_table_worst_first() -> None:
    results = [result("a.md"), result("b|c.md", rule("bad", Severity.ERROR), message="takes `x|y` of <b> & [[z]]")]
    note = mermaid.render(report(results, graph([node("a.md")])), context())
    assert note.startswith("```mermaid\nflowchart LR\n")
    rows = note.splitlines()[-2:]
    assert rows[0] == (r"| error | bad | `b\|c.md`:3:5 | takes `x\|y` of \<b\> \& \[\[z\]\] | narrow the write scope |")
    assert rows[1].startswith("| warn | a-fault | `a.md`:3:5 |")


def test_backticks_in_a_name_do_not_turn_the_table_into_code() -> None:
    note = mermaid.render(report([result("a`b.md", message="writes `a`b.md`")]), context())
    assert r"| \`a\`b.md\`:3:5 | writes \`a\`b.md\` |" in note


def test_no_line_of_a_finding_leaves_its_row() -> None:
    note = mermaid.render(report([result("a\nb.md", message="one\n\n## two\r\u2028three\0 \udce9")]), context())
    assert note.splitlines()[-1].startswith("| warn | a-fault | `a b.md`:3:5 | one  \\#\\# two  three\ufffd %E9 |")


def test_a_clean_vault_says_so() -> None:
    assert mermaid.render(report(of=graph([node("a.md")])), context()).endswith("```\n\nNo findings.\n")


def test_a_long_table_keeps_the_worst_and_counts_the_rest() -> None:
    results = [result("a.md")] * 150 + [result("z.md", severity=Severity.ERROR)]
    note = mermaid.render(report(results), context())
    assert "| error | a-fault | `z.md`:3:5 |" in note
    assert note.endswith("51 more findings are left out, the least severe.\n")


def crowd(folders: int, each: int) -> list[str]:
    return [f"roles/f{folder:03}/r{number:03}.md" for folder in range(folders) for number in range(each)]


def within_limits(text: str) -> bool:
    return len(arrows_in(text)) <= 500 and len(text.encode("utf-16-le")) // 2 <= 50_000


def test_500_arrows_are_drawn_whole() -> None:
    paths = crowd(1, 25)
    edges = [edge(first, second) for first in paths for second in paths][:500]
    text = mermaid.diagram(report(of=graph([node(path) for path in paths], edges, runs_at=1)))
    assert len(arrows_in(text)) == 500
    assert "%%" not in text


def test_a_large_graph_keeps_loops_and_findings_and_puts_the_others_in_folders() -> None:
    paths = crowd(4, 15)
    edges = [edge(first, second) for first in paths for second in paths]
    of = graph([node(path) for path in paths], edges[:900], loops=[tuple(paths[:2])], runs_at=1)
    note = mermaid.render(report([result(paths[3])], of), context())
    assert within_limits(mermaid.diagram(report([result(paths[3])], of)))
    assert '["⚡ f000/r000"]' not in note
    assert [name for name in ("r000", "r001", "r002", "r003") if f"/{name}" in note.partition("```\n")[0]] == [
        "r000",
        "r001",
        "r003",
    ]
    assert "roles/f001/<br>15 roles" in note
    assert "more than Mermaid draws: only roles in loops or with findings are drawn alone, others by folder." in note


@pytest.mark.parametrize(
    ("folders", "each", "loops", "says"),
    [
        (3, 40, False, "others by folder"),
        (3, 40, True, "roles are drawn by folder"),
        (60, 2, True, "roles are drawn by top folder"),
    ],
)
def test_what_is_drawn_gets_coarser_until_it_fits(folders: int, each: int, loops: bool, says: str) -> None:
    paths = crowd(folders, each)
    edges = [edge(first, second) for first in paths[:60] for second in paths]
    text = mermaid.diagram(
        report(of=graph([node(path) for path in paths], edges, loops=[tuple(paths)] if loops else []))
    )
    assert within_limits(text)
    assert says in text


def test_roles_at_the_root_are_one_box_when_all_of_them_loop() -> None:
    paths = [f"r{number}.md" for number in range(60)]
    edges = [edge(first, second) for first in paths for second in paths]
    of = graph([node(path, (f"f{path[:2]}",)) for path in paths], edges, loops=[tuple(paths)])
    assert "roles are drawn by folder" in mermaid.diagram(report(of=of))


def test_many_roles_at_the_root_of_many_fleets_still_fit() -> None:
    paths = [f"r{number}-{'x' * 60}.md" for number in range(2_000)]
    nodes = [node(path, (f"fleet-{number}",)) for number, path in enumerate(paths)]
    text = mermaid.diagram(report(of=graph(nodes, [edge(paths[n], paths[n + 1]) for n in range(1_999)])))
    assert within_limits(text)
    assert "more than Mermaid draws" in text


def test_merged_arrows_say_how_many_they_are_and_are_cut_only_together() -> None:
    paths = crowd(2, 30)
    first, second = paths[:30], paths[30:]
    edges = [edge(a, b, live=frozenset()) for a in first for b in second]
    edges += [edge(b, a, live=frozenset() if a != first[0] else frozenset({""})) for b in second for a in first]
    lines = lines_of(report(of=graph([node(path) for path in paths], edges, runs_at=1)))
    assert [line for line in lines if " n2" in line and "-" in line] == ['n1 -.->|"900, cut"| n2']
    assert 'n2 -->|"900"| n1' in lines


def test_every_hostile_name_parses_in_mermaid() -> None:
    reports = hostile_reports()
    diagrams = [mermaid.diagram(of) for of in reports]
    assert all(within_limits(text) for text in diagrams)
    errors = dict(enumerate(mermaid_errors(diagrams)))
    assert {number: error for number, error in errors.items() if error} == {}


def test_every_hostile_name_is_shown_as_it_is() -> None:
    drawn = mermaid_labels([mermaid.diagram(report(of=graph([node(f"a{name}.md")]))) for name in HOSTILE])
    for name, labels in zip(HOSTILE, drawn, strict=True):
        text = f"a{name}" if len(name) < mermaid.LABEL_LENGTH else f"a{name[: mermaid.LABEL_LENGTH - 2]}…"
        assert f"⚡ {''.join(map(_as_shown, text))}".strip() in [label.replace("\u200c", "") for label in labels]


def test_drawings_of_every_kind_parse_in_mermaid() -> None:
    paths = crowd(60, 2)
    edges = [edge(first, second) for first in paths[:60] for second in paths]
    crowded = graph([node(path) for path in paths], edges, loops=[tuple(paths[:3])])
    small = [node("a.md", mode="both"), node("b.md", ("x", "y")), ghost("c.md"), node("d.md", enabled=False)]
    mixed = graph(small, [edge("a.md", "b.md", live=frozenset(), fanout=True), feed("b.md", "a.md")])
    exact = graph([node(path) for path in paths], edges[:500], runs_at=1)
    diagrams = [mermaid.diagram(report(of=of)) for of in (graph(()), crowded, mixed, exact)]
    assert mermaid_errors(diagrams) == [None] * 4


def test_mermaid_does_refuse_what_does_not_parse() -> None:
    (error,) = mermaid_errors(["flowchart LR\n  end --> b\n"])
    assert error is not None
    assert "Parse error" in error


@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=80))
def test_a_label_holds_nothing_that_could_end_it_and_reads_back_as_the_name(name: str) -> None:
    label = mermaid.label(name)
    assert not set('"`<>\\[](){}|:&%*_~$!@\n\r\0') & set(label)
    assert len(re.findall("#", label)) == len(re.findall(r"#\d+;", label))
    read = re.sub(r"#(\d+);", lambda entity: chr(int(entity[1])), label)
    shown = name if len(name) <= mermaid.LABEL_LENGTH else name[: mermaid.LABEL_LENGTH - 1] + "…"
    assert read.replace("\u200c", "") == "".join(map(_as_shown, shown)).replace("\u200c", "")


def _as_shown(character: str) -> str:
    if character.isprintable() or character in "\u200c\u200d":
        return character
    if character.isspace():
        return " "
    return f"%{ord(character) - 0xDC00:02X}" if "\udc80" <= character <= "\udcff" else "\ufffd"
