"""Streams at a real server of four threads: killed, started again, read slowly, not read at all, and stopped."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
import redis

from tests.launch.kit import HTTP, PATIENCE_SECONDS, read_log, within
from tests.service.kit import bid, take
from tests.service.streams.hearing import numbered, parsed
from tests.service.streams.server import SMALL, Ear, Seats, Server


@pytest.fixture(scope="module")
def standing(redis_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Yield a server for all tests of this file that leave it as it was."""
    server = Server(redis_server, tmp_path_factory.mktemp("web"))
    yield server
    server.kill()


@pytest.fixture
def server(standing: Server, redis_client: redis.Redis) -> Iterator[Server]:
    """Yield that server, at an empty Redis; afterwards all sessions end, and with them their streams."""
    assert redis_client.dbsize() == 0
    yield standing
    standing.clear()


def free(server: Server) -> int:
    seats = server.sit()
    ears = [Ear(seats, caller) for caller in (0, 1, None, 0)]
    assert within(PATIENCE_SECONDS, lambda: all(ear.status for ear in ears))
    seats.abort()
    assert all(ear.ends() for ear in ears)
    for ear in ears:
        ear.close()
    return sum(ear.status == 200 for ear in ears)


def ids(messages: list[dict[str, Any]]) -> list[int]:
    return [message["id"] for message in numbered(messages)]


def test_more_may_wait_than_there_are_threads(redis_server: str, redis_client: redis.Redis, tmp_path: Path) -> None:
    assert redis_client.dbsize() == 0
    crowded = Server(redis_server, tmp_path, LIMIT_STREAMS="48")
    try:
        seats = crowded.sit(3)
        tag = seats.look(0).headers["ETag"]
        with ExitStack() as waiting:
            lines = [waiting.enter_context(closing(seats.dial(seat))) for seat in range(3) for _ in range(8)]
            polls = [waiting.enter_context(closing(poll(seats, tag))) for _ in range(3)]
            assert all(line.recv(SMALL).startswith(b"HTTP/1.1 200") for line in lines)
            assert [seats.move(seat, bid(1)).status_code for seat in range(3)] == [201] * 3
            assert all(line.recv(SMALL).startswith(b"HTTP/1.1 200") for line in polls)
            for line in lines:
                text = b""
                while b"pebble_bids_opened" not in text:
                    text += line.recv(SMALL)
    finally:
        crowded.kill()


def test_where_all_places_are_taken_streams_and_polls_are_refused_and_nothing_else(server: Server) -> None:
    seats = server.sit()
    tag = seats.look(0).headers["ETag"]
    with Ear(seats, 0) as one, Ear(seats, 1) as other, closing(poll(seats, tag)) as line:
        assert one.hears(bool)
        assert other.hears(bool)
        assert within(PATIENCE_SECONDS, lambda: status(seats, None) == 503)
        began = time.monotonic()
        refused = seats.look(None, "?wait=20", If_None_Match=seats.look(None).headers["ETag"])
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
        assert seats.move(0, bid(1)).status_code == 201
        assert time.monotonic() - began < 15
        assert line.recv(SMALL).startswith(b"HTTP/1.1 200")
        assert within(PATIENCE_SECONDS, lambda: status(seats, None) == 200)


def status(seats: Seats, seat: int | None) -> int:
    with Ear(seats, seat) as ear:
        assert within(PATIENCE_SECONDS, lambda: ear.status != 0)
        return ear.status


def poll(seats: Seats, tag: str) -> socket.socket:
    address = httpx.URL(seats.here)
    line = socket.create_connection((str(address.host), int(address.port or 0)))
    headers = f"Authorization: {seats.token(0)['Authorization']}\r\nIf-None-Match: {tag}\r\n"
    line.sendall(f"GET {address.path}?wait=20 HTTP/1.1\r\nHost: x\r\n{headers}\r\n".encode())
    return line


