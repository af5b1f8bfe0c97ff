from __future__ import annotations

import pytest

from fleetlint import trip2g as client
from tests.trip2g_server import ADMIN_KEY


@pytest.fixture
def admin(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of an administrator, with a fixed time; what fails is tried again at once."""
    for name in ("URL", "API_KEY_FILE", "COOKIE", "COOKIE_FILE"):
        monkeypatch.delenv(f"FLEETLINT_TRIP2G_{name}", raising=False)
    monkeypatch.setenv("FLEETLINT_TRIP2G_API_KEY", ADMIN_KEY)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    monkeypatch.setattr(client, "BACKOFF", 0.01)
