"""`fleetlint plan`: what the next reconcile of each fleet does to the webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from fleetlint.cli.check import find_target, wants_color
from fleetlint.cli.progress import progress
from fleetlint.cli.reading import format_option, live_options, make_context, put, read, say, vault_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fleetlint.graph.plan import Plan
    from fleetlint.sources import Read

CHANGES = 3


@click.command(
    epilog="""\b
Examples:
  fleetlint plan --registry registry.json
  fleetlint plan ~/vault --registry registry.json --format markdown > comment.md
  fleetlint plan --registry registry.json --exit-code || echo "not in step"
  fleetlint plan --registry live --trip2g-url https://vault.example.org
  fleetlint plan --registry registry.json --callback desk=https://agents.example.org
""",
)
@click.argument("vault_folder", metavar="[VAULT]", required=False)
@vault_options
@live_options
@click.option(
    "--callback",
    "callbacks",
    metavar="ID=URL",
    multiple=True,
    help="Where the webhooks of a fleet will deliver, instead of where most of them do.",
)
@format_option(("text", "json", "markdown"), "Format; markdown is for a comment in a pull request.")
@click.option("--exit-code", "tells_changes", is_flag=True, help="Exit with 3 when there is something to do.")
@click.option("--no-color", is_flag=True, help="No colours, as with NO_COLOR; FORCE_COLOR asks for them.")
def command(
    vault_folder: str | None,
    callbacks: Sequence[str],
    format_name: str,
    tells_changes: bool,
    no_color: bool,
    **options: Any,
) -> int:
    """Say what the next reconcile of each fleet does, if this vault is synced: which webhooks are created, replaced,
    pointed elsewhere or deleted, and why.

    VAULT is the vault's folder; without it the vault around the working folder is taken, as `check` does. Nothing is changed.

    Exit codes: 0 (with --exit-code: nothing to do), 3 something to do, with --exit-code, 2 wrong use or nothing to read.
    """
    from fleetlint.report.plan import render

    given = _parsed(callbacks)
    target = find_target([], vault_folder)
    context = make_context(target.root, color=wants_color(no_color))
    with progress("comparing"):
        plan = _plan(read(target.root, **options), given)
    put(render(format_name, plan, context), machine=format_name != "text")
    return CHANGES if tells_changes and plan.actions else 0


def _parsed(texts: Sequence[str]) -> dict[str, str]:
    """Callback bases by fleet id. Raises UsageError."""
    found = {}
    for text in texts:
        fleet_id, equals, url = text.partition("=")
        if not (fleet_id and equals and url.startswith(("http://", "https://"))):
            raise click.UsageError(
                f"--callback {text}: this is not ID=URL; write `--callback desk=https://example.org`"
            )
        found[fleet_id] = url.rstrip("/")
    return found


def _plan(found: Read, given: Mapping[str, str]) -> Plan:
    """Raises UsageError."""
    from fleetlint.graph.owners import inferred_fleets
    from fleetlint.graph.plan import plan
    from fleetlint.lint import roles_of

    if found.registry is None:
        raise click.UsageError("nothing says what is registered; give --registry FILE or --trip2g-url URL")
    roles = list(roles_of(found.vault, found.settings))
    if not roles:
        say(f"there are no roles in {found.vault.root} (notes seen: {found.vault.note_count:,})")
    named = found.settings.fleets
    result = plan(
        roles,
        inferred_fleets(roles) if named is None else named,
        found.registry,
        configured=named is not None,
        given=given,
    )
    for fleet_id in sorted(given.keys() - {daemon.fleet_id for daemon in result.fleets}):
        say(
            f"--callback {fleet_id}={given[fleet_id]}: no fleet `{fleet_id}` is known here, nor has one registered anything"
        )
    return result
