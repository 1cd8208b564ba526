"""An operation that its client named is done once, and repeated with the same answer."""

from collections.abc import Callable, Sequence
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from service.store import keys
from service.store.operations import OperationStore
from service.store.session_store import SessionStore
from service.store.sessions import SessionWrite, Written
from tests.service.kit import PEOPLE, SESSIONS, Sitting, bid, code_of, sit

NEW = {"game": "pebbles", "seats": [*PEOPLE], "seed": "noon"}


def stored(client: redis.Redis) -> dict[bytes, Any]:
    found: dict[bytes, Any] = {key: client.hgetall(key) for key in client.scan_iter("o:*")}
    return found


def test_a_repeated_creation_gets_the_same_tokens_of_the_same_session(app: Flask, redis_client: redis.Redis) -> None:
    client, key = app.test_client(), str(uuid4())
    first = client.post(SESSIONS, json=NEW, headers={"Idempotency-Key": key})
    again = client.post(SESSIONS, json=dict(reversed(NEW.items())), headers={"Idempotency-Key": key})
    assert (first.status_code, again.status_code) == (201, 201)
    assert (again.data, again.headers["Location"]) == (first.data, first.headers["Location"])
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert len(list(redis_client.scan_iter("{s:?}:" + 32 * "?"))) == 1


def test_without_a_credential_the_key_must_be_a_uuid(app: Flask) -> None:
    for key in ("first", "", " ", str(uuid4())[:-1]):
        answer = app.test_client().post(SESSIONS, json=NEW, headers={"Idempotency-Key": key})
        assert (answer.status_code, code_of(answer)) == (422, "invalid-idempotency-key")
        assert answer.json["errors"][0]["in"] == "header"  # type: ignore[index]


def test_a_repeated_move_is_made_once_whatever_if_match_says_now(sitting: Sitting) -> None:
    first = sitting.move(0, bid(2), 1, Idempotency_Key="bid")
    sitting.move(1, bid(1))
    for version in (1, 3, 99, 0):
        again = sitting.move(0, bid(2), version, Idempotency_Key="bid")
        assert (again.status_code, again.data, again.headers["ETag"]) == (201, first.data, first.headers["ETag"])
        assert again.headers["Idempotency-Replayed"] == "true"
    assert len(sitting.look(0, "/history").json["lines"]) == 3  # type: ignore[index]


def test_a_key_belongs_to_its_seat_and_its_session(app: Flask) -> None:
    one, other = sit(app), sit(app)
    answers = [at.move(seat, bid(1), 1, Idempotency_Key="bid") for at in (one, other) for seat in (0, 1)]
    assert [answer.status_code for answer in answers] == [201] * 4
    assert not [answer for answer in answers if "Idempotency-Replayed" in answer.headers]


def test_a_key_whose_request_still_runs_is_told_so(sitting: Sitting, redis_client: redis.Redis) -> None:
    with patch.object(OperationStore, "end_each"):
        sitting.move(0, bid(1), 9, Idempotency_Key="bid")
    answer = sitting.move(0, bid(1), 1, Idempotency_Key="bid")
    assert (answer.status_code, code_of(answer)) == (409, "operation-running")
    assert int(answer.headers["Retry-After"]) > 0
    (name,) = stored(redis_client)
    redis_client.hset(name, "deadline", 0)
    assert sitting.move(0, bid(1), 1, Idempotency_Key="bid").status_code == 201


def unkept(client: redis.Redis, act: Callable[[], TestResponse], meanwhile: Callable[[], object]) -> TestResponse:
    """Let an operation be done whose answer is not kept, and more happen; a repetition has to answer the same."""
    with patch.object(OperationStore, "end_each", side_effect=redis.exceptions.ConnectionError):
        first = act()
    assert first.status_code == 201, first.text
    meanwhile()
    for name in stored(client):
        client.hset(name, "deadline", 0)
    again = act()
    assert again.headers["Idempotency-Replayed"] == "true"
    assert (again.status_code, again.data, again.headers.get("ETag")) == (201, first.data, first.headers.get("ETag"))
    return again


def test_a_move_without_a_kept_answer_is_answered_as_then(sitting: Sitting, redis_client: redis.Redis) -> None:
    again = unkept(redis_client, lambda: sitting.move(0, bid(2), 1, Idempotency_Key="bid"), sitting.play_out)
    assert again.json is not None
    assert again.json["version"] < sitting.version(0)