def test_the_place_of_a_client_that_has_gone_is_free_soon(server: Server) -> None:
    seats = server.sit()
    for _ in range(2):
        with ExitStack() as listening:
            lines = [listening.enter_context(closing(seats.dial(caller))) for caller in (0, 0, None)]
            assert all(line.recv(SMALL).startswith(b"HTTP/1.1 200") for line in lines)
            assert status(seats, 1) == 503
        assert within(PATIENCE_SECONDS, lambda: free(server) == 3)


def test_heartbeats_come_in_time_over_a_real_line(server: Server) -> None:
    with Ear(server.sit(), 0) as ear:
        assert within(PATIENCE_SECONDS, lambda: len(ear.times) > 3)
        assert max(after - before for before, after in pairwise(ear.times)) < 10


def test_a_client_that_does_not_read_is_sent_away_and_those_who_read_notice_nothing(server: Server) -> None:
    seats = server.sit(game="hoher-rat")
    seats.play(12)
    with ExitStack() as deaf:
        for _ in range(2):
            deaf.enter_context(closing(seats.dial(0, "/events?after=0", buffer=SMALL)))
        with Ear(seats, 1, "/events?after=0") as ear:
            assert ear.hears(lambda messages: len(ids(messages)) == 13)
            with Ear(seats, 1) as refused:
                assert refused.ends()
                assert refused.status == 503
            seats.play(1)
            assert ear.hears(lambda messages: len(ids(messages)) == 14)
        assert within(PATIENCE_SECONDS, lambda: free(server) == 3)
    assert "Traceback" not in read_log(server.log)


def test_a_slow_reader_hears_everything_beside_a_fast_one(server: Server) -> None:
    seats = server.sit(game="hoher-rat")
    seats.play(12)
    with closing(seats.dial(0, "/events?after=0", buffer=SMALL)) as slow, Ear(seats, 0, "/events?after=0") as fast:
        assert fast.hears(lambda messages: len(ids(messages)) == 13)
        seats.abort()
        assert fast.ends()
        text = b""
        while chunk := slow.recv(SMALL):
            text += chunk
            time.sleep(0.005)
            if text.endswith(b"0\r\n\r\n"):
                break
        body = b"".join(dechunked(text.partition(b"\r\n\r\n")[2])).decode()
        heard = [message for message in parsed(body) if message["event"] not in {"presence", "heartbeat"}]
        assert heard == [message for message in fast.messages if message["event"] != "presence"]


def dechunked(body: bytes) -> Iterator[bytes]:
    while body:
        size, _, body = body.partition(b"\r\n")
        yield body[: int(size, 16)]
        body = body[int(size, 16) + 2 :]


def read_to(line: socket.socket, mark: bytes) -> bytes:
    text = b""
    while mark not in text:
        chunk = line.recv(SMALL)
        assert chunk, text
        text += chunk
    return text


@pytest.mark.parametrize("early", [True, False])
def test_a_line_is_kept_after_a_stream_and_what_was_asked_meanwhile_is_answered(server: Server, early: bool) -> None:  # noqa: FBT001 -- a case
    seats = server.sit()
    look = f"GET {seats.path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    with closing(seats.dial(0)) as line:
        line.settimeout(PATIENCE_SECONDS)
        read_to(line, b"event: presence")
        if early:
            line.sendall(look[:20])
            time.sleep(0.1)
            line.sendall(look[20:] + look)
        seats.abort()
        told = read_to(line, b"0\r\n\r\n")
        assert b"event: end" in told
        for _ in range(1 if early else 2):
            line.sendall(look)
        answers = told.partition(b"0\r\n\r\n")[2]
        while answers.count(b'"status":"aborted"') < (3 if early else 2):
            answers += line.recv(SMALL)
        assert answers.startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_line_is_closed_after_a_stream_whose_client_wants_that(server: Server) -> None:
    seats = server.sit()
    with closing(seats.dial(0, "/events HTTP/1.1\r\nConnection: close\r\nX:")) as line:
        line.settimeout(PATIENCE_SECONDS)
        assert b"connection: close" in read_to(line, b"event: presence")
        seats.abort()
        assert read_to(line, b"0\r\n\r\n").endswith(b"0\r\n\r\n")
        assert line.recv(SMALL) == b""


