"""What is served of a vault, over real HTTP."""

from __future__ import annotations

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