@pytest.mark.parametrize(
    ("refused", "tag"),
    [("stale-version", 1), ("precondition-required", 0), ("invalid-precondition", "seven"), ("illegal-move", "*")],
)
def test_a_repeated_move_is_answered_though_it_would_be_refused_by_now(
    sitting: Sitting, redis_client: redis.Redis, refused: str, tag: int | str
) -> None:
    tags = iter((1, tag))

    def move() -> TestResponse:
        return sitting.move(0, bid(2), next(tags), Idempotency_Key="bid")

    unkept(redis_client, move, lambda: sitting.move(1, bid(1)))
    assert code_of(sitting.move(0, bid(2), tag, Idempotency_Key="another")) == refused
    assert len(sitting.look(0, "/history").json["lines"]) == 3  # type: ignore[index]


def test_a_move_that_a_repetition_made_while_it_lost_every_race_is_answered(sitting: Sitting) -> None:
    def lose(store: SessionStore, writes: Sequence[SessionWrite]) -> list[Any]:
        return [(Written.MOVED, outcome[1]) for outcome in write_each(store, writes)]  # type: ignore[index]

    write_each = SessionStore.write_each
    with patch.object(SessionStore, "write_each", lose):
        answer = sitting.move(0, bid(2), 1, Idempotency_Key="bid")
    assert (answer.status_code, answer.headers.get("Idempotency-Replayed")) == (201, "true")
    assert sitting.version(0) == 2


def test_only_a_move_that_its_client_named_is_remembered(sitting: Sitting, redis_client: redis.Redis) -> None:
    sitting.move(0, bid(2), 1)
    sitting.move(1, bid(1), 1, Idempotency_Key="bid")
    kept = redis_client.hkeys(keys.session(sitting.made["id"]))
    assert [name for name in (b"done0", b"done1") if name in kept] == [b"done1"]


def test_a_named_move_asks_for_itself_only_where_it_is_refused(sitting: Sitting) -> None:
    asked, ask = list[str](), SessionStore.operation_each

    def note(store: SessionStore, wanted: Any) -> Any:
        asked.extend(operation for _, _, operation in wanted)
        return ask(store, wanted)

    with patch.object(SessionStore, "operation_each", note):
        assert sitting.move(0, bid(2), 1, Idempotency_Key="bid").status_code == 201
        assert not asked
        assert sitting.move(1, bid(2), 9, Idempotency_Key="bid").status_code == 412
        assert len(asked) == 1
        assert sitting.move(1, bid(2), 9).status_code == 412
    assert len(asked) == 1


def test_a_claim_whose_answer_was_not_kept_is_answered_as_it_was(app: Flask, redis_client: redis.Redis) -> None:
    sitting = sit(app, PEOPLE[0], {"kind": "open"})
    body = {"code": sitting.made["seats"][1]["invite"], "name": "Zoë"}
    key = str(uuid4())

    def claim() -> TestResponse:
        return app.test_client().post(f"{sitting.here}/seats/1/claim", json=body, headers={"Idempotency-Key": key})

    again = unkept(redis_client, claim, lambda: sitting.call("owner", "DELETE"))
    assert again.json is not None
    assert (again.json["status"], sitting.look(0).json["status"]) == ("running", "aborted")  # type: ignore[index]


def test_a_key_in_quotes_is_the_key_without_them(sitting: Sitting) -> None:
    first = sitting.move(0, bid(2), 1, Idempotency_Key='say "bid" \\'.replace(" ", ""))
    again = sitting.move(0, bid(2), 1, Idempotency_Key='"say\\"bid\\"\\\\"')
    assert (first.status_code, again.data, again.headers["Idempotency-Replayed"]) == (201, first.data, "true")


def test_a_uuid_in_quotes_is_one(app: Flask) -> None:
    key = str(uuid4())
    made = [
        app.test_client().post(SESSIONS, json=NEW, headers={"Idempotency-Key": given}) for given in (key, f'"{key}"')
    ]
    assert [answer.status_code for answer in made] == [201, 201]
    assert made[1].data == made[0].data


def test_a_key_whose_quotes_do_not_close_is_refused(app: Flask) -> None:
    for key in (f'"{uuid4()}', '""', f'"{uuid4()}" "'):
        answer = app.test_client().post(SESSIONS, json=NEW, headers={"Idempotency-Key": key})
        assert code_of(answer) == "invalid-idempotency-key"
