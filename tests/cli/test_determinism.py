from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BROKEN = ROOT / "examples" / "broken"


@pytest.mark.parametrize("name", ["text", "json", "sarif", "github", "mermaid"])
def test_two_processes_with_other_hash_seeds_print_the_same_bytes(name: str) -> None:
    command = [sys.executable, "-c", "import sys; from fleetlint.cli import main; sys.exit(main())"]
    command += ["check", str(BROKEN), "--registry", str(BROKEN / "registry.json"), "--format", name]
    outputs = set()
    for seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": "1767225600"}
        environment.pop("GITHUB_STEP_SUMMARY", None)
        done = subprocess.run(command, capture_output=True, env=environment, check=False)
        assert done.returncode == 1, done.stderr
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert outputs != {b""}
