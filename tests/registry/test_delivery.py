from __future__ import annotations

from base64 import urlsafe_b64decode
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetlint.registry import Marker, parse_snapshot
from fleetlint.registry.delivery import callback_of, callbacks, delivery_url, is_old_form

KINDS = st.sampled_from(["change", "cron"])
BASES = st.sampled_from(
    ["https://agents.example.org", "http://127.0.0.1:7070/a/_fleet/b/webhook", "http://x/deliver", "http://x/"]
)
PATHS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("https://agents.example/_fleet/0f3a/webhook/cm9sZXMvYS5tZA", "https://agents.example"),
        ("https://agents.example:8443/x/_fleet/0f3a/webhook/cron/cm9sZXMvYS5tZA", "https://agents.example:8443/x"),
        ("http://127.0.0.1:7070/deliver/cm9sZXMvYS5tZA", "http://127.0.0.1:7070"),
        ("https://example.org/hooks/mail", "https://example.org/hooks/mail"),
        ("https://example.org/deliver/a/b", "https://example.org/deliver/a/b"),
        ("https://example.org/_fleet/0f3a/health", "https://example.org/_fleet/0f3a/health"),
        ("", ""),
    ],
)
def test_the_callback_is_what_is_left_without_the_tail(url: str, base: str) -> None:
    assert callback_of(url) == base


def test_a_url_is_made_to_the_letter() -> None:
    base, digest = "https://agents.example.org", sha256(b"fleet:codex").hexdigest()
    change, cron = (Marker("codex", "roles/a.md", "", kind) for kind in ("change", "cron"))
    assert delivery_url(base, change) == f"{base}/_fleet/{digest}/webhook/cm9sZXMvYS5tZA"
    assert delivery_url(base, cron) == f"{base}/_fleet/{digest}/webhook/cron/cm9sZXMvYS5tZA"
    assert delivery_url(base, cron, old=True) == f"{base}/deliver/cm9sZXMvYS5tZA"


@given(BASES, PATHS, KINDS, st.booleans())
def test_what_a_url_is_made_of_is_read_back(base: str, path: str, kind: str, old: bool) -> None:
    url = delivery_url(base, Marker("codex", path, "", kind), old=old)
    assert callback_of(url) == base
    assert is_old_form(url) == old
    key = url.rpartition("/")[2]
    assert "=" not in key
    assert urlsafe_b64decode(key + "=" * (-len(key) % 4)).decode() == path
    assert ("/webhook/cron/" in url[len(base) :]) == (kind == "cron" and not old)


def test_callbacks_of_a_fleet_come_by_how_many_deliver_there() -> None:
    def hook(number: int, fleet: str, base: str) -> str:
        return f'{{"id": {number}, "description": "{fleet}{number}.md#v", "url": "{base}/deliver/{number}"}}'

    hooks = [hook(1, "fleet:a:", "http://y"), hook(2, "fleet:a:", "http://x"), hook(3, "fleet:a:", "http://y")]
    hooks += [hook(4, "mail ", "http://z"), hook(5, "fleet:b:", "http://x")]
    registry = parse_snapshot(f'{{"changeWebhooks": [{", ".join(hooks)}], "cronWebhooks": []}}', "registry.json")
    found = callbacks(registry)
    assert {fleet: list(bases.items()) for fleet, bases in found.items()} == {
        "a": [("http://y", 2), ("http://x", 1)],
        "b": [("http://x", 1)],
    }
