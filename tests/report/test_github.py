from __future__ import annotations

from fleetlint.report import github
from fleetlint.rule import Severity
from fleetlint.vault.note import Span
from tests.report.builders import context, graph, node, report, result, rule

ERROR = rule("a-danger", Severity.ERROR)
INFO = rule("a-remark", Severity.INFO)


def test_an_annotation_names_file_place_and_rule() -> None:
    assert github.render(report([result("roles/a.md")]), context()) == (
        "::warning file=roles/a.md,line=3,col=5,endColumn=9,title=fleetlint%3A a-fault"
        "::writes `a.md`, which it should not%0Anarrow the write scope\n"
    )


def test_the_worst_come_first_for_only_the_first_are_shown() -> None:
    results = [result("a.md", INFO), *[result("b.md") for _ in range(12)], *[result("c.md", ERROR) for _ in range(12)]]
    lines = github.render(report(results), context()).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error"] * 12 + ["::warning"] * 12 + ["::notice"]


def test_what_a_command_would_misread_is_escaped() -> None:
    found = result("a,b: 100%.md", message="50%\r\n::error::no", help="", span=Span(1, 1, 1, 2))
    assert github.render(report([found]), context()) == (
        "::warning file=a%2Cb%3A 100%25.md,line=1,col=1,endColumn=2,title=fleetlint%3A a-fault::50%25\\r\\n::error::no\n"
    )


def test_no_name_or_message_begins_a_line() -> None:
    evil = "x\n::add-mask::y\x1b[2J\udce9"
    text = github.render(report([result(evil, message=evil, help=evil)]), context())
    assert text.count("\n") == 1
    assert text.replace("\n", "").isprintable()


def test_a_stretch_of_several_lines_has_no_columns() -> None:
    text = github.render(report([result("a.md", span=Span(1, 1, 4, 4))]), context())
    assert text.startswith("::warning file=a.md,line=1,endLine=4,title=")


def test_files_are_named_from_the_top_of_the_repository() -> None:
    text = github.render(report([result("roles/a.md")]), context(root="/repo/docs/vault", repository_root="/repo"))
    assert text.startswith("::warning file=docs/vault/roles/a.md,line=3,")


def test_a_finding_without_a_file_is_an_annotation_of_the_run() -> None:
    assert github.render(report([result("", ERROR, help="")]), context()).startswith("::error title=")


def test_a_clean_run_prints_nothing() -> None:
    assert github.render(report(), context()) == ""


def test_the_summary_counts_shows_the_graph_and_lists_the_findings() -> None:
    found = report([result("roles/a.md"), result("roles/a.md", ERROR)], graph([node("roles/a.md")]))
    text = github.summary(found, context())
    assert text.startswith("### fleetlint: 1 error, 1 warning\n\n```mermaid\nflowchart LR\n")
    assert text.index("a-danger") < text.index("a-fault")


def test_a_clean_summary_says_so() -> None:
    assert github.summary(report(), context()).startswith("### fleetlint: no findings\n")


def test_the_summary_stays_below_what_github_takes() -> None:
    results = [result(f"{number}.md", message="m" * 20_000, help="h" * 20_000) for number in range(100)]
    assert 0 < len(github.summary(report(results), context()).encode()) < 1024 * 1024
