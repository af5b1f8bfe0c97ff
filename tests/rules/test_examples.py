from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fleetlint_rules import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fleetlint.lint import Result

    Check = Callable[[Path, Sequence[str]], tuple[Result, ...]]

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = [rule.name for rule in RULES]


def test_the_clean_example_is_clean_at_every_severity(check: Check) -> None:
    assert check(EXAMPLES / "clean", NAMES) == ()


def test_the_broken_example_shows_every_rule(check: Check) -> None:
    found = check(EXAMPLES / "broken", NAMES)
    assert {one.rule.name for one in found} == set(NAMES)
    assert {one.severity for one in found} == {"error", "warn", "info"}
