"""A trip2g server for tests: real HTTP, real GraphQL, real storage; it delivers nothing.

    with serving({"roles/a.md": text}) as server:
        server.url                      # http://127.0.0.1:PORT
        server.keys["k3y"] = "ADMIN"    # X-Api-Key: k3y is an administrator
        server.failing = Failure.SILENCE

A test that wants one takes the fixture `trip2g` of tests/conftest.py.
"""

from tests.trip2g_server.failures import Failure
from tests.trip2g_server.server import ADMIN_KEY, USER_COOKIE, Trip2gServer, note_hash, serving

__all__ = ["ADMIN_KEY", "USER_COOKIE", "Failure", "Trip2gServer", "note_hash", "serving"]
