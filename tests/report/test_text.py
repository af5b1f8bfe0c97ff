from __future__ import annotations

from unicodedata import combining

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fleetlint.report import text
from fleetlint.report.characters import cells, printable, whole
from fleetlint.rule import Severity
from fleetlint.vault.note import Note, Span
from tests.report.builders import context, edge, graph, node, report, result, rule


def rendered(source: str, span: Span, *, width: int = 120, message: str = "is a fault") -> list[str]:
    """The lines of the excerpt: the source line and its underline."""
    note = Note("a.md", source, None)
    one = result("a.md", span=span, message=message, help="")
    lines = text.render(report([one], notes={"a.md": note}), context(width=width)).split("\n")
    return lines[2:4]


def test_findings_are_grouped_by_file_with_line_mend_and_count() -> None:
    source = '---\nfleet_id: desk\nwrite_patterns: ["wiki/**"]\n---\nDo it.\n'
    span = Span(3, 18, 3, 27)
    loop = rule("cycle", Severity.ERROR)
    hops = (("roles/a.md", "`a` writes `wiki/x.md`"), ("roles/b.md", "`b` writes `notes/x.md`"))
    found = report(
        [
            result("roles/a.md", loop, span=span, message="closes a loop", help="cut one hop", hops=hops, related=hops[1:]),
            result("roles/a.md", rule(), span=Span(2, 1, 2, 9), message="is odd", help="", related=(("roles/c.md", "this too"),)),
            result("roles/b.md", rule("note", Severity.INFO), span=Span(1, 1, 4, 4), message="is `here`", help="look"),
        ],
        graph((node("roles/a.md"), node("roles/b.md")), (edge("roles/a.md", "roles/b.md"),)),
        notes={"roles/a.md": Note("roles/a.md", source, None), "roles/b.md": Note("roles/b.md", source, None)},
    )  # fmt: skip
    assert (
        text.render(found, context())
        == """\
roles/a.md
  roles/a.md:3:18: error: closes a loop [cycle]
    3 | write_patterns: ["wiki/**"]
      |                  ^^^^^^^^^
    help: cut one hop
    1. roles/a.md:3:18: `a` writes `wiki/x.md`
    2. roles/b.md:3:18: `b` writes `notes/x.md`

  roles/a.md:2:1: warning: is odd [a-fault]
    2 | fleet_id: desk
      | ^^^^^^^^
    see roles/c.md:2:1: this too

roles/b.md
  roles/b.md:1:1: info: is `here` [note]
    1 | ---
      | ^^^
    help: look

1 error, 1 warning, 1 info in 2 roles and 1 edge.
"""
    )


def test_a_clean_vault_is_one_line() -> None:
    assert text.render(report(of=graph((node("a.md"),))), context()) == "No findings in 1 role and 0 edges.\n"


def test_a_finding_without_a_file_says_so() -> None:
    lines = text.render(report([result("", help="")]), context()).split("\n")
    assert lines[:2] == ["In no file", "  warning: writes `a.md`, which it should not [a-fault]"]


def test_a_finding_in_the_settings_has_no_excerpt() -> None:
    lines = text.render(report([result(".fleetlint.yaml", span=Span(1, 1, 1, 1))]), context()).split("\n")
    assert lines[1:3] == [
        "  .fleetlint.yaml:1:1: warning: writes `a.md`, which it should not [a-fault]",
        "    help: narrow the write scope",
    ]


@pytest.mark.parametrize(
    ("cwd", "shown"),
    [
        ("/", "vault/roles/a.md:3:5"),
        ("/vault", "roles/a.md:3:5"),
        ("/vault/roles", "a.md:3:5"),
        ("/elsewhere", "roles/a.md:3:5"),
    ],
)
def test_paths_are_relative_to_the_working_folder_when_inside_it(cwd: str, shown: str) -> None:
    lines = text.render(report([result("roles/a.md")]), context(cwd=cwd)).split("\n")
    assert lines[1].startswith(f"  {shown}: ")


