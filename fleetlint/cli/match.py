"""`fleetlint match`: which paths a pattern takes."""

from __future__ import annotations

import click

from fleetlint.cli.patterns import parse
from fleetlint.cli.reading import put


@click.command(
    epilog="""\b
Examples:
  fleetlint match 'wiki/**' wiki/a.md notes/b.md
  git ls-files -z | xargs -0 fleetlint match '**/*.md' --
""",
)
@click.argument("p")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True)
def command(p: str, paths: tuple[str, ...]) -> int:
    """Print those of the paths that P takes, as the server matches them.

    Exit codes: 0 it takes at least one; 1 none; 2 the pattern is malformed.
    """
    pattern = parse(p)
    taken = [path for path in paths if pattern.matches(path)]
    put("".join(f"{path}\n" for path in taken), machine=False)
    return 0 if taken else 1
