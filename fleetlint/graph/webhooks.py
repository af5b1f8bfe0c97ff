"""Webhooks that people made: what roles write can make them fire, as if they were roles that write nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.roles.role import Glob, Role, read_pattern
from fleetlint.vault.note import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fleetlint.registry import Registry, Webhook

_NOWHERE = Span(1, 1, 1, 1)


def listeners(registry: Registry | None) -> dict[str, tuple[Webhook, Role]]:
    """The enabled change webhooks of people, by the path of their node, each with a role that wakes as it fires.

    Cron webhooks of people are none: nothing that is written makes them fire.
    """
    found: dict[str, tuple[Webhook, Role]] = {}
    for webhook in registry.webhooks if registry else ():
        if webhook.kind == "change" and webhook.marker is None and webhook.enabled:
            path = f"webhook:{webhook.id}"
            found.setdefault(path, (webhook, _as_role(webhook, path)))
    return dict(sorted(found.items()))


def _as_role(webhook: Webhook, path: str) -> Role:
    return Role(
        path=path,
        fields={},
        header_span=_NOWHERE,
        body="",
        fleet_id="",
        mode="change",
        trigger_on=webhook.events or (),
        trigger_include=_globs(webhook.include_patterns or ()),
        trigger_exclude=_globs(webhook.exclude_patterns or ()),
        # Its `readPatterns` and `writePatterns` are the scope of a key that it hands out; no agent is known to use it.
        read_patterns=(),
        write_patterns=(),
        attach_notes=(),
        cron_schedule="",
        for_each="",
        concurrency=webhook.concurrency or "",
        stated_max_depth=webhook.max_depth,
        max_tokens=None,
        max_steps=None,
        timeout_seconds=webhook.timeout_seconds,
        tools=(),
        model="",
        description=webhook.description,
        executor="",
        enabled=True,
    )


def _globs(texts: Iterable[str]) -> tuple[Glob, ...]:
    return tuple(Glob(text, *read_pattern(text), _NOWHERE) for text in texts)
