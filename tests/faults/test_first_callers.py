"""A fresh web process answers all its first callers, however many come at once: five processes, 24 callers."""

import os
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import cycle, islice
from pathlib import Path
from typing import Final

import pytest

from games.core.registry import registered
from tests.faults.test_crowd import dialled
from tests.launch.kit import PATIENCE_SECONDS, read_log, within
from tests.service.streams.server import Server

PROCESSES: Final = 5
CALLERS: Final = 24
PARTS: Final = ("/events?after=0", "?expand=legal_moves", "/events")
DOOR: Final = "tests.service.streams.door:create_hasty_app"


@pytest.fixture
def server(redis_server: str, tmp_path: Path) -> Iterator[Server]:
    running = Server(redis_server, tmp_path, DOOR, WEB_THREADS="64", LIMIT_STREAMS="48", LOG_LEVEL="error")
    yield running
    running.clear()
    running.kill(kills=True)


def end_its_process(server: Server) -> None:
    """Kill the process that answers; none takes its place while the server is stopped."""
    os.kill(server.process.pid, signal.SIGSTOP)
    (running,) = server.web_processes()
    os.kill(running, signal.SIGKILL)
    ended = Path(f"/proc/{running}/stat")
    assert within(PATIENCE_SECONDS, lambda: ended.read_text().rpartition(")")[2].split()[0] == "Z")


def read_beginning(line: socket.socket) -> bytes:
    """Return the beginning of a response, empty without one."""
    try:
        return line.recv(12)
    except ConnectionResetError:
        return b""


def test_no_fresh_process_dies_of_its_first_callers(server: Server) -> None:
    tables = [server.sit(min(game.seat_numbers), slug) for slug, game in registered().items()]
    requests = [
        f"GET {table.path}{part} HTTP/1.1\r\nHost: x\r\nAuthorization: {table.token(seat)['Authorization']}\r\n\r\n"
        for part in PARTS
        for table in tables
        for seat in range(2)
    ]
    for _ in range(PROCESSES):
        end_its_process(server)
        with ExitStack() as crowd:
            lines: list[socket.socket] = [crowd.enter_context(dialled(server)) for _ in range(CALLERS)]
            for line, request in zip(lines, islice(cycle(requests), CALLERS), strict=True):
                line.sendall(request.encode())
            os.kill(server.process.pid, signal.SIGCONT)
            told = [read_beginning(line) for line in lines]
        read_log(server.log, kills=True)
        assert told == [b"HTTP/1.1 200"] * CALLERS
