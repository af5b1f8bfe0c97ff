"""The address that a webhook delivers to: which fleet daemon stands behind it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fleetlint.registry.marker import Marker
    from fleetlint.registry.snapshot import Registry

_TAIL = re.compile(r"(?:/_fleet/[^/]*/webhook/(?:cron/)?|(?P<old>/deliver/))[^/]*\Z")

_CREDENTIALS = re.compile(r"(?<=//)[^/?#]*@")


def callback_of(url: str) -> str:
    """The callback base of a delivery URL: what is left when the tail that a fleet adds is cut off.

    The tail is `/_fleet/<hash>/webhook/<key>` (or `.../webhook/cron/<key>`), of older fleets `/deliver/<key>`. A URL
    without such a tail is given back as it is.
    """
    found = _TAIL.search(url)
    return url[: found.start()] if found else url


def is_old_form(url: str) -> bool:
    """Whether an older fleet made the URL: its tail is `/deliver/<key>`."""
    found = _TAIL.search(url)
    return bool(found and found["old"])


def delivery_url(callback: str, marker: Marker, *, old: bool = False) -> str:
    """The URL that a fleet at this callback registers for what the marker names; `old` as older fleets do."""
    from base64 import urlsafe_b64encode
    from hashlib import sha256

    # A path can hold a byte that is not UTF-8.
    key = urlsafe_b64encode(marker.path.encode("utf-8", "surrogateescape")).decode().rstrip("=")
    if old:
        return f"{callback}/deliver/{key}"
    fleet = sha256(f"fleet:{marker.fleet_id}".encode("utf-8", "surrogateescape")).hexdigest()
    return f"{callback}/_fleet/{fleet}/webhook/{'cron/' if marker.kind == 'cron' else ''}{key}"


def shown(url: str) -> str:
    """The URL as it may be told: who sees what is found in a vault need not know the name and password that are in it."""
    return _CREDENTIALS.sub("***@", url)


def callbacks(registry: Registry) -> Mapping[str, Mapping[str, int]]:
    """By fleet id the callback bases of its webhooks, each with how many deliver there; the one of most comes first."""
    found: dict[str, dict[str, int]] = {}
    for webhook in registry.webhooks:
        if webhook.marker and webhook.url:
            bases = found.setdefault(webhook.marker.fleet_id, {})
            base = callback_of(webhook.url)
            bases[base] = bases.get(base, 0) + 1
    return {
        fleet: dict(sorted(bases.items(), key=lambda item: (-item[1], item[0])))
        for fleet, bases in sorted(found.items())
    }


def callback_of_most(bases: Mapping[str, int]) -> str | None:
    """Where more than half of a fleet's webhooks deliver, given its `callbacks`; None where that is nowhere."""
    most = max(bases, key=lambda base: bases[base], default=None)
    return most if most is not None and 2 * bases[most] > sum(bases.values()) else None
