from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fleetlint.lint import RuleError, lint, load_rules
from fleetlint.rule import Finding, Place, Rule, Severity, Step
from fleetlint.settings import Settings, SettingsError, parse_settings
from fleetlint.vault import load_vault
from fleetlint.vault.note import Span, Vault

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fleetlint.lint import Result
    from fleetlint.rule import Facts

ROLE = """\
---
fleet_id: desk
mode: change
trigger_on: [create, update]
trigger_include:
  - in/**
  - "more/**"
write_patterns: ["out/**", "wiki/**"]
max_depth: 2
---
Do it.
"""


def finding(path: str = "roles/a.md", key: str | None = None, item: int | None = None, **changes: Any) -> Finding:
    values: dict[str, Any] = {
        "message": "is a fault",
        "help": "mend it",
        "place": Place(path, key, item),
        "nodes": (path,),
    }
    return Finding(**(values | changes))


def rule(name: str, *findings: Finding, **changes: Any) -> Rule:
    values: dict[str, Any] = {
        "name": name,
        "summary": "A fault",
        "severity": Severity.WARN,
        "check": lambda facts, options: findings,  # noqa: ARG005
        "page": lambda: "# A page\n",
    }
    return Rule(**(values | changes))


def options_of(name: str, **options: tuple[str, ...]) -> tuple[Rule, list[Mapping[str, str]]]:
    """A rule that keeps the options it was given."""
    seen: list[Mapping[str, str]] = []

    def check(facts: Facts, given: Mapping[str, str]) -> Iterable[Finding]:  # noqa: ARG001
        seen.append(given)
        return ()

    return rule(name, check=check, options=options), seen


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    (tmp_path / "roles").mkdir()
    (tmp_path / "roles" / "a.md").write_text(ROLE)
    (tmp_path / "roles" / "b.md").write_text(ROLE)
    return load_vault(tmp_path)


def settings(text: str) -> Settings:
    return parse_settings(text.encode(), ".fleetlint.yaml")


def names(results: Iterable[Result]) -> list[str]:
    return [result.rule.name for result in results]


# --- Places ---


@pytest.mark.parametrize(
    ("place", "span"),
    [
        (Place("roles/a.md", "trigger_include", 0), Span(6, 5, 6, 10)),
        (Place("roles/a.md", "write_patterns", 1), Span(8, 28, 8, 37)),
        (Place("roles/a.md", "write_patterns", 9), Span(8, 1, 8, 15)),
        (Place("roles/a.md", "max_depth"), Span(9, 1, 9, 10)),
        (Place("roles/a.md", "max_depth", None, Span(1, 2, 3, 4)), Span(1, 2, 3, 4)),
        (Place(".fleetlint.yaml"), Span(1, 1, 1, 1)),
        (Place(""), Span(1, 1, 1, 1)),
    ],
)
def test_a_place_becomes_the_most_precise_stretch_of_the_note(vault: Vault, place: Place, span: Span) -> None:
    one = rule("x", finding(place=place))
    (result,) = lint(vault, Settings(), rules=[one]).results
    assert (result.at.path, result.at.span) == (place.path, span)


def test_a_place_without_a_key_or_with_a_missing_one_is_the_header(vault: Vault) -> None:
    one = rule("x", finding("roles/a.md"), finding("roles/a.md", "cron_schedule"))
    report = lint(vault, Settings(), rules=[one])
    assert {result.at.span.line for result in report.results} == {1}


