"""`fleetlint registry`: what is registered at a trip2g server."""

from __future__ import annotations

import os
from typing import Any

import click

from fleetlint.cli.progress import progress
from fleetlint.cli.reading import put, say, server_options


@click.command("pull")
@server_options
@click.option("--output", "file", metavar="FILE", help="Where the snapshot goes, at once and whole (stdout).")
def pull(file: str | None, **options: Any) -> int:
    """Write a snapshot of the webhooks that are registered, which `--registry FILE` reads.

    It takes the API key or the session cookie of an administrator, in FLEETLINT_TRIP2G_API_KEY or FLEETLINT_TRIP2G_COOKIE.
    The same webhooks always give the same bytes.
    """
    from fleetlint.registry.render import render_snapshot
    from fleetlint.sources import LIVE, Source, connect, read_registry

    source = Source(os.getcwd(), registry=LIVE, **options)
    server = connect(source, say=say)
    with progress("asking") as tell:
        registry = read_registry(source, server, tell=tell)
    assert registry is not None
    text = render_snapshot(registry)
    if file is None:
        put(text, machine=True)
        return 0
    _write(file, text)
    number = len(registry.webhooks)
    say(f"{file}: {number:,} webhook{'' if number == 1 else 's'} written")
    return 0


def _write(file: str, text: str) -> None:
    """Raises ClickException; what stands there stays until the whole text takes its place."""
    place = os.path.realpath(file)
    beside = f"{place}.{os.getpid()}"
    try:
        if os.path.exists(place) and not os.path.isfile(place):
            # A pipe or a device: nothing can take its place.
            with open(place, "wb") as opened:
                opened.write(text.encode())
            return
        try:
            with open(beside, "xb") as opened:
                opened.write(text.encode())
            os.replace(beside, place)
        except OSError:
            if os.path.exists(beside):
                os.unlink(beside)
            raise
    except OSError as error:
        raise click.ClickException(f"{file}: this cannot be written ({error.strerror}); name another file") from None


command = click.Group(
    "registry",
    commands=[pull],
    help="What is registered at a trip2g server.",
    epilog="""\b
Examples:
  fleetlint registry pull --trip2g-url https://vault.example.org --output registry.json
  fleetlint check --registry registry.json
""",
)
