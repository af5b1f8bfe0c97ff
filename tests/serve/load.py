"""Programs that tests of a server need, and the load that tests and `bench/serve.py` put on one."""

from __future__ import annotations

import os
import shutil

import pytest


def program(name: str) -> str:
    """Where a program is. A laptop without it skips; in CI that is a fault."""
    found = shutil.which(name)
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(f"there is no {name}")
        pytest.skip(f"there is no {name}")
    return found