def test_a_client_that_asks_very_much_during_a_stream_is_read_later(server: Server) -> None:
    seats = server.sit()
    look = f"GET {seats.path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    asked = 1_000
    with closing(seats.dial(0)) as line:
        line.settimeout(PATIENCE_SECONDS)
        read_to(line, b"event: presence")
        sender = threading.Thread(target=line.sendall, args=(look * asked,))
        sender.start()
        seats.play(1)
        read_to(line, b"event: change")
        seats.abort()
        text = read_to(line, b"0\r\n\r\n").partition(b"0\r\n\r\n")[2]
        while text.count(b"HTTP/1.1 200 OK\r\n") < asked:
            chunk = line.recv(SMALL * SMALL)
            assert chunk
            text += chunk
        sender.join()


def test_a_ticket_stands_in_no_log_of_the_server(server: Server) -> None:
    seats = server.sit()
    shown = seats.look(0).json()
    secrets = []
    for address in (shown["picture_url"], shown["stream_url"]):
        secrets.append(address.rpartition(".")[2])
        with HTTP.stream("GET", f"{server.url}{address}", headers={"Referer": f"{server.url}{address}"}) as answer:
            assert answer.status_code == 200
    with closing(socket.create_connection(("127.0.0.1", server.port))) as line:
        line.sendall(f"GET {shown['picture_url']} HTTP/7.7\r\n\r\n".encode())
        assert line.recv(SMALL).startswith(b"HTTP/1.1 400")
    assert within(PATIENCE_SECONDS, lambda: '/events"' in read_log(server.log))
    assert not [secret for secret in secrets if secret in read_log(server.log)]


def test_a_stream_goes_on_without_gap_or_double_over_a_server_that_is_killed_or_stopped(
    redis_server: str, standing: Server, redis_client: redis.Redis, tmp_path: Path
) -> None:
    assert redis_client.dbsize() == 0
    server = Server(redis_server, tmp_path)
    try:
        seats = server.sit(3)
        heard: dict[int | None, list[dict[str, Any]]] = {0: [], None: []}
        for killed in (True, False):
            ears = {seat: Ear(seats, seat, resumed(known)) for seat, known in heard.items()}
            assert all(ear.hears(bool) for ear in ears.values())
            assert [seats.move(*move).status_code for move in MOVES[killed]] == [201] * 3
            if killed:
                server.kill()
                server.restart()
            else:
                with closing(poll(seats, seats.look(0).headers["ETag"])) as line:
                    time.sleep(0.2)
                    assert server.stop() < 15
                    assert line.recv(SMALL).startswith(b"HTTP/1.1 304")
                assert all(ear.ends() for ear in ears.values())
                assert "Traceback" not in read_log(server.log)
            for seat, ear in ears.items():
                ear.close()
                heard[seat] += ear.messages
        seats.move_to(standing)
        seats.abort()
        for seat, known in heard.items():
            with Ear(seats, seat, resumed(known)) as last, Ear(seats, seat, "/events?after=0") as whole:
                assert last.ends()
                assert whole.ends()
                assert not [message for message in known if message["event"] == "end"]
                assert numbered(known + last.messages) == numbered(whole.messages)
                assert ids(whole.messages) == list(range(1, 8 if seat == 0 else 7))
    finally:
        server.kill()


MOVES = {True: [(1, bid(2)), (0, bid(2)), (2, bid(2))], False: [(0, take(1)), (1, take(1)), (2, take(1))]}


def resumed(known: list[dict[str, Any]]) -> str:
    return f"/events?after={numbered(known)[-1]['cursor']}" if known else "/events"
