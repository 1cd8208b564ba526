"""Streams are made in a process of their own; where that is stopped or killed nobody misses anything."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Iterator
from io import BytesIO
from random import Random
from typing import Any
from unittest.mock import Mock

import msgspec
import pytest
import redis
from flask import Flask

from games.core.registry import registered
from service.launch.stream_process import Outbox, OutboxSink, messages
from service.launch.stream_relay import Relay, framed
from service.waiting import told_together
from tests.launch.asking import HTTP
from tests.launch.logs import read_log
from tests.launch.processes import PATIENCE_SECONDS, family, within
from tests.service.sessions.talk import bid, sit, take
from tests.service.streams.hearing import audiences, heard, numbered, play
from tests.service.streams.relayed import relayed
from tests.service.streams.server import Ear, Seats, Server
from tests.toy import GAME

MARK = "OWN_FOLDER"
MOVES = [(1, bid(2)), (0, bid(2)), (2, bid(2)), (0, take(1)), (1, take(1)), (2, take(1))]


@pytest.fixture(scope="module")
def standing(redis_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Yield a server that puts others in the place of processes that a test kills."""
    folder = tmp_path_factory.mktemp("web")
    server = Server(redis_server, folder, **{MARK: str(folder)})
    yield server
    assert server.stop() < 15
    assert within(PATIENCE_SECONDS, lambda: not processes(server))
    assert "Traceback" not in read_log(server.log, kills=True)


@pytest.fixture
def server(standing: Server, redis_client: redis.Redis) -> Iterator[Server]:
    """Yield that server, which has all its processes, at an empty Redis."""
    assert redis_client.dbsize() == 0
    assert within(PATIENCE_SECONDS, lambda: len(processes(standing)) == 4)
    yield standing
    standing.clear()


def processes(server: Server) -> list[int]:
    """Return the processes of a server, each after the one that forked it."""
    return family(MARK, server.log.parent)


def make(seats: Seats, moves: list[tuple[int, dict[str, Any]]]) -> None:
    """Make moves."""
    for seat, move in moves:
        assert seats.move(seat, move).status_code == 201


def all_changes(seats: Seats, seat: int | None) -> list[dict[str, Any]]:
    """Return the numbered messages of a session that is over, as its log has them."""
    with Ear(seats, seat, "/events?after=0") as ear:
        assert ear.ends()
    return numbered(ear.messages)


def test_streams_go_on_without_gap_or_double_where_their_process_is_killed(server: Server) -> None:
    seats = server.sit(3)
    _, _, _, first = processes(server)
    with Ear(seats, 0) as one, Ear(seats, None) as other:
        assert one.hears(bool)
        assert other.hears(bool)
        make(seats, MOVES[:3])
        os.kill(first, signal.SIGKILL)
        make(seats, MOVES[3:])
        seats.abort()
        assert one.ends()
        assert other.ends()
    assert processes(server)[-1] != first
    for seat, ear in ((0, one), (None, other)):
        assert numbered(ear.messages) == all_changes(seats, seat)


def test_requests_do_not_wait_for_the_process_of_the_streams_and_streams_catch_up(server: Server) -> None:
    seats = server.sit(3)
    *_, streams = processes(server)
    with Ear(seats, 0) as ear:
        assert ear.hears(bool)
        os.kill(streams, signal.SIGSTOP)
        with Ear(seats, 1) as late:
            assert within(PATIENCE_SECONDS, lambda: late.status == 200)
            make(seats, MOVES)
            assert len(numbered(ear.messages)) == 1
            os.kill(streams, signal.SIGCONT)
            seats.abort()
            assert ear.ends()
            assert late.ends()
    assert numbered(ear.messages) == all_changes(seats, 0)
    assert numbered(late.messages) == all_changes(seats, 1)


def test_a_web_process_that_can_have_no_more_stream_processes_gives_way_to_another(server: Server) -> None:
    seats = server.sit(3)
    _, web, keeper, _ = processes(server)
    with Ear(seats, 0) as ear:
        assert ear.hears(bool)
        os.kill(keeper, signal.SIGKILL)
        assert ear.ends()
        assert "end" not in {message["event"] for message in ear.messages}
    assert within(PATIENCE_SECONDS, lambda: len(found := processes(server)) == 4 and web not in found)
    with Ear(seats, 0) as ear:
        assert ear.hears(bool)
        make(seats, MOVES[:3])
        assert ear.hears(lambda found: [message["id"] for message in numbered(found)] == [1, 2, 3])


@pytest.mark.parametrize(
    "slug", [GAME.slug, *(pytest.param(slug, marks=pytest.mark.thorough) for slug in registered())]
)
def test_what_is_relayed_is_what_the_log_tells(app: Flask, slug: str) -> None:
    game = {GAME.slug: GAME, **registered()}[slug]
    with relayed(app):
        sitting = sit(app, *({"kind": "human"} for _ in range(game.seat_numbers[-1])), game=slug)
        with audiences(sitting) as listening:
            play(sitting, Random(slug), 12)
            told = {audience.caller: audience.messages.result(PATIENCE_SECONDS) for audience in listening}
    for caller, messages_told in told.items():
        assert numbered(messages_told) == numbered(heard(sitting, caller, "?after=0"))
        assert messages_told[-1]["event"] == "end"


def test_news_that_is_told_together_is_one_message_in_order() -> None:
    sent = list[bytes]()
    outbox = Outbox(sent.append)
    one, other = OutboxSink(outbox, 1), OutboxSink(outbox, 2)
    with told_together():
        one.push(b"a", 3)
        other.push(b"b", 3)
        one.push(b"c", 4)
        other.end()
    one.push(b"d", 5)
    assert not other.push(b"late", 5)
    other.end()
    read = [msgspec.msgpack.decode(message) for message in messages(BytesIO(b"".join(sent)))]
    assert read == [[[1, 3, b"a"], [2, 3, b"b"], [1, 4, b"c"], [2, 0, None]], [[1, 5, b"d"]]]


def test_a_message_that_breaks_off_is_none() -> None:
    whole = framed([1, 2]) + framed([3])
    for length in range(len(whole)):
        read = [msgspec.msgpack.decode(message) for message in messages(BytesIO(whole[:length]))]
        assert read == ([[1, 2]] if length >= len(framed([1, 2])) else [])


def test_a_stream_process_that_does_not_respond_is_told_by_readiness(server: Server) -> None:
    stream_process = processes(server)[-1]
    os.kill(stream_process, signal.SIGSTOP)
    try:
        assert within(PATIENCE_SECONDS, lambda: not server.answers())
        told = HTTP.get(f"{server.url}/readyz")
        assert (told.status_code, told.json()["code"]) == (503, "streams-busy")
        assert HTTP.get(f"{server.url}/healthz").status_code == 200
    finally:
        os.kill(stream_process, signal.SIGCONT)
    assert within(PATIENCE_SECONDS, server.answers)


def test_the_end_of_an_earlier_stream_process_does_not_cut_off_its_successor() -> None:
    control, other = socket.socketpair()
    relay, earlier, successor = Relay(control, lambda: None), Mock(), Mock()
    relay.connected(earlier)
    relay.connected(successor)
    relay.lost(earlier)
    assert relay.responds()
    relay.lost(successor)
    assert not relay.responds()
    control.close()
    other.close()
