from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetlint.baseline import against, parse, render
from tests.report.builders import report, result, rule

A = result("a.md", fingerprint="aa")
B = result("b.md", fingerprint="bb", message="another | `thing`\udce9")
OTHER = result("a.md", rule("b-fault"), fingerprint="cc")


def test_a_baseline_silences_its_own_findings_and_no_others() -> None:
    known = parse(render(report([A, OTHER])).encode(), "known.json")
    after = against(report([A, B, OTHER]), known)
    assert after.report.results == (B,)
    assert [one.fingerprint for one in after.report.suppressed] == ["aa", "cc"]
    assert {one.suppression.reason for one in after.report.suppressed if one.suppression} == {
        "it is in the baseline known.json"
    }
    assert after.stale == ()


def test_entries_without_a_finding_are_stale_if_their_rule_ran_or_is_gone() -> None:
    known = parse(render(report([A, B, OTHER])).encode(), "known.json")
    found = replace(report([B], rules=[rule(), rule("b-fault")]), ran=frozenset({"a-fault"}))
    assert [entry.fingerprint for entry in against(found, known).stale] == ["aa"]
    without = replace(report([B], rules=[rule()]), ran=frozenset({"a-fault"}))
    assert [entry.fingerprint for entry in against(without, known).stale] == ["cc", "aa"][::-1]


def test_what_is_suppressed_is_not_written() -> None:
    assert json.loads(render(replace(report([]), suppressed=(A,)))) == {"version": 1, "findings": []}


def test_the_file_is_sorted_and_has_a_finding_a_line() -> None:
    text = render(report([B, OTHER, A]))
    assert text == render(report([A, B, OTHER]))
    assert text.splitlines()[2].startswith('  {"fingerprint": "aa", "rule": "a-fault", "path": "a.md", "message": ')
    assert len(text.splitlines()) == 6
    text.encode()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "this is no JSON"),
        (b"\xff", "this is no JSON"),
        (b"[" * 100_000, "this is no JSON (it is nested too deeply)"),
        (b"[]", "this is no baseline, for it has no list `findings`"),
        (b'{"findings": 3}', "this is no baseline"),
        (b'{"findings": []}', "this baseline is not of version 1"),
        (b'{"version": 2, "findings": []}', "this baseline is not of version 1"),
        (b'{"version": 1, "findings": [3]}', "entry 1 of `findings` lacks one of fingerprint, rule, path, message"),
        (b'{"version": 1, "findings": [{"fingerprint": 3}]}', "entry 1 of `findings` lacks one of"),
    ],
)
def test_a_broken_baseline_is_one_sentence(data: bytes, says: str) -> None:
    with pytest.raises(ValueError, match=r"^known\.json: .*; write it anew with `--generate-baseline`$") as error:
        parse(data, "known.json")
    assert says in str(error.value)


@given(
    st.recursive(
        st.none() | st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)
    )
)
def test_any_json_is_read_or_refused(value: object) -> None:
    for document in (value, {"version": 1, "findings": value}, {"version": 1, "findings": [value]}):
        data = json.dumps(document).encode()
        try:
            parse(data, "known.json")
        except ValueError as error:
            sentence = str(error)
        else:
            continue
        assert sentence.startswith("known.json: ")
