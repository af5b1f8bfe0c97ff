"""The note that `fleetlint note` writes: the graph and the findings for people who read the vault."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from fleetlint.report.mermaid import render as render_mermaid

if TYPE_CHECKING:
    from fleetlint.lint import Report
    from fleetlint.report import Context

_OURS = re.compile(r"---\ngenerated_by: fleetlint\ncontent: ([0-9a-f]{16})\n---\n")
_INTRODUCTION = """
# Fleet graph

Who can wake whom, and what fleetlint finds. `fleetlint note` writes this note anew; what you have to say belongs into another one.
"""


def render(report: Report, context: Context) -> str:
    """The whole note. The same vault gives the same text: it holds no time, and of paths only those of notes.

    Its header tells the hash of what is below, by which `is_ours` sees that nobody has edited it.
    """
    body = f"{_INTRODUCTION}\n{render_mermaid(report, context)}"
    return f"---\ngenerated_by: fleetlint\ncontent: {_hash(body)}\n---\n{body}"


def is_ours(text: str) -> bool:
    """Whether fleetlint wrote all of this text, whatever its line ends have become since."""
    text = plain(text)
    head = _OURS.match(text)
    return head is not None and head[1] == _hash(text[head.end() :])


def plain(text: str) -> str:
    """The text with line ends as they were written; git may make others of them."""
    return text.replace("\r\n", "\n")


def _hash(body: str) -> str:
    return sha256(body.encode()).hexdigest()[:16]
