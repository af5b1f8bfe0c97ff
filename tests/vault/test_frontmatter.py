"""Headers as the server finds and reads them. Every value in the tables was given by its own libraries."""

from __future__ import annotations

import pytest
from hypothesis import given

from fleetlint.roles.raw import render
from fleetlint.vault.frontmatter import MAX_BLOCK, Block, find_block, may_matter, read_note
from fleetlint.vault.missed import find_missed
from tests.strategies import note_bytes


def read(data: bytes) -> dict[str, str] | None:
    """Key -> raw as the server has it, None when it gets no metadata."""
    block = find_block(data)
    note = read_note("a.md", data, block) if block else None
    return {str(key.value): render(value).text for key, value in note.header.entries} if note and note.header else None


def block_of(data: bytes) -> Block:
    block = find_block(data)
    assert block is not None
    return block


def raw(value: str) -> str | None:
    found = read(f"---\nx: {value}\n---\n".encode())
    return None if found is None else found["x"]


SCALARS = {
    "08": "8",
    "0o10": "8",
    "010": "8",
    "0777777777777777777777777": "7.777777777777778e+23",
    "1e3": "1000",
    "1.0": "1",
    "1e6": "1e+06",
    "123456789.5": "1.234567895e+08",
    "0.0001": "0.0001",
    "1e-5": "1e-05",
    "-0.0": "-0",
    "1e400": "1e400",
    "5:00": "5:00",
    "12:30": "12:30",
    "190:20:30": "190:20:30",
    "99999999999999999999": "1e+20",
    "18446744073709551615": "18446744073709551615",
    "-9223372036854775809": "-9.223372036854776e+18",
    "1_000": "1000",
    "1__": "1",
    "_1": "_1",
    "0b11": "3",
    "0b-1": "-1",
    "-0b1": "-1",
    "0x1F": "31",
    "0b2": "0b2",
    ".5e1_0": "5e+09",
    "._5": "._5",
    ".inf": "+Inf",
    "-.INF": "-Inf",
    ".nan": "NaN",
    "y": "true",
    "n": "false",
    "On": "true",
    "yEs": "yEs",
    '"yes"': "yes",
    "~": "<nil>",
    "": "<nil>",
    "2026-01-02": "2026-01-02",
    "2026-02-30": "2026-02-30",
    "=": "=",
    "!foo 5": "5",
    "!foo": "",
    "! 5": "5",
    "! ~": "~",
    "! '~'": "~",
    "!!str 5": "5",
    "!!str ~": "~",
    "!!float 5": "5",
    '!!int "5"': "5",
    "!!null ''": "<nil>",
    "!!binary YQ==": "a",
    "!!timestamp 2026-1-2": "2026-1-2",
    "!!timestamp 2026-01-02 1:2:3.5": "2026-01-02 1:2:3.5",
    "!!python/object/apply:os.system [x]": "[x]",
    "[a, [b, c], {k: v}]": "[a [b c] map[k:v]]",
    "{b: 2, a: 1, 10: x, 2: w, true: z, ~: v, 1.5: f}": "map[<nil>:v a:1 b:2 2:w 10:x 1.5:f true:z]",
    "{1: a, '1': b}": "map[1:b 1:a]",
    "{b: 3, <<: {b: 2}}": "map[b:2]",
    "{<<: {b: 2}, b: 3}": "map[b:3]",
    "{<<: [{a: 1}, {a: 2, c: 3}]}": "map[a:1 c:3]",
    '{"<<": 5}': "map[<<:5]",
    "[[Index]]": "[[Index]]",
    "[a:, b]": "[a: b]",
    "{a:, b: c}": "map[a::<nil> b:c]",
    '["a":]': "[map[a:<nil>]]",
    "[!wiki/**, b]": "[b]",
    "!x, y": "y",
    "[?a]": "[map[a:<nil>]]",
    "[a: b]": "[map[a:b]]",
    "{a}": "map[a:<nil>]",
    '"\\u00e9\\x41"': "éA",
    "[&x a, &x b, *x]": "[a b b]",
}


@pytest.mark.parametrize(("value", "expected"), SCALARS.items())
def test_a_value_reads_as_the_server_prints_it(value: str, expected: str) -> None:
    assert raw(value) == expected


