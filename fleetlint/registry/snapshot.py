"""A registry snapshot: the two webhook listings of a trip2g server, read from JSON text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fleetlint.registry.marker import Marker


@dataclass(frozen=True, slots=True)
class Webhook:
    """One webhook. Fields that an older server does not have are None."""

    id: str
    kind: str
    """`change` or `cron`."""
    url: str
    description: str
    enabled: bool
    marker: Marker | None
    max_depth: int | None
    events: tuple[str, ...]
    include_patterns: tuple[str, ...]
    exclude_patterns: tuple[str, ...]
    read_patterns: tuple[str, ...]
    write_patterns: tuple[str, ...]
    attach_notes: tuple[str, ...] | None
    concurrency: str | None
    timeout_seconds: int | None
    cron_schedule: str | None


@dataclass(frozen=True, slots=True)
class Registry:
    webhooks: tuple[Webhook, ...]
    source: str = ""
    """The snapshot file as findings name it."""


def parse_snapshot(text: str, source: str) -> Registry:
    """Raises ValueError with one sentence that names the place and the mend."""
    raise NotImplementedError
