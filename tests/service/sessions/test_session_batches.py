"""Many sessions at once are all founded or none, once, and each is a session like any other."""

import json
from typing import Any
from uuid import uuid4

import msgspec
import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from games.core.registry import registered
from service.store import keys
from service.store.sessions import SessionChange
from service.validation.faults import MAX_FAULTS
from tests.service.kit import BOT, PEOPLE, Room, Sitting, application, bid, code_of
from tests.toy import GAME

BATCH = "/v1/sessions:batch"
ONE: dict[str, Any] = {"game": "pebbles", "seats": [*PEOPLE]}


def create_batch(app: Flask, *members: dict[str, Any], key: str | None = None) -> TestResponse:
    headers = {} if key is None else {"Idempotency-Key": key}
    return app.test_client().post(BATCH, json={"sessions": list(members)}, headers=headers)


def sessions(client: redis.Redis) -> set[str]:
    return {key.decode().rpartition(":")[2] for key in client.scan_iter(keys.session("?" * 32))}


def test_every_member_is_a_session_of_its_own(redis_url: str, redis_client: redis.Redis) -> None:
    games = registered()
    app = application({GAME.slug: GAME, **games}, redis_url)
    members = [{**ONE, "seed": "noon"}, {**ONE, "seats": [PEOPLE[0], {"kind": "open"}]}, ONE]
    members += [{"game": slug, "seats": [PEOPLE[0]] * game.seat_numbers[0]} for slug, game in games.items()]
    answer = create_batch(app, *members)
    assert answer.status_code == 201, answer.text
    made: Any = answer.json
    assert [member["game"] for member in made["sessions"]] == [member["game"] for member in members]
    assert [member["practice"] for member in made["sessions"]] == [True] + [False] * (len(members) - 1)
    assert {member["id"] for member in made["sessions"]} == sessions(redis_client)
    assert made["sessions"][1]["status"] == "waiting"
    for member in made["sessions"]:
        assert Sitting(app, member).look(0).status_code == 200
    assert Sitting(app, made["sessions"][0]).move(0, bid(1)).status_code == 201
    tokens = [seat.get("token") for member in made["sessions"] for seat in member["seats"] if "token" in seat]
    assert len(set(tokens)) == len(tokens)


def test_a_batch_lies_in_one_bucket_and_batches_in_all_of_them(app: Flask) -> None:
    batches = [[member["id"] for member in create_batch(app, ONE, ONE).json["sessions"]] for _ in range(40)]  # type: ignore[index]
    assert all(one[0] == other[0] and one != other for one, other in batches)
    assert len({one[0] for one, _ in batches}) > 8


def test_where_members_are_wrong_all_are_named_and_none_is_founded(app: Flask, redis_client: redis.Redis) -> None:
    snapshot = app.test_client().post("/v1/games/pebbles/snapshots", json={"seat_count": 2}).json["snapshot"]  # type: ignore[index]
    sealed = app.test_client().post("/v1/games/pebbles/snapshots?sealed=true", json={"seat_count": 2}).json["snapshot"]  # type: ignore[index]
    wrong = {
        "/game": {**ONE, "game": "chess"},
        "/options/heap": {**ONE, "options": {"heap": 0}},
        "/seats": {**ONE, "seats": [*PEOPLE] * 4},
        "/seats/0/kind": {**ONE, "seats": [{"kind": "ghost"}]},
        "/snapshot/ruleset": {**ONE, "snapshot": {**snapshot, "ruleset": "pebbles/0"}},
        "/seat_keys": {**ONE, "snapshot": sealed},
        "/snapshot": {**ONE, "snapshot": sealed, "seat_keys": ["one", "other"]},
    }
    members = [member for each in wrong.values() for member in (ONE, each)]
    answer = create_batch(app, *members, {"game": "chess", "bot_ms": -1})
    assert (answer.status_code, code_of(answer)) == (422, "invalid-body")
    named = {error["pointer"]: error["detail"] for error in answer.json["errors"]}  # type: ignore[index]
    expected = [f"/sessions/{2 * number + 1}{pointer}" for number, pointer in enumerate(wrong)]
    assert {*named} == {*expected, *(f"/sessions/14/{field}" for field in ("game", "seats", "bot_ms"))}
    assert named["/sessions/13/snapshot"] == "This Seat-Key does not belong to the seat at this table."
    many = create_batch(app, *[{}] * 30).json["errors"]  # type: ignore[index]
    assert len(many) == MAX_FAULTS + 1
    assert many[-1]["detail"].startswith("Only 20 errors")
    assert not redis_client.dbsize()


def test_a_batch_has_one_member_at_least_and_as_many_as_the_limits_say(redis_url: str) -> None:
    app = application(redis_url=redis_url, batch_sessions=3)
    assert [create_batch(app, *[ONE] * size).status_code for size in (0, 1, 3, 4)] == [422, 201, 201, 422]
    limits: Any = app.test_client().get("/v1/limits").json
    assert limits["batch_sessions"] == 3


def test_a_name_that_is_taken_keeps_all_others_from_being_written(room: Room, redis_client: redis.Redis) -> None:
    taken = room.begin().session
    (line,) = [line for _, line in room.services.store.log_entries(taken.id)]
    before = {key: redis_client.dump(key) for key in redis_client.scan_iter()}
    names = [taken.id[0] + "1" * 31, taken.id, taken.id[0] + "2" * 31]
    foundings = [SessionChange(after=msgspec.structs.replace(taken, id=name), log_entry=line, due=1) for name in names]
    assert not room.services.store.create(foundings)
    assert {key: redis_client.dump(key) for key in redis_client.scan_iter()} == before


@pytest.mark.parametrize("other", [[ONE], [ONE, ONE, ONE], [{**ONE, "seed": "x"}, ONE], [ONE, {**ONE, "seed": "x"}]])
def test_another_batch_of_a_key_is_refused(app: Flask, redis_client: redis.Redis, other: list[dict[str, Any]]) -> None:
    key = str(uuid4())
    made = create_batch(app, ONE, ONE, key=key)
    redis_client.delete(*redis_client.scan_iter("o:*"))  # the answer was lost
    refused = create_batch(app, *other, key=key)
    assert (refused.status_code, code_of(refused)) == (422, "idempotency-key-reused")
    assert len(sessions(redis_client)) == 2
    again = create_batch(app, ONE, ONE, key=key)
    assert (again.json, again.headers["Idempotency-Replayed"]) == (made.json, "true")


def test_the_longest_body_may_be_repeated_with_its_members_in_another_order(redis_url: str) -> None:
    one, other = (json.dumps(dict(members)) for members in (ONE.items(), reversed(ONE.items())))
    client = application(redis_url=redis_url, table_bytes=len(one)).test_client()
    headers = {"Idempotency-Key": str(uuid4())}
    made, again = (
        client.post("/v1/sessions", data=text, content_type="application/json", headers=headers)
        for text in (one, other)
    )
    assert made.status_code == 201
    assert (again.json, again.headers["Idempotency-Replayed"]) == (made.json, "true")


def test_bots_of_all_members_are_called(app: Flask, redis_client: redis.Redis) -> None:
    made: Any = create_batch(app, {**ONE, "seats": [BOT, PEOPLE[0]]}, ONE, {**ONE, "seats": [PEOPLE[0], BOT]}).json
    called = [key.decode().partition("bots-")[2][:32] for key in redis_client.scan_iter("rq:job:bots-*")]
    assert sorted(called) == sorted(made["sessions"][place]["id"] for place in (0, 2))