@pytest.mark.parametrize(
    "value",
    [
        "*x",
        "&x [*x]",
        "&x {a: *x}",
        "@x",
        "`x`",
        "%x",
        "a: b: c",
        "{a,b}/**",
        "[[Index]] keeper",
        "[!wiki/**]",
        "[!wiki/**,b]",
        "[a?b]",
        "[a ?b]",
        "{a?b: c}",
        "[?]",
        "[a, ?]",
        '"a\\/b"',
        '"\\q"',
        '"\\ud800"',
        "'open",
        "[a, b",
        "[a,, b]",
        "{[a]: b}",
        "{{a: b}: c}",
        "{<<: ~}",
        "{<<: [1]}",
        "!!int x",
        "!!null x",
        "!!float 99999999999999999999999999999x",
        "!!timestamp 2026-01-02T1:2:3",
        "!!binary '%'",
        "\x01",
        "\n\t- a",
        "%YAML 1.2\n",
    ],
)
def test_what_the_server_does_not_parse_loses_the_header(value: str) -> None:
    assert raw(value) is None


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("a: 1\na: 2", {"a": "2"}),
        ("a: 1\n...\nb: 2", {"a": "1"}),
        ("a: 1\n%YAML 1.2\nb: 2", {"a": "1"}),
        ("a: 1\n--- b: 2", {"a": "1"}),
        ("%YAML 1.2\na: 1", None),
        ("%YAML 1.2\n--- {a: 1}", None),
        ("%YAML 1.1\n--- {a: 1}", {"a": "1"}),
        ("1: x\non: w\n~: z\n2026-01-01: w", {"1": "x", "on": "w", "": "z", "2026-01-01": "w"}),
        ("x: &a {1: q}\n<<: *a", {"x": "map[1:q]", "1": "q"}),
        ("<<: {a: 1}\na: 2", {"a": "2"}),
        ("a: 2\n<<: {a: 1}", {"a": "1"}),
        ("[x]: 1", None),
        ("- a", None),
        ("a", None),
        ("~", None),
        ("", {}),
        ("# c", {}),
        ("a: x\u2028enabled: no", {"a": "x", "enabled": "false"}),
        ("a: 1\rb: 2", {"a": "1", "b": "2"}),
        ("a: 1\n\x0c\nb: 2", {"a": "1"}),
        ("d: |\n  Format:\n  ---\n  id: x", {"d": "Format:"}),
    ],
)
def test_a_block_gives_the_keys_that_the_server_has(block: str, expected: dict[str, str] | None) -> None:
    found = read(f"---\n{block}\n---\n".encode())
    assert (found and {key: value.rstrip("\n") for key, value in found.items()}) == expected


@pytest.mark.parametrize(
    "note",
    [
        "-\nx: 1\n-",
        "----\nx: 1\n----------\n",
        "   --- \t\nx: 1\n--- \t\n",
        "---\r\nx: 1\r\n---\r\n",
        "---\nx: 1",
        "---\nx: 1\n\t\t---\ny: 2\n---\n",
        "---\x0c\nx: 1\n---",
    ],
)
def test_these_are_fences(note: str) -> None:
    assert read(note.encode()) == {"x": "1"}


@pytest.mark.parametrize(
    "note",
    [
        "",
        "\n---\nx: 1\n---\n",
        "    ---\nx: 1\n---\n",
        "\t---\nx: 1\n---\n",
        "--- a\nx: 1\n---\n",
        "\ufeff---\nx: 1\n---\n",
        "\x0c---\nx: 1\n---\n",
    ],
)
def test_these_are_none(note: str) -> None:
    assert find_block(note.encode()) is None


def test_five_thousand_nested_lists_are_read() -> None:
    depth = 5_000
    assert raw("[" * depth + "]" * depth) == "[" * depth + "]" * depth


def test_nesting_without_end_is_broken_and_ends_nothing() -> None:
    for block in ("x: " + "[" * 9_990, "- " * 100_000, "? " * 100_000, "x: " + "[" * 30_000):
        data = f"---\nfleet_id: t\n{block}\n---\n".encode()
        note = read_note("a.md", data, block_of(data))
        assert note.header is None
        assert note.fault is not None


