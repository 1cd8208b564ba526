"""Sealed answers in the same millisecond: all arrive, though each was planned on a session without the others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPResponse
from socket import create_connection, socket

import pytest

from tests.faults.caller import Caller
from tests.faults.town import Town
from tests.launch.processes import PATIENCE_SECONDS

pytestmark = pytest.mark.thorough

ROUNDS = 300


@pytest.fixture
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """Yield a town that is ready, and in which nothing happens by itself."""
    running = Town(tmp_path_factory.mktemp("town"), queues=())
    try:
        running.await_ready()
        yield running
    finally:
        running.stop()


def sit(founder: Caller, people: int) -> tuple[str, list[str]]:
    """Create a session of Pebbles, and return its path and the persons' tokens."""
    made = founder.insist("POST", "/v1/sessions", {"game": "pebbles", "seats": [{"kind": "human"}] * people}).body
    return made["links"]["session"], [seat["token"] for seat in made["seats"]]


def bid(path: str, token: str, code: int) -> bytes:
    """Return a sealed answer as it goes over the line."""
    body = json.dumps({"move": {"code": code}}).encode()
    head = f'POST {path}/moves HTTP/1.1\r\nHost: town\r\nAuthorization: Bearer {token}\r\nIf-Match: "1"\r\n'
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def status(line: socket) -> int:
    with HTTPResponse(line) as answer:
        answer.begin()
        return answer.status


def again(port: int, path: str, token: str, code: int) -> None:
    """Insist on a sealed answer, which may have been taken already."""
    with Caller(port, token) as bidder:
        answer = bidder.insist("POST", f"{path}/moves", {"move": {"code": code}}, If_Match='"1"')
    assert answer.status in {201, 409, 412}


def test_sealed_answers_in_the_same_millisecond_all_arrive(town: Town) -> None:
    before, answers = town.scripts(), 0
    with Caller(town.port) as founder:
        for number in range(ROUNDS):
            path, tokens = sit(founder, 2 + number % 2)
            codes = [(number + seat) % 3 for seat in range(len(tokens))]
            bids = [bid(path, token, code) for token, code in zip(tokens, codes, strict=True)]
            with ExitStack() as stack:
                lines = [
                    stack.enter_context(create_connection(("127.0.0.1", town.port), timeout=PATIENCE_SECONDS))
                    for _ in bids
                ]
                for line, sent in zip(lines, bids, strict=True):
                    line.sendall(sent[:-1])
                for line, sent in zip(lines, bids, strict=True):
                    line.sendall(sent[-1:])
                told = [status(line) for line in lines]
            assert set(told) <= {201, 503}
            for seat, answer in enumerate(told):
                if answer == 503:  # a disk that stalls; whether the bid was heard before, nobody knows
                    again(town.port, path, tokens[seat], codes[seat])
            made = [line.entry for line in town.lines(path) if line.entry is not None]
            assert sorted((entry.seat, entry.move) for entry in made) == list(enumerate(codes))
            answers += len(tokens)
    # One script founds a session and one makes a move; each one more made a move anew that another had overtaken.
    made_anew = town.scripts() - before - ROUNDS - answers
    assert made_anew > ROUNDS / 10, "hardly ever did two meet"
