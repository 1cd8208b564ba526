"""Connections that clients reset: they leave no open file, memory or flood of log lines, whenever the reset comes.

`python3 dev.py test tests/faults/test_resets.py --resets 20000 -rP` resets more connections and prints what they left.
"""

import socket
import struct
import sys
import time
from pathlib import Path
from typing import Final

import pytest

from tests.faults.test_crowd import answer, dialled
from tests.faults.test_lines import memory
from tests.launch.kit import PATIENCE_SECONDS, read_log, within
from tests.service.streams.server import Server

SETTINGS: Final = {"LOG_LEVEL": "warning"}
WARMING_RESETS: Final = 100
MAX_FILES: Final = 30
"""Files that may be open at the end beyond those at the start: far fewer than the resets."""

MAX_BYTES: Final = 16 * 2**20
"""Memory that a web process may take beyond that after the first resets. It does not depend on their number."""

RESET: Final = struct.pack("ii", 1, 0)
"""SO_LINGER with a timeout of zero: `close` sends RST instead of FIN."""

GET: Final = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
POST: Final = b"POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"


def open_files(server: Server) -> int:
    return sum(len([*Path(f"/proc/{pid}/fd").iterdir()]) for pid in server.web_processes())


def reset(server: Server, sent: bytes, *, reads: bool) -> None:
    """Connect, send bytes, and reset the connection; with `reads` the response has begun by then."""
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE_SECONDS) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        if sent:
            connection.sendall(sent)
        if reads:
            assert connection.recv(1)


def used_memory(server: Server) -> int:
    return sum(map(memory, server.web_processes()))


@pytest.fixture
def resets(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("resets"))


def check_resets(server: Server, resets: int, sent: bytes, *, reads: bool) -> None:
    files, lines, began = open_files(server), read_log(server.log).count("\n"), time.monotonic()
    reset_all(server, WARMING_RESETS, sent, reads=reads)
    used = used_memory(server)
    reset_all(server, resets, sent, reads=reads)
    assert within(PATIENCE_SECONDS, lambda: open_files(server) < files + MAX_FILES)
    grown = used_memory(server) - used
    sys.stdout.write(f"{resets} resets left {open_files(server) - files} files and {grown / 2**20:.1f} MiB\n")
    assert grown < MAX_BYTES
    assert read_log(server.log).count("\n") - lines <= time.monotonic() - began + 1


def reset_all(server: Server, number: int, sent: bytes, *, reads: bool) -> None:
    """Reset connections, and wait for a response after them."""
    for _ in range(number):
        reset(server, sent, reads=reads)
    with dialled(server) as connection:
        connection.sendall(GET)
        assert answer(connection)[0] == 200


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"", id="at once"),
        pytest.param(GET, id="after a request"),
        pytest.param(GET * 3, id="after several requests"),
        pytest.param(GET[:-2], id="within the headers"),
        pytest.param(POST % (9, b"{}"), id="within a body"),
        pytest.param(POST % (2, b"{}"), id="after a body"),
        pytest.param(POST % (99_999_999, b"{"), id="after too long a body is announced"),
        pytest.param(b"\x16\x03\x01", id="after what is no HTTP"),
    ],
)
def test_a_connection_that_is_reset_unread_leaves_nothing(server: Server, resets: int, sent: bytes) -> None:
    check_resets(server, resets, sent, reads=False)


@pytest.mark.parametrize(
    ("path", "reads"),
    [
        pytest.param("/healthz", True, id="a short response"),
        pytest.param("/openapi.json", True, id="a long response"),
        pytest.param("{session}/events", True, id="a stream"),
        pytest.param("{session}?wait=30", False, id="a poll that waits"),
    ],
)
def test_a_connection_reset_during_the_response_leaves_nothing(
    server: Server, resets: int, path: str, *, reads: bool
) -> None:
    target = path.format(session=server.sit().path)
    request = f"GET {target} HTTP/1.1\r\nHost: x\r\nAccept: */*\r\nIf-None-Match: *\r\n\r\n"
    check_resets(server, resets, request.encode(), reads=reads)
