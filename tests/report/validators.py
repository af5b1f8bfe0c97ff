"""The validators from outside, in tests/node. CI must have them; a laptop without Node skips what needs them."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.needed import find_program, missing

if TYPE_CHECKING:
    from collections.abc import Sequence

NODE = Path(__file__).parents[1] / "node"


def mermaid_errors(diagrams: Sequence[str]) -> list[str | None]:
    """What Mermaid's parser says of each diagram, None when it parses."""
    return _answers("parse_mermaid.mjs", diagrams)


def mermaid_labels(diagrams: Sequence[str]) -> list[list[str]]:
    """The labels that a reader of each diagram sees once Mermaid has drawn it."""
    return _answers("mermaid_labels.mjs", diagrams)


def _answers(script: str, diagrams: Sequence[str]) -> list[Any]:
    """The script's answers, one for each diagram; both go as a line of JSON, in one process."""
    done = subprocess.run(
        [_needed("node"), str(NODE / script)],
        input="".join(json.dumps(diagram) + "\n" for diagram in diagrams).encode(),
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    answers = [json.loads(line) for line in done.stdout.decode().splitlines()]
    assert len(answers) == len(diagrams)
    return answers


def sarif_complaints(folder: Path) -> list[str]:
    """What the SARIF Multitool says, as errors and warnings, of every `*.sarif` of a folder."""
    _needed("node")
    tool = next(NODE.glob("node_modules/@microsoft/sarif-multitool-*/Sarif.Multitool*"), None)
    assert tool is not None, "no SARIF Multitool for this system"
    tool = tool.with_name("Sarif.Multitool")
    # npm may be told not to run the package's script that does this.
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    done = subprocess.run(
        [str(tool), "validate", "--rule-kind", "Sarif;Ghas", str(folder / "*.sarif")],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        # Without this .NET wants a library for languages that a small machine does not have.
        env=os.environ | {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"},
    )
    output = done.stdout + done.stderr
    assert f"{len(list(folder.glob('*.sarif')))} files scanned" in output, output
    return [line for line in output.splitlines() if ": error " in line or ": warning " in line]


def _needed(command: str) -> str:
    if not (NODE / "node_modules").is_dir():
        missing("what `make node` installs")
    return find_program(command)
