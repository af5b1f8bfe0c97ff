"""Asks fleets whether they are up: `GET <callback>/health`.

What is registered decides who is asked, so the address is not trusted. Nothing of the environment goes with the question,
no redirect is followed, and of the answer no more than its status is read.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING

from fleetlint.errors import SourceError, causes_of
from fleetlint.report import Health
from fleetlint.tls import trusting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import httpx

DEADLINE = 5.0
"""Seconds for one fleet, its name's look-up included."""
AT_ONCE = 32
MAX_ADDRESSES = 4
"""Of one name; the next is tried where one refuses the connection."""

METADATA = frozenset(
    map(ip_address, ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23"))
)
"""Where clouds tell machines their secrets, beside 169.254.169.254, which is link-local."""
EMBEDDING = tuple(map(ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "::ffff:0:0:0/96")))
"""NAT64, also that of local use, and translated addresses: the last four bytes are those of IPv4."""


def probe(callbacks: Mapping[str, str | None], *, allow_link_local: bool = False) -> dict[str, Health]:
    """The health of fleets by id, given their callbacks; equal ones are asked once, all of them at once.

    Raises SourceError where httpx is missing, or the authorities that the environment names.
    """
    try:
        import httpx  # noqa: F401 - whether it is there
    except ImportError:
        raise SourceError("asking fleets needs httpx; install it with `pip install 'fleetlint[live]'`") from None
    bases = sorted({base for base in callbacks.values() if base})
    found = asyncio.run(_ask_all(bases, allow_link_local)) if bases else {}
    return {
        fleet: found[base] if base else Health("unknown", "no one address of it is registered")
        for fleet, base in sorted(callbacks.items())
    }


async def _ask_all(bases: Iterable[str], allow_link_local: bool) -> dict[str, Health]:
    turn = asyncio.Semaphore(AT_ONCE)
    # Made once: reading the authorities takes longer than asking.
    secure = trusting()

    async def ask(base: str) -> Health:
        async with turn:
            try:
                async with asyncio.timeout(DEADLINE):
                    return await _ask(base, secure, allow_link_local)
            except TimeoutError:
                return Health("down", f"no answer in {DEADLINE:g} s")

    bases = list(bases)
    return dict(zip(bases, await asyncio.gather(*map(ask, bases)), strict=True))


async def _ask(base: str, secure: ssl.SSLContext, allow_link_local: bool) -> Health:
    import httpx

    try:
        url = httpx.URL(f"{base.rstrip('/')}/health")
        host, port = url.raw_host.decode("ascii"), url.port or {"http": 80, "https": 443}[url.scheme]
        if port > 65_535:
            raise ValueError(port)
    except (httpx.InvalidURL, KeyError, ValueError):
        return Health("unknown", "its address is no URL of http or https")
    if not host or url.userinfo or url.query or url.fragment:
        return Health("unknown", "its address is more or less than a place: a password, a query, or no host")
    try:
        addresses = await _resolve(host.strip("[]"), port)
    except OSError:
        return Health("down", f"the name `{host}` is not known")
    refused = [address for address in addresses if is_refused(address)]
    if refused and not allow_link_local:
        return Health("unknown", f"`{host}` is {refused[0]}, which is not asked; --probe-link-local allows it")
    # Each to an address that was looked at: asking by name would look the name up once more.
    for address in addresses[:MAX_ADDRESSES]:
        health = await _get(url, address, secure)
        if health is not None:
            return health
    return Health("down", "the connection is refused, or there is no way to it")


async def _get(url: httpx.URL, address: str, secure: ssl.SSLContext) -> Health | None:
    """None where no connection can be made."""
    import httpx

    headers = {"Host": url.netloc.decode("ascii"), "User-Agent": "fleetlint", "Accept-Encoding": "identity"}
    # By address, and yet to the host that the certificate has to name.
    request = httpx.Request(
        "GET", url.copy_with(host=address), headers=headers, extensions={"sni_hostname": url.host, "timeout": {}}
    )
    # The transport and not a client, which would take cookies, proxies and passwords of the environment.
    async with httpx.AsyncHTTPTransport(verify=secure, trust_env=False) as transport:
        try:
            response = await transport.handle_async_request(request)
            await response.aclose()
        except httpx.ConnectError as error:
            is_insecure = any(isinstance(cause, ssl.SSLError) for cause in causes_of(error))
            return Health("down", "no secure connection can be made to it") if is_insecure else None
        except (httpx.HTTPError, ssl.SSLError, OSError):
            return Health("down", "what answers there speaks no HTTP, or breaks off")
    if response.status_code == 200:
        return Health("up", "")
    leads = ", which leads elsewhere and is not followed" if response.is_redirect else ""
    return Health("down", f"it answers {response.status_code}{leads}")


async def _resolve(host: str, port: int) -> list[str]:
    """The addresses of a name, in the system's order. Raises OSError.

    In a thread that is left alone when the deadline has come; those of asyncio are waited for at the end.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[list[str]] = loop.create_future()

    def settle(found: list[str], error: OSError | None) -> None:
        if not future.done():
            future.set_exception(error) if error else future.set_result(found)

    def look_up() -> None:
        found: list[str] = []
        failed: OSError | None = None
        try:
            known = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
            found = list(dict.fromkeys(str(one[4][0]) for one in known))
        except (OSError, UnicodeError) as error:
            failed = error if isinstance(error, OSError) else OSError(str(error))
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, found, failed)

    threading.Thread(target=look_up, daemon=True).start()
    return await future


def is_refused(address: str) -> bool:
    """Whether an address is link-local, one of METADATA, or nobody's in particular; also in an IPv6 disguise."""
    ip = ip_address(address.partition("%")[0])
    return any(
        one.is_link_local or one.is_multicast or one.is_unspecified or one in METADATA or str(one) == "255.255.255.255"
        for one in (ip, *_within(ip))
    )


def _within(ip: IPv4Address | IPv6Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses that an IPv6 address may stand for."""
    if isinstance(ip, IPv6Address):
        if ip.ipv4_mapped:
            yield ip.ipv4_mapped
        if ip.sixtofour:
            yield ip.sixtofour
        if ip.teredo:
            yield from ip.teredo
        if any(ip in network for network in EMBEDDING) or int(ip) >> 32 == 0:
            yield IPv4Address(int(ip) & 0xFFFFFFFF)