def test_a_note_that_is_nearly_a_role_is_pointed_at_where_its_header_fails(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\nfleet_id: desk\nmode: {\n---\n")
    vault = load_vault(tmp_path)
    (result,) = lint(vault, Settings(), rules=[rule("x", finding("a.md"))]).results
    (note,) = vault.notes
    assert note.fault is not None
    assert result.at.span == note.fault.span


def test_related_places_and_hops_are_resolved_too(vault: Vault) -> None:
    step = Step(Place("roles/b.md", "max_depth"), "is too low")
    (result,) = lint(vault, Settings(), rules=[rule("x", finding(related=(step,), hops=(step, step)))]).results
    assert [(place.path, place.span.line, place.message) for place in (*result.related, *result.hops)] == [
        ("roles/b.md", 9, "is too low")
    ] * 3


# --- Order and fingerprints ---


def test_results_come_by_path_line_column_and_rule(vault: Vault) -> None:
    first = rule("b-rule", finding("roles/b.md", "mode"), finding("roles/a.md", "write_patterns", 1))
    second = rule("a-rule", finding("roles/a.md", "write_patterns", 1), finding("roles/a.md", "write_patterns", 0))
    for rules in ([first, second], [second, first]):
        report = lint(vault, Settings(), rules=rules)
        assert [(one.at.path, one.at.span.line, one.at.span.column, one.rule.name) for one in report.results] == [
            ("roles/a.md", 8, 18, "a-rule"),
            ("roles/a.md", 8, 28, "a-rule"),
            ("roles/a.md", 8, 28, "b-rule"),
            ("roles/b.md", 3, 1, "b-rule"),
        ]


def fingerprints(vault: Vault, *findings: Finding) -> list[str]:
    return [result.fingerprint for result in lint(vault, Settings(), rules=[rule("x", *findings)]).results]


def test_a_fingerprint_stays_when_unrelated_lines_move(vault: Vault) -> None:
    (before,) = fingerprints(vault, finding(key="max_depth", identity=("max_depth", "2")))
    file = Path(vault.root, "roles", "a.md")
    file.write_text(ROLE.replace("mode:", "# a remark\ntools: [search]\nmode:"))
    moved = load_vault(vault.root)
    (result,) = lint(
        moved, Settings(), rules=[rule("x", finding(key="max_depth", identity=("max_depth", "2")))]
    ).results
    assert result.at.span.line == 11
    assert result.fingerprint == before
    assert re.fullmatch("[0-9a-f]{64}", before)


def test_a_fingerprint_tells_rules_roles_and_identities_apart(vault: Vault) -> None:
    found = [
        *fingerprints(vault, finding(identity=("a", "b"))),
        *fingerprints(vault, finding(identity=("ab",))),
        *fingerprints(vault, finding("roles/b.md", identity=("a", "b"))),
        *fingerprints(vault, finding(nodes=("roles/a.md", "a"), identity=("b",))),
    ]
    assert len(set(found)) == 4


def test_a_fingerprint_does_not_depend_on_the_order_of_roles(vault: Vault) -> None:
    one = fingerprints(vault, finding(nodes=("roles/a.md", "roles/b.md")))
    assert one == fingerprints(vault, finding(nodes=("roles/b.md", "roles/a.md")))


def test_findings_that_would_share_a_fingerprint_differ_and_the_first_keeps_its_own(vault: Vault) -> None:
    (alone,) = fingerprints(vault, finding())
    twice = fingerprints(vault, finding(), finding(key="mode"), finding(key="max_depth"))
    assert len(set(twice)) == 3
    assert twice[0] == alone


def test_names_that_are_not_utf8_have_a_fingerprint(vault: Vault) -> None:
    assert len(fingerprints(vault, finding("caf\udce9.md", identity=("\ud800",)))) == 1


# --- Severities and selection ---


def test_the_severity_is_the_settings_then_the_findings_then_the_rules(vault: Vault) -> None:
    plain = rule("plain", finding())
    worse = rule("worse", finding(severity=Severity.ERROR))
    report = lint(vault, Settings(), rules=[plain, worse])
    assert [result.severity for result in report.results] == ["warn", "error"]
    report = lint(vault, settings("rules: {plain: info, worse: info}"), rules=[plain, worse])
    assert [result.severity for result in report.results] == ["info", "info"]


def test_a_rule_that_is_off_is_not_run_unless_it_is_asked_for(vault: Vault) -> None:
    rules = [rule("a", finding()), rule("b", finding())]
    off = settings("rules: {a: off}")
    assert names(lint(vault, off, rules=rules).results) == ["b"]
    assert names(lint(vault, off, rules=rules, select=["a"]).results) == ["a"]
    assert names(lint(vault, off, rules=rules, ignore=["b"]).results) == []
    assert names(lint(vault, Settings(), rules=rules, select=["a", "b"], ignore=["a"]).results) == ["b"]
    assert names(lint(vault, Settings(), rules=rules, select=[]).results) == []


def test_all_rules_are_listed_whichever_run(vault: Vault) -> None:
    rules = [rule("b", finding()), rule("a", finding())]
    assert [one.name for one in lint(vault, Settings(), rules=rules, select=[]).rules] == ["a", "b"]


def test_rules_are_off_or_of_another_severity_by_path(vault: Vault) -> None:
    rules = [rule("a", finding("roles/a.md"), finding("roles/b.md"))]
    by_path = settings('paths: {rules: {"roles/a*": {a: off}, "roles/**": {a: error}}}')
    assert [(one.at.path, one.severity) for one in lint(vault, by_path, rules=rules).results] == [
        ("roles/a.md", "error"), ("roles/b.md", "error"),
    ]  # fmt: skip
    by_path = settings('paths: {rules: {"roles/**": {a: error}, "roles/a*": {a: off}}}')
    assert [(one.at.path, one.severity) for one in lint(vault, by_path, rules=rules).results] == [
        ("roles/b.md", "error")
    ]


def test_options_reach_the_rule(vault: Vault) -> None:
    one, seen = options_of("a", severity=("exact",), depth=("low", "high"))
    lint(vault, settings("rules: {a: {severity: exact, depth: low}}"), rules=[one])
    lint(vault, settings("rules: {a: {severity: error, depth: high}}"), rules=[one])
    lint(vault, Settings(), rules=[one])
    assert seen == [{"severity": "exact", "depth": "low"}, {"depth": "high"}, {}]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rules:\n  cyle: off\n", ".fleetlint.yaml:2: there is no rule `cyle`; did you mean `cycle`?"),
        (
            "paths:\n  rules:\n    'a/**':\n      cyle: off\n",
            ".fleetlint.yaml:4: there is no rule `cyle`; did you mean `cycle`?",
        ),
        ("rules:\n  cycle: {depht: low}\n", ".fleetlint.yaml:2: `cycle` has no setting `depht`; did you mean `depth`?"),
        (
            "rules:\n  cycle: {depth: lo}\n",
            ".fleetlint.yaml:2: the `depth` of `cycle` is `lo`, which is no value for it; did you mean `low`?",
        ),
        (
            "rules:\n  cycle: {severity: exact}\n",
            ".fleetlint.yaml:2: the `severity` of `cycle` is `exact`, which is no value for it; "
            "known are `error`, `info`, `off`, `warn`",
        ),
    ],
)
def test_settings_of_rules_are_held_against_the_rules(vault: Vault, text: str, expected: str) -> None:
    one, _ = options_of("cycle", depth=("low", "high"))
    with pytest.raises(SettingsError) as error:
        lint(vault, settings(text), rules=[one])
    assert str(error.value) == expected


