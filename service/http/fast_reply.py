"""An answer that was made before Flask, as the server sends it."""

from __future__ import annotations

from http import HTTPStatus
from typing import NamedTuple


class FastReply(NamedTuple):
    """Status, headers in their order, and body."""

    status: HTTPStatus
    headers: list[tuple[str, str]]
    body: bytes = b""

    @property
    def status_line(self) -> str:
        """The status as WSGI has it."""
        return f"{self.status.value} {self.status.phrase.upper()}"
