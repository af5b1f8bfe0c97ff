"""What subcommands that read a vault have in common: their options, the reading, and the writing of a format."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import click

from fleetlint.cli.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fleetlint.registry import Registry
    from fleetlint.report import Context
    from fleetlint.rule import Rule
    from fleetlint.settings import Settings
    from fleetlint.vault import Vault
    from fleetlint.vault.revision import Repository, Tree

    Command = TypeVar("Command", bound=Callable[..., object])

MAX_FILE = 256 * 1024 * 1024
"""Bytes of a registry snapshot, or of a baseline."""


class Read(NamedTuple):
    """A vault with all that belongs to it; its root is absolute. `rules` are None where none but the installed ones count."""

    vault: Vault
    settings: Settings
    registry: Registry | None
    rules: Sequence[Rule] | None = None


allow_vault_rules = click.option(
    "--allow-vault-rules",
    is_flag=True,
    help="Run the rules in the `rules_folder` of the settings. They are code: allow them only in a vault that you trust.",
)


def vault_options(command: Command) -> Command:
    """The options `--fleet`, `--registry`, `--config`, `--no-cache` and `--allow-vault-rules`."""
    for option in (
        allow_vault_rules,
        click.option("--no-cache", is_flag=True, help="Open every note, whatever a former run found it to be."),
        click.option("--config", metavar="FILE", help="Settings file, instead of the one at the vault's root."),
        click.option("--registry", metavar="FILE", help="Snapshot of the webhooks that are registered (JSON)."),
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


def complete_rules(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001 - click's
    """Rule names for the shell's completion."""
    from fleetlint.lint import load_rules

    return [rule.name for rule in load_rules() if rule.name.startswith(incomplete)]


def read(
    root: str,
    *,
    fleets: Sequence[str],
    registry: str | None,
    config: str | None,
    no_cache: bool,
    allow_vault_rules: bool,
) -> Read:
    """Reads the vault at a folder. Problems with single files go to stderr.

    Raises SettingsError, RuleError for rules of the vault that cannot be loaded, and ClickException for a snapshot that
    cannot be used and a vault that cannot be read.
    """
    from fleetlint.settings import load_settings, with_fleets
    from fleetlint.vault import load_vault

    settings = with_fleets(load_settings(root, config), fleets)
    snapshot = read_snapshot(registry, root) if registry is not None else None
    with progress("reading") as tell:
        vault = load_vault(
            root,
            exclude=settings.exclude,
            keep=settings.keep,
            use_cache=not no_cache,
            progress=lambda count: tell(f"reading, {count:,} notes so far"),
        )
    for problem in vault.problems:
        say(f"{problem.path}: {problem.message}" if problem.path else problem.message)
    if vault.problems and not vault.note_count:
        raise click.ClickException(f"nothing could be read in {root}; see the lines above")
    return with_rules(Read(vault, settings, snapshot), root, allow_vault_rules)


def with_rules(found: Read, root: str, is_allowed: bool) -> Read:
    """What was read, with the rules of the vault's own folder where there are such and they are allowed.

    Raises RuleError.
    """
    folder = found.settings.rules_folder
    if not folder:
        return found
    if not is_allowed:
        say(
            f"the rules in {folder} are not run, for they are code; --allow-vault-rules runs them, if you trust the vault"
        )
        return found
    from fleetlint.vault_rules import load_all_rules

    return found._replace(rules=load_all_rules(root, folder), settings=replace(found.settings, rules_folder=""))


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


def read_snapshot(file: str, root: str) -> Registry:
    """The registry in a snapshot file. Raises ClickException for one that cannot be used."""
    from fleetlint.registry import parse_snapshot
    from fleetlint.settings import file_name

    try:
        return parse_snapshot(read_file(file, "snapshot").decode("utf-8"), file_name(file, root))
    except UnicodeDecodeError:
        raise click.ClickException(f"{file}: the snapshot is not UTF-8; save it as UTF-8") from None
    except ValueError as error:
        raise click.ClickException(say_safely(str(error))) from None


def read_file(file: str, what: str) -> bytes:
    """A file of JSON that an option names. Raises ClickException when it cannot be read, or is too large."""
    try:
        with open(file, "rb") as opened:
            data = opened.read(MAX_FILE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise click.ClickException(f"{file}: the {what} cannot be read ({reason}); name another file") from None
    if len(data) > MAX_FILE:
        raise click.ClickException(f"{file}: the {what} is larger than {MAX_FILE >> 20} MiB; name another file")
    return data


def make_context(root: str, *, color: bool = False) -> Context:
    from fleetlint import __version__
    from fleetlint.report import Context
    from fleetlint.vault.checkout import find_repository

    return Context(
        cwd=os.getcwd(),
        root=root,
        generated_at=_generated_at(os.environ.get("SOURCE_DATE_EPOCH")),
        version=__version__,
        color=color,
        width=_width(),
        repository_root=find_repository(root),
    )


def _generated_at(epoch: str | None) -> str:
    """The time as RFC 3339. Raises ClickException for an epoch that is no number of seconds since 1970."""
    import time

    try:
        moment = time.gmtime(int(epoch) if epoch else None)
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", moment)
    except (ValueError, OverflowError, OSError):
        raise click.ClickException(
            f"SOURCE_DATE_EPOCH is `{epoch}`; set it to a number of seconds since 1970, or unset it"
        ) from None


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
