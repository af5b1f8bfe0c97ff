"""`fleetlint graph`: only the graph."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from fleetlint.cli.check import find_target
from fleetlint.cli.progress import progress
from fleetlint.cli.reading import format_option, live_options, make_context, put, read, vault_options


@click.command(
    epilog="""\b
Examples:
  fleetlint graph > graph.mmd
  fleetlint graph ~/vault --format dot | dot -Tsvg > graph.svg
  fleetlint graph --format json | jq '.edges[] | select(.cut_by_depth)'
""",
)
@click.argument("vault_folder", metavar="[VAULT]", required=False)
@vault_options
@live_options
@format_option(("mermaid", "json", "dot"), "Format of the graph.")
def command(vault_folder: str | None, format_name: str, **options: Any) -> int:
    """Print the graph of a vault: which roles wake and feed which.

    VAULT is the vault's folder; without it the vault around the working folder is taken, as `check` does.
    """
    from fleetlint.lint import lint
    from fleetlint.report import render

    target = find_target([], vault_folder)
    found = read(target.root, **options)
    with progress("deriving the graph"):
        report = lint(found.vault, found.settings, registry=found.registry, rules=found.rules)
    context = make_context(target.root)
    if format_name == "mermaid":
        from fleetlint.report.mermaid import diagram

        put(diagram(report), machine=True)
    else:
        put(render(format_name, replace(report, results=()), context), machine=True)
    return 0