@pytest.mark.parametrize(("filler", "word"), [("a" * MAX_BLOCK, "larger"), ("[" * 10_001, "10,000")])
def test_too_large_a_header_is_broken(filler: str, word: str) -> None:
    data = f"---\nfleet_id: t\nx: {filler}\n---\n".encode()
    note = read_note("a.md", data, block_of(data))
    assert note.fault is not None
    assert word in note.fault.message


def test_aliases_are_counted_as_the_server_counts() -> None:
    def nine_of_nine(levels: int) -> str:
        lines = ["fleet_id: t", "a0: &a0 [x]"]
        lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, levels + 1)]
        return "---\n" + "\n".join(lines) + "\n---\n"

    assert read(nine_of_nine(9).encode()) is None
    few = read(nine_of_nine(2).encode())
    assert few is not None
    assert few["a1"] == "[" + " ".join(["[x]"] * 9) + "]"


def test_places_are_lines_and_code_points_of_the_file() -> None:
    data = "---\r\nfleet_id: t\r\nд: [\"ж\", 'b c']\r\nq: |\r\n  x\r\n---\r\n".encode()
    note = read_note("a.md", data, block_of(data))
    assert note.header is not None
    (_, first), (key, listed), _ = note.header.entries
    assert tuple(first.span) == (2, 11, 2, 12)
    assert tuple(key.span) == (3, 1, 3, 2)
    assert tuple(listed.span) == (3, 4, 3, 16)
    assert [tuple(item.span) for item in listed.items] == [(3, 5, 3, 8), (3, 10, 3, 15)]


def test_places_count_no_odd_line_ends() -> None:
    data = "---\na: x\u2028b: y\nc: z\n---\n".encode()
    note = read_note("a.md", data, block_of(data))
    assert note.header is not None
    assert [tuple(key.span) for key, _ in note.header.entries] == [(2, 1, 2, 2), (2, 6, 2, 7), (3, 1, 3, 2)]


@pytest.mark.parametrize(
    ("lines", "place", "words"),
    [
        (["write_patterns:", "\t- out/**"], (4, 1), ("tab", "spaces")),
        (["trigger_include:", "  - {a,b}/**"], (4, 10), ("`{a,b}/**`", "'[\"{a,b}/**\"]'")),
        (["description: Step 1: segment"], (3, 20), ("`: `", '"Step 1: segment"')),
        (["description: [[Index]] keeper"], (3, 24), ("[[Index]] keeper", "quotes")),
        (["tags: [#fleet]", "x: 1"], (3, 7), ("comment", "quotes")),
        (["model: @cf/meta"], (3, 8), ("`@cf/meta`", '"@cf/meta"')),
        (["p: [*.md]"], (3, 6), ("`*.md`", '"*.md"')),
        (["a: 'open", "b: c"], (3, 4), ("quote is opened", "close the quote")),
        (["mode:\u00a0cron", "x: 1"], (3, 6), ("U+00A0", "space")),
        (["p: &x [*x]"], (3, 8), ("`*x`", "quotes")),
        (["a: \x07"], (3, 4), ("U+0007", "delete")),
    ],
)
def test_a_broken_header_says_where_and_how_to_mend_it(
    lines: list[str], place: tuple[int, int], words: tuple[str, str]
) -> None:
    data = "\n".join(["---", "fleet_id: t", *lines, "---", ""]).encode()
    note = read_note("a.md", data, block_of(data))
    assert note.fault is not None
    assert note.fault.kind == "broken"
    assert (note.fault.span.line, note.fault.span.column) == place
    assert words[0] in note.fault.message
    assert words[1] in note.fault.help


def test_a_directive_of_yaml_is_named() -> None:
    data = b"---\n%YAML 1.2\nfleet_id: t\n---\n"
    note = read_note("a.md", data, block_of(data))
    assert note.fault is not None
    assert ("`%YAML 1.2`" in note.fault.message, tuple(note.fault.span)) == (True, (2, 1, 2, 10))


def test_bytes_that_are_not_utf_8_are_named_with_their_place() -> None:
    data = b"---\nfleet_id: t\ndescription: caf\xe9\n---\n"
    note = read_note("a.md", data, block_of(data))
    assert note.fault is not None
    assert ("byte 29" in note.fault.message, note.fault.span[:2]) == (True, (3, 17))


