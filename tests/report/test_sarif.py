from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest

from fleetlint.report import sarif
from fleetlint.rule import Severity
from fleetlint.vault.note import Span, VaultProblem
from tests.report.builders import context, report, result, rule
from tests.report.validators import sarif_complaints

if TYPE_CHECKING:
    from fleetlint.lint import Report

SECURITY = rule(
    "a-danger", Severity.ERROR, tags=("security",), security_severity="8.1", page=lambda: "# a-danger\n\nBad.\n"
)


def run_of(of: Report, **changes: Any) -> dict[str, Any]:
    (run,) = json.loads(sarif.render(of, context(**changes)))["runs"]
    return run


def uri_of(place: dict[str, Any]) -> str:
    uri: str = place["physicalLocation"]["artifactLocation"]["uri"]
    return uri


def a_loop() -> Report:
    hops = (("roles/a.md", "`a` writes `x/n.md`"), ("roles/b.md", "`b` writes `y/n.md`"))
    return report(
        [
            result("roles/a.md", rule("cycle"), related=hops[1:], hops=hops),
            result("Мои роли/my role [1] 100%.md", SECURITY, message="reaches `[a](1)` and {b}", help=""),
            result("roles/caf\udce9.md", rule("info-rule", Severity.INFO), message="a name \udce9 and \ud800"),
        ]
    )


def test_a_clean_run_lists_every_rule_and_no_result() -> None:
    run = run_of(report(rules=[rule("a-fault"), SECURITY]))
    assert run["results"] == []
    assert [descriptor["id"] for descriptor in run["tool"]["driver"]["rules"]] == ["a-fault", "a-danger"]
    assert run["invocations"] == [{"executionSuccessful": True}]
    assert run["columnKind"] == "unicodeCodePoints"


def test_a_rule_carries_its_page_level_and_tags() -> None:
    descriptor = run_of(report(rules=[SECURITY]))["tool"]["driver"]["rules"][0]
    assert descriptor["name"] == "ADanger"
    assert descriptor["shortDescription"] == {"text": "Someone made a fault."}
    assert descriptor["fullDescription"] == {"text": "Bad."}
    assert descriptor["help"]["markdown"] == "# a-danger\n\nBad.\n"
    assert descriptor["defaultConfiguration"] == {"level": "error"}
    assert descriptor["properties"]["tags"] == ["security"]
    assert descriptor["properties"]["security-severity"] == "8.1"


def test_a_rule_of_ours_links_to_its_page_and_one_of_another_package_does_not() -> None:
    from fleetlint_rules import cycle

    ours, theirs = run_of(report(rules=[cycle.RULE, rule()]))["tool"]["driver"]["rules"]
    assert ours["helpUri"].endswith("/rules/fleetlint_rules/cycle/README.md")
    assert "helpUri" not in theirs


def test_the_home_is_the_one_of_the_package() -> None:
    import tomllib

    project = Path(__file__).parents[2] / "pyproject.toml"
    assert tomllib.loads(project.read_text(encoding="utf-8"))["project"]["urls"]["Homepage"] == sarif.HOME


def test_a_level_is_written_even_where_it_is_the_default() -> None:
    run = run_of(
        report([result("a.md", severity=severity) for severity in (Severity.ERROR, Severity.WARN, Severity.INFO)])
    )
    assert [found["level"] for found in run["results"]] == ["error", "warning", "note"]


