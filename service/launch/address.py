"""The address that the web server listens on. This module imports only the standard library."""

from __future__ import annotations

import errno
import re
import socket
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

HOST: Final = "127.0.0.1"
PORT: Final = "8000"
LAST_PORT: Final = 65_535
BACKLOG: Final = 2_048
SEND_BUFFER_BYTES: Final = 65_536
"""Size of the kernel's send buffer per connection. The size limits the memory for a client that reads nothing."""

QUIET_SECONDS: Final = 60
"""Idle seconds after which TCP keep-alive checks whether the client is still connected."""


class WrongAddressError(ValueError):
    """The web server cannot listen on the address in HOST and PORT. The message gives the reason."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host name or IPv4 address of this machine, and a port."""

    host: str
    port: int

    @classmethod
    def from_env(cls, environment: Mapping[str, str]) -> Address:
        """Return the address in the variables HOST and PORT. Raise WrongAddressError if the port is invalid."""
        text = environment.get("PORT") or PORT
        if not re.fullmatch("[0-9]{1,5}", text) or not 0 < int(text) <= LAST_PORT:
            raise WrongAddressError(f"PORT={text} is no port; ports are numbers from 1 to {LAST_PORT}")
        return cls(environment.get("HOST") or HOST, int(text))

    @property
    def shown(self) -> str:
        host = "127.0.0.1" if self.host == "0.0.0.0" else self.host  # noqa: S104 -- compared, not bound
        return f"http://{host}:{self.port}"

    def ensure_free(self) -> None:
        """Raise WrongAddressError if `host` is no address of this machine, or if another program uses `port`."""
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((self.host, self.port))
            except OSError as reason:
                if isinstance(reason, socket.gaierror) or reason.errno == errno.EADDRNOTAVAIL:
                    raise WrongAddressError(f"HOST={self.host} is no IPv4 address of this machine") from None
                raise WrongAddressError(
                    f"port {self.port} of {self.host}: {reason.strerror}; PORT names another"
                ) from None


def listen(host: str, port: int, patience: int) -> socket.socket:
    """Return a listening socket. Raise OSError if the address is not free.

    A connection ends if the client has vanished. It also ends if the client reads nothing for `patience` seconds.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.create_server((host, port), family=family, backlog=BACKLOG)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if sys.platform == "linux":
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, QUIET_SECONDS)
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, patience * 1000)
    return found
