from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from fleetlint.registry import Marker, parse_marker


def test_a_change_marker_has_fleet_path_and_version() -> None:
    assert parse_marker("fleet:codex:roles/a.md#Asqmgkd_") == Marker("codex", "roles/a.md", "Asqmgkd_", "change")


def test_a_cron_marker_is_told_from_a_change_marker() -> None:
    assert parse_marker("fleetcron:codex:roles/a.md#aBMkSAhe") == Marker("codex", "roles/a.md", "aBMkSAhe", "cron")


def test_a_path_may_hold_colons_and_hash_signs() -> None:
    assert parse_marker("fleet:f:a:b#c/d#1.md#v") == Marker("f", "a:b#c/d#1.md", "v", "change")


def test_a_marker_may_lack_its_version() -> None:
    assert parse_marker("fleet:f:roles/a.md") == Marker("f", "roles/a.md", "", "change")
    assert parse_marker("fleet:f:roles/a.md#") == Marker("f", "roles/a.md", "", "change")


def test_a_description_without_fleet_or_path_is_a_persons_webhook() -> None:
    for description in (
        "",
        "my webhook",
        "fleet:",
        "fleet:f",
        "fleet:f:",
        "fleet:f:#v",
        "fleet::a.md#v",
        "Fleet:f:a.md",
    ):
        assert parse_marker(description) is None, description
    assert parse_marker("fleetcron::a.md#v") is None
    assert parse_marker(" fleet:f:a.md#v") is None


@given(
    st.text(min_size=1).filter(lambda text: ":" not in text),
    st.text(min_size=1),
    st.text().filter(lambda text: "#" not in text),
    st.sampled_from(["fleet", "fleetcron"]),
)
def test_what_a_fleet_writes_is_read_back(fleet: str, path: str, version: str, word: str) -> None:
    kind = "cron" if word == "fleetcron" else "change"
    assert parse_marker(f"{word}:{fleet}:{path}#{version}") == Marker(fleet, path, version, kind)
