"""Connections at a real web server: unread ones cost little, resets cost nothing, and a replacement cuts none.

`python3 dev.py test tests/faults/test_lines.py --stop-seconds 10 -rP` stops a web process for longer, and prints the
memory for connections that read nothing.
"""

import os
import resource
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.faults.test_crowd import PROMPT_SECONDS, answer, dialled
from tests.grey.town import listens
from tests.launch.kit import HTTP, PATIENCE_SECONDS, own_port, read_log, within
from tests.service.kit import bid, take
from tests.service.streams.hearing import numbered
from tests.service.streams.server import SMALL, Ear, Server

IDLE_READERS: Final = 500
IDLE_READER_BYTES: Final = 100_000_000
"""Maximum memory for `IDLE_READERS` connections that read nothing of a long response or stream."""

LONG: Final = b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n"
LOOK: Final = LONG % b"/healthz"
CALLERS: Final = 8
PAUSE_SECONDS: Final = 0.01
"""Pause of a caller between two requests: the processes that start need the processor, too."""


@pytest.fixture(scope="module")
def server(redis_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Yield a server of four threads, which was started with a lower limit on open files than the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, hard // 2), hard))
    try:
        crowd = {"LIMIT_STREAMS": str(2 * IDLE_READERS), "LIMIT_STREAMS_PER_CALLER": str(IDLE_READERS)}
        running = Server(redis_server, tmp_path_factory.mktemp("web"), WEB_PATIENCE="60", **crowd)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    yield running
    running.kill()


def process_of(server: Server) -> int:
    assert within(PATIENCE_SECONDS, lambda: len(server.web_processes()) == 1)
    return server.web_processes()[0]


def memory(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_a_process_may_open_as_many_files_as_the_system_allows(server: Server) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for pid in (server.process.pid, process_of(server)):
        assert resource.prlimit(pid, resource.RLIMIT_NOFILE) == (hard, hard)


@pytest.mark.parametrize("path", ["/openapi.json", "/docs/reference/getSession", "a stream"])
def test_connections_that_never_read_a_long_response_cost_little(server: Server, path: str) -> None:
    pid = process_of(server)
    if path == "a stream":
        seats = server.sit(game="hoher-rat")
        seats.play(12)
        path = f"{seats.path}/events?after=0"
    else:
        assert HTTP.get(f"{server.url}{path}").is_success  # it is made once
    before = memory(pid)
    with ExitStack() as crowd:
        lines = [crowd.enter_context(dialled(server, buffer=SMALL)) for _ in range(IDLE_READERS)]
        for line in lines:
            line.sendall(LONG % path.encode())
        for line in lines:
            assert line.recv(12, socket.MSG_PEEK) == b"HTTP/1.1 200"
        most = memory(pid)
        with dialled(server) as other:
            other.sendall(LOOK)
            assert answer(other)[0] == 200
        most = max(most, memory(pid))
    sys.stdout.write(f"{IDLE_READERS} connections that read nothing took {(most - before) / 1e6:.1f} MB\n")
    assert most - before < IDLE_READER_BYTES


def look(line: socket.socket) -> bool:
    line.sendall(LOOK)
    return is_kept(line)


def is_kept(line: socket.socket) -> bool:
    """Read the response to a sent request, and return whether its connection is kept after it."""
    with HTTPResponse(line) as response:
        response.begin()
        response.read()
        assert response.status == 200
        return not response.will_close


@pytest.mark.parametrize(
    ("head", "status"),
    [
        pytest.param(b"Host: x\r\nContent-Length: " + b"9" * 5000, b"400", id="a length of many digits"),
        pytest.param(b"Host: x\r\nContent-Length: " + b"9" * 18, b"413", id="a length of fewer digits"),
        pytest.param(b"Accept: */*", b"400", id="no Host"),
        pytest.param(b"Host: x\r\nHost: y", b"400", id="two Hosts"),
        pytest.param(b"Host: x\r\nTransfer-Encoding: gzip, chunked", b"400", id="a coding that we do not know"),
        pytest.param(b"Host: x\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked", b"400", id="in two lines"),
        pytest.param(b"Host: x\r\nTransfer-Encoding: identity, chunked", b"400", id="identity"),
        pytest.param(b"Host: x\r\nTransfer-Encoding: gzip", b"400", id="a body without an end"),
    ],
)
def test_a_head_that_is_none_of_http_is_refused_and_its_line_closed(server: Server, head: bytes, status: bytes) -> None:
    with dialled(server) as line:
        line.sendall(b"POST /v1/sessions HTTP/1.1\r\n%s\r\n\r\n" % head)
        text = b""
        while part := line.recv(SMALL):
            text += part
    assert text.startswith(b"HTTP/1.1 " + status)
    assert "Traceback" not in read_log(server.log)


def test_a_client_of_http_1_0_names_no_host_and_a_body_in_chunks_is_taken(server: Server) -> None:
    with dialled(server) as line:
        line.sendall(b"GET /healthz HTTP/1.0\r\n\r\n")
        assert answer(line)[0] == 200
    with dialled(server) as line:
        line.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n")
        assert is_kept(line)


def test_a_process_that_dies_is_replaced_and_its_port_answers_meanwhile(redis_server: str, tmp_path: Path) -> None:
    server = Server(redis_server, tmp_path)
    try:
        pid = process_of(server)
        os.kill(pid, signal.SIGKILL)
        with dialled(server) as line:  # it waits at the keeper's socket
            assert look(line)
        assert process_of(server) != pid
    finally:
        server.kill(kills=True)


class Caller(threading.Thread):
    """Sends requests until it is stopped, over connections that are kept as long as the server keeps them."""

    def __init__(self, server: Server, *, keeps: bool) -> None:
        super().__init__(daemon=True)
        self.answered = 0
        self.cut: list[str] = []
        self.stops = False
        self.keeps = keeps
        self._port = server.port

    def run(self) -> None:
        while not self.stops:
            line = HTTPConnection("127.0.0.1", self._port, timeout=PROMPT_SECONDS)
            try:
                self._talk(line)
            except (OSError, HTTPException) as error:
                self.cut.append(repr(error))
            finally:
                line.close()

    def _talk(self, line: HTTPConnection) -> None:
        closes = False
        while not closes and not self.stops:
            line.request("GET", "/healthz", headers={} if self.keeps else {"Connection": "close"})
            told = line.getresponse()
            told.read()
            closes = told.will_close
            self.answered += 1
            time.sleep(PAUSE_SECONDS)


def test_processes_are_replaced_one_by_one_and_no_kept_connection_is_cut(redis_server: str, tmp_path: Path) -> None:
    server = Server(redis_server, tmp_path, WEB_PROCESSES="2", LOG_LEVEL="error")
    try:
        assert within(PATIENCE_SECONDS, lambda: len(server.web_processes()) == 2)
        old = set(server.web_processes())
        seats = server.sit(3)
        callers = [Caller(server, keeps=number % 2 == 0) for number in range(CALLERS)]
        for caller in callers:
            caller.start()
        with Ear(seats, 0) as ear:
            assert ear.hears(bool)
            server.process.send_signal(signal.SIGHUP)
            assert within(PATIENCE_SECONDS, lambda: not old & set(server.web_processes()))
            assert ear.ends()  # with a cursor from which it continues elsewhere
            assert "end" not in {message["event"] for message in ear.messages}
        assert len(server.web_processes()) == 2
        for caller in callers:
            caller.stops = True
            caller.join(PROMPT_SECONDS)
        assert sum(caller.answered for caller in callers) > CALLERS
        assert [caller.cut for caller in callers if caller.keeps and caller.cut] == []
        assert sum(len(caller.cut) for caller in callers) <= 1  # of thousands
    finally:
        server.kill()
    read_log(server.log)


def test_a_process_that_is_stopped_delivers_every_event_afterwards(
    redis_server: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    one, other = own_port(), own_port()
    server = Server(redis_server, tmp_path, WEB_PROCESSES="2", WEB_OWN_PORTS=f"{one},{other}")
    try:
        assert within(PATIENCE_SECONDS, lambda: answers_at(one) and answers_at(other))
        seats = server.sit(3)
        seats.here = f"http://127.0.0.1:{one}{seats.path}"
        stopped = next(pid for pid in server.web_processes() if listens(pid, one))
        with Ear(seats, 0) as ear, Ear(seats, None) as public:
            assert ear.hears(bool)
            assert public.hears(bool)
            os.kill(stopped, signal.SIGSTOP)
            seats.here = f"http://127.0.0.1:{other}{seats.path}"
            for seat, move in ((1, bid(2)), (0, bid(2)), (2, bid(2)), (0, take(1)), (1, take(1)), (2, take(1))):
                assert seats.move(seat, move).status_code == 201
            time.sleep(request.config.getoption("stop_seconds"))
            assert len(numbered(ear.messages)) == 1
            os.kill(stopped, signal.SIGCONT)
            seats.abort()
            assert ear.ends()
            assert public.ends()
        for told, caller in ((ear, 0), (public, None)):
            with Ear(seats, caller, "/events?after=0") as whole:
                assert whole.ends()
            assert numbered(told.messages) == numbered(whole.messages)
    finally:
        server.kill()


def answers_at(port: int) -> bool:
    with suppress(httpx.TransportError):
        return HTTP.get(f"http://127.0.0.1:{port}/readyz").is_success
    return False


def test_a_silent_connection_does_not_hold_up_a_stop(redis_server: str, tmp_path: Path) -> None:
    server = Server(redis_server, tmp_path, WEB_PATIENCE="600")
    try:
        with dialled(server), dialled(server) as half, dialled(server) as kept:
            assert look(kept)
            half.sendall(LOOK[:-2])
            server.process.send_signal(signal.SIGTERM)
            assert kept.recv(1) == b""
            assert server.process.wait(PROMPT_SECONDS) == 0
    finally:
        server.kill()
