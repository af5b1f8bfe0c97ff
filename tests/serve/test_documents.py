"""What is served of a vault, over real HTTP."""

from __future__ import annotations

import gzip
import os
from typing import TYPE_CHECKING

import pytest

from fleetlint.cli import main
from tests.serve.conftest import EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.serve.running import Server

REGISTRY = ("--registry", str(EXAMPLES / "broken" / "registry.json"))


def printed(capsysbinary: pytest.CaptureFixture[bytes], *arguments: str) -> bytes:
    main(list(arguments))
    return capsysbinary.readouterr().out


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("graph.json", ("check", "--format", "json")),
        ("findings.sarif", ("check", "--format", "sarif")),
        ("graph.mmd", ("graph",)),
        ("impact?path=wiki/**", ("impact", "wiki/**", "--format", "json")),
    ],
)
def test_a_document_is_byte_for_byte_what_the_command_line_prints(
    serve: Callable[..., Server],
    capsysbinary: pytest.CaptureFixture[bytes],
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    command: tuple[str, ...],
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    server = serve(EXAMPLES / "broken", *REGISTRY, environment={"SOURCE_DATE_EPOCH": os.environ["SOURCE_DATE_EPOCH"]})
    expected = printed(capsysbinary, *command, str(EXAMPLES / "broken"), *REGISTRY)
    answer = server.get(path)
    assert answer.status_code == 200
    assert answer.content == expected
    assert len(expected) > 500


@pytest.mark.parametrize("path", ["graph.json", "graph.mmd", "findings.sarif"])
def test_who_has_a_document_gets_it_no_second_time(example: Server, path: str) -> None:
    whole = example.get(path, headers={"accept-encoding": "identity"})
    etag = whole.headers["etag"]
    assert (whole.status_code, whole.headers.get("content-encoding")) == (200, None)
    for known in (etag, etag.removeprefix("W/"), f'"x", {etag} , "y"', "*"):
        same = example.get(path, headers={"if-none-match": known})
        assert (same.status_code, same.content, same.headers["etag"]) == (304, b"", etag)
    for unknown in ('"x"', f"{etag[:-1]}x", '""'):
        assert example.get(path, headers={"if-none-match": unknown}).status_code == 200


@pytest.mark.parametrize(
    ("accepted", "is_zipped"),
    [
        ("gzip", True),
        ("br, GZIP;q=0.5", True),
        ("*", True),
        ("identity", False),
        ("gzip;q=0", False),
        ("gzip; q=0.000, *", False),
        ("", False),
        ("gzipx", False),
    ],
)
def test_a_document_is_gzipped_for_who_accepts_that(example: Server, accepted: str, is_zipped: bool) -> None:
    plain = example.get("graph.json", headers={"accept-encoding": "identity"}).content
    with example.client.stream("GET", "graph.json", headers={"accept-encoding": accepted}) as answer:
        raw = b"".join(answer.iter_raw())
        assert ("gzip" in answer.headers.get("content-encoding", "")) is is_zipped
        assert "accept-encoding" in answer.headers["vary"].lower()
    assert (gzip.decompress(raw) if is_zipped else raw) == plain
    assert (len(raw) < len(plain)) is is_zipped


@pytest.mark.parametrize("path", ["", "graph.json", "graph.mmd", "findings.sarif", "impact?path=a", "events", "readyz"])
def test_head_gives_the_headers_alone(example: Server, path: str) -> None:
    head = example.client.head(path)
    assert (head.status_code, head.content) == (200, b"")
    assert "content-type" in head.headers


def test_the_etag_says_nothing_of_the_time(serve: Callable[..., Server]) -> None:
    etags, times = set(), set()
    for epoch in ("1700000000", "1800000000"):
        answer = serve(EXAMPLES / "broken", environment={"SOURCE_DATE_EPOCH": epoch}).get("graph.json")
        etags.add(answer.headers["etag"])
        times.add(answer.json()["generated_at"])
    assert (len(etags), len(times)) == (1, 2)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", "give one parameter, `path`"),
        ("?path=a&path=b", "give one parameter, `path`"),
        ("?path=a&x=b", "give one parameter, `path`"),
        ("?path=", "nothing is left"),
        ("?path=/./", "nothing is left"),
        ("?path=[a", "malformed at column 1"),
        ("?path=%00%FF[", "malformed at column"),
        ("?path=" + "a" * 1001, "longer than 1,000 characters"),
    ],
)
def test_a_bad_parameter_is_told_in_a_sentence(example: Server, query: str, expected: str) -> None:
    answer = example.get(f"impact{query}")
    assert answer.status_code == 400
    assert list(answer.json()) == ["error"]
    assert expected in answer.json()["error"]


def test_what_there_is_not_is_told_in_json(example: Server) -> None:
    for path in ("no-such-thing", "static/no-such-thing", "static/../rest.py", "static/%2e%2e/rest.py"):
        answer = example.get(path)
        assert answer.status_code == 404
        assert "error" in answer.json()


def test_metrics_tell_of_the_result_and_the_requests(example: Server) -> None:
    graph = example.get("graph.json").json()
    text = example.get("metrics").text
    assert f"fleetlint_roles {len(graph['nodes'])}.0" in text
    errors = sum(finding["severity"] == "error" for finding in graph["findings"])
    assert f'fleetlint_findings{{severity="error"}} {errors}.0' in text
    assert 'fleetlint_requests_total{method="GET",route="/graph.json",status="200"}' in text
    example.get("made-up-path")
    assert "made-up-path" not in example.get("metrics").text
