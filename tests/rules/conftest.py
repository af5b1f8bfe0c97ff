"""Runs rules over a folder on the disk, as the command line does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fleetlint.lint import Result


TODAY = "2026-06-01"
"""The day on which cases are linted."""


@pytest.fixture(scope="session")
def check() -> Callable[[Path, Sequence[str]], tuple[Result, ...]]:
    """Lints a vault with the named rules only, against its `registry.json` where there is one."""
    return run


def run(root: Path, rules: Sequence[str]) -> tuple[Result, ...]:
    from fleetlint.lint import lint
    from fleetlint.registry import parse_snapshot
    from fleetlint.settings import load_settings
    from fleetlint.vault import load_vault

    settings = load_settings(root)
    vault = load_vault(root, exclude=settings.exclude, keep=settings.keep)
    snapshot = root / "registry.json"
    registry = parse_snapshot(snapshot.read_text(encoding="utf-8"), "registry.json") if snapshot.exists() else None
    return lint(vault, settings, select=rules, registry=registry, today=TODAY).results
