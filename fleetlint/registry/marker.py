"""The marker by which a fleet finds its own webhooks again: the webhook's `description`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Marker:
    """Which fleet registered a webhook, for which role note. `kind` is `change` or `cron`.

    `version` is eight characters that stand for the role's fields at that time (see `version.py`), empty when the
    marker has none.
    """

    fleet_id: str
    path: str
    version: str
    kind: str


def parse_marker(description: str) -> Marker | None:
    """The marker in a description, None for anything else: then a person made the webhook.

    `fleet:<fleet id>:<note path>#<version>`, for cron webhooks `fleetcron:...`. A fleet id holds no `:`; a path may
    hold `:` and `#`, so the version is what follows the last `#`.
    """
    for prefix, kind in (("fleetcron:", "cron"), ("fleet:", "change")):
        if description.startswith(prefix):
            fleet_id, _, rest = description[len(prefix) :].partition(":")
            path, hash_sign, version = rest.rpartition("#")
            if not hash_sign:
                path, version = rest, ""
            return Marker(fleet_id, path, version, kind) if fleet_id and path else None
    return None
