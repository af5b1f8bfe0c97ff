"""`fleetlint note`: writes the graph and the findings into a note of the vault."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from fleetlint.cli.check import find_target
from fleetlint.cli.progress import progress
from fleetlint.cli.reading import live_options, make_context, read, say, vault_options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fleetlint.graph.touch import Taken
    from fleetlint.lint import Report
    from fleetlint.sources import Read

OUTDATED = 1


@click.command(
    epilog="""\b
Examples:
  fleetlint note ~/vault
  fleetlint note --check || echo "run fleetlint note"
  fleetlint note --push --trip2g-url https://vault.example.org
""",
)
@click.argument("vault_folder", metavar="[VAULT]", required=False)
@vault_options
@live_options
@click.option("--push", is_flag=True, help="Write it into the live vault of the trip2g server, not into the folder.")
@click.option("--check", "only_checks", is_flag=True, help="Write nothing; exit with 1 when the note is out of date.")
@click.option("--force", is_flag=True, help="Write it although that wakes a role, or a role may write it, too.")
def command(vault_folder: str | None, push: bool, only_checks: bool, force: bool, **options: Any) -> int:
    """Write the graph (Mermaid) and the findings into a note: `graph_note` of the settings, _fleet-graph.md without.

    VAULT is the vault's folder; without it the vault around the working folder is taken, as `check` does. What is up to
    date is not written, so that nothing wakes. A note that people wrote or edited is never overwritten.

    Exit codes: 0 written or up to date, 1 out of date (with --check), 2 refused, wrong use or nothing to read.
    """
    from fleetlint.lint import lint
    from fleetlint.report.note import render

    target = find_target([], vault_folder)
    found = read(target.root, **options)
    path = _path(found)
    found = _as_written(found, path)
    with progress("deriving the graph"):
        report = lint(found.vault, found.settings, registry=found.registry, rules=found.rules)
    if not force and not only_checks:
        _check_roles(_live(found, report, target.root, options) if push else report, found, path)
    text = render(report, make_context(target.root))
    if push:
        return _push(target.root, path, text, only_checks, options)
    return _write(target.root, path, text, only_checks)


def _path(found: Read) -> str:
    """The note's path in the vault. Raises ClickException."""
    from fleetlint.globs.normal import normalised

    path = normalised(found.settings.graph_note)
    if not path.endswith(".md") or "\0" in path or any(part in ("", ".", "..") for part in path.split("/")):
        raise click.ClickException(
            f"`graph_note` is `{found.settings.graph_note}`, which is no note of the vault; name one such as `reports/fleet-graph.md`"
        )
    return path


def _as_written(found: Read, path: str) -> Read:
    """What was read, such that the note is the same on every machine, and the same once it is there itself.

    Of files outside of the vault only the names are told, and the folders that the note makes are there from the start.
    """
    folders = set(found.vault.folders)
    while path := os.path.dirname(path):
        folders.add(path)
    vault, settings, registry = replace(found.vault, folders=frozenset(folders)), found.settings, found.registry
    if os.path.isabs(settings.file):
        settings = replace(settings, file=os.path.basename(settings.file))
    if registry is not None and os.path.isabs(registry.source):
        registry = replace(registry, source=os.path.basename(registry.source))
    return found._replace(vault=vault, settings=settings, registry=registry)


def _live(found: Read, report: Report, root: str, options: dict[str, Any]) -> Report:
    """Of the vault of the server: a note that is pushed wakes its roles, not those of a checkout. Raises SourceError."""
    from fleetlint.lint import lint
    from fleetlint.sources import Source, connect, read_live

    source = Source(root, **options)
    if source.has_live_vault:
        return report
    with progress("reading the live vault") as tell:
        vault = read_live(source, connect(source, say=lambda _: None), found.settings, tell)
    return lint(vault, found.settings, select=(), registry=found.registry, rules=found.rules)