def test_a_number_of_a_rule_is_a_whole_one(vault: Vault) -> None:
    seen: list[Mapping[str, str]] = []
    one = rule("costly", check=lambda facts, options: seen.append(options) or (), numbers=("runs",))  # type: ignore[func-returns-value]  # noqa: ARG005
    lint(vault, settings("rules: {costly: {runs: 20, severity: error}}"), rules=[one])
    assert seen == [{"runs": "20"}]
    for wrong in ("0", "-1", "1.5", "many", "1e3", "9" * 30, "٣"):
        with pytest.raises(SettingsError, match=r"the `runs` of `costly` is `.*`; write a whole number from 1 to"):
            lint(vault, settings(f"rules: {{costly: {{runs: {wrong}}}}}"), rules=[one])
    with pytest.raises(SettingsError, match="`costly` has no setting `run`; did you mean `runs`"):
        lint(vault, settings("rules: {costly: {run: 1}}"), rules=[one])


def test_a_rule_that_is_off_by_default_runs_where_it_is_named(vault: Vault) -> None:
    rules = [rule("quiet", finding("roles/a.md"), off=True)]
    assert lint(vault, Settings(), rules=rules).results == ()
    for named in ("quiet: on", "quiet: warn", "quiet: {severity: info}"):
        assert len(lint(vault, settings(f"rules: {{{named}}}"), rules=rules).results) == 1
    assert lint(vault, settings("rules: {quiet: off}"), rules=rules).results == ()
    assert len(lint(vault, Settings(), rules=rules, select=["quiet"]).results) == 1


