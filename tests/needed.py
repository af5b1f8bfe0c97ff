"""What tests need beside Python's packages. Where it is missing a laptop skips them, and CI fails."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Skips the test, or in CI fails it."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing")
    pytest.skip(f"{what} is missing")


def find_program(*names: str) -> str:
    """Where the first of these programs is that is there."""
    return next(filter(None, map(shutil.which, names)), None) or missing(names[0])
