"""`fleetlint serve`: the results over HTTP."""

from __future__ import annotations

from typing import Any

import click

from fleetlint.cli.check import find_target
from fleetlint.cli.reading import vault_options


@click.command(
    epilog="""\b
Examples:
  fleetlint serve ~/vault
  fleetlint serve ~/vault --port 9000
""",
)
@click.argument("vault_folder", metavar="[VAULT]", required=False)
@vault_options
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8400, show_default=True, help="Port; 0 takes a free one."
)
@click.option("--root-path", default="", metavar="PATH", help="Where a proxy has mounted this, such as /_fleet.")
def command(vault_folder: str | None, host: str, port: int, root_path: str, **options: Any) -> int:
    """Serve the graph, the findings and a page over HTTP.

    VAULT is the vault's folder; without it the vault around the working folder is taken, as `check` does.
    """
    import gc
    import socket

    from fleetlint.serve.app import Options
    from fleetlint.serve.run import run
    from fleetlint.sources import Source

    target = find_target([], vault_folder)
    gc.enable()  # The command line runs without it, for other commands end soon.
    with socket.create_server((host, port)) as listening:
        click.echo(f"serving {target.root} at http://{host}:{listening.getsockname()[1]}/")
        run(Source(target.root, **options), Options(root_path), listening)
    return 0
