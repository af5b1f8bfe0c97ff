"""`fleetlint overlap`: a path that two patterns share."""

from __future__ import annotations

import click

from fleetlint.cli.patterns import parse
from fleetlint.cli.reading import put, say


@click.command(
    epilog="""\b
Examples:
  fleetlint overlap 'wiki/**' '*/a.md'
  fleetlint overlap 'wiki/**' 'wiki/{a,b}*' --not 'wiki/a*'
""",
)
@click.argument("p")
@click.argument("q")
@click.option("--not", "excludes", metavar="X", multiple=True, help="A pattern that must not take the path.")
def command(p: str, q: str, excludes: tuple[str, ...]) -> int:
    """Print a note path that both P and Q take and none of the excludes.

    Exit codes: 0 there is one, or it could not be decided in the work allowed, which stderr says; 1 there is none; 2 a
    pattern is malformed.
    """
    from fleetlint.globs import Found, find_path

    found = find_path(all_of=[parse(p), parse(q)], none_of=[parse(exclude) for exclude in excludes])
    if isinstance(found, Found):
        put(f"{found.path}\n", machine=False)
        return 0
    if found is None:
        say("no note path is in both" + (" and in no exclude" if excludes else ""))
        return 1
    say("maybe: this could not be decided in the work allowed")
    return 0