def test_an_unknown_rule_cannot_be_selected_or_ignored(vault: Vault) -> None:
    rules = [rule("cycle")]
    with pytest.raises(SettingsError, match=r"--select: there is no rule `cylce`; did you mean `cycle`\?"):
        lint(vault, Settings(), rules=rules, select=["cylce"])
    with pytest.raises(SettingsError, match="--ignore: there is no rule `x`; known are `cycle`"):
        lint(vault, Settings(), rules=rules, ignore=["x"])


# --- Which notes are roles ---


def test_a_folder_fleet_makes_roles_of_all_notes_with_metadata_in_its_folder(tmp_path: Path) -> None:
    for path, text in {
        "roles/a.md": "---\nmode: change\n---\n",
        "roles/plain.md": "No header.\n",
        "notes/b.md": "---\nmode: change\n---\n",
        "notes/c.md": ROLE,
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    by_folder = settings("fleets: [{id: krisp, mode: folder, folder: roles/}]")
    vault = load_vault(tmp_path, keep=by_folder.keep)
    assert [node.path for node in lint(vault, by_folder, rules=[]).graph.nodes] == ["notes/c.md", "roles/a.md"]
    assert [node.path for node in lint(load_vault(tmp_path), Settings(), rules=[]).graph.nodes] == ["notes/c.md"]


def test_rules_get_the_facts(vault: Vault) -> None:
    seen: list[Facts] = []
    spy = rule("spy", check=lambda facts, options: seen.append(facts) or ())  # type: ignore[func-returns-value]  # noqa: ARG005
    lint(vault, Settings(), rules=[spy])
    lint(vault, replace(settings("fleets: []\ngraph_note: g.md"), file="x.yaml"), rules=[spy])
    plain, configured = seen
    assert (plain.configured, plain.graph_note, plain.settings_file) == (False, "_fleet-graph.md", "")
    assert (configured.configured, configured.graph_note, configured.settings_file) == (True, "g.md", "x.yaml")
    assert sorted(plain.roles) == ["roles/a.md", "roles/b.md"]
    assert plain.folders == {"roles"}


# --- Rules that fail ---


def test_a_rule_that_fails_is_named_and_never_swallowed(vault: Vault) -> None:
    def fails(facts: Facts, options: Mapping[str, str]) -> Iterable[Finding]:  # noqa: ARG001
        yield finding()
        raise KeyError("x\ny")

    with pytest.raises(RuleError, match=r"^the rule `bad` of `.*` failed: KeyError: 'x\\ny'; report it .*--ignore bad"):
        lint(vault, Settings(), rules=[rule("bad", check=fails)])


# --- Finding rules ---


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Puts a package that declares rules onto `sys.path`, as an installer would."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))

    def install(module: str, code: str, entry_points: str, info: str = "1.0.dist-info") -> None:
        (folder / f"{module}.py").write_text(code)
        (folder / f"{module}-{info}").mkdir()
        (folder / f"{module}-{info}" / "entry_points.txt").write_text(entry_points)
        monkeypatch.delitem(sys.modules, module, raising=False)

    return install


PACKAGE = """
from fleetlint.rule import Rule, Severity
def make(name):
    return Rule(name=name, summary="s", severity=Severity.WARN, check=lambda facts, options: (), page=lambda: "")
ONE = make("my-one")
class Holder:
    MANY = [make("my-two"), make("my-three")]
"""


def loaded() -> set[str]:
    return {rule.name for rule in load_rules()}


def test_the_built_in_rules_come_in_by_their_entry_point() -> None:
    from fleetlint_rules import RULES

    assert loaded() >= {rule.name for rule in RULES}
    assert [rule.name for rule in load_rules()] == sorted(loaded())


def test_rules_of_other_packages_are_found(install: Callable[..., None]) -> None:
    install(
        "fleetlint_more",
        PACKAGE,
        "[console_scripts]\nx = y:z\n\n[fleetlint.rules]\n# a remark\none = fleetlint_more:ONE\nmany=fleetlint_more:Holder.MANY [extra]\n\n[other]\nfleetlint.rules = no:thing\n",
    )
    assert loaded() >= {"my-one", "my-two", "my-three", "cycle"}


def test_rules_of_an_old_kind_of_installation_are_found(install: Callable[..., None]) -> None:
    install("fleetlint_more", PACKAGE, "[fleetlint.rules]\none = fleetlint_more:ONE\n", info="1.0.egg-info")
    assert "my-one" in loaded()


@pytest.mark.parametrize(
    ("code", "target", "says"),
    [
        (
            "import nothing_of_this_name",
            "fleetlint_more:ONE",
            "ModuleNotFoundError: No module named 'nothing_of_this_name'",
        ),
        ("1 / 0", "fleetlint_more:ONE", "ZeroDivisionError"),
        ("import sys; sys.exit('no')", "fleetlint_more:ONE", "SystemExit: no"),
        ("x = 1", "fleetlint_more:ONE", "AttributeError"),
        ("ONE = 3", "fleetlint_more:ONE", "TypeError"),
        ("ONE = [3]", "fleetlint_more:ONE", "hold a int, which is no Rule"),
        ("x = 1", "no_such_module_here:ONE", "ModuleNotFoundError"),
        ("x = 1", "", "ValueError"),
    ],
)
def test_rules_that_cannot_be_loaded_are_an_error_that_names_them(
    install: Callable[..., None], code: str, target: str, says: str
) -> None:
    install("fleetlint_more", code, f"[fleetlint.rules]\none = {target}\n")
    with pytest.raises(RuleError) as error:
        load_rules()
    assert f"`{target}`" in str(error.value)
    assert says in str(error.value)
    assert "uninstall the package" in str(error.value)


def test_two_rules_of_one_name_are_an_error(install: Callable[..., None]) -> None:
    install("fleetlint_more", PACKAGE + "ONE = make('cycle')", "[fleetlint.rules]\none = fleetlint_more:ONE\n")
    with pytest.raises(RuleError, match=r"both `fleetlint_\w+:\w+` and `fleetlint_\w+:\w+` bring a rule `cycle`"):
        load_rules()


def test_a_package_that_is_found_twice_counts_once(
    install: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("fleetlint_more", PACKAGE, "[fleetlint.rules]\none = fleetlint_more:ONE\n")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert "my-one" in loaded()


def test_without_any_rules_the_run_does_not_pretend_to_have_linted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(tmp_path / "gone"), ""])
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RuleError, match="no installed package declares rules"):
        load_rules()


def test_the_package_gives_the_function_also_once_its_module_is_loaded() -> None:
    import fleetlint
    import fleetlint.lint as module

    assert sys.modules["fleetlint.lint"].lint is lint
    assert fleetlint.lint is lint
    assert fleetlint.load_vault is load_vault
    assert module is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        fleetlint.nothing  # noqa: B018
