"""Roles made by hand, without a note: only what the graph looks at is filled in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleetlint.globs import BadPattern, Pattern
from fleetlint.roles import Field, Glob, Item, Role
from fleetlint.vault import Span

if TYPE_CHECKING:
    from collections.abc import Sequence

NOWHERE = Span(1, 1, 1, 1)


def glob(text: str, *, key: str = "") -> Glob:
    negated = key == "attach_notes" and text.startswith("!")
    try:
        return Glob(text, Pattern.parse(text.removeprefix("!") if negated else text), None, NOWHERE, negated)
    except BadPattern as fault:
        return Glob(text, None, fault, NOWHERE, negated)


def field(key: str, value: Any) -> Field:
    """A key that stands in the note, all in one place."""
    items = tuple(Item(text, NOWHERE) for text in value) if isinstance(value, tuple) else ()
    return Field(key, str(value), None, items, NOWHERE, NOWHERE)


def role(
    path: str,
    *,
    on: Sequence[str] = ("create", "update"),
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    read: Sequence[str] = (),
    write: Sequence[str] = (),
    attach: Sequence[str] = (),
    mode: str = "change",
    depth: int | None = None,
    **more: Any,
) -> Role:
    """A valid role of the default fleet, unless told otherwise. A cron role runs hourly."""
    stated: dict[str, Any] = {
        "fields": {key: field(key, value) for key, value in {"mode": mode, "max_depth": depth, **more}.items()},
        "header_span": NOWHERE,
        "body": "Do it.\n",
        "fleet_id": "",
        "cron_schedule": "0 * * * *" if mode in ("cron", "both") else "",
        "for_each": "",
        "concurrency": "",
        "max_tokens": None,
        "max_steps": None,
        "timeout_seconds": None,
        "tools": (),
        "model": "",
        "description": "",
        "executor": "",
        "enabled": True,
        **more,
    }
    return Role(
        path=path,
        mode=mode,
        trigger_on=tuple(on),
        trigger_include=tuple(map(glob, include)),
        trigger_exclude=tuple(map(glob, exclude)),
        read_patterns=tuple(map(glob, read)),
        write_patterns=tuple(map(glob, write)),
        attach_notes=tuple(glob(text, key="attach_notes") for text in attach),
        stated_max_depth=depth,
        **stated,
    )
