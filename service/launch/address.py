"""The address that the web server listens on. This module imports only the standard library."""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

HOST: Final = "127.0.0.1"
PORT: Final = "8000"
LAST_PORT: Final = 65_535


class WrongAddressError(ValueError):
    """The web server cannot listen on the address in HOST and PORT. The message gives the reason."""


@dataclass(frozen=True, slots=True)
class Address:
    """A host name or IPv4 address of this machine, and a port."""

    host: str
    port: int

    @classmethod
    def from_env(cls, environment: Mapping[str, str]) -> Address:
        """Return the address given by the variables HOST and PORT. Raise WrongAddressError for an invalid port."""
        text = environment.get("PORT") or PORT
        if not re.fullmatch("[0-9]{1,5}", text) or not 0 < int(text) <= LAST_PORT:
            raise WrongAddressError(f"PORT={text} is no port; ports are numbers from 1 to {LAST_PORT}")
        return cls(environment.get("HOST") or HOST, int(text))

    @property
    def shown(self) -> str:
        host = "127.0.0.1" if self.host == "0.0.0.0" else self.host  # noqa: S104 -- compared, not bound
        return f"http://{host}:{self.port}"

    def ensure_free(self) -> None:
        """Raise WrongAddressError if another program uses the address, or if it does not belong to this machine."""
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
