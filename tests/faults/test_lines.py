"""Lines at a real web server: unread ones cost little, silent ones are cut, none is cut at a stop."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, Final

import pytest
import uvloop
from gunicorn.config import Config
from gunicorn.glogging import Logger

from service.launch.web_worker import LISTEN_SECONDS, Line, WebWorker
from tests.faults.test_crowd import SOON_SECONDS, answer, dialled, drained
from tests.launch.asking import HTTP
from tests.launch.logs import read_log
from tests.launch.processes import PATIENCE_SECONDS, within
from tests.service.streams.server import SMALL, Server

DEAF: Final = 100
DEAF_BYTES: Final = 40_000_000
"""What so many lines may cost that read nothing: a third of their answers, and four times what was measured."""

LONG: Final = b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n"
LOOK: Final = LONG % b"/healthz"
CALLERS: Final = 8
KEPT: Final = 20
UNHURRIED: Final = "--graceful-timeout 60"
"""A stop that leaves idle lines open for half a minute, so that they outlast whatever else the machine does."""


@pytest.fixture(scope="module")
def server(redis_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Yield a server of four threads, which was started with a lower limit on open files than the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, hard // 2), hard))
    try:
        running = Server(redis_server, tmp_path_factory.mktemp("web"))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    yield running
    running.kill()


def process_of(server: Server) -> int:
    """Return the one process that answers."""
    children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    assert within(PATIENCE_SECONDS, lambda: len(children.read_text().split()) == 1)
    return int(children.read_text())


def memory(pid: int) -> int:
    """Return how many bytes of memory a process holds."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_a_process_may_open_as_many_files_as_the_system_allows(server: Server) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for pid in (server.process.pid, process_of(server)):
        assert resource.prlimit(pid, resource.RLIMIT_NOFILE) == (hard, hard)


def test_the_processes_of_a_server_count_together(server: Server) -> None:
    for _ in range(2):
        with dialled(server) as line:
            line.sendall(LONG % b"/v1/limits")
            assert answer(line)[0] == 200
    told = HTTP.get(server.figures_url).text
    assert re.search(r'dorfplatz_requests_total\{[^}]*route="/v1/limits"[^}]*\} [2-9]', told)


@pytest.mark.parametrize("path", [b"/openapi.json", b"/docs/reference/getSession"], ids=["the contract", "a page"])
def test_lines_that_never_read_a_long_answer_cost_little(server: Server, path: bytes) -> None:
    pid = process_of(server)
    with dialled(server) as line:
        line.sendall(LONG % path)
        line.shutdown(socket.SHUT_WR)
        drained(line)
    before = memory(pid)
    with ExitStack() as crowd:
        lines = [crowd.enter_context(dialled(server, buffer=SMALL)) for _ in range(DEAF)]
        for line in lines:
            line.sendall(LONG % path)
        for line in lines:
            assert line.recv(12, socket.MSG_PEEK) == b"HTTP/1.1 200"
        most = memory(pid)
        with dialled(server) as other:
            other.sendall(LOOK)
            assert answer(other)[0] == 200
        most = max(most, memory(pid))
    assert most - before < DEAF_BYTES


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param(b"", b"", id="silent"),
        pytest.param(LOOK[:-2], b"HTTP/1.1 408 Request Timeout", id="half a head"),
    ],
)
def test_a_line_without_a_whole_head_is_cut(server: Server, words: bytes, told: bytes) -> None:
    with dialled(server) as line:
        line.sendall(words)
        text = b""
        while part := line.recv(SMALL):
            text += part
    assert text.partition(b"\r\n")[0] == told
    if told:
        assert b"\r\nConnection: close\r\n" in text
        assert b"\r\nX-Content-Type-Options: nosniff\r\n" in text
        assert b"\r\nCache-Control: no-store\r\n" in text


def test_a_head_that_drips_is_cut_and_one_that_comes_slowly_is_answered(server: Server) -> None:
    with dialled(server) as drips, dialled(server) as slow:
        for start in range(0, len(LOOK), 12):
            slow.sendall(LOOK[start : start + 12])
            time.sleep(0.1)
        assert answer(slow)[0] == 200
        drips.sendall(LOOK[:-2])
        drips.settimeout(0.2)
        text = b""
        until = time.monotonic() + SOON_SECONDS
        while not text and time.monotonic() < until:
            try:
                drips.sendall(b"X: y\r\n")
                text = drips.recv(SMALL)
            except TimeoutError:
                continue
        assert text.startswith(b"HTTP/1.1 408")


