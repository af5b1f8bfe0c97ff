"""What a run works on: a vault, and the settings, registry and rules that belong to it, read from where they lie."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.errors import SourceError as SourceError  # it is part of what this module offers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fleetlint.registry import Registry
    from fleetlint.report import Context
    from fleetlint.rule import Rule
    from fleetlint.settings import Settings
    from fleetlint.trip2g import Server
    from fleetlint.vault import Vault

MAX_FILE = 256 * 1024 * 1024
"""Bytes of a registry snapshot, or of a baseline."""


LIVE = "live"
"""In the place of a snapshot file: what is registered at the server."""


class Source(NamedTuple):
    """What to read. `root` is the vault's folder, absolute; the others are the options of the command line.

    `fleets` are `ID` or `ID=FOLDER`, in place of those of the settings; `registry` is a file or LIVE, `config` a file.
    With a `trip2g_url` the vault is that of the server, and the folder gives its settings only, unless `registry` is LIVE:
    then the folder is the vault, and the URL (by default that of FLEETLINT_TRIP2G_URL) says where the registry is.
    """

    root: str
    fleets: Sequence[str] = ()
    registry: str | None = None
    config: str | None = None
    no_cache: bool = False
    allow_vault_rules: bool = False
    trip2g_url: str | None = None
    trip2g_key_file: str | None = None
    trip2g_allow_http: bool = False
    trip2g_timeout: float | None = None

    @property
    def has_live_vault(self) -> bool:
        return self.trip2g_url is not None and self.registry != LIVE


class Read(NamedTuple):
    """A vault with all that belongs to it; its root is absolute. `rules` are None where none but the installed ones count."""

    vault: Vault
    settings: Settings
    registry: Registry | None
    rules: Sequence[Rule] | None = None


def read(source: Source, *, say: Callable[[str], None], tell: Callable[[str], None]) -> Read:
    """Reads all of it. Problems with single files are said, each in a sentence; `tell` hears how far the reading is.

    Raises SettingsError, RuleError for rules of the vault that cannot be loaded, and SourceError for a snapshot or a
    server that cannot be used and a vault that cannot be read.
    """
    from fleetlint.settings import load_settings, with_fleets

    root = source.root
    settings = with_fleets(load_settings(root, source.config), source.fleets)
    server = connect(source, say=say) if source.has_live_vault or source.registry == LIVE else None
    registry = read_registry(source, server, tell=tell)
    if source.has_live_vault and server is not None:
        vault = read_live(source, server, settings, tell)
    else:
        vault = _read_checkout(source, settings, tell)
    for problem in vault.problems:
        say(f"{problem.path}: {problem.message}" if problem.path else problem.message)
    if vault.problems and not vault.note_count:
        raise SourceError(f"nothing could be read in {root}; see the lines above")
    return with_rules(Read(vault, settings, registry), root, source.allow_vault_rules, say)


def _read_checkout(source: Source, settings: Settings, tell: Callable[[str], None]) -> Vault:
    """Raises SourceError."""
    from fleetlint.vault import load_vault

    try:
        return load_vault(
            source.root,
            exclude=settings.exclude,
            keep=settings.keep,
            use_cache=not source.no_cache,
            progress=lambda count: tell(f"reading, {count:,} notes so far"),
        )
    except NotADirectoryError:
        raise SourceError(f"{source.root}: there is no such folder; name the vault's") from None


def read_live(source: Source, server: Server, settings: Settings, tell: Callable[[str], None]) -> Vault:
    """The vault of the server; the folder of the source only says what paths are shown from. Raises SourceError."""
    from fleetlint.live import load_live_vault

    tell("asking the server for its notes")
    return load_live_vault(
        server,
        source.root,
        folders=[fleet.folder for fleet in settings.fleets or ()],
        exclude=settings.exclude,
        keep=settings.keep,
        progress=lambda count: tell(f"reading, {count:,} notes so far"),
    )


def read_registry(source: Source, server: Server | None, *, tell: Callable[[str], None]) -> Registry | None:
    """What is registered: by the snapshot file if one is named, else by the server if there is one.

    Raises SourceError.
    """
    if source.registry is not None and source.registry != LIVE:
        return read_snapshot(source.registry, source.root)
    if server is None:
        return None
    from fleetlint.trip2g import fetch_registry

    tell("asking the server what is registered")
    return fetch_registry(server)


def connect(source: Source, *, say: Callable[[str], None]) -> Server:
    """The server that the source names, or the environment. Raises SourceError."""
    from fleetlint.trip2g import TIMEOUT, connect

    return connect(
        source.trip2g_url,
        say=say,
        key_file=source.trip2g_key_file,
        allow_http=source.trip2g_allow_http,
        timeout=source.trip2g_timeout or TIMEOUT,
    )


def with_rules(found: Read, root: str, is_allowed: bool, say: Callable[[str], None]) -> Read:
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


def read_snapshot(file: str, root: str) -> Registry:
    """The registry in a snapshot file. Raises SourceError for one that cannot be used."""
    from fleetlint.registry import parse_snapshot
    from fleetlint.settings import file_name

    try:
        return parse_snapshot(read_file(file, "snapshot").decode("utf-8"), file_name(file, root))
    except UnicodeDecodeError:
        raise SourceError(f"{file}: the snapshot is not UTF-8; save it as UTF-8") from None
    except ValueError as error:
        raise SourceError(str(error)) from None


def read_file(file: str, what: str) -> bytes:
    """A file of JSON that an option names. Raises SourceError when it cannot be read, or is too large."""
    try:
        with open(file, "rb") as opened:
            data = opened.read(MAX_FILE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SourceError(f"{file}: the {what} cannot be read ({reason}); name another file") from None
    if len(data) > MAX_FILE:
        raise SourceError(f"{file}: the {what} is larger than {MAX_FILE >> 20} MiB; name another file")
    return data


def make_context(root: str, *, color: bool = False, width: int = 120) -> Context:
    """What the formats may know of this process: its folder, its time (SOURCE_DATE_EPOCH, or now). Raises SourceError."""
    from fleetlint import __version__
    from fleetlint.report import Context
    from fleetlint.vault.checkout import find_repository

    return Context(
        cwd=os.getcwd(),
        root=root,
        generated_at=_generated_at(os.environ.get("SOURCE_DATE_EPOCH")),
        version=__version__,
        color=color,
        width=width,
        repository_root=find_repository(root),
    )


def _generated_at(epoch: str | None) -> str:
    """The time as RFC 3339. Raises SourceError for an epoch that is no number of seconds since 1970."""
    import time

    try:
        moment = time.gmtime(int(epoch) if epoch else None)
        return time.strftime("%Y-%m-%dT%H:%M:%SZ", moment)
    except (ValueError, OverflowError, OSError):
        raise SourceError(
            f"SOURCE_DATE_EPOCH is `{epoch}`; set it to a number of seconds since 1970, or unset it"
        ) from None