@pytest.mark.parametrize("block", ["title: a: b", "tags: [#x]", "mode: a: b"])
def test_broken_yaml_of_other_notes_is_none_of_our_business(block: str) -> None:
    data = f"---\n{block}\n---\n".encode()
    note = read_note("a.md", data, block_of(data))
    assert (note.header, note.fault) == (None, None)


@pytest.mark.parametrize(
    ("before", "word"),
    [
        (b"\xef\xbb\xbf", "byte order mark"),
        (b"\n", "blank line"),
        (b" \r\n\n", "blank line"),
        (b"<!-- x -->\n", "comment"),
        (b"%% x %%\n", "comment"),
        (b"    ", "indented"),
        (b"\xc2\xa0", "U+00A0"),
    ],
)
def test_a_header_that_does_not_open_on_line_one_is_missed(before: bytes, word: str) -> None:
    role = before + b"---\nfleet_id: t\nmode: change\n---\nx\n"
    assert find_block(role) is None
    fault = find_missed(role)
    assert fault is not None
    assert (fault.kind, word in fault.message) == ("missed", True)
    assert find_missed(before + b"---\ntitle: a\n---\nfleet_id: in the text\n") is None


def test_dashes_that_an_editor_made_and_utf_16_are_missed_headers() -> None:
    assert find_missed("—\nfleet_id: t\n—\n".encode()) is not None
    assert find_missed("---\nfleet_id: t\n---\n".encode("utf-16")) is not None


@pytest.mark.parametrize(
    ("block", "line", "word"),
    [
        ("max_depth: 010", 3, "octal"),
        ("trigger_include:\n  - notes #inbox/**", 4, "comment"),
        ("...\nmode: cron", 3, "ends the YAML"),
        ("mode: cron\n--- x: 1", 4, "ends the YAML"),
        ("x: !foo 5", 3, "!foo"),
        ("mode: cron\nmode: both", 3, "last one wins"),
        ("d: x\u2028enabled: no", 3, "U+2028"),
        ("d: |\n  a\n  ---\n  b\nmode: cron", 5, "closes the header"),
    ],
)
def test_a_trap_is_remarked(block: str, line: int, word: str) -> None:
    data = f"---\nfleet_id: t\n{block}\n---\nbody\n".encode()
    note = read_note("a.md", data, block_of(data))
    assert [(remark.span.line, word in remark.message) for remark in note.remarks] == [(line, True)]


@pytest.mark.parametrize(
    "block",
    [
        "max_depth: 08",
        "max_depth: '010'",
        "id: 007",
        "mode: cron # a comment",
        "read_patterns: [a/**] # all notes",
        "read_patterns:\n  - a/#b/**\n  - 'a #b/**'",
        "mode: cron\n...",
        "mode: cron\n# end",
        "x: !!str 5",
        "d: 'x\u2028y'",
    ],
)
def test_what_reads_as_it_looks_is_not_remarked(block: str) -> None:
    data = f"---\nfleet_id: t\n{block}\n---\nText.\n\n  ---\n\nmode: cron\n".encode()
    assert read_note("a.md", data, block_of(data)).remarks == ()


@pytest.mark.parametrize(
    "line",
    [
        b"fleet_id: x",
        b"Fleet-ID: x",
        b"flet_id: x",
        b"MODE: x",
        b"trigger-on: [a]",
        b"write_pattern: x",
        b"Cron: x",
        b"for_each: x",
        b"foreach: x",
        b"attach: x",
        b"max depth: x",
        b"concurrent: x",
        b'"fl\\x65et_id": x',
    ],
)
def test_any_spelling_of_a_role_key_makes_a_header_matter(line: bytes) -> None:
    assert may_matter(b"title: y\n" + line + b"\n")


@pytest.mark.parametrize(
    "line", [b"tags: [a, b]", b"aliases:\n  - c\\d", b"title: reflect", b"model: x", b"each: x", b"depth: 3"]
)
def test_other_keys_do_not(line: bytes) -> None:
    assert not may_matter(b"title: y\n" + line + b"\n")


@given(note_bytes())
def test_no_bytes_give_a_traceback(data: bytes) -> None:
    find_missed(data[:4096])
    block = find_block(data)
    if block is not None:
        may_matter(data[block.start : block.end])
        note = read_note("a.md", data, block)
        assert note.header is None or note.fault is None