def look(line: socket.socket) -> bool:
    """Ask on a line, and tell whether it is kept after the answer."""
    line.sendall(LOOK)
    return is_kept(line)


def is_kept(line: socket.socket) -> bool:
    """Read the answer to a request that was sent, and tell whether its line is kept after it."""
    with HTTPResponse(line) as response:
        response.begin()
        response.read()
        assert response.status == 200
        return not response.will_close


def test_a_line_is_kept_for_longer_than_clients_keep_theirs() -> None:
    told = subprocess.run(
        [sys.executable, "-P", "-c", "from service.launch import gunicorn; print(gunicorn.keepalive)"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert int(told.stdout) > 90  # Go's


def test_a_line_is_kept_while_those_are_cut_that_never_asked_or_ask_by_halves(server: Server) -> None:
    with dialled(server) as kept, dialled(server) as half, dialled(server) as silent:
        assert look(kept)
        assert look(half)
        half.sendall(LOOK[:-2])
        assert silent.recv(1) == b""
        assert half.recv(12) == b"HTTP/1.1 408"
        assert look(kept)


def test_half_a_head_behind_a_request_is_cut_too(server: Server) -> None:
    with dialled(server) as line:
        line.sendall(LOOK + LOOK[:-2])
        text = b""
        while part := line.recv(SMALL):
            text += part
    assert re.findall(rb"HTTP/1.1 (\d+)", text) == [b"200", b"408"]


@pytest.mark.parametrize(
    ("head", "status"),
    [
        pytest.param(b"Host: x\r\nContent-Length: " + b"9" * 5000, b"400", id="a length of many digits"),
        pytest.param(b"Host: x\r\nContent-Length: " + b"9" * 4000, b"413", id="a length of fewer digits"),
        pytest.param(b"Accept: */*", b"400", id="no Host"),
        pytest.param(b"Host: x\r\nHost: y", b"400", id="two Hosts"),
        pytest.param(b"Host: x\r\nTransfer-Encoding: gzip, chunked", b"501", id="a coding that we do not know"),
        pytest.param(b"Host: x\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked", b"501", id="in two lines"),
        pytest.param(b"Host: x\r\nTransfer-Encoding: identity, chunked", b"501", id="identity"),
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


async def nothing(_scope: Any, receive: Any, send: Any) -> None:
    """Answer a request without a body."""
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body"})


async def answers_of_a_process_that_stands_still(worker: WebWorker) -> list[bytes]:
    """Return two answers on a line, and its end: its time is up while the loop stands still and a request comes."""
    worker.loop = loop = asyncio.get_running_loop()
    ours, client = socket.socketpair()
    bell, finger = socket.socketpair()

    def stand_still() -> None:
        loop.remove_reader(bell)
        client.sendall(LOOK)
        time.sleep(0.2)

    with ours, client, bell, finger:
        client.settimeout(0)
        _, line = await loop.connect_accepted_socket(lambda: Line(worker), ours)
        client.sendall(LOOK)
        first = await loop.sock_recv(client, SMALL)
        line.await_head(0.1)
        loop.add_reader(bell, stand_still)
        finger.sendall(b"!")
        second = await loop.sock_recv(client, SMALL)
        return [first[:12], second[:12], await loop.sock_recv(client, SMALL)]


def test_a_process_that_stands_still_answers_what_came_meanwhile() -> None:
    config = Config()
    config.set("keepalive", 1)
    worker = WebWorker(1, os.getpid(), [], None, 30, config, Logger(config))
    worker.asgi = nothing
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        answers = runner.run(answers_of_a_process_that_stands_still(worker))
    worker.tmp.close()
    assert answers == [b"HTTP/1.1 200", b"HTTP/1.1 200", b""]  # and then nothing is asked


@pytest.mark.thorough
def test_a_process_that_ends_alone_leaves_the_listener_to_the_next(server: Server) -> None:
    with dialled(server) as kept:
        assert look(kept)
        pid = process_of(server)
        os.kill(pid, signal.SIGTERM)
        assert within(PATIENCE_SECONDS, lambda: not look(kept))
        assert kept.recv(1) == b""
        assert within(PATIENCE_SECONDS, lambda: not Path(f"/proc/{pid}").exists())
    with dialled(server) as line:
        assert look(line)


@pytest.mark.thorough
def test_a_process_that_is_asked_to_end_before_it_has_begun_ends(redis_server: str, tmp_path: Path) -> None:
    doomed = tmp_path / "doomed"
    door = "tests.service.streams.door:create_doomed_app"
    server = Server(redis_server, tmp_path, door=door, DOOMED=str(doomed), GUNICORN_CMD_ARGS=UNHURRIED)
    try:
        assert within(SOON_SECONDS, lambda: str(process_of(server)) != doomed.read_text())
        with dialled(server) as line:
            assert look(line)
    finally:
        server.kill()


class Caller(threading.Thread):
    """Asks again and again, over a line that is kept as long as the server keeps it, until nobody listens."""

    def __init__(self, server: Server, *, keeps: bool) -> None:
        """Take whom to ask, and whether to keep the line."""
        super().__init__(daemon=True)
        self.answered = 0
        self.cut: list[str] = []
        self.begun = 0.0  # when the last line was asked for that was granted
        self._port, self._keeps = server.port, keeps

    def run(self) -> None:
        """Ask."""
        while self._connected() and not self.cut:
            continue

    def _connected(self) -> bool:
        """Ask over one line for as long as it is kept; False where nobody listens any more."""
        line = HTTPConnection("127.0.0.1", self._port, timeout=SOON_SECONDS)
        begun = time.monotonic()
        try:
            line.connect()
        except ConnectionRefusedError:
            return False
        self.begun = begun
        try:
            closes = False
            while not closes:
                line.request("GET", "/healthz", headers={} if self._keeps else {"Connection": "close"})
                told = line.getresponse()
                told.read()
                closes = told.will_close
                self.answered += 1
        except (OSError, HTTPException) as error:
            self.cut.append(repr(error))
        finally:
            line.close()
        return True


@pytest.mark.thorough
def test_nothing_is_cut_when_the_server_is_asked_to_stop(redis_server: str, tmp_path: Path) -> None:
    server = Server(redis_server, tmp_path, WEB_PROCESSES="2", GUNICORN_CMD_ARGS=UNHURRIED, LOG_LEVEL="error")
    try:
        callers = [Caller(server, keeps=number % 2 == 0) for number in range(CALLERS)]
        for caller in callers:
            caller.start()
        assert within(PATIENCE_SECONDS, lambda: all(caller.answered > 1 for caller in callers))
        before = sum(caller.answered for caller in callers)
        server.process.send_signal(signal.SIGTERM)
        asked = time.monotonic()
        for caller in callers:
            caller.join(SOON_SECONDS)
        assert server.process.wait(SOON_SECONDS) == 0
        assert sum(caller.answered for caller in callers) > before
        assert max(caller.begun for caller in callers) > asked + LISTEN_SECONDS / 2  # it went on listening
        assert [caller.cut for caller in callers] == [[]] * CALLERS
    finally:
        server.kill()
    read_log(server.log)


@pytest.mark.thorough
def test_idle_lines_are_answered_once_more_after_the_listener_is_closed(redis_server: str, tmp_path: Path) -> None:
    server = Server(redis_server, tmp_path, WEB_IDLE_LINES=str(KEPT), GUNICORN_CMD_ARGS=UNHURRIED)
    try:
        with ExitStack() as crowd:
            oldest, *lines = [crowd.enter_context(dialled(server)) for _ in range(KEPT + 1)]
            assert look(oldest)
            assert all(look(line) for line in lines)
            assert oldest.recv(1) == b""  # one too many
            server.process.send_signal(signal.SIGTERM)
            assert within(PATIENCE_SECONDS, lambda: refuses(server))
            for line in lines:
                line.sendall(LOOK)
            assert not any(is_kept(line) for line in lines)
            assert {line.recv(1) for line in lines} == {b""}
            assert server.process.wait(SOON_SECONDS) == 0
    finally:
        server.kill()


def refuses(server: Server) -> bool:
    """Tell whether nobody listens any more."""
    try:
        with socket.create_connection(("127.0.0.1", server.port), SOON_SECONDS):
            return False
    except ConnectionRefusedError:
        return True


def test_a_silent_line_does_not_hold_a_server_up_that_is_asked_to_stop(redis_server: str, tmp_path: Path) -> None:
    server = Server(redis_server, tmp_path, WEB_PATIENCE="600")
    try:
        with dialled(server) as silent, dialled(server) as half, dialled(server) as kept:
            assert look(kept)
            half.sendall(LOOK[:-2])
            server.process.send_signal(signal.SIGTERM)
            assert silent.recv(1) == b""
            assert half.recv(12) == b"HTTP/1.1 408"
            assert kept.recv(1) == b""
            assert server.process.wait(SOON_SECONDS) == 0
    finally:
        server.kill()
