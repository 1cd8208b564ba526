"""Crowds at a real server of four threads: clients that send partially, do not read, or leave; and odd requests.

The tests claim that responses come within seconds while the crowd holds its connections, not how fast they are. They
also claim that the responses of a session fit into one order with its log.
"""

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http.client import HTTPResponse
from typing import Any, Final

import pytest
from redis import Redis

from service.settings import Limits
from service.store.session_store import SessionStore
from tests.faults.kit import Answer, Exchange
from tests.faults.linearizability import Client, check
from tests.launch.kit import read_log
from tests.service.streams.server import SMALL, Server

CROWD: Final = 200
"""Fifty times as many as the server has threads."""

REQUESTS: Final = 10
PROMPT_SECONDS: Final = 60
PATIENCE_SECONDS: Final = 2
"""Seconds that the server waits for the rest of a body, and for a client that reads nothing (WEB_PATIENCE)."""

LONG: Final = Limits().table_bytes + 1
"""More bytes than a body may have."""

MOVE: Final = {"move": {"code": 1}}
NEW: Final = {"game": "pebbles", "seats": [{"kind": "human"}, {"kind": "human"}]}


class Table:
    """A session and the requests of its first seat."""

    def __init__(self, server: Server) -> None:
        seats = server.sit()
        self.path = seats.here.removeprefix(server.url)
        self._token = seats.tokens[0]
        self._exchanges: list[Exchange] = []
        self._server = server

    def request(self, method: str, part: str, body: bytes = b"", /, **headers: str) -> bytes:
        """Return a request as it goes over the line; a part that begins with two slashes is a path of its own."""
        path = part.removeprefix("/") if part.startswith("//") else f"{self.path}{part}"
        sized = {} if "Transfer_Encoding" in headers else {"Content-Length": str(len(body))}
        typed = {"Content-Type": "application/json"} if body or not sized else {}
        named = {"Host": "town", "Authorization": f"Bearer {self._token}", **sized, **typed}
        named |= {name.replace("_", "-"): text for name, text in headers.items()}
        head = "".join(f"{name}: {text}\r\n" for name, text in named.items())
        return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + body

    def move(self, **headers: str) -> bytes:
        return self.request("POST", "/moves", json.dumps(MOVE).encode(), If_Match='"1"', **headers)

    def sent(self, request: bytes) -> Exchange:
        """Remember a request that is sent now; whatever the form of its body, a move is always the same."""
        first, *lines = request.partition(b"\r\n\r\n")[0].decode().split("\r\n")
        method, path, *_ = [*first.split(" "), "", ""]
        headers = dict(line.split(": ", 1) for line in lines if ": " in line)
        self._exchanges.append(Exchange(method, path, MOVE, headers))
        return self._exchanges[-1]

    def asked(self, request: bytes) -> tuple[int, Any]:
        with dialled(self._server) as line:
            exchange = self.sent(request)
            line.sendall(request)
            return self.heard(line, exchange)

    def heard(self, line: socket.socket, exchange: Exchange) -> tuple[int, Any]:
        """Return status and body of the answer to a request that was sent before."""
        status, told = answer(line, exchange.method)
        exchange.answer, exchange.ended = Answer(status, {}, told), time.monotonic()
        return status, told

    def check(self, redis_url: str) -> int:
        """Return the number of requests that fit into one order; raise NotLinearizable if they do not."""
        with Redis.from_url(redis_url) as client:
            log = SessionStore(client, 1).log_entries(self.path.rpartition("/")[2])
        return check([line for _, line in log], [Client(0, self._exchanges)])


@pytest.fixture
def table(server: Server, redis_server: str) -> Iterator[Table]:
    """Yield a fresh session; afterwards it is judged, and all sessions end, and with them their streams."""
    fresh = Table(server)
    yield fresh
    fresh.check(redis_server)
    server.clear()


def dialled(server: Server, *, buffer: int | None = None) -> socket.socket:
    line = socket.socket()
    line.settimeout(PROMPT_SECONDS)
    if buffer is not None:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    line.connect(("127.0.0.1", server.port))
    return line


def answer(line: socket.socket, method: str = "GET") -> tuple[int, Any]:
    with HTTPResponse(line, method=method) as response:
        response.begin()
        text = response.read()
        told = json.loads(text) if text else None
        if response.status >= 400:
            assert response.getheader("Content-Type") == "application/problem+json"
        return response.status, told


def chunked(*chunks: bytes) -> bytes:
    """Return chunks of a body as they go over the line, without its end."""
    return b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)


