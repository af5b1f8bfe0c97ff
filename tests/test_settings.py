from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleetlint.graph.model import Fleet
from fleetlint.roles import DEFAULT_TOOLS
from fleetlint.settings import (
    Ignore,
    PathRules,
    RuleSetting,
    Settings,
    SettingsError,
    load_settings,
    parse_fleet,
    parse_pyproject,
    parse_settings,
    takes,
    with_fleets,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FULL = b"""\
fleets:
  - {id: krisp, mode: folder, folder: roles/, tools: [search, read_note, write_note]}
  - {id: codex, mode: selector, folder: "", default: true}
rules:
  orphan-write: off
  cycle: {severity: exact}
  drift: error
paths:
  exclude: ["archive/**"]
  rules: {"labs/**": {unbounded-write: off}}
graph_note: graph/fleet.md
fail_on: warn
"""


def parse(text: str) -> Settings:
    return parse_settings(text.encode(), ".fleetlint.yaml")


def refusal(text: str) -> str:
    with pytest.raises(SettingsError) as error:
        parse(text)
    return str(error.value)


def test_all_settings_are_read() -> None:
    found = parse_settings(FULL, ".fleetlint.yaml")
    assert found == Settings(
        file=".fleetlint.yaml",
        fleets=(
            Fleet("krisp", "folder", "roles/", ("search", "read_note", "write_note")),
            Fleet("codex", "selector", "", tuple(DEFAULT_TOOLS), default=True),
        ),
        rules={
            "orphan-write": RuleSetting("off", {}, ".fleetlint.yaml:5"),
            "cycle": RuleSetting("", {"severity": "exact"}, ".fleetlint.yaml:6"),
            "drift": RuleSetting("error", {}, ".fleetlint.yaml:7"),
        },
        exclude=("archive/**",),
        path_rules=(PathRules("labs/**", {"unbounded-write": RuleSetting("off", {}, ".fleetlint.yaml:10")}),),
        graph_note="graph/fleet.md",
        fail_on="warn",
    )


def test_a_pyproject_says_the_same_in_toml() -> None:
    found = parse_pyproject(
        b"""
[project]
name = "vault"
[tool.fleetlint]
fail_on = "warn"
fleets = [{id = "krisp", mode = "folder", folder = "roles/"}, {id = "codex", default = true}]
[tool.fleetlint.rules]
orphan-write = "off"
drift = false
cycle = {severity = "exact"}
[tool.fleetlint.paths]
exclude = ["archive/**"]
""",
        "pyproject.toml",
    )
    assert found is not None
    assert found.fleets == (
        Fleet("krisp", "folder", "roles/", tuple(DEFAULT_TOOLS)),
        Fleet("codex", "selector", "", tuple(DEFAULT_TOOLS), default=True),
    )
    assert {name: (rule.severity, rule.options) for name, rule in found.rules.items()} == {
        "orphan-write": ("off", {}),
        "drift": ("off", {}),
        "cycle": ("", {"severity": "exact"}),
    }
    assert (found.exclude, found.fail_on) == (("archive/**",), "warn")


def test_suppressions_of_the_settings_are_read_alike_in_both_formats() -> None:
    from_yaml = parse("ignore:\n- {path: 'labs/**', rule: cycle, reason: ' a toy ', until: 2027-01-31}\n")
    assert from_yaml.ignore == (Ignore("labs/**", "cycle", "a toy", "2027-01-31", 2),)
    from_toml = parse_pyproject(
        b"""
[[tool.fleetlint.ignore]]
path = "labs/**"
rule = "cycle"
reason = "a toy"
until = 2027-01-31
""",
        "pyproject.toml",
    )
    assert from_toml is not None
    assert from_toml.ignore == (Ignore("labs/**", "cycle", "a toy", "2027-01-31", 0),)


def test_a_vault_without_settings_has_the_defaults(tmp_path: Path) -> None:
    assert load_settings(tmp_path) == Settings()
    assert Settings().fleets is None
    assert Settings().fail_on == "error"


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "---\n", "rules:\nfleets:\npaths:\n", "\ufeff"])
def test_an_empty_file_or_section_is_no_setting(text: str) -> None:
    assert parse(text) == Settings(file=".fleetlint.yaml")


def test_an_empty_list_of_fleets_says_that_there_are_none() -> None:
    assert parse("fleets: []").fleets == ()


