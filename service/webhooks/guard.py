"""The guard against SSRF: a name is resolved once, checked, and the checked public address is connected to.

The check stands where the connection is made, so nothing that a name resolves to later, no spelling of an address and
no other library comes between. What is not plainly a public address of the internet is refused.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

import anyio.to_thread
import httpcore

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Iterable[str]]
"""Returns the addresses of a host."""

LONGEST: Final = 2_048

_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
_REFUSED: Final = tuple(
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocol assignments, of which Python knows a part
        "192.88.99.0/24",  # relays of 6to4
        "2001::/23",  # Teredo, benchmarks, ORCHID: an IPv4 address may be inside
        "2001:db8::/32",
        "2002::/16",  # 6to4: an IPv4 address is inside
        "3fff::/20",
        "5f00::/16",
    )
)


class NotPublic(OSError):
    """A host has no address, or one that nothing may be sent to; the error does not say which."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a message goes: the parts of an address."""

    scheme: str
    host: str
    port: int | None
    path: str
    netloc: str


def is_public(address: Address) -> bool:
    """Return whether an address is a public one of the internet, with no other address inside."""
    if isinstance(address, ipaddress.IPv6Address) and address not in _UNICAST:
        return False  # loopback, local, multicast, mapped, NAT64
    if any(address in network for network in _REFUSED if network.version == address.version):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def target(url: str, *, private: bool = False) -> Target | None:
    """Return where an address leads, or None where nothing is sent there; names are resolved later.

    `private` allows http and addresses that are not public, as tests need it.
    """
    if not (0 < len(url) <= LONGEST and url.isascii() and url.isprintable()) or set(url) & set(' \\"<>^`{|}'):
        return None
    with suppress(ValueError):
        parts = urlsplit(url)
        plain = parts.scheme == "https" or (private and parts.scheme == "http")
        if plain and parts.hostname and "@" not in parts.netloc and "#" not in url and parts.port != 0:
            found = _parted(parts)
            return found if private or not _is_private_literal(found.host) else None
    return None


def resolved(host: str, port: int) -> list[str]:
    """Return the addresses of a host by the system's resolver, which also reads every spelling of an address."""
    with suppress(OSError, UnicodeError):
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))
    return []


class Guard(httpcore.AnyIOBackend):
    """Connects to public addresses only."""

    def __init__(self, resolve: Resolve = resolved, *, private: bool = False) -> None:
        """Take how names are resolved, and whether every address will do, as tests need it."""
        self._resolve, self._private = resolve, private

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 -- the interface's own
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first address of a host that answers; raise NotPublic where one of them is not public."""
        addresses = await anyio.to_thread.run_sync(partial(self._checked, host, port), abandon_on_cancel=True)
        for address in addresses[:-1]:
            with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                return await super().connect_tcp(address, port, timeout, local_address, socket_options)
        return await super().connect_tcp(addresses[-1], port, timeout, local_address, socket_options)

    async def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
        """Connect to no socket of this machine."""
        raise NotPublic

    def _checked(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses of a host, all of which are public; raise NotPublic."""
        found = [ipaddress.ip_address(text.partition("%")[0]) for text in self._resolve(host, port)]
        if not found or not (self._private or all(is_public(address) for address in found)):
            raise NotPublic
        return [str(address) for address in found]


def _parted(parts: SplitResult) -> Target:
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, parts.hostname or "", parts.port, path, parts.netloc)


def _is_private_literal(host: str) -> bool:
    """Return whether a host is written as an address that is not public, in the usual spelling."""
    with suppress(ValueError):
        return not is_public(ipaddress.ip_address(host))
    return False
