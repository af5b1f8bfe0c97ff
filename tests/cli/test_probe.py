"""`fleetlint check --probe`: what is shown of the fleets' health."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from fleetlint.cli import main
from fleetlint.registry.delivery import delivery_url
from fleetlint.registry.marker import Marker
from tests.cli.roles import change_role
from tests.test_probe import answers, fleet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Path]:
    """Three fleets: `desk` is up, `lab` answers 500, nobody knows where `lost` is."""
    with fleet(answers(200)) as desk, fleet(answers(500)) as lab:
        webhooks = [
            {
                "id": number,
                "url": delivery_url(server.url, Marker(fleet_id, f"roles/{fleet_id}.md", "x", "change")),
                "description": f"fleet:{fleet_id}:roles/{fleet_id}.md#x",
                "enabled": True,
            }
            for number, (fleet_id, server) in enumerate((("desk", desk), ("lab", lab)))
        ]
        (tmp_path / "vault/roles").mkdir(parents=True)
        for fleet_id, include, write in (
            ("desk", "in/**", "out/**"),
            ("lab", "out/**", "log/**"),
            ("lost", "log/**", "x/**"),
        ):
            (tmp_path / f"vault/roles/{fleet_id}.md").write_text(change_role(include, write, fleet_id))
        (tmp_path / "registry.json").write_text(json.dumps({"changeWebhooks": webhooks, "cronWebhooks": []}))
        yield tmp_path / "vault"


def check(capsys: pytest.CaptureFixture[str], vault: Path, *arguments: str) -> str:
    code = main(
        ["check", str(vault), "--registry", str(vault.parent / "registry.json"), "--select", "cycle", *arguments]
    )
    assert code == 0, "health changes no exit code"
    return capsys.readouterr().out


def test_the_text_has_a_line_a_fleet(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(capsys, vault, "--probe") == (
        "fleet `desk` is up\n"
        "fleet `lab` is down (it answers 500)\n"
        "fleet `lost` is unknown (no one address of it is registered)\n"
        "\n"
        "No findings in 3 roles and 2 edges.\n"
    )


def test_the_json_has_the_state_and_the_reason(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fleets = json.loads(check(capsys, vault, "--probe", "--format", "json"))["fleets"]
    assert [(one["id"], one["health"], one["health_reason"]) for one in fleets] == [
        ("desk", "up", ""),
        ("lab", "down", "it answers 500"),
        ("lost", "unknown", "no one address of it is registered"),
    ]


def test_the_mermaid_note_marks_roles_of_a_fleet_that_is_down(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = check(capsys, vault, "--probe", "--format", "mermaid")
    boxes = [line for line in text.split("\n") if "fleet down" in line]
    assert len(boxes) == 1
    assert "⚡ lab<br>lab<br>#40;fleet down#41;" in boxes[0]
    assert "| desk | up |  |\n| lab | down | it answers 500 |\n| lost | unknown |" in text


@pytest.mark.parametrize("format_name", ["text", "json", "mermaid"])
def test_without_probe_nothing_is_asked_and_nothing_is_shown(
    vault: Path, capsys: pytest.CaptureFixture[str], format_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fleetlint import probe

    monkeypatch.setattr(probe, "probe", lambda *arguments, **_: pytest.fail(str(arguments)))
    text = check(capsys, vault, "--format", format_name)
    assert "health_reason" not in text
    assert "is down" not in text
    assert "fleet down" not in text


def test_without_a_registry_it_says_what_is_missing(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(vault), "--probe", "--select", "cycle"]) == 0
    out, err = capsys.readouterr()
    assert err == "fleetlint: --probe: no address of a fleet is known; give --registry FILE or --trip2g-url URL\n"
    assert "fleet `desk` is unknown" in out


def test_where_nothing_that_is_registered_names_an_address_it_says_so(
    vault: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    registry = vault.parent / "registry.json"
    registry.write_text('{"changeWebhooks": [], "cronWebhooks": []}')
    assert main(["check", str(vault), "--registry", str(registry), "--probe", "--select", "cycle"]) == 0
    assert "no address of a fleet is known; nothing is registered that names one\n" in capsys.readouterr().err


def test_a_password_in_a_registered_address_is_not_told(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    registry = vault.parent / "registry.json"
    registry.write_text(registry.read_text().replace("http://127", "http://admin:hunter2@127"))
    for command in (["check", "--probe"], ["plan"]):
        for form in ("text", "json"):
            main([*command, str(vault), "--registry", str(registry), "--format", form])
            out, err = capsys.readouterr()
            assert "hunter2" not in out + err
            assert "http://***@127" in out or (command[0], form) == ("check", "text")


def test_what_may_be_asked_is_said_with_probe_only(vault: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(vault), "--probe-link-local"]) == 2
    assert "give --probe with it" in capsys.readouterr().err