@pytest.mark.parametrize(
    ("source", "span", "expected"),
    [
        ("\ta: b", Span(1, 2, 1, 3), ["    1 |     a: b", "      |     ^"]),
        ("a: 漢字 x", Span(1, 7, 1, 8), ["    1 | a: 漢字 x", "      |         ^"]),
        ("a: 漢字", Span(1, 4, 1, 6), ["    1 | a: 漢字", "      |    ^^^^"]),
        ("e\u0301: b", Span(1, 5, 1, 6), ["    1 | e\u0301: b", "      |    ^"]),
        ("a: \x1b[31mb", Span(1, 4, 1, 5), ["    1 | a: \\x1b[31mb", "      |    ^^^^"]),
        ("a: \u202eb", Span(1, 5, 1, 6), ["    1 | a: \\u202eb", "      |          ^"]),
        ("\ufeffa: b", Span(1, 1, 1, 2), ["    1 | \\ufeffa: b", "      | ^^^^^^"]),
        ("a: b\r\nc", Span(1, 4, 1, 5), ["    1 | a: b", "      |    ^"]),
        ("a\u2028b: c", Span(1, 3, 1, 4), ["    1 | a\\u2028b: c", "      |        ^"]),
        ("a: b", Span(1, 5, 1, 5), ["    1 | a: b", "      |     ^"]),
        ("a: b", Span(1, 90, 1, 95), ["    1 | a: b", "      |     ^"]),
        ("a: b\nc: d", Span(1, 4, 2, 5), ["    1 | a: b", "      |    ^"]),
    ],
)
def test_the_underline_stands_below_what_is_meant(source: str, span: Span, expected: list[str]) -> None:
    assert rendered(source, span) == expected


def test_a_very_long_line_is_clipped_around_what_is_meant() -> None:
    source = "a" * 5_000 + "HERE" + "b" * 5_000_000
    shown, underline = rendered(source, Span(1, 5_001, 1, 5_005), width=60)
    assert len(shown) <= 60
    assert shown.startswith("    1 | …aaa")
    assert shown.endswith("bbb…")
    assert shown[underline.index("^") : underline.rindex("^") + 1] == "HERE"


def test_a_stretch_wider_than_the_terminal_is_shown_from_its_begin() -> None:
    shown, underline = rendered("xx" + "y" * 500, Span(1, 3, 1, 503), width=40)
    assert len(shown) <= 40
    assert shown[underline.index("^")] == "y"
    assert len(underline) <= 40


def test_nothing_of_a_note_or_name_is_an_order_to_the_terminal() -> None:
    evil = "\x1b]0;owned\x07\x9b31m\r\u202e\udce9"
    one = result(f"roles/{evil}.md", message=f"m{evil}", help=f"h{evil}", hops=((evil, evil),), related=(("b", evil),))
    notes = {f"roles/{evil}.md": Note(f"roles/{evil}.md", f"\n\n{evil}", None)}
    written = text.render(report([one], notes=notes), context())
    assert written.replace("\n", "").isprintable()
    assert "\\x1b]0;owned\\x07\\x9b31m\\r\\u202e\\xe9" in written


def test_colours_are_only_there_when_asked_for() -> None:
    found = report([result("a.md")])
    assert "\x1b" not in text.render(found, context())
    assert "\x1b[33mwarning\x1b[0m" in text.render(found, context(color=True))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=80), st.integers(1, 90), st.integers(0, 90), st.integers(0, 60))
def test_any_line_and_stretch_fit_the_width(line: str, column: int, length: int, width: int) -> None:
    shown, underline = rendered(line.replace("\n", ""), Span(1, column, 1, column + length), width=width)
    assert printable(shown) == shown
    assert sum(map(cells, shown)) <= max(width, 28)
    assert sum(map(cells, underline)) <= max(width, 28)


@given(st.text())
def test_cells_count_no_column_for_marks_that_combine(letters: str) -> None:
    assert all(cells(letter) == 0 for letter in letters if combining(letter) and letter.isprintable())


def test_a_text_without_stray_bytes_stays_as_it_is() -> None:
    assert whole("Мои роли 🗒") == "Мои роли 🗒"
    assert whole("caf\udce9 \ud800") == "caf%E9 \ufffd"
