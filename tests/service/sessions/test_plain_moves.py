"""A move is made and answered to the byte alike before Flask and by Flask, alone and with others, and kept alike.

What may be answered before Flask is; everything else reaches Flask. Whoever answers, a move is made once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, Final

import pytest
import redis
from flask import Flask
from redis.client import Pipeline
from redis.exceptions import ConnectionError as RedisConnectionError
from werkzeug.datastructures import Headers
from werkzeug.test import EnvironBuilder, run_wsgi_app

from service.api import plain_moves
from service.api.plain_moves import PLAIN_BYTES, PlainMovePath
from service.http.fast_reply import FastReply
from service.store.clients import ShortClient
from service.store.session_store import SessionStore
from service.waiting import Wait
from tests.service.sessions.both_ways import as_the_server_asks, flask_alone, left_to_the_collector, told
from tests.service.sessions.room import Clock
from tests.service.sessions.talk import Sitting, bid, sit, take
from tests.service.streams.frozen import freeze
from tests.service.table_talk import application

FIRST: Final = {"If-Match": '"1"'}
ANY: Final = {"If-Match": "*"}
EXPANDED: Final = "/moves?expand=legal_moves"
OPEN: Final = ({"kind": "human"}, {"kind": "open"})
BOT: Final = ({"kind": "human"}, {"kind": "bot", "bot": {"level": "random"}})
CLOCK: Final = {"move_ms": 60_000, "bank_ms": 5_000, "policy": "random"}

WAYS: Final[dict[str, Callable[[Flask], AbstractContextManager[None]]]] = {
    "before Flask": lambda _app: nullcontext(),
    "by Flask": flask_alone,
    "with others": as_the_server_asks,
}

Prelude = Callable[[Sitting], tuple[int, Any]]
"""Plays a session to where a move is made, and returns whose it is, and the move."""


def first(_sitting: Sitting) -> tuple[int, Any]:
    """Bid first."""
    return 0, bid(1)


def first_of_the_other(_sitting: Sitting) -> tuple[int, Any]:
    """Bid first, from the other seat."""
    return 1, bid(2)


def second(sitting: Sitting) -> tuple[int, Any]:
    """Bid after the other, which opens the bids."""
    assert sitting.move(1, bid(0), 1).status_code == 201
    return 0, bid(1)


def public(sitting: Sitting) -> tuple[int, Any]:
    """Take pebbles, of which all hear."""
    seat, move = second(sitting)
    assert sitting.move(seat, move, 1).status_code == 201
    return 0, take(2)


def drawing(sitting: Sitting) -> tuple[int, Any]:
    """Play a card, and draw another."""
    public(sitting)
    return 0, sitting.moves(0)[-1]["move"]


def last(sitting: Sitting) -> tuple[int, Any]:
    """Take the last pebble."""
    public(sitting)
    while (shown := sitting.look(0).json)["view"]["heap"] > 1:  # type: ignore[index]
        assert sitting.move(shown["actors"][0], take(min(3, shown["view"]["heap"] - 1))).status_code == 201  # type: ignore[index]
    return shown["actors"][0], take(1)  # type: ignore[index]


BEFORE_FLASK: Final[dict[str, tuple[Prelude, dict[str, Any]]]] = {
    "a sealed bid": (first, {}),
    "a sealed bid of the other seat": (first_of_the_other, {}),
    "the bid that opens all": (second, {}),
    "a move that all hear of": (public, {}),
    "a move that draws": (drawing, {}),
    "the last move": (last, {}),
    "by its code": (first, {"json": {"move": {"code": 1}}}),
    "a number with a point": (first, {"data": b'{"move": {"kind": "bid_pebbles", "amount": 1.0}}'}),
    "the ETag of now": (first, {"headers": FIRST}),
    "a weak ETag": (first, {"headers": {"If-Match": 'W/"1.en.view"'}}),
    "one of several ETags": (first, {"headers": {"If-Match": '"7.en.view", "1.en.legal_moves"'}}),
    "a language of its own": (first, {"headers": {**ANY, "Accept-Language": "fr, de-AT;q=0.9, en;q=0.5"}}),
    "another origin": (first, {"headers": {**ANY, "Origin": "https://club.example"}}),
    "another origin in a private network": (
        first,
        {
            "headers": {
                **ANY,
                "Origin": "https://club.example",
                "Access-Control-Request-Private-Network": "true",
            }
        },
    ),
    "an Idempotency-Key": (first, {"headers": {**ANY, "Idempotency-Key": "noon"}}),
    "an Idempotency-Key in quotes": (second, {"headers": {**ANY, "Idempotency-Key": '"noon"'}}),
    "beside a bot": (first, {"seats": BOT}),
    "against a clock": (first, {"body": {"clock": CLOCK}}),
    "where chance is not the caller's": (drawing, {"body": {"seed": None}}),
}
"""What is made before Flask: after what, and what is sent or founded otherwise."""

BY_FLASK: Final[dict[str, tuple[int, Prelude, dict[str, Any]]]] = {
    "no version": (428, first, {"headers": {}}),
    "a version of before": (412, public, {"headers": FIRST}),
    "a version of another seat": (412, first, {"headers": {"If-Match": '"1.en.view@1"'}}),
    "a version of spectators": (412, first, {"headers": {"If-Match": 'W/"1.en.view@all"'}}),
    "a version of another history": (412, first, {"headers": {"If-Match": '"1.en.view~0123456789ab"'}}),
    "no version at all": (400, first, {"headers": {"If-Match": "view"}}),
    "an illegal move": (422, first, {"json": {"move": take(1)}}),
    "a code of no move": (422, first, {"json": {"move": {"code": 99}}}),
    "a move of no game": (422, first, {"json": {"move": {"kind": "castle"}}}),
    "no move": (422, first, {"json": {}}),
    "more than a move": (422, first, {"json": {"move": bid(1), "seat": 0}}),
    "no JSON": (400, first, {"data": b"{"}),
    "no object": (422, first, {"data": b"[]"}),
    "nothing": (400, first, {"data": b""}),
    "too deep": (400, first, {"data": b"[" * 40 + b"]" * 40}),
    "a long body": (422, first, {"json": {"move": {"kind": "x" * PLAIN_BYTES}}}),
    "another type of text": (415, first, {"content_type": "text/plain"}),
    "a type with its encoding": (201, first, {"content_type": "application/json; charset=utf-8"}),
    "not its turn": (409, public, {"caller": 1, "json": {"move": take(1)}}),
    "over": (409, lambda sitting: (last(sitting)[0], end(sitting)), {"headers": ANY}),
    "a seat that waits": (409, first, {"seats": OPEN}),
    "no token": (401, first, {"caller": None}),
    "a token of nobody": (401, first, {"caller": None, "headers": {**ANY, "Authorization": "Bearer nobody"}}),
    "the owner": (403, first, {"caller": "owner"}),
    "an API key that is none": (401, first, {"headers": {**ANY, "Api-Key": "none"}}),
    "an Idempotency-Key that is none": (422, first, {"headers": {**ANY, "Idempotency-Key": "a b"}}),
    "with what comes next": (201, first, {"path": EXPANDED}),
    "an unknown query": (422, first, {"path": "/moves?seat=1"}),
    "another part": (422, first, {"path": "/moves?expand=picture"}),
    "only a check": (200, first, {"path": "/moves/check"}),
    "another method": (405, first, {"method": "PUT"}),
}
"""What is answered by Flask: the status, after what, and what is sent or founded otherwise."""


def end(sitting: Sitting) -> Any:
    """Take the last pebble, and return the same move again."""
    assert sitting.move(sitting.look(0).json["actors"][0], take(1)).status_code == 201  # type: ignore[index]
    return take(1)


def kept(client: redis.Redis) -> Any:
    """Return all that the store has of sessions."""
    found: dict[bytes, Any] = {}
    for key in sorted(client.scan_iter("{s:*")):
        read = {b"hash": client.hgetall, b"stream": client.xrange, b"zset": lambda key: client.zrange(key, 0, -1)}
        found[key] = read[client.type(key)](key)  # type: ignore[index,operator]
    return found


@pytest.fixture
def in_each_way(
    app: Flask, redis_client: redis.Redis, logged: pytest.CaptureFixture[str]
) -> Callable[[Prelude, dict[str, Any]], dict[str, Any]]:
    """Return a function that makes a move at the same session in each way, and returns what is told and kept of it."""

    def in_each(prelude: Prelude, sent: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, way in WAYS.items():
            redis_client.flushall()
            with freeze(app, Clock()):
                sitting = sit(app, *sent.get("seats", ()), **sent.get("body", {}))
                seat, move = prelude(sitting)
                asking = {"path": "/moves", "json": {"move": move}, "headers": ANY, "method": "POST", **sent}
                asking = {part: asking[part] for part in asking if part not in {"seats", "body", "caller"}}
                if "data" in sent:
                    asking = {"content_type": "application/json", **asking, "json": None}
                with way(app):
                    asked, all_told = told(sitting, sent.get("caller", seat), asking.pop("headers"), logged, **asking)
                found[name] = asked, all_told, kept(redis_client)
        return found

    return in_each


@pytest.mark.parametrize(("prelude", "sent"), BEFORE_FLASK.values(), ids=BEFORE_FLASK)
def test_a_plain_move_is_made_before_flask_and_answered_and_kept_as_by_flask(
    in_each_way: Callable[[Prelude, dict[str, Any]], dict[str, Any]], prelude: Prelude, sent: dict[str, Any]
) -> None:
    found = in_each_way(prelude, sent)
    assert found["by Flask"][1][0] == "201 CREATED"
    assert found["before Flask"] == found["with others"] == (False, *found["by Flask"][1:])
    assert found["by Flask"][0]


@pytest.mark.parametrize(("status", "prelude", "sent"), BY_FLASK.values(), ids=BY_FLASK)
def test_everything_else_is_answered_by_flask_as_if_nobody_stood_before_it(
    in_each_way: Callable[[Prelude, dict[str, Any]], dict[str, Any]],
    status: int,
    prelude: Prelude,
    sent: dict[str, Any],
) -> None:
    found = in_each_way(prelude, sent)
    assert int(found["by Flask"][1][0][:3]) == status
    assert found["before Flask"] == found["with others"] == found["by Flask"]
    assert found["by Flask"][0]


def asked(sitting: Sitting, seat: int, move: Any, **headers: str) -> dict[str, Any]:
    """Return the environment of the request that makes a move."""
    named = {name.replace("_", "-"): text for name, text in {**ANY, **headers, **sitting.token(seat)}.items()}
    builder = EnvironBuilder(f"{sitting.here}/moves", method="POST", json={"move": move}, headers=Headers(named))
    return builder.get_environ()


def together(app: Flask, *environs: dict[str, Any]) -> list[FastReply | None]:
    """Have moves made together."""
    (path,) = [path for path in app.extensions["fast_paths"] if isinstance(path, PlainMovePath)]
    assert all(path.takes(environ) for environ in environs)
    answers = path.answer_together(environs)
    replies = [answer for answer in answers if not isinstance(answer, Wait)]
    assert len(replies) == len(answers)
    return replies


def finished(app: Flask, environ: dict[str, Any]) -> tuple[str, Any]:
    """Return the status and the body that the application answers where a move is left to it."""
    body, status, _ = run_wsgi_app(app, environ)
    return status, json.loads(b"".join(body))


@contextmanager
def exchanges(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Yield a list to which the number of commands is added of each exchange of several, by either way to send them."""
    sent: list[int] = []
    execute, exchange = Pipeline.execute, ShortClient.exchange

    def noting(pipe: Pipeline, *args: Any, **options: Any) -> Any:
        sent.append(len(pipe))
        return execute(pipe, *args, **options)

    def noting_too(client: ShortClient, commands: Sequence[Any]) -> Any:
        sent.append(len(commands))
        return exchange(client, commands)

    with monkeypatch.context() as patched:
        patched.setattr(Pipeline, "execute", noting)
        patched.setattr(ShortClient, "exchange", noting_too)
        yield sent


