"""`fleetlint covers`: whether a pattern takes every path of another."""

from __future__ import annotations

import click

from fleetlint.cli.patterns import parse
from fleetlint.cli.reading import put, say


@click.command(
    epilog="""\b
Examples:
  fleetlint covers 'wiki/**' 'wiki/topics/*'
  fleetlint covers 'wiki/*' 'wiki/**'
""",
)
@click.argument("p")
@click.argument("q")
def command(p: str, q: str) -> int:
    """Say whether P takes every note path that Q takes; if not, print a path that only Q takes.

    Exit codes: 0 it does; 1 it does not, or it could not be decided in the work allowed, which stderr says; 2 a pattern is
    malformed.
    """
    from fleetlint.globs import Found, covers, find_path

    wide, narrow = parse(p), parse(q)
    covered = covers(wide, narrow)
    if covered:
        say("every note path of Q is one of P")
        return 0
    counter = find_path(all_of=[narrow], none_of=[wide])
    if isinstance(counter, Found):
        put(f"{counter.path}\n", machine=False)
    else:
        say("maybe: this could not be decided in the work allowed")
    return 1
