"""Moves: alone in Flask or in a batch they have the same response, log, metrics, spans and stored bytes, each once."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any, Final

import msgspec
import pytest
import redis
from flask import Flask
from redis.client import Pipeline
from redis.exceptions import ConnectionError as RedisConnectionError

from service.api import session_operations, session_replies
from service.auth.api_keys import SCOPES, KeyStore
from service.http import pipeline
from service.http.pipeline import Pending, operations
from service.http.request import Request
from service.http.response import Response
from service.settings import HOUR_MS
from service.store import clock
from service.store.clients import ShortClient
from service.store.session_store import SessionStore
from service.store.sessions import Written
from tests.service.kit import Clock, Sitting, application, bid, freeze, sit, take
from tests.service.sessions.batched import WAYS, batch, describe_response, in_batches, left_to_the_collector
from tests.service.sessions.request_rows import ANY, MOVES, Move

KEY: Final = {"Idempotency-Key": "noon"}


def dump_keys(client: redis.Redis) -> Any:
    found: dict[bytes, Any] = {}
    for key in sorted(client.scan_iter("{s:*")):
        read = {b"hash": client.hgetall, b"stream": client.xrange, b"zset": lambda key: client.zrange(key, 0, -1)}
        found[key] = read[client.type(key)](key)  # type: ignore[index,operator]
    return found


@pytest.mark.parametrize("row", MOVES.values(), ids=MOVES)
def test_a_move_has_one_response_and_is_stored_alike_however_it_comes(
    app: Flask, redis_client: redis.Redis, logged: pytest.CaptureFixture[str], row: Move
) -> None:
    status, prelude, sent = row
    found: list[Any] = []
    for way in WAYS.values():
        redis_client.flushall()
        with freeze(app, Clock()):
            sitting = sit(app, *sent.get("seats", ()), **sent.get("body", {}))
            seat, move = prelude(sitting)
            asking = {"path": "/moves", "json": {"move": move}, "headers": ANY, "method": "POST", **sent}
            asking = {part: asking[part] for part in asking if part not in {"seats", "body", "caller"}}
            if "data" in sent:
                asking = {"content_type": "application/json", **asking, "json": None}
            with way(app):
                said = describe_response(sitting, sent.get("caller", seat), asking.pop("headers"), logged, **asking)
            found.append((said, dump_keys(redis_client)))
    assert found[0] == found[1]
    said = found[0][0]
    assert (said["status"], [line["event"] for line in said["lines"]]) == (status, ["answered"])
    assert sorted(said["counted"].values()) == [1, 1]
    assert said["span"][3]["http.response.status_code"] == status


def move_request(sitting: Sitting, seat: int, move: Any, **headers: str) -> Request:
    body = msgspec.json.encode({"move": move})
    named = {"content-type": "application/json", "content-length": str(len(body)), "if-match": "*"}
    named |= {name.replace("_", "-").lower(): text for name, text in {**headers, **sitting.token(seat)}.items()}
    return Request("POST", f"{sitting.here}/moves", headers=named, body=body, client="192.0.2.1")


def named(sitting: Sitting, seat: int, move: Any, **headers: str) -> Request:
    return move_request(sitting, seat, move, Idempotency_Key="noon", **headers)


def code_of(response: Response) -> str:
    assert dict(response.raw_headers)[b"content-type"] == b"application/problem+json"
    return str(json.loads(response.body)["code"])


@pytest.fixture
def loaded_scripts(redis_client: redis.Redis) -> None:
    """Load all scripts, because the first run of a script would take more exchanges."""
    for package in ("service.auth", "service.store"):
        for file in files(package).iterdir():
            if file.name.endswith(".lua"):
                redis_client.script_load(file.read_text("utf-8"))


@contextmanager
def exchanges(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Yield a list to which the number of commands is added of each exchange with Redis, however it is sent."""
    sent: list[int] = []
    execute, exchange, alone = Pipeline.execute, ShortClient.exchange, ShortClient.execute_command

    def noting(pipe: Pipeline, *args: Any, **options: Any) -> Any:
        sent.append(len(pipe))
        return execute(pipe, *args, **options)

    def noting_too(client: ShortClient, commands: Sequence[Any]) -> Any:
        sent.append(len(commands))
        return exchange(client, commands)

    def noting_one(client: ShortClient, *args: Any, **options: Any) -> Any:
        sent.append(1)
        return alone(client, *args, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Pipeline, "execute", noting)
        patched.setattr(ShortClient, "exchange", noting_too)
        patched.setattr(ShortClient, "execute_command", noting_one)
        patched.setattr(clock, "REFRESH_MS", HOUR_MS)  # a slow machine would read the time, too
        yield sent


