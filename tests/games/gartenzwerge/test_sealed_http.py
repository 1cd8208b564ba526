"""Sealed amounts over HTTP: in any order, at the same time, each once, and nobody is told of another's."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPResponse
from itertools import permutations
from socket import create_connection, socket
from typing import Any, Final

import msgspec
import pytest
from flask import Flask
from werkzeug.test import TestResponse

from games.gartenzwerge.moves import CODEC, SealBid, SealMinimum
from tests.faults.kit import Caller
from tests.faults.town import Town
from tests.games.gartenzwerge.positions import GAME
from tests.launch.kit import PATIENCE_SECONDS
from tests.service.kit import application

AMOUNTS: Final = [350, 400, 0, 1500, 50, 400]
ROUNDS: Final = 25


def session_request(seats: int) -> dict[str, Any]:
    return {
        "game": GAME.slug,
        "seats": [{"kind": "human"}] * seats,
        "options": {"events": []},
        "spectators": "live",
    }


def answer_of(seat: int, turn: int) -> dict[str, Any]:
    return {"kind": "seal_minimum" if seat == turn else "seal_bid", "amount": AMOUNTS[seat]}


@pytest.fixture(scope="module")
def shared_app(redis_server: str) -> Flask:
    return application({GAME.slug: GAME}, redis_url=redis_server)


@pytest.fixture
def app(shared_app: Flask, redis_url: str) -> Flask:
    assert redis_url
    return shared_app


class Meeting:
    """A session of which an offer has just been made, so that everybody is to seal an amount."""

    def __init__(self, app: Flask, seats: int) -> None:
        self.app, self.seats = app, seats
        made: Any = app.test_client().post("/v1/sessions", json=session_request(seats)).json
        self.path: str = made["links"]["session"]
        self.tokens: list[str | None] = [*(seat["token"] for seat in made["seats"]), None]
        self.turn: int = self.look(0)["view"]["turn"]
        assert self.move(self.turn, {"kind": "offer_dwarf", "cap": "brown"}).status_code == 201

    def mine(self, seat: int) -> dict[str, str]:
        """Return the header with a seat's token; the last is a spectator without one."""
        token = self.tokens[seat]
        return {"Authorization": f"Bearer {token}"} if token else {}

    def ask(self, seat: int, path: str = "") -> TestResponse:
        return self.app.test_client().get(f"{self.path}{path}", headers=self.mine(seat))

    def look(self, seat: int) -> Any:
        return self.ask(seat).json

    def move(self, seat: int, move: dict[str, Any], **headers: str) -> TestResponse:
        """Make a move of a seat at the state that it has seen last."""
        tag = self.ask(seat).headers["ETag"]
        named = {"If-Match": tag, **{name.replace("_", "-"): value for name, value in headers.items()}}
        body = {"move": move}
        return self.app.test_client().post(f"{self.path}/moves", json=body, headers={**self.mine(seat), **named})

    def told(self, seat: int) -> list[Any]:
        """Return everything that a seat can find out: session, legal moves, history and picture, whole responses."""
        paths = ("", "?expand=legal_moves", "/legal-moves", "/history", "/picture")
        found = [self.ask(seat, path) for path in paths if self.tokens[seat] or path != "/legal-moves"]
        return [
            (answer.status_code, answer.headers.get("ETag"), answer.content_length, answer.data) for answer in found
        ]


@pytest.mark.rule("GZ-28", "GZ-D32")
@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_members_seal_in_any_order_and_nobody_is_told_before_all_are_in(app: Flask, order: tuple[int, ...]) -> None:
    meeting = Meeting(app, 3)
    for seat in order[:-1]:
        others = [other for other in range(4) if other != seat]
        before = {other: without_tickets(meeting.told(other)) for other in others}
        assert meeting.move(seat, answer_of(seat, meeting.turn)).status_code == 201
        assert {other: without_tickets(meeting.told(other)) for other in others} == before
        assert meeting.look(seat)["view"]["answers"] == [{"seat": seat, "amount": AMOUNTS[seat]}]
        assert meeting.look(seat)["view"]["actors"] == [0, 1, 2]
        assert meeting.move(seat, answer_of(seat, meeting.turn)).status_code == 409
    last = order[-1]
    made: Any = meeting.move(last, answer_of(last, meeting.turn)).json
    (opened,) = [event["event"] for event in made["events"] if event["event"]["kind"] == "amounts_opened"]
    bidders = [seat for seat in range(3) if seat != meeting.turn]
    assert opened["own"] == AMOUNTS[meeting.turn]
    assert opened["answers"] == [{"seat": seat, "amount": AMOUNTS[seat]} for seat in bidders]


