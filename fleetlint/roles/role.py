"""The effective role: each field of a role note as the fleet that runs it sees it, with its place in the note."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.globs import BadPattern, Pattern
from fleetlint.globs.normal import normalised, trim
from fleetlint.roles.raw import parse_list, plain_items, render
from fleetlint.vault.note import Scalar, Sequence, Span

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from fleetlint.roles.raw import Item
    from fleetlint.vault.note import Note, Value


# Tuples like the values of a note, and for the same reason.
class Glob(NamedTuple):
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


class Field(NamedTuple):
    """A key of the note with what the server makes of its value.

    `raw` is the server's `%v` rendering. `written` is what the person wrote, item by item, when the value is a list of
    scalars or one scalar (None for anything else). `items` is `parse_list(raw)` for the keys that fleets read as lists,
    and empty for all others.
    """

    key: str
    raw: str
    written: tuple[str, ...] | None
    items: tuple[Item, ...]
    key_span: Span
    value_span: Span


class Problem(NamedTuple):
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
    body_line: int = 1
    """The line of the note on which the body begins."""

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
    if note.header is None:
        return False
    return is_role_header({key.value for key, _ in note.header.entries})


def is_role_header(keys: AbstractSet[object]) -> bool:
    """Whether a note with these top-level keys is a role without any settings."""
    return "fleet_id" in keys or len(keys & _SIGNS) > 1


def read_role(note: Note) -> Role:
    """The role of a note with metadata. What does not parse counts as its default, beside its error in `problems`."""
    fields: dict[str, Field] = {}
    lines: list[str] | None = None
    for key, value in note.header.entries if note.header else ():
        name = str(key.value)
        if type(value) is Scalar and type(value.value) is str and name not in _LISTS:
            fields[name] = Field(name, value.value, (value.source,), (), key.span, value.span)
            continue
        plain = plain_items(value) if name in _LISTS else None
        if plain is not None:
            texts = tuple([item.text for item in plain])
            fields[name] = Field(name, f"[{' '.join(texts)}]", texts, plain, key.span, value.span)
            continue
        raw = render(value)
        items: tuple[Item, ...] = ()
        if name in _LISTS:
            lines = lines or note.text.split("\n")
            items = parse_list(raw, lines)
        fields[name] = Field(name, raw.text, _written(value), items, key.span, value.span)
    problems: list[Problem] = []
    return Role(
        path=note.path,
        fields=fields,
        header_span=Span(1, 1, 1, max(2, len(note.text.partition("\n")[0].rstrip()) + 1)),
        body=note.body,
        fleet_id=_text(fields, "fleet_id"),
        mode=_text(fields, "mode"),
        trigger_on=_items(fields, "trigger_on"),
        trigger_include=_globs(fields, "trigger_include"),
        trigger_exclude=_globs(fields, "trigger_exclude"),
        read_patterns=_globs(fields, "read_patterns"),
        write_patterns=_globs(fields, "write_patterns"),
        attach_notes=_globs(fields, "attach_notes", may_be_negated=True),
        cron_schedule=_text(fields, "cron_schedule"),
        for_each=_text(fields, "for_each"),
        concurrency=_text(fields, "concurrency"),
        stated_max_depth=_number(fields, "max_depth", problems),
        max_tokens=_number(fields, "max_tokens", problems),
        max_steps=_number(fields, "max_steps", problems),
        timeout_seconds=_number(fields, "timeout_seconds", problems),
        tools=_items(fields, "tools"),
        model=_text(fields, "model"),
        description=_text(fields, "description"),
        executor=_text(fields, "executor"),
        enabled=_enabled(fields, problems),
        problems=tuple(problems),
        body_line=1 + note.text.count("\n", 0, len(note.text) - len(note.body)),
    )


_SIGNS = frozenset(
    {
        "mode",
        "trigger_on",
        "trigger_include",
        "trigger_exclude",
        "read_patterns",
        "write_patterns",
        "cron_schedule",
        "attach_notes",
        "for_each",
    }
)
"""Any two of these make a note without `fleet_id` a role."""

KEYS = _SIGNS | {
    "fleet_id",
    "concurrency",
    "max_depth",
    "max_tokens",
    "max_steps",
    "timeout_seconds",
    "tools",
    "model",
    "description",
    "executor",
    "env_passthrough",
    "env_prefix",
    "enabled",
}
"""All that fleets read; every other key is the role's own."""

