"""What a note and a vault are, once read: plain frozen data.

Lines and columns are 1-based and count code points; a line ends at LF or CRLF only.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a note's text; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


# Tuples, for a vault holds some dozens of them a role, and making a frozen dataclass takes four times as long.
class Scalar(NamedTuple):
    """A YAML scalar: `value` is what the server's parser makes of it, `source` its text before resolution."""

    value: str | bool | int | float | None
    source: str
    quoted: bool
    span: Span


class Sequence(NamedTuple):
    items: tuple[Value, ...]
    span: Span


class Mapping(NamedTuple):
    """Entries as the server keeps them: merge keys resolved, the last of duplicate keys kept."""

    entries: tuple[tuple[Scalar, Value], ...]
    span: Span


Value = Scalar | Sequence | Mapping


class HeaderFault(NamedTuple):
    """Why trip2g gets no metadata from a note although a person may have meant some.

    `kind` is `missed` (frontmatter that does not open on the first line) or `broken` (a block whose YAML does not
    give a mapping, or that is too large or too deeply nested to be read safely).
    """

    kind: str
    message: str
    help: str
    span: Span


class HeaderRemark(NamedTuple):
    """A trap in a header that does parse: the server reads it otherwise than it looks (lost keys, octal, a cut)."""

    message: str
    help: str
    span: Span


@dataclass(frozen=True, slots=True)
class Note:
    """A note whose header may matter. `path` is its `/`-separated path in the vault.

    A file name that is not UTF-8 keeps its stray bytes as lone surrogates (`surrogateescape`).
    """

    path: str
    text: str
    header: Mapping | None
    fault: HeaderFault | None = None
    remarks: tuple[HeaderRemark, ...] = ()
    header_text: str = ""
    body: str = ""


class VaultProblem(NamedTuple):
    """A file or folder that could not be read, or was left out; `message` is one sentence."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Vault:
    """What was read of a vault: the notes that may matter, sorted by path, and what was left out and why.

    `folders` are all folders of the vault, relative, `/`-separated; `note_count` counts every note seen.
    `problems` are things a person must know of (unreadable files); `skipped` is told with `-v` only.
    """

    root: str
    notes: tuple[Note, ...]
    folders: frozenset[str]
    note_count: int
    problems: tuple[VaultProblem, ...] = ()
    skipped: tuple[VaultProblem, ...] = field(default=())
