"""The version in a marker: which fields of a role a fleet has registered, as eight characters.

Only the fields named here enter it. A change to any other one leaves the webhook as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fleetlint.roles import Glob, Role

DEFAULT_TIMEOUT = 300
"""Seconds; what a fleet registers for a role that states none, or 0."""


def change_version(role: Role) -> str:
    """The version of the role's change webhook."""
    return _digest(
        "schema=2",
        _texts(role.trigger_include),
        _texts(role.trigger_exclude),
        _texts(role.read_patterns),
        _texts(role.write_patterns),
        _texts(role.attach_notes),
        ",".join(role.trigger_on),
        _max_depth(role),
        role.concurrency,
        _timeout(role),
    )


def cron_version(role: Role) -> str:
    """The version of the role's cron webhook."""
    return _digest(
        role.cron_schedule,
        _texts(role.read_patterns),
        _texts(role.write_patterns),
        _texts(role.attach_notes),
        role.concurrency,
        _max_depth(role),
        _timeout(role),
    )


def _texts(globs: Iterable[Glob]) -> str:
    return ",".join(glob.text for glob in globs)


def _max_depth(role: Role) -> str:
    # Not the effective depth: a role that leaves it out is registered with 0.
    return str(role.stated_max_depth or 0)


def _timeout(role: Role) -> str:
    return str(role.timeout_seconds or DEFAULT_TIMEOUT)


def _digest(*fields: str) -> str:
    """The first 6 bytes of the SHA-256, as URL-safe base64, which needs no padding then."""
    from base64 import urlsafe_b64encode
    from hashlib import sha256

    # Half a surrogate pair, from a `\ud800` in a JSON list, is U+FFFD to the server.
    text = "|".join(fields).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return urlsafe_b64encode(sha256(text.encode()).digest()[:6]).decode()
