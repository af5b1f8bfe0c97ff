"""The address that a webhook delivers to: which fleet daemon stands behind it."""

from __future__ import annotations


def callback_of(url: str) -> str:
    """The callback base of a delivery URL: what is left when the tail that a fleet adds is cut off.

    The tail is `/_fleet/<hash>/webhook/<key>` (or `.../webhook/cron/<key>`), of older fleets `/deliver/<key>`. A URL
    without such a tail is given back as it is.
    """
    for mark in ("/_fleet/", "/deliver/"):
        base, found, tail = url.rpartition(mark)
        if found and (mark == "/deliver/" or "/webhook/" in tail):
            return base
    return url
