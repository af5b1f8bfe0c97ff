"""The effective role: each field of a role note as the fleet that runs it sees it, with its place in the note."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fleetlint.globs import BadPattern, Pattern
    from fleetlint.vault import Note, Span


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a list field, as the fleet sees it; `span` is where the text it comes from stands."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Glob:
    """One entry of a pattern field.

    `text` is what the fleet sees; `pattern` is that text as the server normalises and reads it, None when it is empty
    or malformed (it then matches nothing); `fault` says what is malformed. `negated` is the leading `!` of an
    `attach_notes` entry, which is then not part of the pattern.
    """

    text: str
    pattern: Pattern | None
    fault: BadPattern | None
    span: Span
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Field:
    """A key of the note with what the server makes of its value.

    `raw` is the server's `%v` rendering. `written` is what the person wrote, item by item, when the value is a list of
    scalars or one scalar (None for anything else). `items` is `parse_list(raw)`.
    """

    key: str
    raw: str
    written: tuple[str, ...] | None
    items: tuple[Item, ...]
    key_span: Span
    value_span: Span


@dataclass(frozen=True, slots=True)
class Problem:
    """An error that makes a fleet refuse the role: one sentence, the mend, and its place (key and item, or span)."""

    message: str
    help: str
    key: str | None
    span: Span
    item: int | None = None


@dataclass(frozen=True, slots=True)
class Role:
    """A role note. Numbers that a note does not state, or that do not parse, are None; `max_depth` is the effective one
    (1 then), `enabled` is True unless the note says otherwise. `problems` are the parse errors, which any fleet reports;
    what depends on the fleet is found by `validate`.
    """

    path: str
    fields: Mapping[str, Field]
    header_span: Span
    body: str
    fleet_id: str
    mode: str
    trigger_on: tuple[str, ...]
    trigger_include: tuple[Glob, ...]
    trigger_exclude: tuple[Glob, ...]
    read_patterns: tuple[Glob, ...]
    write_patterns: tuple[Glob, ...]
    attach_notes: tuple[Glob, ...]
    cron_schedule: str
    for_each: str
    concurrency: str
    stated_max_depth: int | None
    max_tokens: int | None
    max_steps: int | None
    timeout_seconds: int | None
    tools: tuple[str, ...]
    model: str
    description: str
    executor: str
    enabled: bool
    problems: tuple[Problem, ...] = ()

    @property
    def name(self) -> str:
        """The stem of the note's file."""
        return self.path.rpartition("/")[2].removesuffix(".md")

    @property
    def max_depth(self) -> int:
        """The depth guard that fleetlint computes with: 1 where the note states none."""
        return 1 if self.stated_max_depth is None else self.stated_max_depth

    @property
    def is_change(self) -> bool:
        return self.mode in ("change", "both")

    @property
    def is_cron(self) -> bool:
        return self.mode in ("cron", "both")

    @property
    def raises(self) -> frozenset[str]:
        """The events that its writes raise: its tools, all of the default offer where it names none, decide."""
        return _events_of_tools(self.tools)

    def globs(self) -> tuple[tuple[str, tuple[Glob, ...]], ...]:
        """The pattern fields: key and entries. The entry at an index comes from the field's item at that index."""
        return (
            ("trigger_include", self.trigger_include),
            ("trigger_exclude", self.trigger_exclude),
            ("read_patterns", self.read_patterns),
            ("write_patterns", self.write_patterns),
            ("attach_notes", self.attach_notes),
        )

    @property
    def may_overlap_itself(self) -> bool:
        """Whether two deliveries can run side by side."""
        return self.concurrency not in ("skip", "queue_one")


def _events_of_tools(tools: tuple[str, ...]) -> frozenset[str]:
    if not tools or "write_note" in tools:
        return frozenset({"create", "update"})
    return frozenset({"update"}) if "patch_note" in tools else frozenset()


def is_role_note(note: Note) -> bool:
    """Whether a note is a role without any settings (section 2 of the graph contract)."""
    raise NotImplementedError


def read_role(note: Note) -> Role:
    """The role of a note with metadata."""
    raise NotImplementedError