@pytest.mark.usefixtures("loaded_scripts")
def test_moves_in_a_batch_are_loaded_and_written_together(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    sittings = [sit(app) for _ in range(5)]
    with exchanges(monkeypatch) as sent:
        found = batch(app, *(move_request(sitting, number % 2, bid(1)) for number, sitting in enumerate(sittings)))
    assert sent == [5, 5]
    for number, (sitting, response) in enumerate(zip(sittings, found, strict=True)):
        assert response.status == 201
        shown = sitting.look(number % 2).json
        assert shown is not None
        assert (shown["version"], shown["id"]) == (2, json.loads(response.body)["id"])


@pytest.mark.usefixtures("loaded_scripts")
def test_a_step_takes_one_exchange(redis_url: str, monkeypatch: pytest.MonkeyPatch, redis_client: redis.Redis) -> None:
    app = application(redis_url=redis_url, open_requests_per_minute=180, open_answer_bytes_per_hour=100_000)
    sittings = [sit(app) for _ in range(4)]
    _, text = KeyStore(redis_client).add("club", SCOPES, requests_per_minute=600)
    wanted = [
        *(named(sitting, 0, bid(1)) for sitting in sittings[:2]),
        *(named(sitting, 0, bid(1), Api_Key=text) for sitting in sittings[2:]),
    ]
    with exchanges(monkeypatch) as sent:
        assert [each.status for each in batch(app, *wanted)] == [201] * 4
    assert sent == [1, 2, 4, 4, 4, 2, 4]  # keys, counted, loaded, begun, written, stored bytes charged, ended


def test_a_move_leaves_nothing_to_the_collector_of_cycles(app: Flask) -> None:
    wanted = [move_request(sit(app), 0, bid(1)) for _ in range(4)]

    def move() -> None:
        assert [each.status for each in batch(app, wanted.pop(), wanted.pop())] == [201, 201]

    assert left_to_the_collector(move) == []


@pytest.mark.usefixtures("loaded_scripts")
def test_moves_of_one_session_in_a_batch_are_both_made(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = sit(app)
    with exchanges(monkeypatch) as sent:
        found = batch(app, move_request(sitting, 0, bid(1)), move_request(sitting, 1, bid(2)))
    assert [each.status for each in found] == [201, 201]
    assert [json.loads(each.body)["version"] for each in found] == [2, 2]
    assert [sitting.look(seat).json["view"]["bids"] for seat in (0, 1)] == [[1, 2]] * 2  # type: ignore[index]
    assert sent == [1, 2, 1, 1]  # loaded, written, loaded and written again


def test_the_same_move_twice_together_is_made_once(app: Flask) -> None:
    sitting = sit(app)
    first, second = batch(app, *[move_request(sitting, 0, bid(1), If_Match='"1"')] * 2)
    assert (first.status, second.status, code_of(second)) == (201, 412, "stale-version")
    assert sitting.version(0) == 2


def test_a_move_that_is_overtaken_again_and_again_is_refused(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting, others = sit(app), list[int]()

    def overtaking(_store: SessionStore, writes: Any) -> Any:
        others.append(len(writes))
        return [(Written.MOVED, each.session.revision) for each in writes]

    with monkeypatch.context() as patched:
        patched.setattr(SessionStore, "write_each", overtaking)
        first, second = batch(app, move_request(sitting, 0, bid(1)), named(sitting, 1, bid(1)))
    assert [(each.status, code_of(each)) for each in (first, second)] == [(503, "too-many-writers")] * 2
    assert b"1" in dict(first.raw_headers)[b"retry-after"]
    assert others == [2] * pipeline.MAX_TRIES
    assert batch(app, named(sitting, 1, bid(1)))[0].status == 201


@pytest.mark.parametrize("number", [1, 3])
def test_a_store_without_scripts_is_sent_them_again(app: Flask, redis_client: redis.Redis, number: int) -> None:
    sittings = [sit(app) for _ in range(number)]
    redis_client.script_flush()
    found = batch(app, *(move_request(sitting, 0, bid(1)) for sitting in sittings))
    assert [each.status for each in found] == [201] * number
    assert [sitting.version(0) for sitting in sittings] == [2] * number


def break_writing_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the store write what it is given, and lose every answer."""
    write_each = SessionStore.write_each

    def breaking_off(store: SessionStore, writes: Any) -> Any:
        return [RedisConnectionError("gone") for _ in write_each(store, writes)]

    monkeypatch.setattr(SessionStore, "write_each", breaking_off)


@pytest.mark.parametrize("number", [1, 3])
def test_a_broken_write_is_503_and_not_repeated(app: Flask, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    sittings = [sit(app) for _ in range(number)]
    with monkeypatch.context() as broken:
        break_writing_off(broken)
        found = batch(app, *(move_request(sitting, 0, bid(1)) for sitting in sittings))
    assert [(each.status, code_of(each)) for each in found] == [(503, "store-away")] * number
    assert [sitting.version(0) for sitting in sittings] == [2] * number


def test_a_move_whose_response_fails_is_500_and_not_made_again(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    sittings = [sit(app), sit(app)]
    serialize_played = session_replies.serialize_played

    def failing(played: Any, *rest: Any) -> Any:
        if played.session.id == sittings[0].made["id"]:
            raise OSError
        return serialize_played(played, *rest)

    with monkeypatch.context() as broken:
        broken.setattr(session_operations, "serialize_played", failing)
        found = batch(app, *(move_request(sitting, 0, bid(1)) for sitting in sittings))
    assert [each.status for each in found] == [500, 201]
    assert [sitting.version(0) for sitting in sittings] == [2, 2]


def test_a_batch_plans_one_move_and_may_leave_the_rest(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "BATCH_SECONDS", 0.0)
    sittings = [sit(app) for _ in range(2)]
    first, second = batch(app, *(named(sitting, 0, bid(1)) for sitting in sittings))
    assert first.status == 201
    assert isinstance(second, Pending)
    assert [sitting.version(0) for sitting in sittings] == [2, 1]
    (last,) = batch(app, second)
    assert (last.status, sittings[1].version(0)) == (201, 2)


def test_a_move_is_slow_by_its_length_and_by_what_it_asks_for(app: Flask) -> None:
    (operation,) = (each for each in operations(app) if each.endpoint == "sessions.make_move_in_session")
    plain = move_request(sit(app), 0, bid(1))
    assert not operation.is_slow(plain)
    assert operation.is_slow(plain.replace(query="expand=legal_moves"))
    assert operation.is_slow(plain.replace(headers={**plain.headers, "content-length": "5000"}))


def test_where_requests_are_counted_moves_are_too(redis_url: str) -> None:
    app = application(redis_url=redis_url, open_requests_per_minute=180)
    sitting = sit(app)
    left = [sitting.look(0).headers["RateLimit"]]
    with in_batches(app):
        left.append(sitting.move(0, bid(1), 1).headers["RateLimit"])
    left.append(sitting.move(1, bid(1), 1).headers["RateLimit"])
    left.append(sitting.move(0, take(1), 3).headers["RateLimit"])
    assert [text.split(";")[1] for text in left] == ["r=178", "r=177", "r=176", "r=175"]


@pytest.mark.parametrize("first_way", WAYS)
@pytest.mark.parametrize("second_way", WAYS)
def test_a_keyed_move_is_repeated_byte_by_byte_however_it_came(app: Flask, first_way: str, second_way: str) -> None:
    sitting = sit(app)
    with WAYS[first_way](app):
        made = sitting.move(0, bid(1), 1, **KEY)
    with WAYS[second_way](app):
        again = sitting.move(0, bid(1), 1, **KEY)
        other = sitting.move(0, bid(2), 1, **KEY)
    assert (made.status_code, again.status_code, again.data) == (201, 201, made.data)
    assert [found.headers.get("Idempotency-Replayed") for found in (made, again)] == [None, "true"]
    assert again.headers["ETag"] == made.headers["ETag"]
    assert (other.status_code, other.json and other.json["code"]) == (422, "idempotency-key-reused")
    assert sitting.version(0) == 2


def test_two_requests_with_one_key_that_come_together_are_one_move(app: Flask) -> None:
    sitting = sit(app)
    first, *others = batch(app, named(sitting, 0, bid(1)), named(sitting, 0, bid(1)), named(sitting, 0, bid(2)))
    assert first.status == 201
    assert [(type(each), each.wait) for each in others] == [(Pending, None)] * 2
    second, third = (batch(app, each)[0] for each in others)
    assert (second.status, second.body) == (201, first.body)
    assert dict(second.headers)["idempotency-replayed"] == "true"
    assert code_of(third) == "idempotency-key-reused"
    assert sitting.version(0) == 2


def test_the_key_of_a_refused_move_may_be_used_again(app: Flask, way: Any) -> None:
    sitting = sit(app)
    with way(app):
        assert sitting.move(0, take(1), 1, **KEY).status_code == 422
        assert sitting.move(0, bid(1), 7, **KEY).status_code == 412
        assert sitting.move(0, bid(1), 1, **KEY).status_code == 201


@pytest.mark.usefixtures("loaded_scripts")
@pytest.mark.parametrize("follows", [False, True], ids=["last", "overtaken"])
def test_keyed_moves_whose_responses_were_lost_are_loaded_together(
    app: Flask, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch, *, follows: bool
) -> None:
    sittings = [sit(app) for _ in range(3)]
    wanted = [named(sitting, 0, bid(1), If_Match='"1"') for sitting in sittings]
    made = batch(app, *wanted)
    redis_client.delete(*redis_client.scan_iter("o:*"))
    for sitting in sittings if follows else ():
        assert sitting.move(1, bid(2), 1).status_code == 201
    with exchanges(monkeypatch) as sent:
        again = batch(app, *wanted)
    assert sent == [3, 3, 3, 3, 3, 3]  # loaded, begun, operations found, sessions and logs loaded, ended
    assert [(each.status, each.body) for each in again] == [(201, each.body) for each in made]
    assert {dict(each.headers)["idempotency-replayed"] for each in again} == {"true"}


@pytest.mark.parametrize(("most", "stored"), [(1, 0), (100_000, 1)])
def test_responses_to_keyed_moves_are_stored_as_far_as_the_quota_goes(
    redis_url: str, redis_client: redis.Redis, way: Any, most: int, stored: int
) -> None:
    app = application(redis_url=redis_url, open_answer_bytes_per_hour=most)
    sitting = sit(app)
    with way(app):
        made = sitting.move(0, bid(1), 1, **KEY)
        assert sum(redis_client.hexists(key, "answer") for key in redis_client.scan_iter("o:*")) == stored
        again = sitting.move(0, bid(1), 1, **KEY)
    assert (again.status_code, again.json) == (201, made.json)


def test_a_body_that_is_too_long_for_this_service_is_refused(redis_url: str, way: Any) -> None:
    app = application(redis_url=redis_url, table_bytes=120)
    sitting = sit(app)
    with way(app):
        found = sitting.move(0, {"kind": "x" * 120}, 1)
    assert (found.status_code, found.json and found.json["code"]) == (413, "body-too-large")
    move = move_request(sitting, 0, bid(1))
    declared = move.replace(body=b"", headers={**move.headers, "content-length": "121"})
    missing = move.replace(body=None)
    assert [code_of(each) for each in batch(app, declared, missing)] == ["body-too-large", "bad-request"]
