"""`fleetlint impact`: what touching a path sets off."""

from __future__ import annotations

from typing import Any

import click

from fleetlint.cli.check import find_target
from fleetlint.cli.patterns import parse
from fleetlint.cli.progress import progress
from fleetlint.cli.reading import format_option, live_options, put, read, say, vault_options


@click.command(
    epilog="""\b
Examples:
  fleetlint impact 'inbox/**'
  fleetlint impact inbox/today.md ~/vault
  fleetlint impact 'inbox/**' --format json | jq '.waves[].runs.text'
""",
)
@click.argument("glob")
@click.argument("vault_folder", metavar="[VAULT]", required=False)
@vault_options
@live_options
@format_option(("text", "json"), "Format of the waves.")
def command(glob: str, vault_folder: str | None, format_name: str, **options: Any) -> int:
    """Say who wakes when a path that GLOB takes is touched, depth by depth, and how many runs that costs at most.

    Touched by a direct edit (one note created, changed or removed), or by a tick of a cron role that can write such a
    path. GLOB is a pattern as the server reads it. VAULT is the vault's folder; without it the vault around the working
    folder is taken, as `check` does.
    """
    from fleetlint.globs import find_path
    from fleetlint.graph.waves import impact
    from fleetlint.lint import lint
    from fleetlint.report.impact import json, text

    touched = parse(glob)
    target = find_target([], vault_folder)
    found = read(target.root, **options)
    with progress("deriving the graph"):
        graph = lint(found.vault, found.settings, select=(), registry=found.registry, rules=found.rules).graph
    if find_path(all_of=[touched]) is None:
        say(f"no note path is in `{glob}`; a note's name has an extension, and what lies in a folder is `folder/**`")
    waves = impact(graph, touched)
    if format_name == "json":
        put(json(waves), machine=True)
    else:
        put(text(waves), machine=False)
    return 0
