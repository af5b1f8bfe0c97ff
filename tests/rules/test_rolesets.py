"""The ends of the shared fleets: patterns that lead nowhere, includes that no role feeds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from fleetlint.lint import Result


@pytest.mark.parametrize(
    ("rule", "key", "data"), [("orphan-write", "orphan", "write"), ("dangling-trigger", "dangling", "match")]
)
def test_the_shared_fleets_have_the_ends_that_are_expected(
    rule: str, key: str, data: str, shared: Path, check: Callable[[Path, Sequence[str]], tuple[Result, ...]]
) -> None:
    compared = 0
    for expected in sorted((shared / "rolesets").glob("*/EXPECTED.json")):
        wanted = json.loads(expected.read_text(encoding="utf-8"))
        if key not in wanted:
            continue
        found: dict[str, list[str]] = {}
        for one in check(expected.parent, [rule]):
            found.setdefault(one.at.path, []).append(one.finding.data[data])
        assert found == wanted[key], expected.parent.name
        compared += 1
    assert compared >= 4
