"""What subcommands that read a vault have in common: their options, the reading, and the writing of a format."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, TypeVar

import click

from fleetlint.cli.progress import progress
from fleetlint.sources import Read, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fleetlint.registry import Registry
    from fleetlint.report import Context
    from fleetlint.rule import Rule
    from fleetlint.settings import Settings
    from fleetlint.vault.revision import Repository, Tree

    Command = TypeVar("Command", bound=Callable[..., object])

allow_vault_rules = click.option(
    "--allow-vault-rules",
    is_flag=True,
    help="Run the rules in the `rules_folder` of the settings. They are code: allow them only in a vault that you trust.",
)


def format_option(names: Sequence[str], help_text: str) -> Callable[[Command], Command]:
    """The option `--format` of a command that prints one thing, as `format_name`; the first format is the default."""
    return click.option(
        "--format", "format_name", type=click.Choice(names), default=names[0], show_default=True, help=help_text
    )


def vault_options(command: Command) -> Command:
    """The options `--fleet`, `--registry`, `--config`, `--no-cache` and `--allow-vault-rules`."""
    for option in (
        allow_vault_rules,
        click.option("--no-cache", is_flag=True, help="Open every note, whatever a former run found it to be."),
        click.option("--config", metavar="FILE", help="Settings file, instead of the one at the vault's root."),
        click.option(
            "--registry",
            metavar="FILE",
            help="Snapshot of the webhooks that are registered (JSON); `live` asks the trip2g server.",
        ),
        click.option(
            "--fleet",
            "fleets",
            metavar="ID[=FOLDER]",
            multiple=True,
            help="A fleet, instead of those of the settings: ID takes the roles that name it, ID=FOLDER those in a folder.",
        ),
    ):
        command = option(command)
    return command


def server_options(command: Command) -> Command:
    """The options `--trip2g-url`, `--trip2g-key-file`, `--trip2g-allow-http` and `--trip2g-timeout`, for commands that ask
    a server and have no live vault."""
    return _server_options(command, "The trip2g server to ask, instead of that of FLEETLINT_TRIP2G_URL.")


def live_options(command: Command) -> Command:
    """The same, for commands whose vault may be live."""
    return _server_options(
        command,
        "Read the live vault of a trip2g server, and what is registered there; a folder then gives its settings only. "
        "With `--registry live` the folder stays the vault, and the server (or that of FLEETLINT_TRIP2G_URL) is asked for "
        "what is registered.",
    )


def serving_options(command: Command) -> Command:
    """The same, for a server whose visitors trip2g knows."""
    return _server_options(
        command,
        "The trip2g whose admins may look, and nobody else; without it, this listens on loopback only. Without VAULT its "
        "live vault is served.",
    )


def _server_options(command: Command, url_help: str) -> Command:
    for option in (
        click.option(
            "--trip2g-timeout",
            type=click.FloatRange(0.1, 3600),
            metavar="SECONDS",
            help="How long the server may take for an answer (60).",
        ),
        click.option(
            "--trip2g-allow-http",
            is_flag=True,
            help="Send the credential over plain http to another machine, too: everyone on the way can read it.",
        ),
        click.option(
            "--trip2g-key-file",
            metavar="FILE",
            help="File with the API key, instead of FLEETLINT_TRIP2G_API_KEY and its likes.",
        ),
        click.option("--trip2g-url", metavar="URL", help=url_help),
    ):
        command = option(command)
    return command


def complete_rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 - click's
    """Rule names for the shell's completion."""
    from fleetlint.lint import load_rules

    return [rule.name for rule in load_rules() if rule.name.startswith(incomplete)]


def read(root: str, **options: Any) -> Read:
    """Reads the vault at a folder, with the values of `vault_options`. Problems with single files go to stderr.

    Raises SettingsError, RuleError and SourceError.
    """
    from fleetlint.sources import read as read_source

    said: list[str] = []
    try:
        with progress("reading") as tell:
            return read_source(Source(root, **options), say=said.append, tell=tell)
    finally:
        # The progress has to be gone before anything else is on stderr.
        for sentence in said:
            say(sentence)


def read_rules(is_allowed: bool) -> Sequence[Rule]:
    """All rules: the installed ones, and, where they are allowed, those of the vault around the working folder.

    Raises RuleError and SettingsError.
    """
    from fleetlint.lint import load_rules

    if not is_allowed:
        return load_rules()
    from fleetlint.settings import load_settings
    from fleetlint.vault.checkout import find_root
    from fleetlint.vault_rules import load_all_rules

    root = find_root(os.getcwd())
    folder = load_settings(root).rules_folder
    return load_all_rules(root, folder) if folder else load_rules()


def read_revision(
    repository: Repository,
    tree: Tree | None,
    *,
    fleets: Sequence[str],
    registry: Registry | None,
    config: str | None,
    known: Read | None = None,
) -> Read:
    """Reads the vault in a revision, with the settings that it has there unless a file is named.

    Notes of `known` that are the same are taken from it. Raises SettingsError and GitError.
    """
    from fleetlint.settings import with_fleets

    settings = with_fleets(_settings_in(repository, tree, config), fleets)
    is_alike = known is not None and known.settings.fleets == settings.fleets
    vault = repository.load_vault(
        tree,
        exclude=settings.exclude,
        keep=settings.keep,
        known={note.path: note for note in known.vault.notes} if known and is_alike else None,
    )
    for problem in vault.problems:
        say(f"{tree.revision if tree else ''}: {problem.path}: {problem.message}")
    return Read(vault, settings, registry)


def _settings_in(repository: Repository, tree: Tree | None, config: str | None) -> Settings:
    from fleetlint.settings import (
        MAX_BYTES,
        OTHER_NAME,
        PYPROJECT,
        SETTINGS_FILE,
        SettingsError,
        load_settings,
        settings_from,
    )

    if config is not None or tree is None:
        return load_settings(repository.root, config) if config is not None else settings_from(None, None)
    try:
        if OTHER_NAME in tree.entries:
            raise SettingsError(f"{OTHER_NAME}: this name is not read; rename the file to `{SETTINGS_FILE}`")
        return settings_from(*(repository.read_file(tree, name, MAX_BYTES + 1) for name in (SETTINGS_FILE, PYPROJECT)))
    except SettingsError as error:
        raise SettingsError(f"{tree.revision}: {error}") from None


def make_context(root: str, *, color: bool = False) -> Context:
    from fleetlint.sources import make_context

    return make_context(root, color=color, width=_width())


def _width() -> int:
    """Columns of the terminal; what is no terminal has lines of some length that people read."""
    if not sys.stdout.isatty():
        return 120
    from shutil import get_terminal_size

    return get_terminal_size((120, 24)).columns


def say(sentence: str) -> None:
    """One line to stderr."""
    click.echo(f"fleetlint: {say_safely(sentence)}", err=True)


def say_safely(sentence: str) -> str:
    from fleetlint.report.characters import printable

    return printable(sentence)


def put(text: str, *, machine: bool) -> None:
    """A format to stdout. What a machine reads is UTF-8 always; for people it is what their terminal takes."""
    encoding = "utf-8" if machine else sys.stdout.encoding or "utf-8"
    click.echo(text.encode(encoding, "backslashreplace"), nl=False)
