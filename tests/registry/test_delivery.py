from __future__ import annotations

import pytest

from fleetlint.registry.delivery import callback_of


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("https://agents.example/_fleet/0f3a/webhook/cm9sZXMvYS5tZA", "https://agents.example"),
        ("https://agents.example:8443/x/_fleet/0f3a/webhook/cron/cm9sZXMvYS5tZA", "https://agents.example:8443/x"),
        ("http://127.0.0.1:7070/deliver/cm9sZXMvYS5tZA", "http://127.0.0.1:7070"),
        ("https://example.org/hooks/mail", "https://example.org/hooks/mail"),
        ("", ""),
    ],
)
def test_the_callback_is_what_is_left_without_the_tail(url: str, base: str) -> None:
    assert callback_of(url) == base
