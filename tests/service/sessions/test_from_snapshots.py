"""A session goes on from a snapshot: for practice, and of a sealed one only with the keys of all its seats."""

from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from service.sessions.mending import replayed
from service.sessions.reading import load, table_of
from tests.service.kit import OPEN, PEBBLES, PEOPLE, SESSIONS, Sitting, code_of
from tests.toy import GAME


def create_snapshot(app: Flask, query: str = "", **body: Any) -> Any:
    """Return a new snapshot, one move on unless it is sealed."""
    return app.test_client().post(f"{PEBBLES}/snapshots{query}", json={"seat_count": 2, **body}).json


def moved(app: Flask, snapshot: Any) -> Any:
    body = {"snapshot": snapshot, "seat": 0, "move": {"kind": "bid_pebbles", "amount": 2}}
    return app.test_client().post(f"{PEBBLES}/moves", json=body).json["snapshot"]  # type: ignore[index]


def create_from(app: Flask, snapshot: Any, seats: Any = PEOPLE, **body: Any) -> TestResponse:
    wanted = {"game": "pebbles", "seats": list(seats), "spectators": "live", "snapshot": snapshot, **body}
    return app.test_client().post(
        SESSIONS, json=wanted, headers={"Idempotency-Key": "0" * 8 + "-0000-4000-8000-" + "0" * 12}
    )


def test_a_session_goes_on_from_an_open_snapshot_and_is_marked_as_such(app: Flask) -> None:
    snapshot = moved(app, create_snapshot(app, options={"heap": 30})["snapshot"])
    answer = create_from(app, snapshot)
    assert answer.status_code == 201, answer.text
    told: Any = answer.json
    assert (told["practice"], told["from_snapshot"]) == (True, "open")
    assert "fairness" not in told
    sitting = Sitting(app, told)
    for caller in (0, None):
        assert sitting.standing(caller)["from_snapshot"] == "open"
    assert code_of(sitting.look(0, "/fairness")) == "nothing-committed"
    services = app.extensions["context"].sessions
    session = load(services, told["id"])
    table = table_of(GAME, session)
    assert (table.ply, table.heap, GAME.actors(table)) == (1, 30, [1])  # type: ignore[attr-defined]
    assert GAME.write(replayed(services, session).table) == GAME.write(table)
    sitting.play_out()
    assert sitting.look(0, "/history").json["complete"] is True  # type: ignore[index]


def test_its_options_are_those_of_the_snapshot(every_game: Flask) -> None:
    client, options = every_game.test_client(), {"turn_cap": 123}
    snapshot = client.post("/v1/games/hoher-rat/snapshots", json={"seat_count": 2, "options": options}).json["snapshot"]  # type: ignore[index]
    body = {"game": "hoher-rat", "seats": list(PEOPLE), "snapshot": snapshot}
    assert client.post(SESSIONS, json=body).json["options"]["turn_cap"] == 123  # type: ignore[index]


def test_with_open_seats_it_waits_and_begins_with_the_last_claim(app: Flask) -> None:
    answer = create_from(app, moved(app, create_snapshot(app)["snapshot"]), [{"kind": "human"}, OPEN])
    told: Any = answer.json
    assert told["status"] == "waiting"
    sitting = Sitting(app, told)
    taken = sitting.call(None, "POST", "/seats/1/claim", json={"code": told["seats"][1]["invite"]})
    assert (taken.status_code, taken.json["status"]) == (201, "running")  # type: ignore[index]
    assert sitting.standing(0)["actors"] == [0, 1]


def test_a_sealed_snapshot_is_gone_on_from_with_the_keys_of_all_seats_only(app: Flask) -> None:
    sealed = create_snapshot(app, "?sealed=true")
    keys = [seat["key"] for seat in sealed["seat_keys"]]
    for wrong, status, code in (
        ({}, 422, "invalid-body"),
        ({"seat_keys": keys[:1]}, 422, "invalid-body"),
        ({"seat_keys": [keys[0]] * 2}, 403, "wrong-seat-key"),
    ):
        refused = create_from(app, sealed["snapshot"], **wrong)
        assert (refused.status_code, code_of(refused)) == (status, code)
    answer = create_from(app, sealed["snapshot"], seat_keys=keys)
    assert (answer.status_code, answer.json["from_snapshot"]) == (201, "sealed")  # type: ignore[index]


@pytest.mark.parametrize(
    ("change", "body", "pointer"),
    [
        ({}, {"options": {"heap": 30}}, "/options"),
        ({}, {"seat_keys": ["a key", "a key"]}, "/seat_keys"),
        ({}, {"seats": [*PEOPLE, OPEN]}, "/seats"),
        ({"game": "chess"}, {}, "/snapshot/game"),
        ({"ply": 9}, {}, "/snapshot/ply"),
        ({"table": {}}, {}, "/snapshot/table/ply"),
    ],
    ids=["options", "keys of an open one", "other seats", "another game", "another ply", "no table"],
)
def test_misfits_are_refused_with_place(app: Flask, change: dict[str, Any], body: dict[str, Any], pointer: str) -> None:
    snapshot = {**create_snapshot(app)["snapshot"], **change}
    wanted = {"game": "pebbles", "seats": list(PEOPLE), "snapshot": snapshot, **body}
    for path, sent, place in ((SESSIONS, wanted, ""), (f"{SESSIONS}:batch", {"sessions": [wanted]}, "/sessions/0")):
        refused = app.test_client().post(path, json=sent)
        assert refused.status_code == 422
        assert place + pointer in [error["pointer"] for error in refused.json["errors"]]  # type: ignore[index]


def test_a_batch_with_a_key_that_does_not_fit_creates_nothing(app: Flask) -> None:
    sealed = create_snapshot(app, "?sealed=true")
    wanted = {"game": "pebbles", "seats": list(PEOPLE), "snapshot": sealed["snapshot"], "seat_keys": ["a", "b"]}
    refused: Any = app.test_client().post(f"{SESSIONS}:batch", json={"sessions": [wanted]})
    assert (refused.status_code, code_of(refused)) == (422, "invalid-body")
    assert [error["pointer"] for error in refused.json["errors"]] == ["/sessions/0/snapshot"]


def test_a_repetition_gets_the_same_session_and_another_snapshot_none(app: Flask) -> None:
    snapshot = create_snapshot(app)["snapshot"]
    one, again = (create_from(app, snapshot) for _ in range(2))
    assert one.json == again.json
    redis = app.extensions["context"].sessions_redis
    redis.delete(*redis.scan_iter("o:*"))
    refused = create_from(app, moved(app, snapshot))
    assert (refused.status_code, code_of(refused)) == (422, "idempotency-key-reused")