def test_moves_that_come_together_are_loaded_in_one_exchange_and_written_in_another(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    sittings = [sit(app) for _ in range(5)]
    with exchanges(monkeypatch) as sent:
        replies = together(app, *(asked(sitting, number % 2, bid(1)) for number, sitting in enumerate(sittings)))
    assert sent == [5, 5]
    for number, (sitting, reply) in enumerate(zip(sittings, replies, strict=True)):
        assert reply is not None
        assert reply.status == 201
        shown = sitting.look(number % 2).json
        assert shown is not None
        assert (shown["version"], shown["id"]) == (2, json.loads(reply.body)["id"])


def test_a_move_leaves_nothing_to_the_collector_of_cycles(app: Flask) -> None:
    environs = [asked(sit(app), 0, bid(1)) for _ in range(4)]

    def move() -> None:
        replies = together(app, environs.pop(), environs.pop())
        assert [reply.status for reply in replies if reply] == [201, 201]

    assert left_to_the_collector(move) == []


def test_moves_of_one_session_that_come_together_are_both_made_each_once(app: Flask) -> None:
    sitting = sit(app)
    environs = [asked(sitting, 0, bid(1)), asked(sitting, 1, bid(2))]
    first, second = together(app, *environs)
    assert first is not None
    assert second is None
    status, body = finished(app, environs[1])
    assert (status, body["version"]) == ("201 CREATED", 2)
    assert [sitting.look(seat).json["view"]["bids"] for seat in (0, 1)] == [[1, 2]] * 2  # type: ignore[index]


def test_the_same_move_twice_together_is_made_once(app: Flask) -> None:
    sitting = sit(app)
    environs = [asked(sitting, 0, bid(1), If_Match='"1"') for _ in range(2)]
    first, second = together(app, *environs)
    assert first is not None
    assert second is None
    assert finished(app, environs[1])[0] == "412 PRECONDITION FAILED"
    assert sitting.version(0) == 2


@pytest.mark.parametrize("number", [1, 3])
def test_a_store_that_has_lost_its_scripts_is_sent_them_again(
    app: Flask, redis_client: redis.Redis, number: int
) -> None:
    sittings = [sit(app) for _ in range(number)]
    redis_client.script_flush()
    assert None not in together(app, *(asked(sitting, 0, bid(1)) for sitting in sittings))
    assert [sitting.version(0) for sitting in sittings] == [2] * number


def break_writing_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the store write what it is given, and lose every answer."""
    write_each = SessionStore.write_each

    def breaking_off(store: SessionStore, writes: Any) -> Any:
        return [RedisConnectionError("gone") for _ in write_each(store, writes)]

    monkeypatch.setattr(SessionStore, "write_each", breaking_off)


@pytest.mark.parametrize("number", [1, 3])
def test_moves_whose_writing_breaks_off_are_answered_503_and_not_made_again(
    app: Flask, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    sittings = [sit(app) for _ in range(number)]
    environs = [asked(sitting, 0, bid(1)) for sitting in sittings]
    with monkeypatch.context() as broken:
        break_writing_off(broken)
        assert together(app, *environs) == [None] * number
    for environ, sitting in zip(environs, sittings, strict=True):
        status, body = finished(app, environ)
        assert (status, body["code"]) == ("503 SERVICE UNAVAILABLE", "store-away")
        assert sitting.version(0) == 2


def test_what_fails_after_a_move_was_made_is_answered_500_and_not_made_again(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    sitting = sit(app)
    environ = asked(sitting, 0, bid(1))

    def failing(*_: object) -> None:
        raise OSError

    with monkeypatch.context() as broken:
        broken.setattr(plain_moves, "serialize_played", failing)
        assert together(app, environ) == [None]
    assert finished(app, environ)[0] == "500 INTERNAL SERVER ERROR"
    assert sitting.version(0) == 2


def test_moves_behind_those_that_take_long_to_plan_are_left_to_flask(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plain_moves, "PLANNING_SECONDS", 0.0)
    sitting = sit(app)
    environ = asked(sitting, 0, bid(1))
    assert together(app, environ) == [None]
    assert sitting.version(0) == 1
    assert finished(app, environ)[0] == "201 CREATED"


def test_where_requests_are_counted_moves_are_too(redis_url: str) -> None:
    app = application(redis_url=redis_url, open_requests_per_minute=180)
    sitting = sit(app)
    left = [sitting.look(0).headers["RateLimit"]]
    with as_the_server_asks(app):
        left.append(sitting.move(0, bid(1), 1).headers["RateLimit"])
    left.append(sitting.move(1, bid(1), 1).headers["RateLimit"])
    with flask_alone(app):
        left.append(sitting.move(0, take(1), 3).headers["RateLimit"])
    assert [text.split(";")[1] for text in left] == ["r=178", "r=177", "r=176", "r=175"]


KEY: Final = {"Idempotency-Key": "noon"}


def named(sitting: Sitting, seat: int, move: Any, **headers: str) -> dict[str, Any]:
    """Return the environment of the request that makes a move by an Idempotency-Key."""
    return asked(sitting, seat, move, Idempotency_Key="noon", **headers)


@pytest.mark.parametrize("first_way", WAYS)
@pytest.mark.parametrize("second_way", WAYS)
def test_a_named_move_is_repeated_word_by_word_whoever_made_it(app: Flask, first_way: str, second_way: str) -> None:
    sitting = sit(app)
    with WAYS[first_way](app):
        made = sitting.move(0, bid(1), 1, **KEY)
    with WAYS[second_way](app):
        again = sitting.move(0, bid(1), 1, **KEY)
        other = sitting.move(0, bid(2), 1, **KEY)
    assert (made.status_code, again.status_code, again.data) == (201, 201, made.data)
    assert [answer.headers.get("Idempotency-Replayed") for answer in (made, again)] == [None, "true"]
    assert again.headers["ETag"] == made.headers["ETag"]
    assert (other.status_code, other.json and other.json["code"]) == (422, "idempotency-key-reused")
    assert sitting.version(0) == 2


def test_two_of_one_name_that_come_together_are_one(app: Flask) -> None:
    sitting = sit(app)
    environs = [named(sitting, 0, bid(1)), named(sitting, 0, bid(1)), named(sitting, 0, bid(2))]
    first, *others = together(app, *environs)
    assert first is not None
    assert others == [None, None]
    assert finished(app, environs[1]) == ("201 CREATED", json.loads(first.body))
    assert finished(app, environs[2])[1]["code"] == "idempotency-key-reused"
    assert sitting.version(0) == 2


def test_named_moves_that_come_together_take_as_many_exchanges_as_one(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    sittings = [sit(app) for _ in range(3)]
    environs = [*(named(sitting, 0, bid(1)) for sitting in sittings[:2]), asked(sittings[2], 0, bid(1))]
    with exchanges(monkeypatch) as sent:
        assert None not in together(app, *environs)
    assert sent == [3, 2, 3, 2]  # loaded, begun, written, ended


@pytest.mark.parametrize("way", WAYS)
def test_the_name_of_a_refused_move_may_be_used_again(app: Flask, way: str) -> None:
    sitting = sit(app)
    with WAYS[way](app):
        assert sitting.move(0, take(1), 1, **KEY).status_code == 422
        assert sitting.move(0, bid(1), 7, **KEY).status_code == 412
        assert sitting.move(0, bid(1), 1, **KEY).status_code == 201


@pytest.mark.parametrize("number", [1, 3])
def test_a_named_move_whose_writing_breaks_off_is_found_by_its_name(
    app: Flask, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    sittings = [sit(app) for _ in range(number)]
    environs = [named(sitting, 0, bid(1)) for sitting in sittings]
    with monkeypatch.context() as broken:
        break_writing_off(broken)
        assert together(app, *environs) == [None] * number
    for environ, sitting in zip(environs, sittings, strict=True):
        assert finished(app, environ)[0] == "503 SERVICE UNAVAILABLE"
        again = sitting.move(0, bid(1), '"1"', **KEY)
        assert (again.status_code, again.headers["Idempotency-Replayed"]) == (201, "true")
        assert sitting.version(0) == 2


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("most", "kept"), [(1, 0), (100_000, 1)])
def test_answers_to_named_moves_are_kept_as_far_as_the_quota_goes(
    redis_url: str, redis_client: redis.Redis, way: str, most: int, kept: int
) -> None:
    app = application(redis_url=redis_url, open_answer_bytes_per_hour=most)
    sitting = sit(app)
    with WAYS[way](app):
        made = sitting.move(0, bid(1), 1, **KEY)
        assert sum(redis_client.hexists(key, "answer") for key in redis_client.scan_iter("o:*")) == kept
        again = sitting.move(0, bid(1), 1, **KEY)
    assert (again.status_code, again.json) == (201, made.json)


def test_a_body_that_is_too_long_for_this_service_is_refused_as_by_flask(redis_url: str) -> None:
    app = application(redis_url=redis_url, table_bytes=120)
    sitting = sit(app)
    found = []
    for way in WAYS.values():
        with way(app):
            found.append(sitting.move(0, {"kind": "x" * 120}, 1).status_code)
    assert found == [413] * len(WAYS)