def _check_roles(report: Report, found: Read, path: str) -> None:
    """Raises ClickException, with the roles and their patterns, where writing the note would wake somebody."""
    from fleetlint.graph.derive import writers
    from fleetlint.graph.touch import woken, writing
    from fleetlint.graph.webhooks import listeners

    roles = [node.role for node in report.graph.nodes if node.role]
    people = [listener for _, listener in listeners(found.registry).values()]
    proofs = [
        *_proofs(woken(roles, path), "that wakes `{}`, whose trigger `{}` takes it"),
        *_proofs(woken(people, path), "that fires `{}`, whose pattern `{}` takes it"),
        *_proofs(writing((role for role, _ in writers(report.graph)), path), "`{}` may write it, too, by `{}`"),
    ]
    if proofs:
        raise click.ClickException(
            f"{path} is not written: {'; '.join(proofs)}. Exclude it there, name another note as `graph_note`, or give --force."
        )


def _proofs(taken: Iterator[Taken], sentence: str) -> Iterator[str]:
    from fleetlint.report.characters import printable

    return (sentence.format(printable(one.role.path), printable(one.pattern)) for one in taken)


def _needless(path: str, old: str | None, new: str, only_checks: bool, how: str) -> int | None:
    """The exit code where nothing is to be written: the note is up to date, or is only looked at.

    Raises ClickException for a note that is not fleetlint's.
    """
    from fleetlint.report.note import is_ours, plain

    if old is not None and plain(old) == new:
        say(f"{path}: {'up to date' if only_checks else 'unchanged'}")
        return 0
    if old is not None and not is_ours(old):
        raise click.ClickException(
            f"{path} is not written: somebody wrote or edited what is there; move it to another note, or name another one as "
            "`graph_note`"
        )
    if only_checks:
        say(f"{path}: out of date; `{how}` writes it")
        return OUTDATED
    return None


def _write(root: str, path: str, text: str, only_checks: bool) -> int:
    """Into the folder. Raises ClickException."""
    from fleetlint.vault.rewrite import Changed, Rewriting, create, rewrite

    place = os.path.join(os.path.realpath(root), *path.split("/"))
    if os.path.realpath(place) != place:
        raise click.ClickException(f"{path} is not written: a link leads elsewhere; take it away, or name another note")
    try:
        before = _bytes(place)
        old = None if before is None else before.decode("utf-8", "surrogateescape")
        code = _needless(path, old, text, only_checks, "fleetlint note")
        if code is not None:
            return code
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if before is None:
            create(place, text.encode())
        else:
            rewrite(Rewriting(place, before, text.encode()))
    except Changed:
        raise _edited(path) from None
    except OSError as error:
        raise click.ClickException(f"{path} cannot be written ({error.strerror}); see to the folder's rights") from None
    say(f"{path}: written")
    return 0


def _bytes(place: str) -> bytes | None:
    """Raises OSError."""
    try:
        mode = os.stat(place).st_mode
        if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            # Whoever opens a pipe waits for another end.
            raise OSError(0, "no file")
        with open(place, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _push(root: str, path: str, text: str, only_checks: bool, options: dict[str, Any]) -> int:
    """Into the live vault. Raises ClickException and SourceError."""
    from fleetlint.sources import Source, connect
    from fleetlint.trip2g import HashMismatch, PatchNotFound, Refused, fetch_note, update_note

    # What could be read has been told already.
    server = connect(Source(root, **options), say=lambda _: None)
    note = fetch_note(server, path)
    code = _needless(path, note.content if note else None, text, only_checks, "fleetlint note --push")
    if code is not None:
        return code
    match update_note(server, path, text, note.hash if note else ""):
        case HashMismatch() | PatchNotFound():
            raise _edited(path)
        case Refused(message):
            raise click.ClickException(f"{path} is not written: the server refuses it ({message})")
    say(f"{path}: written")
    return 0


def _edited(path: str) -> click.ClickException:
    return click.ClickException(f"{path} is not written: it was edited just now; nothing is lost, run this again")