@pytest.mark.rule("GZ-D14")
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Must be a multiple of 50."),
        ("de", "Muss ein Vielfaches von 50 sein."),
        ("it", "Dev'essere un multiplo di 50."),
    ],
)
def test_an_amount_between_two_steps_is_refused_with_the_step(app: Flask, language: str, said: str) -> None:
    meeting = Meeting(app, 3)
    answer = meeting.move(meeting.turn, {"kind": "seal_minimum", "amount": 75}, Accept_Language=language)
    refused: Any = answer.json
    assert answer.status_code == 422
    assert [(fault["pointer"], fault["detail"]) for fault in refused["errors"]] == [("/move/amount", said)]


def without_tickets(told: list[Any]) -> list[Any]:
    found = []
    for status, tag, length, data in told:
        body = json.loads(data) if data[:1] in (b"{", b"[") else data
        if isinstance(body, dict):
            body = {name: value for name, value in body.items() if name not in {"picture_url", "stream_url"}}
        found.append((status, tag, length, body))
    return found


def test_a_bid_that_is_sent_again_counts_once(app: Flask) -> None:
    meeting = Meeting(app, 3)
    first, second = (meeting.turn + 1) % 3, (meeting.turn + 2) % 3
    named = {"Idempotency_Key": "a-bid", "If_Match": meeting.ask(first).headers["ETag"]}
    sent = [meeting.move(first, answer_of(first, meeting.turn), **named) for _ in range(3)]
    assert {answer.status_code for answer in sent} == {201}
    assert sent[0].json == sent[1].json == sent[2].json
    assert meeting.move(first, {"kind": "seal_bid", "amount": 100}, **named).status_code == 422
    assert meeting.look(first)["view"]["answers"] == [{"seat": first, "amount": AMOUNTS[first]}]
    for seat in (meeting.turn, second):
        assert meeting.move(seat, answer_of(seat, meeting.turn)).status_code == 201
    history = meeting.ask(first, "/history").text
    assert history.count('"amount_sealed"') == 1
    assert history.count('"amounts_opened"') == 1


# Real requests that race, at a real server.


@pytest.fixture
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """Yield a town that is ready, and in which nothing happens by itself."""
    running = Town(tmp_path_factory.mktemp("town"), queues=())
    try:
        running.await_ready()
        yield running
    finally:
        running.stop()


def request(path: str, token: str, version: int, move: dict[str, Any]) -> bytes:
    body = json.dumps({"move": move}).encode()
    head = f'POST {path}/moves HTTP/1.1\r\nHost: town\r\nAuthorization: Bearer {token}\r\nIf-Match: "{version}"\r\n'
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def code(wire: dict[str, Any]) -> int:
    kind = SealMinimum if wire["kind"] == "seal_minimum" else SealBid
    return CODEC.encode(msgspec.convert(wire, kind))


def status(line: socket) -> int:
    with HTTPResponse(line) as answer:
        answer.begin()
        return answer.status


@pytest.mark.rule("GZ-28")
def test_bids_that_race_all_arrive_and_each_once(town: Town) -> None:
    with Caller(town.port) as caller:
        for number in range(ROUNDS):
            seats = GAME.seat_numbers[number % len(GAME.seat_numbers)]
            made = caller.ask("POST", "/v1/sessions", session_request(seats)).body
            path, tokens = made["links"]["session"], [seat["token"] for seat in made["seats"]]
            seen = caller.ask("GET", path, Authorization=f"Bearer {tokens[0]}").body
            turn = seen["view"]["turn"]
            offer = {"move": {"kind": "offer_dwarf", "cap": "orange"}}
            bearer = f"Bearer {tokens[turn]}"
            assert caller.ask("POST", f"{path}/moves", offer, Authorization=bearer, If_Match='"1"').status == 201
            bids = [request(path, token, 2, answer_of(seat, turn)) for seat, token in enumerate(tokens)]
            with ExitStack() as stack:
                lines = [
                    stack.enter_context(create_connection(("127.0.0.1", town.port), timeout=PATIENCE_SECONDS))
                    for _ in bids
                ]
                for line, sent in zip(lines, bids, strict=True):
                    line.sendall(sent[:-1])
                for line, sent in zip(lines, bids, strict=True):
                    line.sendall(sent[-1:])
                assert [status(line) for line in lines] == [201] * seats
            entries = [line.entry for line in town.lines(path) if line.entry is not None][1:]
            codes = {seat: code(answer_of(seat, turn)) for seat in range(seats)}
            assert {entry.seat: entry.move for entry in entries} == codes
            assert len(entries) == seats