def test_a_pyproject_of_others_is_none_of_our_business(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("this is [ no TOML")
    assert load_settings(tmp_path) == Settings()
    (tmp_path / "pyproject.toml").write_text('[project]\ndependencies = ["fleetlint"]\n')
    assert load_settings(tmp_path) == Settings()


def test_settings_in_two_places_are_refused_with_the_one_to_keep(tmp_path: Path) -> None:
    (tmp_path / ".fleetlint.yaml").write_text("fail_on: warn\n")
    (tmp_path / "pyproject.toml").write_text('[tool.fleetlint]\nfail_on = "warn"\n')
    with pytest.raises(SettingsError, match=r"keep `\.fleetlint\.yaml` and take the table away"):
        load_settings(tmp_path)


def test_the_other_ending_is_not_passed_over(tmp_path: Path) -> None:
    (tmp_path / ".fleetlint.yml").write_text("fail_on: warn\n")
    with pytest.raises(SettingsError, match=r"rename the file to `\.fleetlint\.yaml`"):
        load_settings(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fletes: []\n", ".fleetlint.yaml:1: `fletes` is no key of the settings file; did you mean `fleets`?"),
        (
            "rules:\n  a: off\npaths:\n  exlude: []\n",
            ".fleetlint.yaml:4: `exlude` is no key of `paths`; did you mean `exclude`?",
        ),
        (
            "fleets:\n  - id: a\n    folders: x\n",
            ".fleetlint.yaml:3: `folders` is no key of a fleet; did you mean `folder`?",
        ),
        (
            "fail_on: warning\n",
            ".fleetlint.yaml:1: `fail_on` is `warning`, which is no value for it; did you mean `warn`?",
        ),
        (
            "fail_on: 7\n",
            ".fleetlint.yaml:1: `fail_on` is `7`, which is no value for it; known are `error`, `info`, `never`, `warn`",
        ),
        ("rules: [cycle]\n", ".fleetlint.yaml:1: `rules` is a list where a mapping is needed"),
        (
            "rules:\n  cycle: sometimes\n",
            ".fleetlint.yaml:2: the severity of `cycle` is `sometimes`, which is none; known are `error`, `info`, `off`, `warn`",
        ),
        ("rules:\n  cycle: [off]\n", ".fleetlint.yaml:2: `cycle` is a list where a text is needed"),
        ("rules:\n  a: off\n  a: warn\n", ".fleetlint.yaml:3: the key `a` is there twice; keep one"),
        (
            "fleets:\n  - mode: folder\n",
            ".fleetlint.yaml:2: this fleet has no `id`; give it the one that its daemon has",
        ),
        ("fleets:\n- id: a\n- id: a\n", ".fleetlint.yaml:3: the fleet `a` is there twice; keep one"),
        (
            "fleets:\n- id: a\n  mode: tag\n",
            ".fleetlint.yaml:3: `mode` is `tag`, which is no value for it; known are `folder`, `selector`",
        ),
        ("fleets:\n- id: a\n  default: 3\n", ".fleetlint.yaml:3: `default` is `3` where true or false is needed"),
        ("fleets:\n- id: [a]\n", ".fleetlint.yaml:2: `id` is a list where a text is needed"),
        ("fleets: krisp\n", ".fleetlint.yaml:1: `fleets` is `krisp` where a list is needed"),
        ("just text\n", ".fleetlint.yaml:1: the settings file is `just text` where a mapping is needed"),
        ("a: 1\n--- \nb: 2\n", ".fleetlint.yaml:2: a second document begins here; keep one"),
        (
            "x: &a [1]\nrules: *a\n",
            ".fleetlint.yaml:2: aliases are not read in settings; write out what `*a` stands for",
        ),
        (
            "ignore:\n  - {path: a.md, rule: cycle}\n",
            ".fleetlint.yaml:2: this entry of `ignore` has no `reason`; write why its findings there may stay",
        ),
        (
            "ignore:\n  - {path: a.md, rule: cycle, reason: ' '}\n",
            ".fleetlint.yaml:2: this entry of `ignore` has no `reason`; write why its findings there may stay",
        ),
        (
            "ignore:\n  - {rule: cycle, reason: x}\n",
            ".fleetlint.yaml:2: this entry of `ignore` has no `path`; write the files it is for, such as `labs/**`",
        ),
        (
            "ignore:\n  - {path: a.md, rule: cycle, reason: x, until: 2026-02-30}\n",
            ".fleetlint.yaml:2: `until` is `2026-02-30`, which is no day; write one like `2027-01-31`",
        ),
        (
            "ignore:\n  - {path: a.md, rule: cycle, reason: x, untill: 2026-02-03}\n",
            ".fleetlint.yaml:2: `untill` is no key of an entry of `ignore`; did you mean `until`?",
        ),
        ("ignore: cycle\n", ".fleetlint.yaml:1: `ignore` is `cycle` where a list is needed"),
        ("graph_note:\n", ".fleetlint.yaml:1: `graph_note` is empty where a text is needed"),
    ],
)
def test_a_refusal_names_the_line_and_the_mend(text: str, expected: str) -> None:
    assert refusal(text) == expected


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("a: b: c\n", 1, "this is no YAML"),
        ("rules:\n\tcycle: off\n", 2, "this is no YAML"),
        ("rules: {a: off\n", 2, "this is no YAML"),
        ("a: @b\n", 1, "this is no YAML"),
        ("fail_on: \x01\n", 1, "this is no YAML"),
        ("fleets:\n- {id: 'a:b'}\n", 2, "where the markers in the registry end it"),
        ("fleets:\n- {id: ' a'}\n", 2, "has blanks around it"),
        ("fleets:\n- {id: a, mode: folder, default: true}\n", 2, "leave out `default`"),
        ("paths: {exclude: ['" + "*a" * 40 + "']}\n", 1, "write several simpler ones"),
        ("paths: {exclude: ['**/a/**/b/**']}\n", 1, "write several simpler ones"),
        ("paths: {exclude: ['{1..100000}']}\n", 1, "cannot be read"),
        ("? [a]\n: b\n", 1, "a key is a list where a text is needed"),
    ],
)
def test_faults_of_the_text_are_one_sentence_too(text: str, line: int, says: str) -> None:
    message = refusal(text)
    assert message.startswith(f".fleetlint.yaml:{line}: ")
    assert says in message
    assert "\n" not in message


