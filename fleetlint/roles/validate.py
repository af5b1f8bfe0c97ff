"""The checks that a fleet and the server make before they register a role: each failure makes the role invalid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.globs.normal import trim
from fleetlint.roles.role import Field, Problem, Role, shown
from fleetlint.vault.note import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DEFAULT_TOOLS = ("search", "read_note", "patch_note", "write_note")
"""What a fleet offers unless it is told otherwise."""

MAX_DEPTH = 999
MAX_TIMEOUT = 3600
"""Seconds; the server refuses more, and less than 1."""

LANGUAGES = frozenset(
    ("py", "python", "python3", "js", "javascript", "node", "sh", "bash", "rb", "ruby", "php", "pl", "perl")
)
"""Languages of code blocks, in lower case."""


def validate(role: Role, tools: Sequence[str] = DEFAULT_TOOLS) -> tuple[Problem, ...]:
    """Why a fleet that offers these tools refuses the role, or the server its webhook; parse errors are in the role.

    The checks do not depend on whether the role is paused.
    """
    return (*refused_by_fleet(role, tools), *refused_by_server(role))


def refused_by_fleet(role: Role, tools: Sequence[str]) -> tuple[Problem, ...]:
    """Why a fleet registers nothing for the role, beside the parse errors."""
    return (
        *_mode(role),
        *_choices(role),
        *_below_zero(role),
        *_tools(role, tools),
        *_template(role),
        *(_code(role) if role.executor == "code" else ()),
        *_prefixes(role),
    )


def refused_by_server(role: Role) -> tuple[Problem, ...]:
    """Why the server takes no webhook of the role, which its fleet tries to register; schedules are `read_cron`'s."""
    return tuple(_limits(role))


def _mode(role: Role) -> Iterator[Problem]:
    known = "`change`, `cron` or `both`"
    if not role.mode:
        yield _missing(role, "mode", "a role needs a `mode`", f"write {known}: `mode: change`")
    elif not (role.is_change or role.is_cron):
        yield _unknown(role, "mode", role.mode, ("change", "cron", "both"))
    if role.is_cron and not role.cron_schedule:
        yield _missing(
            role,
            "cron_schedule",
            f"`mode: {role.mode}` needs a `cron_schedule`",
            'write one: `cron_schedule: "0 6 * * *"`',
        )
    if role.is_change and not role.trigger_on:
        yield _missing(
            role, "trigger_on", f"`mode: {role.mode}` needs `trigger_on`", "write `trigger_on: [create, update]`"
        )
    if role.is_change and not role.trigger_include:
        yield _missing(
            role,
            "trigger_include",
            f"`mode: {role.mode}` needs `trigger_include`",
            "name the notes that wake it: `trigger_include: [inbox/**]`",
        )


def _choices(role: Role) -> Iterator[Problem]:
    if role.for_each not in ("", "changed_files", "attached_notes"):
        yield _unknown(role, "for_each", role.for_each, ("changed_files", "attached_notes"))
    if role.concurrency not in ("", "allow_overlap", "skip", "queue_one"):
        yield _unknown(role, "concurrency", role.concurrency, ("allow_overlap", "skip", "queue_one"))


def _below_zero(role: Role) -> Iterator[Problem]:
    timeout = role.timeout_seconds
    if timeout is not None and timeout < 0:
        yield _at(role, "timeout_seconds", f"`timeout_seconds` is {timeout}, below 0", "write 1 to 3600")


def _limits(role: Role) -> Iterator[Problem]:
    depth, timeout = role.stated_max_depth, role.timeout_seconds
    if depth is not None and not 0 <= depth <= MAX_DEPTH:
        yield _at(
            role,
            "max_depth",
            f"`max_depth` is {depth}, and the server takes 0 to {MAX_DEPTH}",
            "write the depth that the longest chain needs, rarely above 5",
        )
    if timeout is not None and timeout > MAX_TIMEOUT:
        yield _at(
            role,
            "timeout_seconds",
            f"`timeout_seconds` is {timeout}, and the server takes at most {MAX_TIMEOUT}",
            f"write at most {MAX_TIMEOUT}, which is one hour",
        )


