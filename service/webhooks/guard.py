"""Protection against SSRF: webhook requests connect only to public addresses.

A host name is resolved only once, and the connection uses an address that was checked. So later DNS responses cannot
bypass the check.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import anyio.to_thread
import httpcore

from service.webhooks.target import is_public

Resolve = Callable[[str, int], Iterable[str]]
"""A function that returns the addresses of a host."""


class NotPublic(OSError):
    """A host has no address, or it has a private address. The error does not distinguish the two cases."""


def resolved(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host, or an empty list if it has none.

    The host may also be an IP address in an unusual format, which the system's resolver can parse.
    """
    with suppress(OSError, UnicodeError):
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        return list(dict.fromkeys(str(entry[4][0]) for entry in found))
    return []


class Guard(httpcore.AnyIOBackend):
    """A network backend that connects only to public addresses."""

    def __init__(self, resolve: Resolve = resolved, *, private: bool = False) -> None:
        """Create a guard.

        If `private` is true, the guard also connects to private addresses. Tests and closed networks need this.
        """
        self._resolve, self._private = resolve, private

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 -- the interface's own
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host. Try its addresses in order until one accepts the connection.

        Raise NotPublic if the host has no address, or if one of its addresses is private.
        """
        addresses = await anyio.to_thread.run_sync(partial(self._checked, host, port), abandon_on_cancel=True)
        for address in addresses[:-1]:
            with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                return await super().connect_tcp(address, port, timeout, local_address, socket_options)
        return await super().connect_tcp(addresses[-1], port, timeout, local_address, socket_options)

    async def connect_unix_socket(self, *_: Any, **__: Any) -> httpcore.AsyncNetworkStream:
        """Raise NotPublic, because Unix sockets are not public."""
        raise NotPublic

    def _checked(self, host: str, port: int) -> Sequence[str]:
        found = [ipaddress.ip_address(text.partition("%")[0]) for text in self._resolve(host, port)]
        if not found or not (self._private or all(is_public(address) for address in found)):
            raise NotPublic
        return [str(address) for address in found]
