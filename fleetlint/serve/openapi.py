"""The OpenAPI document."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from fleetlint import __version__

FILE = Path(__file__).with_name("openapi.yaml")


def openapi(session_cookie: str) -> bytes:
    """The document as JSON."""
    document = yaml.load(FILE.read_bytes(), yaml.CSafeLoader)
    document["info"]["version"] = __version__
    document["components"]["securitySchemes"]["session"]["name"] = session_cookie
    return json.dumps(document, ensure_ascii=False).encode()
