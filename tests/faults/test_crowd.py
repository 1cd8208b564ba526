"""Many at once: answers in the same millisecond, and clients who only hold the line."""

from __future__ import annotations

import json
import socket
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.faults.caller import Caller
from tests.faults.town import Town

ROUNDS = 150
REQUESTS = 60
CROWD = 140
"""More than the two processes have threads."""

FACTOR = 5
SLACK_SECONDS = 0.01
WORST_SECONDS = 2.0


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """Yield a town that is ready."""
    running = Town(tmp_path_factory.mktemp("town"))
    try:
        running.await_ready()
        yield running
    finally:
        running.stop()


def sit(port: int, people: int) -> tuple[str, list[str]]:
    """Create a session of Pebbles, and return its path and the persons' tokens."""
    with Caller(port) as founder:
        made = founder.ask("POST", "/v1/sessions", {"game": "pebbles", "seats": [{"kind": "human"}] * people}).body
    return made["links"]["session"], [seat["token"] for seat in made["seats"]]


def request(method: str, path: str, token: str, body: Any = None, **headers: str) -> bytes:
    """Return a request as it goes over the line."""
    text = b"" if body is None else json.dumps(body).encode()
    named = {"Host": "town", "Authorization": f"Bearer {token}", **headers, "Content-Length": str(len(text))}
    if text:
        named["Content-Type"] = "application/json"
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"{method} {path} HTTP/1.1\r\n{head}\r\n".encode() + text


def dialled(port: int) -> socket.socket:
    """Return a line to the web server."""
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def answered(line: socket.socket) -> int:
    """Return the status of the answer on a line."""
    return int(line.recv(65_536).split(b" ", 2)[1])


def test_sealed_answers_in_the_same_millisecond_all_arrive(town: Town) -> None:
    town.kill_worker()
    before, answers = town.scripts(), 0
    for number in range(ROUNDS):
        path, tokens = sit(town.port, 2 + number % 2)
        with ExitStack() as stack:
            lines = [stack.enter_context(dialled(town.port)) for _ in tokens]
            bids = [
                request("POST", f"{path}/moves", token, {"move": {"code": (number + seat) % 3}}, **{"If-Match": '"1"'})
                for seat, token in enumerate(tokens)
            ]
            for line, bid in zip(lines, bids, strict=True):
                line.sendall(bid[:-1])
            for line, bid in zip(lines, bids, strict=True):
                line.sendall(bid[-1:])
            assert [answered(line) for line in lines] == [201] * len(tokens)
        entries = [line.entry for line in town.lines(path) if line.entry is not None]
        assert sorted((entry.seat, entry.move) for entry in entries) == [
            (seat, (number + seat) % 3) for seat in range(len(tokens))
        ]
        answers += len(tokens)
    assert town.scripts() - before - answers > ROUNDS / 20, "hardly ever did two meet"


HOLDS: dict[str, Callable[[str, str], bytes]] = {
    "they say nothing": lambda _path, _token: b"",
    "they send half a head": lambda path, token: request("GET", path, token)[:-10],
    "they send half a body": lambda path, token: request("POST", f"{path}/moves", token, {"move": {"code": 1}})[:-5],
    "they read no stream": lambda path, token: request("GET", f"{path}/events", token),
    "they read no long answer": lambda _path, token: request("GET", "/openapi.json", token),
}
"""What clients send, by a session's path and a token, who then only hold the line."""


def latencies(port: int, path: str, token: str) -> list[float]:
    """Return how long some requests took, each on a line of its own as a new client's."""
    took = []
    for _ in range(REQUESTS):
        began = time.monotonic()
        with Caller(port, token) as caller:
            assert caller.ask("GET", path).status == 200
        took.append(time.monotonic() - began)
    return sorted(took)


@pytest.mark.parametrize("hold", HOLDS.values(), ids=HOLDS.keys())
def test_clients_who_only_hold_the_line_keep_nobody_waiting(town: Town, hold: Callable[[str, str], bytes]) -> None:
    path, tokens = sit(town.port, 2)
    alone = latencies(town.port, path, tokens[0])
    with ExitStack() as stack:
        for _ in range(CROWD):
            line = stack.enter_context(socket.socket())
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            line.connect(("127.0.0.1", town.port))
            line.sendall(hold(path, tokens[1]))
        beside = latencies(town.port, path, tokens[0])
    assert statistics.median(beside) < FACTOR * statistics.median(alone) + SLACK_SECONDS
    assert beside[-1] < WORST_SECONDS


@pytest.mark.parametrize("pieces", [2, 7], ids="in {} pieces".format)
def test_a_request_that_comes_bit_by_bit_is_answered(town: Town, pieces: int) -> None:
    path, tokens = sit(town.port, 2)
    sent = request("POST", f"{path}/moves", tokens[0], {"move": {"code": 1}}, **{"If-Match": '"1"'})
    size = len(sent) // pieces + 1
    with dialled(town.port) as line:
        for start in range(0, len(sent), size):
            line.sendall(sent[start : start + size])
            time.sleep(0.1)
        assert answered(line) == 201
        line.sendall(request("GET", path, tokens[0]))  # the line is kept, and waits for whole requests again
        assert answered(line) == 200


def test_a_client_that_asks_whether_it_may_send_its_body_is_told_so(town: Town) -> None:
    path, tokens = sit(town.port, 2)
    headers = {"If-Match": '"1"', "Expect": "100-continue"}
    head, _, body = request("POST", f"{path}/moves", tokens[0], {"move": {"code": 1}}, **headers).partition(b"\r\n\r\n")
    with dialled(town.port) as line:
        line.sendall(head + b"\r\n\r\n")
        assert answered(line) == 100
        line.sendall(body)
        assert answered(line) == 201


def test_a_client_that_hangs_up_in_the_middle_of_a_request_is_forgotten(town: Town) -> None:
    path, tokens = sit(town.port, 2)
    sent = request("POST", f"{path}/moves", tokens[0], {"move": {"code": 1}}, **{"If-Match": '"1"'})
    for end in (0, 10, len(sent) - 1):
        with dialled(town.port) as line:
            line.sendall(sent[:end])
            time.sleep(0.05)
            line.shutdown(socket.SHUT_WR)
            assert line.recv(12) in {b"", b"HTTP/1.1 400"}
    with Caller(town.port, tokens[0]) as caller:
        assert caller.ask("GET", path).body["version"] == 1
