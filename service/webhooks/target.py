"""Checks the URLs of webhooks and remote bots without DNS.

A URL needs https and a host, and must not have a user name or a fragment. If the host is an IP address, it must be
public. For a host name, `service.webhooks.guard` later checks the addresses that DNS returns.
"""

from __future__ import annotations

import ipaddress
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

MAX_URL_CHARACTERS: Final = 2_048

_EXCLUDED: Final = frozenset(' \\"<>^`{|}')
"""ASCII characters that no URL contains."""

_UNICAST: Final = ipaddress.IPv6Network("2000::/3")
_REFUSED: Final = tuple(
    ipaddress.ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocol assignments, of which Python has only a part
        "192.88.99.0/24",  # 6to4 relays
        "2001::/23",  # Teredo, benchmarks, ORCHID: may contain an IPv4 address
        "2001:db8::/32",
        "2002::/16",  # 6to4: contains an IPv4 address
        "3fff::/20",
        "5f00::/16",
    )
)


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of a URL. Webhook messages or requests to a remote bot are sent to this URL."""

    scheme: str
    host: str
    port: int | None
    path: str
    netloc: str


def is_public(address: Address) -> bool:
    """Return whether an address is public on the internet.

    An IPv6 address in which an IPv4 address is embedded is never public.
    """
    if isinstance(address, ipaddress.IPv6Address) and address not in _UNICAST:
        return False  # loopback, local, multicast, mapped, NAT64
    if any(address in network for network in _REFUSED if network.version == address.version):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def target(url: str, *, private: bool = False) -> Target | None:
    """Parse a URL without DNS. Return None if the URL is not allowed.

    `private` permits http and private addresses. Tests and closed networks need them.
    """
    is_plain = url.isascii() and url.isprintable() and not set(url) & _EXCLUDED
    if not is_plain or len(url) > MAX_URL_CHARACTERS:
        return None
    with suppress(ValueError):
        parts = urlsplit(url)
        plain = parts.scheme == "https" or (private and parts.scheme == "http")
        if plain and parts.hostname and "@" not in parts.netloc and "#" not in url and parts.port != 0:
            found = _parted(parts)
            return found if private or not _is_private_literal(found.host) else None
    return None


def _parted(parts: SplitResult) -> Target:
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, parts.hostname or "", parts.port, path, parts.netloc)


def _is_private_literal(host: str) -> bool:
    with suppress(ValueError):
        return not is_public(ipaddress.ip_address(host))
    return False
