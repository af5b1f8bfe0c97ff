"""The OpenAPI document."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from fleetlint import __version__

FILE = Path(__file__).with_name("openapi.yaml")


def openapi(session_cookie: str | None) -> bytes:
    """The document as JSON; without a cookie it is that of a server which asks nobody to log in."""
    document = yaml.load(FILE.read_bytes(), yaml.CSafeLoader)
    document["info"]["version"] = __version__
    if session_cookie is None:
        del document["security"], document["components"]["securitySchemes"]
    else:
        document["components"]["securitySchemes"]["session"]["name"] = session_cookie
    return json.dumps(document, ensure_ascii=False).encode()
