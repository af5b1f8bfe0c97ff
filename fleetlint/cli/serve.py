"""`fleetlint serve`: the results over HTTP."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from fleetlint.cli.check import find_target
from fleetlint.cli.reading import serving_options, vault_options

if TYPE_CHECKING:
    import socket


@click.command(
    epilog="""\b
Examples:
  fleetlint serve ~/vault
  fleetlint serve ~/vault --trip2g-url https://vault.example.org --root-path /_fleet
  fleetlint serve --trip2g-url https://vault.example.org --config fleetlint.yaml
""",
)
@click.argument("vault_folder", metavar="[VAULT]", required=False)
@vault_options
@serving_options
@click.option(
    "--poll",
    type=click.FloatRange(1),
    default=30,
    show_default=True,
    metavar="SECONDS",
    help="How often what is live is asked for again; a folder is watched.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8400, show_default=True, help="0 takes a free one.")
@click.option("--root-path", default="", metavar="PATH", help="Where a proxy has mounted this, such as /_fleet.")
@click.option(
    "--session-cookie", default="trip2g_token", show_default=True, metavar="NAME", help="trip2g's session cookie."
)
@click.option(
    "--auth-cache",
    type=click.FloatRange(0, 10),
    default=0,
    metavar="SECONDS",
    help="For so long trip2g's yes about a session is remembered, 10 at most; a no never is.",
)
@click.option(
    "--allow-origin", "origins", multiple=True, metavar="ORIGIN", help="Another site whose pages may ask (CORS)."
)
@click.option(
    "--deadline",
    type=click.FloatRange(1),
    default=300,
    show_default=True,
    metavar="SECONDS",
    help="A derivation that takes longer is ended, and tried again later.",
)
def command(
    vault_folder: str | None,
    host: str,
    port: int,
    root_path: str,
    poll: float,
    session_cookie: str,
    auth_cache: float,
    origins: tuple[str, ...],
    deadline: float,
    **options: Any,
) -> int:
    """Serve the graph, the findings and a page over HTTP, and keep them up with the vault.

    VAULT is the vault's folder, which is watched. Without it the vault around the working folder is taken, as `check`
    does; or, with --trip2g-url, the live vault of that server, which is asked for it again and again, and the folder
    gives the settings. What is served is listed at /openapi.json.

    With --trip2g-url each request is served only if trip2g says that its cookies are an admin's. Without it nobody is
    asked, and the server listens on loopback only.
    """
    try:
        from fleetlint.serve.app import Options
        from fleetlint.serve.run import run
    except ImportError as error:
        package = (error.name or "fleetlint").partition(".")[0]
        if package == "fleetlint":
            raise
        raise click.ClickException(
            f"`{package}` is not installed, which serving needs; run pip install 'fleetlint[serve]'"
        ) from None
    import gc

    from fleetlint.sources import Source

    target = find_target([], vault_folder)
    url = _url(options["trip2g_url"]) if options["trip2g_url"] is not None else None
    source = Source(target.root, **options)
    if vault_folder is not None and source.has_live_vault:
        # A folder that is named is the vault, also where trip2g says who may look.
        source = source._replace(trip2g_url=None)
    served = Options(
        root_path=_root_path(root_path),
        auth_url=url,
        session_cookie=_cookie_name(session_cookie),
        auth_cache=auth_cache,
        origins=frozenset(map(_origin, origins)),
        poll=poll,
        deadline=deadline,
    )
    with _listen(host, port, is_loopback_only=url is None) as listening:
        shown = f"[{host}]" if ":" in host else host
        what = f"the vault of {url}" if source.has_live_vault else target.root
        who = f"for admins of {url}" if url else "loopback only, for there is no --trip2g-url"
        click.echo(f"serving {what} at http://{shown}:{listening.getsockname()[1]}{served.root_path}/ ({who})")
        gc.enable()  # The command line runs without it, for other commands end soon.
        run(source, served, listening)
    return 0


def _listen(host: str, port: int, *, is_loopback_only: bool) -> socket.socket:
    """A socket that listens. Raises ClickException."""
    import ipaddress
    import socket

    try:
        family, _, _, _, address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[0]
        if is_loopback_only and not (host and ipaddress.ip_address(address[0]).is_loopback):
            raise click.UsageError(
                f"--host {host}: without --trip2g-url nobody has to log in, so the server listens on loopback only; give "
                "the URL of the trip2g whose admins may look"
            )
        listening = socket.create_server((str(address[0]), port), family=family, backlog=2048)
        # asyncio sets it only on sockets that it made; without it each answer on a kept connection waits some 40 ms.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise click.ClickException(
            f"cannot listen on {host}, port {port} ({reason}); name another --host or --port"
        ) from None


def _root_path(text: str) -> str:
    """Raises UsageError."""
    path = text.rstrip("/")
    if path and not re.fullmatch(r"(/(?!\.\.?(/|$))[A-Za-z0-9._~-]+)+", path):
        raise click.UsageError(f"--root-path {text}: a path such as `/_fleet` is meant")
    return path


def _url(text: str) -> str:
    """Raises UsageError. The text is not shown where it may hold a password."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(text)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_good = False
    if not is_good or "@" in parts.netloc or parts.query or parts.fragment:
        raise click.UsageError(
            "--trip2g-url: a URL such as `https://vault.example.org` is meant, without a password in it"
        )
    return text.rstrip("/")


def _cookie_name(text: str) -> str:
    """Raises UsageError."""
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", text):
        raise click.UsageError(f"--session-cookie {text}: this is no name of a cookie")
    return text


def _origin(text: str) -> str:
    """Raises UsageError."""
    if not re.fullmatch(r"https?://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", text):
        raise click.UsageError(
            f"--allow-origin {text}: an origin is a scheme, a host in small letters and maybe a port, such as "
            "`https://admin.example.org`"
        )
    return text