_LISTS = frozenset(
    {
        "trigger_on",
        "trigger_include",
        "trigger_exclude",
        "read_patterns",
        "write_patterns",
        "attach_notes",
        "tools",
        "env_passthrough",
        "env_prefix",
    }
)


def _written(value: Value) -> tuple[str, ...] | None:
    if isinstance(value, Scalar):
        return (value.source,)
    if isinstance(value, Sequence) and all(isinstance(item, Scalar) for item in value.items):
        return tuple(item.source for item in value.items if isinstance(item, Scalar))
    return None


def _text(fields: Mapping[str, Field], key: str) -> str:
    field = fields.get(key)
    return trim(field.raw) if field else ""


def _items(fields: Mapping[str, Field], key: str) -> tuple[str, ...]:
    field = fields.get(key)
    return tuple([item.text for item in field.items]) if field else ()


def _globs(fields: Mapping[str, Field], key: str, *, may_be_negated: bool = False) -> tuple[Glob, ...]:
    field = fields.get(key)
    if field is None:
        return ()
    return tuple([_glob(item, negated=may_be_negated and item.text.startswith("!")) for item in field.items])


def _glob(item: Item, *, negated: bool) -> Glob:
    pattern, fault = read_pattern(item.text[1:] if negated else item.text)
    return Glob(item.text, pattern, fault, item.span, negated)


@lru_cache(maxsize=100_000)
def read_pattern(text: str) -> tuple[Pattern | None, BadPattern | None]:
    """The pattern as the server normalises and reads it; roles share most of theirs."""
    normal = normalised(text)
    if not normal:
        return None, None
    try:
        return Pattern.parse(normal), None
    except BadPattern as fault:
        return None, fault


def _number(fields: Mapping[str, Field], key: str, problems: list[Problem]) -> int | None:
    """An integer as Go's Atoi reads it; an empty text is 0."""
    field = fields.get(key)
    if field is None:
        return None
    raw = trim(field.raw)
    digits = raw[1:] if raw[:1] in ("+", "-") else raw
    if not raw:
        return 0
    if digits.isascii() and digits.isdecimal() and len(digits.lstrip("0")) < 20:
        number = int(raw[: len(raw) - len(digits)] + (digits.lstrip("0") or "0"))
        if -(2**63) <= number < 2**63:
            return number
    seen = (
        ""
        if field.written == (raw,)
        else f", which is what the server makes of `{shown(' '.join(field.written or ()))}`"
    )
    if field.raw == "<nil>":
        problems.append(
            Problem(f"`{key}` has no value", f"give `{key}` an integer, or leave the key out", key, field.value_span)
        )
    else:
        problems.append(
            Problem(
                f"`{key}` is `{shown(raw)}`{seen if field.written else ''}, and that is no integer",
                f"write an integer, without quotes: `{key}: 3`",
                key,
                field.value_span,
            )
        )
    return None


def _enabled(fields: Mapping[str, Field], problems: list[Problem]) -> bool:
    field = fields.get("enabled")
    if field is None:
        return True
    raw = trim(field.raw)
    if raw.lower() in ("true", "yes", "on"):
        return True
    if raw.lower() in ("false", "no", "off"):
        return False
    what = "has no value" if raw in ("", "<nil>") else f"is `{shown(raw)}`, which says neither yes nor no"
    problems.append(
        Problem(
            f"`enabled` {what}",
            "write `enabled: no` to pause the role, else leave the key out",
            "enabled",
            field.value_span,
        )
    )
    return True


def shown(text: str) -> str:
    """A text for a message: on one line, not too long, invisible characters as `U+200B`."""
    visible = "".join([char if char.isprintable() else f"<U+{ord(char):04X}>" for char in text[:200]])
    return visible if len(visible) <= 80 else visible[:77] + "..."