def _tools(role: Role, offered: Sequence[str]) -> Iterator[Problem]:
    field = role.fields.get("tools")
    for index, item in enumerate(field.items if field else ()):
        if item.text not in offered:
            listed = ", ".join(f"`{tool}`" for tool in offered)
            yield Problem(
                f"the fleet does not offer the tool `{shown(item.text)}`",
                f"use {listed}, or none to get them all" if offered else "take it out",
                "tools",
                item.span,
                index,
            )


def _template(role: Role) -> Iterator[Problem]:
    at = role.body.find("change_file") if role.for_each != "changed_files" else -1
    if at >= 0:
        line_start = role.body.rfind("\n", 0, at)
        line = role.body_line + role.body.count("\n", 0, at)
        yield Problem(
            "the text uses `change_file`, which exists only with `for_each: changed_files`",
            "add `for_each: changed_files`, or go through the list `changed_files`",
            None,
            Span(line, at - line_start, line, at - line_start + len("change_file")),
        )


def _code(role: Role) -> Iterator[Problem]:
    blocks = list(code_blocks(role.body))
    if not blocks:
        yield _at(
            role,
            "executor",
            "`executor: code` needs a complete fenced code block, and the text has none",
            "add a block between two lines of three backticks, with its language behind the first",
        )
    said: set[str] = set()
    line, counted = role.body_line, 0
    for language, begin in blocks:
        if language.lower() in LANGUAGES or language in said:
            continue
        said.add(language)
        line, counted = line + role.body.count("\n", counted, begin), begin
        column = begin - role.body.rfind("\n", 0, begin)
        yield Problem(
            f"no fleet can run a code block in `{shown(language)}`"
            if language
            else "the code block names no language, so no fleet can run it",
            "use python, javascript, bash, ruby, php or perl",
            None,
            Span(line, column, line, column + 3 + len(language)),
        )


def code_blocks(body: str) -> Iterator[tuple[str, int]]:
    """The fenced blocks of a text as they are executed: language, and where the block begins.

    Three backticks anywhere open a block and the next three close it; what follows the last pair is no block.
    """
    at = 0
    while (begin := body.find("```", at)) >= 0:
        line_end = body.find("\n", begin)
        end = body.find("```", line_end) if line_end >= 0 else -1
        if end < 0:
            return
        yield trim(body[begin + 3 : line_end]), begin
        at = end + 3


def _prefixes(role: Role) -> Iterator[Problem]:
    field = role.fields.get("env_prefix")
    for index, item in enumerate(field.items if field else ()):
        if not trim(item.text):
            yield Problem(
                "an entry of `env_prefix` is empty, which would hand over the whole environment",
                "take the entry out",
                "env_prefix",
                item.span,
                index,
            )


def _missing(role: Role, key: str, message: str, help: str) -> Problem:
    field = role.fields.get(key)
    if field is None:
        return Problem(message, help, None, role.header_span)
    return Problem(f"{message}, and `{key}` is empty", help, key, _span(field))


def _at(role: Role, key: str, message: str, help: str) -> Problem:
    return Problem(message, help, key, _span(role.fields[key]))


def _span(field: Field) -> Span:
    """The value's place; the key's when there is nothing to see of the value."""
    span = field.value_span
    return field.key_span if (span.line, span.column) == (span.end_line, span.end_column) else span


def _unknown(role: Role, key: str, given: str, known: Sequence[str]) -> Problem:
    if given == "<nil>":
        message = f"`{key}` has no value, and the server makes the text `<nil>` of that, which no fleet knows"
    else:
        subject = "the mode" if key == "mode" else f"`{key}`"
        message = f"{subject} is `{shown(given)}`, which no fleet knows"
    return _at(role, key, message, _write(key, given, known))


def _write(key: str, given: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(given.lower().replace("-", "_"), known, 1)
    if near:
        return f"write `{key}: {near[0]}`"
    words = f"{', '.join(f'`{one}`' for one in known[:-1])} or `{known[-1]}`"
    return f"write {words}" if key == "mode" else f"write {words}, or leave the key out"
