"""Which fields of a role differ from its registered webhook."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fleetlint.registry import Webhook
    from fleetlint.roles import Glob, Role

DEFAULT_TIMEOUT = 300
"""Seconds, where a role states none (section 3 of the description of the system)."""


def changed_fields(role: Role, webhook: Webhook) -> tuple[tuple[str, str], ...]:
    """The keys whose values differ, with the registered value in words. What the snapshot does not show is left out."""
    return tuple((key, before) for key, before, now in _pairs(role, webhook) if before is not None and before != now)


def _pairs(role: Role, webhook: Webhook) -> Iterator[tuple[str, str | None, str]]:
    if webhook.kind == "change":
        yield "trigger_on", _listed(sorted(webhook.events)), _listed(sorted(set(role.trigger_on)))
        yield "trigger_include", _listed(webhook.include_patterns), _texts(role.trigger_include)
        yield "trigger_exclude", _listed(webhook.exclude_patterns), _texts(role.trigger_exclude)
    else:
        yield "cron_schedule", webhook.cron_schedule, role.cron_schedule
    yield "read_patterns", _listed(webhook.read_patterns), _texts(role.read_patterns)
    yield "write_patterns", _listed(webhook.write_patterns), _texts(role.write_patterns)
    if webhook.attach_notes is not None:
        yield "attach_notes", _listed(webhook.attach_notes), _texts(role.attach_notes)
    yield "max_depth", _told(webhook.max_depth), str(role.stated_max_depth or 0)
    yield "concurrency", webhook.concurrency, role.concurrency
    yield "timeout_seconds", _told(webhook.timeout_seconds), str(role.timeout_seconds or DEFAULT_TIMEOUT)


def _texts(globs: tuple[Glob, ...]) -> str:
    return _listed([glob.text for glob in globs])


def _listed(values: Sequence[str]) -> str:
    return "[" + ", ".join(values) + "]"


def _told(value: int | None) -> str | None:
    return None if value is None else str(value)
