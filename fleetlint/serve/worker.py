"""The child process: derives a vault when asked, keeps the graph, and answers questions about it.

Requests come on standard input, each a line of JSON. An answer on standard output is a line of JSON, whose `parts` names
the lengths of the byte strings that follow it. When the input ends the process does, in the middle of whatever it is at:
so it never outlives the server, however that ended.
"""

from __future__ import annotations

import gc
import json
import os
import queue
import signal
import sys
import threading
from gzip import compress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fleetlint.lint import Report
    from fleetlint.report import Context
    from fleetlint.sources import Read

MAX_SAID = 100
"""So many sentences about single files are told."""


class RefusedError(Exception):
    """A question that has no answer: one sentence that says why."""


class Derived(NamedTuple):
    """What is kept for further questions."""

    found: Read
    report: Report
    context: Context


class Answer(NamedTuple):
    """Plain data for the header's line, and byte strings by name."""

    header: Mapping[str, Any]
    parts: Mapping[str, bytes]


class Worker:
    """Answers requests, one at a time: `{"do": "derive", "source": ...}`, `impact` with a `glob`, and `sarif`."""

    def __init__(self) -> None:
        self._derived: Derived | None = None

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """Raises RefusedError, and what reading and linting raise."""
        from fleetlint.sources import Source

        source = Source(**request["source"])
        if request["do"] == "derive":
            # When this fails, questions about the last good graph are still answered.
            self._derived, said = derive(source)
            return documents(self._derived, said)
        if self._derived is None:
            # A process that took the place of another one has no graph yet.
            self._derived, _ = derive(source)
        if request["do"] == "impact":
            return Answer({}, {"impact": impact(self._derived.report, request["glob"])})
        return Answer({}, zipped("findings.sarif", sarif(self._derived)))


def derive(source: Any) -> tuple[Derived, list[str]]:
    """Reads and lints; also what is to be said of single files. Raises SettingsError, RuleError and SourceError."""
    from fleetlint.lint import lint
    from fleetlint.sources import make_context, read

    said: list[str] = []
    # A derivation builds much and drops little, and what it drops is collected when it is over.
    gc.disable()
    try:
        found = read(source, say=said.append, tell=lambda _: None)
        context = make_context(source.root)
        report = lint(
            found.vault, found.settings, registry=found.registry, rules=found.rules, today=context.generated_at[:10]
        )
    finally:
        gc.enable()
        gc.collect()
    return Derived(found, report, context), said


def documents(derived: Derived, said: list[str]) -> Answer:
    from fleetlint.report import render
    from fleetlint.report.mermaid import diagram
    from fleetlint.serve.facts import facts

    report = derived.report
    graph = render("json", report, derived.context).encode()
    mermaid = diagram(report).encode("utf-8", "backslashreplace")
    plain = json.dumps(facts(report)).encode()
    # The first line of the machine JSON has the time and nothing else.
    timeless = graph.partition(b"\n")[2]
    # What SARIF tells beyond the graph comes from the headers.
    headers = "\0".join(f"{path}\0{note.header_text}" for path, note in sorted(report.notes.items()))
    digest = sha256(b"\0".join((timeless, mermaid, plain, headers.encode("utf-8", "surrogateescape"))))
    figures = {
        "roles": len(report.graph.nodes),
        "edges": len(report.graph.edges),
        "notes": derived.found.vault.note_count,
    }
    figures |= {"error": 0, "warn": 0, "info": 0}
    for result in report.results:
        figures[result.severity.value] += 1
    return Answer(
        {
            "digest": digest.hexdigest(),
            "etags": {"graph.json": _etag(timeless), "graph.mmd": _etag(mermaid)},
            "figures": figures,
            "said": said[:MAX_SAID],
        },
        zipped("graph.json", graph) | zipped("graph.mmd", mermaid) | {"facts": plain},
    )


def _etag(data: bytes) -> str:
    return f'W/"{sha256(data).hexdigest()[:32]}"'


def zipped(name: str, data: bytes) -> dict[str, bytes]:
    return {name: data, f"{name}.gz": compress(data, 6, mtime=0)}


def sarif(derived: Derived) -> bytes:
    """What `fleetlint check --format sarif` prints, with the mends that hold."""
    from fleetlint.lint import lint
    from fleetlint.mends import with_fixes
    from fleetlint.report import render

    found = derived.found
    report, _ = with_fixes(
        derived.report,
        found.settings,
        lambda vault, rules: lint(
            vault,
            found.settings,
            select=rules,
            registry=found.registry,
            rules=found.rules,
            today=derived.context.generated_at[:10],
        ),
    )
    return render("sarif", report, derived.context).encode("utf-8", "backslashreplace")


def impact(report: Report, glob: str) -> bytes:
    """What `fleetlint impact GLOB --format json` prints. Raises RefusedError for a malformed pattern."""
    from fleetlint.globs import BadPattern, Pattern
    from fleetlint.globs.normal import normalised
    from fleetlint.graph.waves import impact as waves
    from fleetlint.report.impact import json as render

    pattern = normalised(glob)
    if not pattern:
        raise RefusedError("nothing is left of the pattern when the server has read it; write one")
    try:
        return render(waves(report.graph, Pattern.parse(pattern))).encode()
    except BadPattern as error:
        raise RefusedError(f"the pattern is malformed at column {error.column}: {error}") from None


def main() -> None:
    # Ctrl+C, and what a service manager sends to all processes, are for the server, which ends this one.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    # What a rule of the vault prints must not come between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(requests,), daemon=True).start()
    worker = Worker()
    while True:
        header, parts = _answered(worker, json.loads(requests.get()))
        line = {**header, "parts": {name: len(part) for name, part in parts.items()}}
        answers.write(json.dumps(line).encode() + b"\n")
        answers.writelines(parts.values())
        answers.flush()


def _listen(requests: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)


def _answered(worker: Worker, request: Mapping[str, Any]) -> Answer:
    from fleetlint.lint import RuleError
    from fleetlint.settings import SettingsError
    from fleetlint.sources import SourceError

    try:
        return worker.answer(request)
    except RefusedError as error:
        return Answer({"refused": str(error)}, {})
    except (RuleError, SettingsError, SourceError) as error:
        return Answer({"error": str(error)}, {})
    except Exception as error:
        import traceback

        traceback.print_exc()
        return Answer({"error": f"deriving failed ({type(error).__name__}); the log of the server says where"}, {})


if __name__ == "__main__":
    main()
