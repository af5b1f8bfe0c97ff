"""The server's own libraries, behind a small Go program that is built once a session."""

from __future__ import annotations

import base64
import json
import subprocess
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.needed import find_program

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HERE = Path(__file__).parent
BATCH_SECONDS = 120
"""How long a batch may take before the program is taken for stuck."""


def as_bytes(text: str) -> str:
    """A text as it travels; a lone surrogate is the stray byte that it stands for, or travels as it is."""
    try:
        return base64.b64encode(text.encode("utf-8", "surrogateescape")).decode()
    except UnicodeEncodeError:
        return base64.b64encode(text.encode("utf-8", "surrogatepass")).decode()


@dataclass(frozen=True)
class Oracle:
    """A running program; `ask` sends one line and waits for the line that answers it."""

    process: subprocess.Popen[bytes]

    def ask(self, questions: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        watchdog = threading.Timer(BATCH_SECONDS, self.process.kill)
        watchdog.start()
        try:
            self.process.stdin.write(json.dumps(questions).encode() + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        finally:
            watchdog.cancel()
        assert line, f"the oracle stopped, or took more than {BATCH_SECONDS} s, on a batch that begins {questions[:1]}"
        answers: list[dict[str, Any]] = json.loads(line)
        assert len(answers) == len(questions)
        return answers

    def matches(self, pairs: Sequence[tuple[str, str]]) -> list[bool]:
        """What the server makes of each (pattern, name); a malformed pattern matches nothing."""
        questions = [{"op": "match", "pattern": as_bytes(pattern), "name": as_bytes(name)} for pattern, name in pairs]
        return [answer.get("match", False) for answer in self.ask(questions)]

    def metadata(self, notes: Sequence[bytes]) -> list[dict[str, str] | None]:
        """The metadata of each note as key -> `%v` rendering, or None."""
        answers = self.ask([{"op": "frontmatter", "note": base64.b64encode(note).decode()} for note in notes])
        return [
            {_text(key): _text(value) for key, value in answer.get("values", ())} if "metadata" in answer else None
            for answer in answers
        ]

    def schedules(self, texts: Sequence[str], start: int) -> list[dict[str, Any]]:
        """The parser's answer to each cron text: {"error"}, {"panic"} or {"next": [unix time or 0, the one after]}.

        `start` is the unix time from which the next times count.
        """
        return self.ask([{"op": "cron", "expr": as_bytes(text), "from": start} for text in texts])


def _text(encoded: str) -> str:
    return base64.b64decode(encoded).decode("utf-8", "surrogateescape")


def start_oracle(folder: Path, module_file: str) -> Iterator[Oracle]:
    """Build the program with the versions of one module file, start it, and end it afterwards."""
    go = find_program("go")
    program = folder / Path(module_file).stem
    built = subprocess.run(
        [go, "build", "-buildvcs=false", f"-modfile={module_file}", "-o", str(program), "."],
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        yield Oracle(process)
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture(scope="session")
def oracle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracle]:
    """The versions that the server is built with."""
    yield from start_oracle(tmp_path_factory.mktemp("oracle"), "go.mod")


@pytest.fixture(scope="session")
def newest_oracle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Oracle]:
    """The same with the newest doublestar v4."""
    yield from start_oracle(tmp_path_factory.mktemp("oracle"), "newest.mod")
