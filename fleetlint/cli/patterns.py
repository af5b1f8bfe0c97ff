"""Patterns as arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from fleetlint.globs import Pattern


def parse(text: str) -> Pattern:
    """The pattern as the server reads it. Raises UsageError for one that no name can match."""
    from fleetlint.globs import BadPattern, Pattern

    try:
        return Pattern.parse(text)
    except BadPattern as error:
        from fleetlint.report.characters import printable

        raise click.UsageError(
            f"the pattern `{printable(text)}` is malformed at column {error.column}: {error}"
        ) from None
