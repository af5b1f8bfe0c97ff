"""Edits of headers: what the fleet sees then, and that nothing else of the file changes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from fleetlint.cli import main
from fleetlint.edits import Edit, edited, replacement
from fleetlint.roles import read_role
from fleetlint.vault.frontmatter import find_block, read_note

if TYPE_CHECKING:
    from pathlib import Path

    from fleetlint.roles import Role
    from fleetlint.vault import Note


def note(header: str, body: str = "Do it.\n") -> Note:
    data = f"---\n{header}---\n{body}".encode()
    block = find_block(data)
    assert block
    return read_note("roles/a.md", data, block)


def header_after(header: str, *edits: Edit) -> str | None:
    after = edited(note(header), edits)
    return after.header_text if after else None


def add(key: str, *values: str) -> Edit:
    return Edit("roles/a.md", "add", key, values)


# --- Lists ---


@pytest.mark.parametrize(
    ("header", "after"),
    [
        ("k: 1\ntools: [a, b] # why\n", "k: 1\ntools: [a, b, x] # why\n"),
        ("tools: ['a',  'b' ]\n", "tools: ['a',  'b', 'x' ]\n"),
        ('tools: ["a", "b",]\n', 'tools: ["a", "b", "x",]\n'),
        ("tools: []\n", "tools: [x]\n"),
        ("tools: [\n  a, # one\n  b # two\n]\n", "tools: [\n  a, # one\n  b,\n  x # two\n]\n"),
        ("tools:\n- a\n- b\nk: 1\n", "tools:\n- a\n- b\n- x\nk: 1\n"),
        ("tools:\n  # some\n  -  'a'  # one\n\n# next\nk: 1\n", "tools:\n  # some\n  -  'a'  # one\n  -  'x'\n\n# next\nk: 1\n"),
        ("tools: a b\n", "tools: [a, b, x]\n"),
        ("tools: '[\"a\", \"b\"]'\n", "tools: '[\"a\", \"b\", \"x\"]'\n"),
        ("tools:\nk: 1\n", "tools: [x]\nk: 1\n"),
        ("k: 1\n", "k: 1\ntools: [x]\n"),
        ("  k: 1\n  l: 2\n", "  k: 1\n  l: 2\n  tools: [x]\n"),
        ("tools: &t [a]\n", "tools: &t [a, x]\n"),
    ],
)  # fmt: skip
def test_an_item_is_added_the_way_the_list_is_written(header: str, after: str) -> None:
    assert header_after(header, add("tools", "x")) == after


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_new_key_stands_behind_its_neighbour_and_looks_like_it(ends: str) -> None:
    before = "trigger_include: # in\n  - 'a/**'\n# out\nwrite_patterns: ['b/**']\n".replace("\n", ends)
    after = "trigger_include: # in\n  - 'a/**'\ntrigger_exclude:\n  - 'a/x.md'\n# out\nwrite_patterns: ['b/**']\n"
    assert header_after(before, add("trigger_exclude", "a/x.md")) == after.replace("\n", ends)


def test_a_header_that_the_end_of_the_file_closes_takes_a_new_key() -> None:
    block = find_block(b"---\r\nmode: change")
    assert block
    after = edited(read_note("a.md", b"---\r\nmode: change", block), [Edit("a.md", "text", "max_depth", ("2",))])
    assert after is not None
    assert after.text == "---\r\nmode: change\r\nmax_depth: 2"


def test_what_would_not_survive_in_a_list_makes_it_one_quoted_text() -> None:
    edit = add("read_patterns", "my notes/**", "wiki/{a,b}/**")
    assert header_after("read_patterns: [x]\n", edit) == ('read_patterns: \'["x", "my notes/**", "wiki/{a,b}/**"]\'\n')
    assert header_after("k: 1\n", edit) == 'k: 1\nread_patterns: \'["my notes/**", "wiki/{a,b}/**"]\'\n'


@pytest.mark.parametrize(
    ("header", "edit"),
    [
        ("read_patterns: # why\n  - x # this\n", add("read_patterns", "a b")),
        ("{mode: change}\n", add("tools", "x")),
        ("x: &a [a]\ntools: *a\n", Edit("roles/a.md", "rename", "x", ("tools",))),
        ("base: &b {max_depth: 1}\n<<: *b\n", Edit("roles/a.md", "text", "max_depth", ("2",))),
        ("x: &n 1\nmax_depth: *n\ny: *n\n", Edit("roles/a.md", "text", "x", ("2",))),
        ("mode: change\n", Edit("roles/a.md", "rename", "modus", ("mode",))),
    ],
)
def test_what_would_touch_more_than_was_asked_for_is_not_done(header: str, edit: Edit) -> None:
    assert header_after(header, edit) is None


@pytest.mark.parametrize(
    ("header", "after"),
    [
        ("tools: [a, x, b]\n", "tools: [a, b]\n"),
        ("tools: [x, b]\n", "tools: [b]\n"),
        ("tools: [x]\n", "tools: []\n"),
        ("tools:\n  - a\n  - x\n  - b # c\n", "tools:\n  - a\n  - b # c\n"),
        ("tools:\n  - x # why it is here\n  - b\n", None),
    ],
)
def test_an_item_is_taken_out_with_its_line_or_comma_and_no_comment(header: str, after: str | None) -> None:
    assert header_after(header, Edit("roles/a.md", "remove", "tools", ("x",))) == after


# --- Texts, names, quotes ---


@pytest.mark.parametrize(
    ("header", "after"),
    [
        ("max_depth: 1 # why\n", "max_depth: 2 # why\n"),
        ('max_depth: "1"\n', 'max_depth: "2"\n'),
        ("max_depth:\nmode: change\n", "max_depth: 2\nmode: change\n"),
        ("mode: change\ntools: [a]\n", "mode: change\nmax_depth: 2\ntools: [a]\n"),
        ("max_depth: 1\nmax_depth: 1\n", "max_depth: 1\nmax_depth: 2\n"),
    ],
)
def test_a_text_is_set_where_it_stands_or_at_a_sensible_line(header: str, after: str) -> None:
    assert header_after(header, Edit("roles/a.md", "text", "max_depth", ("2",))) == after


def test_a_key_is_renamed_with_its_quotes() -> None:
    edit = Edit("roles/a.md", "rename", "trigger_exlude", ("trigger_exclude",))
    assert header_after("'trigger_exlude': [a] # x\n", edit) == "'trigger_exclude': [a] # x\n"


@pytest.mark.parametrize(
    ("header", "line", "after"),
    [
        ("fleet_id: x\ntrigger_include: [*.md, a/**]\n", 3, 'fleet_id: x\ntrigger_include: ["*.md", "a/**"]\n'),
        ("fleet_id: x\ndescription: Step 1: go # c\n", 3, 'fleet_id: x\ndescription: "Step 1: go" # c\n'),
        ("fleet_id: x\ntools:\n  - a\n  - @b\n", 5, 'fleet_id: x\ntools:\n  - a\n  - "@b"\n'),
        (
            "fleet_id: x\nread_patterns:\n  - {a,b}/**\n  - *.md\n",
            4,
            'fleet_id: x\nread_patterns: \'["{a,b}/**", "*.md"]\'\n',
        ),
        ("fleet_id: x\nmode: [change\n", 3, None),
    ],
)
def test_what_yaml_misreads_is_put_in_quotes(header: str, line: int, after: str | None) -> None:
    assert header_after(header, Edit("roles/a.md", "quote", str(line))) == after


def test_a_replacement_is_the_stretch_that_differs_and_no_more() -> None:
    before = note("max_depth: 15\nmode: change\n")
    after = edited(before, [Edit("roles/a.md", "text", "max_depth", ("115",))])
    assert after is not None
    change = replacement(before, after)
    assert change.text == "1"
    assert before.text[: change.start] + change.text + before.text[change.end :] == after.text
    assert change.span[:2] == change.span[2:] == (2, 13)


# --- Random headers through the command ---

EXCLUDES = (
    "",
    "trigger_exclude: []{c}",
    "trigger_exclude:  [ 'z/{n}/**',\"y\" ]{c}",
    "trigger_exclude: [z/{n}/**]{c}",
    "trigger_exclude: [\n    z/**,{c}\n    y,\n  ]",
    "trigger_exclude:{c}\n- z/**\n- 'y/{n}'{c}",
    'trigger_exclude:\n    # no\n    - "z/**"{c}\n\n    - y # z',
    "trigger_exclude: z/** y{c}",
    'trigger_exclude: \'["z z/**", "y"]\'{c}',
    "trigger_exclude:{c}",
    '"trigger_exclude": !!seq ["z"]{c}',
)
OTHERS = (
    "description: >-\n  Some long\n  text: with # signs{c}",
    "note: |\n  - a\n\n  b",
    "x-map: {a: [1, 2], 'b': \"c\"}{c}",
    "x-list:\n  - - deep\n    - er\n  - k: v{c}",
    "model: ünïcode/模型{c}",
    "# only a comment",
    "",
    "tools: [read_note, write_note]{c}",
)


def random_note(rng: random.Random, number: int) -> bytes:
    """A role that triggers itself by `nNUMBER/index.md`, its header written in some way; the body is anything."""
    lines = [
        "fleet_id: desk{c}",
        "mode: change{c}",
        rng.choice(("trigger_on: [create, update]{c}", "trigger_on:\n  - create\n  - update{c}", "trigger_on: create update")),
        rng.choice(("trigger_include: ['n{n}/**']{c}", "trigger_include:{c}\n  - n{n}/**", "trigger_include: \"n{n}/**\"")),
        rng.choice(("write_patterns: [n{n}/index.md]{c}", "write_patterns:\n  - \"n{n}/index.md\"{c}")),
        rng.choice(EXCLUDES),
        f"max_depth: {rng.randint(1, 4)}{{c}}",
        *rng.sample(OTHERS, rng.randint(0, 4)),
    ]  # fmt: skip
    rng.shuffle(lines)
    comments = ("", "", " # why", "\t# [n, *x]", "   #")
    text = "\n".join(line.replace("{c}", rng.choice(comments)).replace("{n}", str(number)) for line in lines)
    ends = rng.choice(("\n", "\n", "\r\n"))
    whole = rng.choice(("---\n", "-----  \n")) + text.rstrip() + "\n" + rng.choice(("---\n", "--\n"))
    return whole.replace("\n", ends).encode() + rng.choice((b"Do it.\n", b"", b"\xff\xfe caf\xe9\r\n---\n", b"no end"))


def role_of(data: bytes) -> Role:
    block = find_block(data)
    assert block
    return read_role(read_note("a.md", data, block))


@pytest.mark.parametrize("count", [50, pytest.param(1000, marks=pytest.mark.slow)])
def test_fix_changes_only_the_bytes_it_means_to_of_random_notes(tmp_path: Path, count: int) -> None:
    rng = random.Random(20 + count)
    mended = 0
    for start in range(0, count, 50):
        vault = tmp_path / str(start)
        (vault / "roles").mkdir(parents=True)
        before = {}
        for number in range(start, start + 50):
            file = vault / "roles" / f"r{number}.md"
            before[file] = random_note(rng, number)
            file.write_bytes(before[file])
        main(["check", str(vault), "--select", "self-trigger", "--fix", "--unsafe-fixes"])
        for number, (file, old) in enumerate(before.items(), start):
            new = file.read_bytes()
            if new == old:
                continue
            mended += 1
            was, now = role_of(old), role_of(new)
            seen = [glob.text for glob in was.trigger_exclude if glob.text != "<nil>"]
            assert [glob.text for glob in now.trigger_exclude] == [*seen, f"n{number}/index.md"]
            assert {key: field.raw for key, field in was.fields.items() if key != "trigger_exclude"} == {
                key: field.raw for key, field in now.fields.items() if key != "trigger_exclude"
            }
            assert only_that_key_differs(was, old, new), (old, new)
            other = b"\n" if old.split(b"\n")[0].endswith(b"\r") else b"\r\n"
            assert line_ends(new)[other] == line_ends(old)[other]
    assert mended >= 0.95 * count


def line_ends(data: bytes) -> dict[bytes, int]:
    crlf = data.count(b"\r\n")
    return {b"\r\n": crlf, b"\n": data.count(b"\n") - crlf}


def only_that_key_differs(was: Role, old: bytes, new: bytes) -> bool:
    """Whether what is gone of the old bytes is a part of the value of `trigger_exclude`, if anything is, and no comment."""
    start = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    same = 0
    while same < min(len(old), len(new)) - start and old[-1 - same] == new[-1 - same]:
        same += 1
    gone = old[start : len(old) - same]
    if not gone:
        return True
    field = was.fields["trigger_exclude"]
    first = old[:start].count(b"\n") + 1
    return b"\n" not in gone and b"#" not in gone and field.key_span.line <= first <= field.value_span.end_line
