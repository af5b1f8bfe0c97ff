"""`fleetlint diff`: what changed between two revisions of a vault."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from fleetlint.cli.check import fails, find_target, wants_color
from fleetlint.cli.progress import progress
from fleetlint.cli.reading import (
    format_option,
    make_context,
    put,
    read,
    read_revision,
    say,
    say_safely,
    server_options,
    vault_options,
)
from fleetlint.settings import FAIL_ON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fleetlint.lint import Report
    from fleetlint.rule import Rule
    from fleetlint.sources import Read

WORKING_TREE = "the working tree"


@click.command(
    epilog="""\b
Examples:
  fleetlint diff main                     what the working tree changes
  fleetlint diff v1.0 v1.1 --vault ~/vault
  fleetlint diff "$(git merge-base origin/main HEAD)" HEAD --format markdown
""",
)
@click.argument("base")
@click.argument("head", required=False)
@click.option("--vault", "vault_folder", metavar="DIR", help="The vault, in a git repository.")
@vault_options
@server_options
@click.option(
    "--fail-on", type=click.Choice(FAIL_ON), help="From which severity on a new finding makes the exit code 1."
)
@format_option(("text", "markdown", "json"), "Format; markdown is for a comment in a pull request.")
@click.option("--no-color", is_flag=True, help="No colours, as with NO_COLOR; FORCE_COLOR asks for them.")
def command(base: str, head: str | None, vault_folder: str | None, **options: Any) -> int:
    """Say what changed from revision BASE to HEAD: roles, owners, edges, what a start costs, and findings.

    BASE and HEAD are commits, branches or tags; without HEAD the working tree is compared. Both are read from git, each with
    the settings that it has; the working tree is not touched. Submodules are left out.

    Exit codes: 0 no new finding at or above --fail-on, 1 some, 2 wrong use, or a revision that cannot be read.
    """
    from fleetlint.changes import compare
    from fleetlint.lint import load_rules
    from fleetlint.report.diff import Diff, render

    root = find_target([], vault_folder).root
    context = make_context(root, color=wants_color(options["no_color"]))
    before, after = _read(root, base, head, options)
    rules = load_rules() if after.rules is None else after.rules
    with progress("linting both revisions"):
        old, new = (
            _lint(found, name, rules, context.generated_at[:10]) for found, name in ((before, base), (after, head))
        )
    diff = Diff(base, WORKING_TREE if head is None else head, compare(old, new))
    put(render(options["format_name"], diff, context), machine=options["format_name"] != "text")
    return 1 if fails(diff.changes.new, options["fail_on"] or after.settings.fail_on) else 0


def _lint(found: Read, revision: str | None, rules: Sequence[Rule], today: str) -> Report:
    """Raises RuleError, and SettingsError that names the revision."""
    from fleetlint.lint import lint
    from fleetlint.settings import SettingsError

    try:
        return lint(found.vault, found.settings, registry=found.registry, rules=rules, today=today)
    except SettingsError as error:
        raise SettingsError(f"{revision}: {error}" if revision is not None else str(error)) from None


def _read(root: str, base: str, head: str | None, options: dict[str, Any]) -> tuple[Read, Read]:
    """The vault as it was and as it is. Raises SettingsError, and ClickException for what cannot be read."""
    from fleetlint.sources import LIVE, Source, connect, read_registry, with_rules
    from fleetlint.vault.revision import GitError, Repository

    fleets, config, allowed = options["fleets"], options["config"], options["allow_vault_rules"]
    source = Source(root, **{name: value for name, value in options.items() if name in Source._fields})
    if source.has_live_vault:
        raise click.UsageError("--trip2g-url says which server `--registry live` asks; give that, or leave the URL out")
    server = connect(source, say=say) if source.registry == LIVE else None
    snapshot = read_registry(source, server, tell=lambda what: None)  # noqa: ARG005 - one question is soon answered
    try:
        with Repository(root) as repository:
            trees = [repository.tree(revision) for revision in (base, head) if revision is not None]
            if head is None:
                after = read(
                    root,
                    fleets=fleets,
                    registry=None,
                    config=config,
                    no_cache=options["no_cache"],
                    allow_vault_rules=allowed,
                )
                after = after._replace(registry=snapshot)
                after = _without_submodules(after, repository.submodules())
            else:
                if not any(trees):
                    raise click.UsageError(f"{root}: this folder is neither in {base} nor in {head}; name the vault's")
                after = read_revision(repository, trees[1], fleets=fleets, registry=snapshot, config=config)
                # They are those of the working tree: nothing else can be imported, and both revisions meet the same.
                after = with_rules(after, root, allowed, say)
            before = read_revision(repository, trees[0], fleets=fleets, registry=snapshot, config=config, known=after)
    except GitError as error:
        raise click.ClickException(say_safely(str(error))) from None
    return before, after


def _without_submodules(found: Read, submodules: Sequence[str]) -> Read:
    """A checkout as its own repository holds it: what other repositories have in it is left out, and stderr says so."""
    if not submodules:
        return found
    for path in submodules:
        say(f"{path}: this is a submodule, whose notes are left out")
    folders = tuple(f"{path}/" for path in submodules)
    vault = found.vault
    return found._replace(
        vault=replace(
            vault,
            notes=tuple(note for note in vault.notes if not note.path.startswith(folders)),
            folders=frozenset(folder for folder in vault.folders if not folder.startswith(folders)),
        )
    )