HOLDS: dict[str, Callable[[Table], bytes]] = {
    "they say nothing": lambda _table: b"",
    "they send half a head": lambda table: table.request("GET", "")[:-10],
    "they send half a body": lambda table: table.move()[:-5],
    "they send half a chunk": lambda table: table.request("POST", "/moves", b"f\r\n{", Transfer_Encoding="chunked"),
    "they read no stream": lambda table: table.request("GET", "/events"),
    "they read no long answer": lambda table: table.request("GET", "//openapi.json"),
}
"""Bytes that each client of a crowd sends before it only holds the connection."""


@pytest.mark.parametrize("words", HOLDS.values(), ids=HOLDS.keys())
def test_answers_come_while_a_crowd_only_holds_its_lines(
    server: Server, table: Table, redis_server: str, words: Callable[[Table], bytes]
) -> None:
    other = Table(server)
    with ExitStack() as crowd:
        for _ in range(CROWD):
            crowd.enter_context(dialled(server, buffer=SMALL)).sendall(words(table))
        for _ in range(REQUESTS):
            assert other.asked(other.request("GET", ""))[0] == 200
        assert other.asked(other.move())[0] == 201
        assert other.asked(other.request("GET", ""))[1]["version"] == 2
        assert table.asked(table.request("GET", ""))[1]["version"] == 1
    assert other.check(redis_server) == REQUESTS + 2
    assert "Traceback" not in read_log(server.log)


@pytest.mark.parametrize("pieces", [2, 7], ids="in {} pieces".format)
def test_a_request_bit_by_bit_is_answered_and_so_is_the_next(server: Server, table: Table, pieces: int) -> None:
    sent = table.move()
    size = len(sent) // pieces + 1
    with dialled(server) as line:
        exchange = table.sent(sent)
        for start in range(0, len(sent), size):
            line.sendall(sent[start : start + size])
            time.sleep(0.05)
        assert table.heard(line, exchange)[0] == 201
        look = table.request("GET", "")
        line.sendall(look)
        assert table.heard(line, table.sent(look))[0] == 200


def test_requests_that_come_at_once_are_answered_in_turn(server: Server, table: Table) -> None:
    with dialled(server) as line:
        line.sendall(table.request("HEAD", "") + table.move() + table.request("GET", "", If_None_Match="*"))
        text = b""
        while text.count(b"HTTP/1.1 ") < 3 or not text.endswith(b"\r\n\r\n"):
            text += line.recv(65_536)
    assert [part[:3] for part in text.split(b"HTTP/1.1 ")[1:]] == [b"200", b"201", b"304"]


def test_a_body_in_chunks_is_a_body(table: Table) -> None:
    text = json.dumps(MOVE).encode()
    body = chunked(text[:7], text[7:]) + b"0\r\n\r\n"
    sent = table.request("POST", "/moves", body, If_Match='"1"', Transfer_Encoding="chunked")
    assert table.asked(sent)[0] == 201


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        pytest.param({"Content_Length": "1000"}, json.dumps(NEW).encode(), id="by length"),
        pytest.param({"Transfer_Encoding": "chunked"}, chunked(json.dumps(NEW).encode()), id="in chunks"),
    ],
)
def test_an_unfinished_body_is_refused(server: Server, table: Table, headers: dict[str, str], body: bytes) -> None:
    with dialled(server) as line:
        line.sendall(table.request("POST", "//v1/sessions", body, **headers))
        began = time.monotonic()
        assert answer(line)[0] == 400
        assert time.monotonic() - began > PATIENCE_SECONDS / 2
        assert line.recv(1) == b""


def test_a_client_that_asks_whether_it_may_send_its_body_is_told_so(server: Server, table: Table) -> None:
    head, _, body = table.move(Expect="100-continue").partition(b"\r\n\r\n")
    with dialled(server) as line:
        exchange = table.sent(head)
        line.sendall(head + b"\r\n\r\n")
        assert line.recv(SMALL).startswith(b"HTTP/1.1 100")
        line.sendall(body)
        assert table.heard(line, exchange)[0] == 201


def test_a_web_socket_is_refused(server: Server, table: Table) -> None:
    headers = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13"}
    sent = table.request("GET", "", **headers, Sec_WebSocket_Key="dGhlIHNhbXBsZSBub25jZQ==")
    with dialled(server) as line:
        line.sendall(sent)
        assert line.recv(SMALL).startswith(b"HTTP/1.1 405")
    assert "Traceback" not in read_log(server.log)


@pytest.mark.parametrize("end", [0, 10, -1], ids=["before it", "in its head", "in its body"])
def test_a_client_that_hangs_up_during_a_request_has_done_nothing(server: Server, table: Table, end: int) -> None:
    sent = table.move()
    with dialled(server) as line:
        table.sent(sent)
        line.sendall(sent[:end] if end else b"")
        line.shutdown(socket.SHUT_WR)
        assert line.recv(12) in {b"", b"HTTP/1.1 400"}
    assert table.asked(table.request("GET", ""))[1]["version"] == 1
