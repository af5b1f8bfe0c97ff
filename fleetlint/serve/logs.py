"""Logs: one JSON object a line on stderr. Nothing of a request's headers, body or query is ever in one."""

from __future__ import annotations

import json
import logging
import sys
import time

MAX_TEXT = 2_000
"""Characters of a text in a line."""


def log(event: str, *, level: str = "info", **fields: object) -> None:
    """Writes one line: `time`, `level`, `event` and the fields."""
    moment = time.time()
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment)) + f".{int(moment % 1 * 1000):03}Z"
    line = {"time": stamp, "level": level, "event": event} | {
        name: value if isinstance(value, (int, float, dict)) or value is None else str(value)[:MAX_TEXT]
        for name, value in fields.items()
    }
    # Escaped, so that no text of a vault or a request reaches a terminal as a command.
    print(json.dumps(line), file=sys.stderr, flush=True)


class _Lines(logging.Handler):
    """What libraries log, as a line of ours."""

    def emit(self, record: logging.LogRecord) -> None:
        error = record.exc_info[1] if record.exc_info else None
        fields = {"error": _place(error)} if error else {}
        log("library", level=record.levelname.lower(), logger=record.name, message=record.getMessage(), **fields)


def _place(error: BaseException) -> str:
    """What went wrong and where, without the values that a message could hold."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    code = place.tb_frame.f_code if place else None
    return (
        f"{type(error).__name__} in {code.co_name} ({code.co_filename}:{place.tb_lineno})"
        if code and place
        else type(error).__name__
    )


def take_over() -> None:
    """Has all loggers of this process write such lines, from warnings on."""
    logging.basicConfig(handlers=[_Lines()], level=logging.WARNING, force=True)