def test_control_characters_of_the_file_do_not_reach_the_message() -> None:
    assert refusal('"\\e[31m\\u202e": 1\n').startswith(
        ".fleetlint.yaml:1: `\ufffd[31m\ufffd` is no key of the settings file"
    )


def test_what_would_overflow_a_parser_is_refused_before() -> None:
    assert "10,000" in refusal("a: " + "[" * 10_001)
    assert "flatten" in refusal("- " * 50_000)
    assert "nesting depth" in refusal("a: " + "[" * 9_000)
    assert "flatten" in refusal("? " * 50_000)
    assert "256 KiB" in refusal("#" * 300_000)


def test_toml_that_cannot_be_read_is_one_sentence() -> None:
    for text in (
        "[tool.fleetlint]\nx = " + "[" * 5_000,
        "tool.fleetlint = " + "9" * 5_000,
        "[tool.fleetlint",
        "\ud800",
    ):
        with pytest.raises(SettingsError) as error:
            parse_pyproject(text.encode("utf-8", "surrogatepass"), "pyproject.toml")
        assert str(error.value).startswith("pyproject.toml")
        assert "\n" not in str(error.value)


def test_toml_keys_of_any_depth_are_refused() -> None:
    with pytest.raises(SettingsError, match="flatten"):
        parse_pyproject(b"[tool.fleetlint]\n" + b".".join([b"a"] * 2_000) + b" = 1", "pyproject.toml")


def test_a_file_that_is_not_utf8_is_named_with_its_line() -> None:
    with pytest.raises(SettingsError, match=r"^\.fleetlint\.yaml:2: the file is not UTF-8; save it as UTF-8$"):
        parse_settings(b"fail_on: warn\ngraph_note: \xff\n", ".fleetlint.yaml")


def test_a_pipe_in_the_place_of_the_file_is_not_waited_on(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".fleetlint.yaml")
    with pytest.raises(SettingsError, match="no regular file"):
        load_settings(tmp_path)


def test_a_folder_in_the_place_of_the_file_is_said(tmp_path: Path) -> None:
    (tmp_path / ".fleetlint.yaml").mkdir()
    with pytest.raises(SettingsError, match="no regular file"):
        load_settings(tmp_path)


def test_another_file_can_be_named(tmp_path: Path) -> None:
    (tmp_path / ".fleetlint.yaml").write_text("fail_on: info\n")
    other = tmp_path / "conf" / "mine.yaml"
    other.parent.mkdir()
    other.write_text("fail_on: warn\n")
    found = load_settings(tmp_path, other)
    assert (found.fail_on, found.file) == ("warn", "conf/mine.yaml")
    assert load_settings(other.parent / "elsewhere", other).file == str(other)
    with pytest.raises(SettingsError, match="does not exist"):
        load_settings(tmp_path, tmp_path / "gone.yaml")


