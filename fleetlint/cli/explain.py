"""`fleetlint explain`: what a rule means."""

from __future__ import annotations

import click

from fleetlint.cli.reading import allow_vault_rules, complete_rules, put, read_rules


@click.command(
    epilog="""\b
Examples:
  fleetlint explain cycle
  fleetlint explain severed-trigger | less
""",
)
@click.argument("rule", metavar="RULE", shell_complete=complete_rules)
@allow_vault_rules
def command(rule: str, *, allow_vault_rules: bool) -> int:
    """Print the page of a rule: what it flags, why it hurts, how to mend it, and its settings."""
    from fleetlint.settings import nearest

    pages = {known.name: known.page for known in read_rules(allow_vault_rules)}
    if rule not in pages:
        raise click.UsageError(f"there is no rule `{rule}`; {nearest(rule, pages)}")
    put(pages[rule](), machine=False)
    return 0
