"""Whom secure connections trust: the usual authorities, or those that SSL_CERT_FILE or SSL_CERT_DIR name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleetlint.errors import SourceError

if TYPE_CHECKING:
    import ssl


def trusting() -> ssl.SSLContext:
    """A context for clients. Raises SourceError where the environment names authorities that cannot be read."""
    import httpx

    try:
        return httpx.create_ssl_context()
    except OSError as error:
        raise SourceError(
            f"SSL_CERT_FILE: the authorities cannot be read ({error.strerror or error}); name a PEM file, or unset it"
        ) from None
