"""The version in a marker: which fields of a role a fleet has registered, as eight characters.

Only the fields named here enter it. A change to any other one leaves the webhook as it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fleetlint.roles import Glob, Role

    Fields = Mapping[str, str | tuple[str, ...]]
    """By key of the note what enters a version, in that order: texts, and lists of texts. Numbers are texts."""

DEFAULT_TIMEOUT = 300
"""Seconds; what a fleet registers for a role that states none, or 0."""


def change_version(role: Role) -> str:
    """The version of the role's change webhook."""
    return version(role, "change")


def cron_version(role: Role) -> str:
    """The version of the role's cron webhook."""
    return version(role, "cron")


def version(role: Role, kind: str) -> str:
    """The version of the role's webhook of a kind, `change` or `cron`."""
    return version_of(registered_fields(role, kind), kind)


def registered_fields(role: Role, kind: str) -> Fields:
    """What a fleet registers for the role in a webhook of this kind, as far as it enters the version."""
    read = _texts(role.read_patterns)
    write = _texts(role.write_patterns)
    attach = _texts(role.attach_notes)
    # Not the effective depth: a role that leaves it out is registered with 0.
    depth = str(role.stated_max_depth or 0)
    timeout = str(role.timeout_seconds or DEFAULT_TIMEOUT)
    concurrency = _whole(role.concurrency)
    if kind == "cron":
        return {
            "cron_schedule": _whole(role.cron_schedule),
            "read_patterns": read,
            "write_patterns": write,
            "attach_notes": attach,
            "concurrency": concurrency,
            "max_depth": depth,
            "timeout_seconds": timeout,
        }
    return {
        "trigger_include": _texts(role.trigger_include),
        "trigger_exclude": _texts(role.trigger_exclude),
        "read_patterns": read,
        "write_patterns": write,
        "attach_notes": attach,
        "trigger_on": tuple(map(_whole, role.trigger_on)),
        "max_depth": depth,
        "concurrency": concurrency,
        "timeout_seconds": timeout,
    }


def version_of(fields: Fields, kind: str) -> str:
    """The first 6 bytes of the SHA-256 over the fields, as URL-safe base64, which needs no padding then."""
    from base64 import urlsafe_b64encode
    from hashlib import sha256

    texts = [value if isinstance(value, str) else ",".join(value) for value in fields.values()]
    text = "|".join(["schema=2", *texts] if kind == "change" else texts)
    return urlsafe_b64encode(sha256(text.encode()).digest()[:6]).decode()


def _texts(globs: Iterable[Glob]) -> tuple[str, ...]:
    return tuple(_whole(glob.text) for glob in globs)


def _whole(text: str) -> str:
    """The text as the server has it: half a surrogate pair, from a `\\ud800` in a JSON list, is U+FFFD to it."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
