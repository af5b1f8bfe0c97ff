"""Authorities that the environment names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fleetlint.cli import main

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("text", [None, "no certificate"])
@pytest.mark.parametrize("command", ["check", "serve"])
def test_authorities_that_cannot_be_read_are_one_sentence(
    command: str, text: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "own.pem"
    if text is not None:
        file.write_text(text)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    assert main([command, str(tmp_path), "--trip2g-url", "https://127.0.0.1:9"]) == 2
    error = capsys.readouterr().err
    assert "Error: SSL_CERT_FILE: the authorities cannot be read (" in error
    assert error.endswith("; name a PEM file, or unset it\n")
