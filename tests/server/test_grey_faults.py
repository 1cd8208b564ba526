"""Web processes that live on but cannot serve: probes notice them in time, and the keeper replaces them."""

import resource
from collections.abc import Iterator
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path

import pytest

from tests.launch.kit import PATIENCE_SECONDS, within
from tests.server.stuck import STUCK
from tests.service.streams.server import Server

READY_SECONDS = 5
"""Time within which a process that cannot serve is not ready."""


@pytest.fixture
def line(server: Server) -> Iterator[HTTPConnection]:
    """Yield a connection that was opened before any fault."""
    with closing(HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE_SECONDS)) as opened:
        assert (status(opened, "/readyz"), status(opened, "/healthz")) == (200, 200)
        yield opened


@pytest.fixture
def server(redis_server: str, tmp_path: Path) -> Iterator[Server]:
    settings = {"WEB_THREADS": "2", "WEB_STUCK_SECONDS": "1", "WEB_STALL_SECONDS": "2"}
    running = Server(redis_server, tmp_path, "tests.server.stuck:create_app", **settings)
    yield running
    running.kill(kills=True)


def status(line: HTTPConnection, path: str) -> int:
    line.request("GET", path)
    with line.getresponse() as response:
        response.read()
        return response.status


def check_replaced(server: Server, line: HTTPConnection, pid: int) -> None:
    assert within(READY_SECONDS, lambda: status(line, "/readyz") == 503)
    assert within(PATIENCE_SECONDS, lambda: status(line, "/healthz") == 503)
    assert within(PATIENCE_SECONDS, lambda: f"web process {pid} stands still; replacing it" in server.log.read_text())
    assert within(PATIENCE_SECONDS, lambda: bool(server.web_processes()) and pid not in server.web_processes())
    assert server.answers()


@pytest.mark.thorough
def test_a_process_without_free_files_is_replaced(server: Server, line: HTTPConnection) -> None:
    (pid,) = server.web_processes()
    used = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    _, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (used, hard))
    check_replaced(server, line, pid)


@pytest.mark.thorough
def test_a_process_whose_threads_are_stuck_is_replaced(server: Server, line: HTTPConnection) -> None:
    (pid,) = server.web_processes()
    with ExitStack() as lines:
        for _ in range(2):
            stuck = HTTPConnection("127.0.0.1", server.port)
            lines.callback(stuck.close)
            stuck.request("GET", STUCK)
        check_replaced(server, line, pid)
