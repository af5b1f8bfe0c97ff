"""Patterns as arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from fleetlint.globs import Pattern


def parse(text: str) -> Pattern:
    """The pattern as the server normalises and reads it. Raises UsageError for one that no name can match."""
    from fleetlint.globs import BadPattern, Pattern
    from fleetlint.globs.normal import normalised
    from fleetlint.report.characters import printable

    pattern = normalised(text)
    if not pattern:
        raise click.UsageError(
            f"nothing is left of the pattern `{printable(text)}` when the server has read it; write one"
        )
    try:
        return Pattern.parse(pattern)
    except BadPattern as error:
        raise click.UsageError(
            f"the pattern `{printable(pattern)}` is malformed at column {error.column}: {error}"
        ) from None
