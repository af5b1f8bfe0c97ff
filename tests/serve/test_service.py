"""The systemd unit of docs/serve.md."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.needed import find_program
from tests.serve.test_caddy import PAGE

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "/opt/fleetlint/bin/fleetlint"


def test_systemd_takes_the_unit_without_a_word(tmp_path: Path) -> None:
    (unit,) = re.findall(r"```ini\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert f"ExecStart={PROGRAM} serve " in unit
    file = tmp_path / "fleetlint.service"
    # The program has to be there.
    file.write_text(unit.replace(PROGRAM, sys.executable), "utf-8")
    verified = subprocess.run(
        [find_program("systemd-analyze"), "verify", file], capture_output=True, text=True, check=False
    )
    assert (verified.returncode, verified.stdout, verified.stderr) == (0, "", "")