def test_a_cycle_has_one_place_its_other_roles_and_a_step_for_each_hop() -> None:
    found = run_of(a_loop())["results"][0]
    (place,) = found["locations"]
    assert uri_of(place) == "roles/a.md"
    assert place["physicalLocation"]["region"] == {"startLine": 3, "startColumn": 5, "endLine": 3, "endColumn": 9}
    assert [uri_of(other) for other in found["relatedLocations"]] == ["roles/b.md"]
    steps = found["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps] == ["`a` writes `x/n.md`.", "`b` writes `y/n.md`."]


def test_a_path_becomes_a_uri_that_decodes_back_to_it() -> None:
    uri = uri_of(run_of(a_loop())["results"][1]["locations"][0])
    assert uri.endswith("/my%20role%20%5B1%5D%20100%25.md")
    assert uri.isascii()
    assert unquote(uri) == "Мои роли/my role [1] 100%.md"
    assert not urlsplit(uri).scheme


def test_a_colon_in_a_name_makes_no_scheme() -> None:
    assert uri_of(run_of(report([result("c:role?.md")]))["results"][0]["locations"][0]) == "c%3Arole%3F.md"


def test_bytes_that_are_not_utf_8_are_shown_as_percent_signs_and_never_break_the_encoding() -> None:
    text = sarif.render(a_loop(), context())
    text.encode()
    found = json.loads(text)["runs"][0]["results"][2]
    assert uri_of(found["locations"][0]) == "roles/caf%E9.md"
    assert found["message"]["text"] == "A name %E9 and \ufffd. Narrow the write scope."


def test_brackets_in_a_message_make_no_link() -> None:
    assert run_of(a_loop())["results"][1]["message"]["text"] == "Reaches `[a\\](1)` and {b}."


@pytest.mark.parametrize("cwd", ["/", "/repo/vault/roles"])
def test_paths_are_relative_to_the_repository_wherever_the_command_ran(cwd: str) -> None:
    run = run_of(report([result("roles/a.md")]), cwd=cwd, root="/repo/my vault", repository_root="/repo")
    assert uri_of(run["results"][0]["locations"][0]) == "my%20vault/roles/a.md"


def test_the_fingerprints_are_those_of_the_finding() -> None:
    run = run_of(report([result("a.md", fingerprint="aa"), result("a.md", fingerprint="bb")]))
    first, second = (found["partialFingerprints"] for found in run["results"])
    assert first == {"fleetlint/v1": "aa", "primaryLocationLineHash": "aa:1"}
    assert second["primaryLocationLineHash"] == "bb:1"


def test_findings_without_a_file_in_the_repository_are_left_out_and_counted() -> None:
    of = report([result("a.md"), result(""), result("/tmp/snapshot.json"), result("../outside.json")])
    assert [uri_of(found["locations"][0]) for found in run_of(of)["results"]] == ["a.md"]
    (sentence,) = sarif.left_out(of, context())
    assert sentence.startswith("3 findings without a file in the repository are left out")
    notification = run_of(of)["invocations"][0]["toolExecutionNotifications"][0]
    assert notification == {"level": "warning", "message": {"text": sentence}}


def test_a_snapshot_in_the_repository_is_a_place() -> None:
    of = report([result("../registry.json")])
    run = run_of(of, root="/repo/vault", repository_root="/repo")
    assert uri_of(run["results"][0]["locations"][0]) == "registry.json"
    assert sarif.left_out(of, context(root="/repo/vault", repository_root="/repo")) == ()


def test_a_file_that_could_not_be_read_is_a_notification() -> None:
    of = report(problems=(VaultProblem("roles/x.md", "roles/x.md can't be read"),))
    (notification,) = run_of(of)["invocations"][0]["toolExecutionNotifications"]
    assert notification["message"]["text"] == "Roles/x.md can't be read."
    assert uri_of(notification["locations"][0]) == "roles/x.md"


def test_past_25000_results_the_most_severe_are_kept_in_order_and_the_rest_counted() -> None:
    warning, error = result("w.md"), result("e.md", severity=Severity.ERROR)
    of = report([warning] * 14_999 + [error] * 10_000 + [warning] * 5_001)
    run = run_of(of)
    assert len(run["results"]) == sarif.MAX_RESULTS
    assert sum(found["level"] == "error" for found in run["results"]) == 10_000
    assert uri_of(run["results"][0]["locations"][0]) == "w.md"
    text = run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]
    assert text.startswith("5,000 findings of the least severe are left out")


def test_past_the_size_that_an_upload_may_have_fewer_results_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MAX_GZIPPED", 3_000)
    # Compresses badly, so that the size of the log grows with the number of results.
    of = report([result(f"{number * 7919**4:x}.md", fingerprint=f"{number * 104729**5:x}") for number in range(400)])
    kept = len(run_of(of)["results"])
    assert 0 < kept < 400
    assert sarif.left_out(of, context())[0].startswith(f"{400 - kept} findings of the least severe are left out")


def test_a_result_has_no_more_places_and_a_flow_no_more_steps_than_code_scanning_takes() -> None:
    places = [(f"{number}.md", "here") for number in range(10_500)]
    found = run_of(report([result("a.md", related=places, hops=places)]))["results"][0]
    assert len(found["locations"]) + len(found["relatedLocations"]) == sarif.MAX_LOCATIONS
    assert len(found["codeFlows"][0]["threadFlows"][0]["locations"]) == sarif.MAX_STEPS


def test_a_rule_has_no_more_tags_than_code_scanning_takes() -> None:
    descriptor = run_of(report(rules=[rule(tags=tuple(f"t{n}" for n in range(30)))]))["tool"]["driver"]["rules"][0]
    assert len(descriptor["properties"]["tags"]) == sarif.MAX_TAGS


def test_an_empty_span_is_a_region() -> None:
    run = run_of(report([result("a.md", span=Span(1, 1, 1, 1))]))
    region = run["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 1, "startColumn": 1, "endLine": 1, "endColumn": 1}


def test_the_multitool_has_no_error_and_no_warning(tmp_path: Path) -> None:
    from fleetlint_rules import RULES

    unreadable = report(problems=(VaultProblem("x.md", "can't be read"),), rules=RULES)
    nowhere = report([result(""), result("a.md", span=Span(1, 1, 1, 1))])
    for number, of in enumerate((a_loop(), report(rules=RULES), unreadable, nowhere)):
        (tmp_path / f"{number}.sarif").write_text(sarif.render(of, context()), encoding="utf-8")
    assert sarif_complaints(tmp_path) == []


def test_the_multitool_does_complain_of_a_result_without_a_place(tmp_path: Path) -> None:
    log = json.loads(sarif.render(a_loop(), context()))
    del log["runs"][0]["results"][0]["locations"]
    (tmp_path / "x.sarif").write_text(json.dumps(log), encoding="utf-8")
    assert any("GH1015" in complaint for complaint in sarif_complaints(tmp_path))


def test_sarif_tools_loads_the_log(tmp_path: Path) -> None:
    from sarif import loader

    path = tmp_path / "x.sarif"
    path.write_text(sarif.render(a_loop(), context()), encoding="utf-8")
    loaded = loader.load_sarif_file(str(path))
    assert len(loaded.get_results()) == 3
    assert {record["Severity"] for record in loaded.get_records()} == {"error", "warning", "note"}
