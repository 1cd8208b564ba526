"""The guard against SSRF: a name is resolved once, checked, and the checked public address is connected to.

The check stands where the connection is made, so nothing that a name resolves to later, no spelling of an address and
no other library comes between. What is not plainly a public address of the internet is refused.
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
"""Returns the addresses of a host."""


class NotPublic(OSError):
    """A host has no address, or one that nothing may be sent to; the error does not say which."""


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
