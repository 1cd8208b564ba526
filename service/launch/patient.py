"""A gunicorn worker whose threads wait for no slow client: a request is taken up once all of it has come."""

from __future__ import annotations

import fcntl
import re
import socket
import struct
import termios
from typing import Any, Final

from gunicorn.workers.gthread import _DEFER, ThreadWorker

HEAD_BYTES: Final = 16_384
"""How far into a request its head is looked for; a longer one is taken up as it comes."""

BODY_BYTES: Final = 1_048_576
"""Up to which length a body is waited for; whoever announces a longer one is told at once that it is too long."""

_HEAD_END: Final = b"\r\n\r\n"
_EXPECTS: Final = re.compile(rb"^expect:", re.IGNORECASE | re.MULTILINE)
"""Says that the client sends its body only once it is told to go on."""

_LENGTH: Final = re.compile(rb"^content-length:[ \t]*(\d{1,7})[ \t]*\r$", re.IGNORECASE | re.MULTILINE)


class PatientWorker(ThreadWorker):  # type: ignore[misc]  # gunicorn has no types
    """Leaves a connection to its poller until the kernel holds a whole request, or the client's time is up.

    What is missing is told to the kernel, which wakes the poller when that much has come or the line is closed.
    """

    def handle(self, conn: Any) -> Any:
        """Handle a request, or put its connection back; runs in a thread."""
        awaited, present = getattr(conn, "awaited", 0), _present(conn.sock)
        if present >= awaited and not (conn.initialized and conn.parser.unreader.buf.getvalue()):
            wanted = _wanted(conn.sock, present)
            if wanted > present:
                conn.awaited = wanted
                conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, wanted)
                return _DEFER
        if awaited > 1:
            conn.awaited = 0
            conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
        return super().handle(conn)


def _present(line: socket.socket) -> int:
    """Return how many bytes can be read at once."""
    return int(struct.unpack("i", fcntl.ioctl(line, termios.FIONREAD, bytes(4)))[0])


def _wanted(line: socket.socket, present: int) -> int:
    """Return how many bytes make the request whole, as far as what has come tells."""
    if not present:
        return 1
    head = line.recv(HEAD_BYTES, socket.MSG_PEEK)
    end = head.find(_HEAD_END)
    if end < 0:
        return present + 1 if present < HEAD_BYTES else present
    length = _LENGTH.search(head, 0, end + 2)
    body = int(length[1]) if length and not _EXPECTS.search(head, 0, end) else 0
    return end + len(_HEAD_END) + (body if body <= BODY_BYTES else 0)