def test_another_toml_file_must_have_the_table(tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("[tool.ruff]\n")
    with pytest.raises(SettingsError, match=r"there is no `\[tool\.fleetlint\]`"):
        load_settings(tmp_path, tmp_path / "other.toml")


def test_words_of_yaml_that_are_booleans_turn_a_rule_off_and_on() -> None:
    rules = parse("rules: {a: off, b: no, c: false, d: on, e: Off, f: {severity: off}, g: {depth: 3}}").rules
    assert {name: rule.severity for name, rule in rules.items()} == {
        "a": "off", "b": "off", "c": "off", "d": "", "e": "off", "f": "off", "g": "",
    }  # fmt: skip
    assert rules["g"].options == {"depth": "3"}


def test_a_fleet_of_the_command_line_is_a_selector_or_a_folder() -> None:
    tools = tuple(DEFAULT_TOOLS)
    assert parse_fleet("krisp") == Fleet("krisp", "selector", "", tools)
    assert parse_fleet("krisp=roles/") == Fleet("krisp", "folder", "roles/", tools)
    assert parse_fleet("krisp=") == Fleet("krisp", "folder", "", tools)
    assert parse_fleet("krisp=a=b") == Fleet("krisp", "folder", "a=b", tools)
    with pytest.raises(SettingsError, match="a fleet's id is empty"):
        parse_fleet("=roles/")


def test_fleets_of_the_command_line_take_the_place_of_those_set() -> None:
    found = parse_settings(FULL, ".fleetlint.yaml")
    assert [fleet.id for fleet in with_fleets(found, ["a", "b=x/"]).fleets or ()] == ["a", "b"]
    assert with_fleets(found, []) == found


def test_notes_in_the_folder_of_a_folder_fleet_are_kept() -> None:
    keep = parse("fleets: [{id: a, mode: folder, folder: my_roles/}, {id: b}]").keep
    assert keep is not None
    assert keep("my_roles/a.md")
    assert keep("MyXroles/a.md")
    assert not keep("notes/a.md")
    assert parse("fleets: [{id: b}]").keep is None
    assert Settings().keep is None


@pytest.mark.parametrize(
    ("glob", "path", "taken"),
    [
        ("archive/**", "archive/2020/a.md", True),
        ("archive/**", "notes/archive/a.md", False),
        ("**/drafts/*.md", "drafts/a.md", True),
        ("**/drafts/*.md", "x/y/drafts/a.md", True),
        ("*.md", "x/a.md", False),
        ("{a,b}/*.md", "b/x.md", True),
        ("labs/*", "labs/.hidden.md", True),
        ("Labs/*", "labs/a.md", False),
    ],
)
def test_globs_of_the_settings_are_read_as_people_know_them(glob: str, path: str, taken: bool) -> None:
    assert takes([glob], path) is taken


# --- Any content survives ---

SNIPPETS = (
    "fleets:", "rules:", "paths:", "exclude:", "id:", "mode: folder", "folder:", "cycle: {severity: exact}", "- ", "\n  ",
    "\n", " ", "{", "}", "[", "]", ",", ": ", "&a ", "*a", "<<: ", "!!python/object:os.system ", "? ", "|", ">", "'", '"',
    "#", "%YAML 1.2", "---", "...", "\t", "\r\n", "@", "`", "\x00", "\ufeff", "\ud83d".encode("utf-8", "replace").decode(),
    "2026-02-30", "1e999", "0x", "off", "tool.fleetlint", "[tool.fleetlint]", "=", '"\\ud800"', "'\\'", "**", "{1..9}",
)  # fmt: skip

CONTENT = st.one_of(
    st.lists(st.sampled_from(SNIPPETS) | st.text(max_size=5), max_size=25).map("".join).map(str.encode),
    st.binary(max_size=60),
    st.binary(max_size=40).map(FULL.__add__),
    st.tuples(st.integers(0, len(FULL)), st.sampled_from(SNIPPETS)).map(
        lambda cut: FULL[: cut[0]] + cut[1].encode() + FULL[cut[0] :]
    ),
)


def said(read: Callable[[bytes, str], object], content: bytes) -> str:
    """What a file is refused with, empty when it is read."""
    try:
        read(content, "settings")
    except SettingsError as error:
        return str(error)
    return ""


def survives(read: Callable[[bytes, str], object], content: bytes) -> None:
    sentence = said(read, content)
    assert "\n" not in sentence
    assert sentence.startswith("settings") or not sentence


@settings(max_examples=150, deadline=None)
@given(CONTENT)
def test_any_settings_file_is_read_or_refused_in_one_sentence(content: bytes) -> None:
    survives(parse_settings, content)
    survives(parse_pyproject, content)


@pytest.mark.slow
@settings(max_examples=10_000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(CONTENT)
def test_ten_thousand_settings_files_are_read_or_refused(content: bytes) -> None:
    survives(parse_settings, content)
    survives(parse_pyproject, content)
