"""Sessions over HTTP: responses, and the order of a request's checks."""

from typing import Any
from uuid import UUID
from xml.etree import ElementTree as ET

import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from games.core.registry import registered
from tests.service.kit import BOT, PEOPLE, SESSIONS, SPECTATOR, Sitting, application, bid, code_of, sit

TOKEN_CHARACTERS = 43
DAILY = {"move_ms": 86_400_000, "policy": "random"}
HOURS = {"start": "08:00", "end": "22:30", "time_zone": "Europe/Berlin"}


def shown_by(answer: TestResponse) -> dict[str, Any]:
    """Return a response's data of a session, without links and tickets."""
    said: Any = answer.json
    return {name: part for name, part in said.items() if name not in {"links", "picture_url", "stream_url"}}


def test_creation_hands_out_a_token_for_each_person_and_one_for_the_owner(app: Flask) -> None:
    made = sit(app, {"kind": "human", "name": "Zoë"}, BOT).made
    assert [set(seat) for seat in made["seats"]] == [{"seat", "kind", "name", "token"}, {"seat", "kind", "bot"}]
    tokens = [made["owner_token"], made["seats"][0]["token"]]
    assert [len(token) for token in tokens] == [TOKEN_CHARACTERS] * 2
    assert len(set(tokens)) == 2


@pytest.mark.parametrize("batch", [False, True], ids=["one", "a batch"])
def test_an_answer_with_tokens_is_stored_by_nobody(app: Flask, batch: bool) -> None:  # noqa: FBT001 -- a parameter
    wanted = {"game": "pebbles", "seats": list(PEOPLE)}
    path, body = (f"{SESSIONS}:batch", {"sessions": [wanted]}) if batch else (SESSIONS, wanted)
    for _ in range(2):  # the second is the repeated answer
        answer = app.test_client().post(path, json=body, headers={"Idempotency-Key": str(UUID(int=1, version=4))})
        assert answer.status_code == 201, answer.text
        assert answer.headers["Cache-Control"] == "no-store"


def test_creation_says_where_the_session_stands(app: Flask) -> None:
    answer = app.test_client().post(SESSIONS, json={"game": "pebbles", "seats": list(PEOPLE)})
    assert answer.json is not None
    assert answer.headers["Location"] == f"{SESSIONS}/{answer.json['id']}" == answer.json["links"]["session"]
    assert answer.json["practice"] is False
    assert answer.json["spectators"] == "none"


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({"seats": [*PEOPLE]}, ["/game"]),
        ({"game": "chess", "seats": [*PEOPLE]}, ["/game"]),
        ({"game": "pebbles"}, ["/seats"]),
        ({"game": "pebbles", "seats": []}, ["/seats"]),
        ({"game": "pebbles", "seats": [*PEOPLE, *PEOPLE]}, ["/seats"]),
        ({"game": "pebbles", "seats": [{"kind": "human"}]}, ["/seats"]),
        ({"game": "pebbles", "seats": [{"kind": "ghost"}, {"kind": "human"}]}, ["/seats/0/kind"]),
        ({"game": "pebbles", "seats": [{"kind": "human", "bot": {"level": "easy"}}, *PEOPLE]}, ["/seats/0/bot"]),
        ({"game": "pebbles", "seats": [{"kind": "bot", "bot": {}}, *PEOPLE]}, ["/seats/0/bot/level"]),
        ({"game": "pebbles", "seats": [{"kind": "bot", "bot": {"level": "god"}}, *PEOPLE]}, ["/seats/0/bot/level"]),
        ({"game": "pebbles", "seats": [{"kind": "human", "name": ""}, *PEOPLE]}, ["/seats/0/name"]),
        ({"game": "pebbles", "seats": [{"kind": "human", "name": "a\u202eb"}, *PEOPLE]}, ["/seats/0/name"]),
        ({"game": "pebbles", "seats": [{"kind": "human", "name": "x" * 41}, *PEOPLE]}, ["/seats/0/name"]),
        ({"game": "pebbles", "seats": [*PEOPLE], "options": {"heap": 1}}, ["/options/heap"]),
        ({"game": "pebbles", "seats": [*PEOPLE], "options": {"weather": 1}}, ["/options/weather"]),
        ({"game": "pebbles", "seats": [*PEOPLE], "seed": 7}, ["/seed"]),
        ({"game": "pebbles", "seats": [*PEOPLE], "spectators": "all"}, ["/spectators"]),
        ({"game": "pebbles", "seats": [*PEOPLE], "colour": "red"}, ["/colour"]),
        ({"game": "pebbles", "seats": [*PEOPLE], "undo": "always"}, ["/undo"]),
        ({"game": "pebbles", "seats": [PEOPLE[0], BOT], "bot_ms": 60_001}, ["/bot_ms"]),
        ({"game": "pebbles", "seats": [*PEOPLE], "listed": True}, ["/listed"]),
        *(
            ({"game": "pebbles", "seats": [*PEOPLE], "clock": clock}, [f"/clock/{place}"])
            for clock, place in (
                ({"move_ms": 999, "policy": "random"}, "move_ms"),
                ({"move_ms": 604_800_001, "policy": "random"}, "move_ms"),
                ({"policy": "random"}, "move_ms"),
                ({"move_ms": 60_000}, "policy"),
                ({"move_ms": 60_000, "policy": "wait"}, "policy"),
                ({"move_ms": 60_000, "policy": "random", "bot": {"level": "easy"}}, "bot"),
                ({"move_ms": 60_000, "policy": "bot", "bot": {"level": "god"}}, "bot/level"),
                ({"move_ms": 60_000, "policy": "bot", "speed": 1}, "speed"),
                ({**DAILY, "hours": {**HOURS, "start": "24:00"}}, "hours/start"),
                ({**DAILY, "hours": {**HOURS, "end": "8:00"}}, "hours/end"),
                ({**DAILY, "hours": {**HOURS, "time_zone": "Mars/Olympus"}}, "hours/time_zone"),
                ({**DAILY, "hours": {**HOURS, "time_zone": "../../etc/passwd"}}, "hours/time_zone"),
                ({**DAILY, "hours": {**HOURS, "end": "08:01"}}, "move_ms"),
            )
        ),
    ],
)
def test_a_body_of_no_session_is_refused_with_its_place(app: Flask, body: dict[str, Any], pointers: list[str]) -> None:
    answer = app.test_client().post(SESSIONS, json=body)
    assert (answer.status_code, code_of(answer)) == (422, "invalid-body")
    assert list({error["pointer"]: 0 for error in answer.json["errors"]}) == pointers  # type: ignore[index]


def test_a_seat_sees_its_view_and_a_spectator_what_is_public(sitting: Sitting) -> None:
    own, other, public = (sitting.look(caller).json for caller in (0, 1, SPECTATOR))
    assert own is not None
    assert other is not None
    assert public is not None
    assert [shown["you"] for shown in (own, other, public)] == [{"seat": 0}, {"seat": 1}, None]
    assert own["view"]["card"] != other["view"]["card"]
    assert public["view"]["card"] is None
    assert sitting.standing(SPECTATOR) == sitting.standing("owner")
    assert own["actors"] == [0, 1]
    assert own["practice"] is True
    assert own["status"] == "running"
    assert "outcome" not in own
    assert "legal_moves" not in own


def test_names_stand_in_sentences_and_an_answer_is_in_the_readers_language(app: Flask) -> None:
    sitting = sit(app, {"kind": "human", "name": "Zoë <b>"}, {"kind": "human"})
    assert sitting.move(0, bid(1)).json["events"][0]["text"] == "Zoë <b> bids 1."  # type: ignore[index]
    german = sitting.look(0, Accept_Language="de-AT, en;q=0.5")
    assert german.headers["ETag"] == sitting.tag('"2.de.view"')
    assert german.headers["Content-Language"] == "de"


def test_players_are_called_by_their_names_in_headline_moves_picture_and_history(redis_url: str) -> None:
    app = application(registered(), redis_url)
    people = [{"kind": "human", "name": name} for name in ("Ada", "Bo & <b>", "Cy")] + [{"kind": "human"}]
    sitting = sit(app, *people, game="hoher-rat", seed="names")
    shown: Any = sitting.look(0).json
    (mover,) = shown["actors"]
    names = ["Ada", "Bo & <b>", "Cy", "Blue"]
    assert shown["names"] == names
    assert sitting.look(0, Accept_Language="de").json["names"] == [*names[:3], "Blau"]  # type: ignore[index]
    assert shown["headline"].startswith(f"{names[mover]} is to move")
    picture = ET.fromstring(sitting.look(0, "/picture").data)  # noqa: S314 -- drawn by ourselves
    drawn = "\n".join(picture.itertext())
    assert all(name in drawn for name in names)
    confer = next(move for move in sitting.moves(mover) if move["move"]["kind"] == "confer")
    assert sitting.move(mover, confer["move"]).status_code == 201
    sitting.call("owner", "DELETE")
    history: Any = sitting.look(None, "/history").json
    assert history["lines"][1]["label"] == confer["label"]
    assert all(names[mover] in event["text"] for event in history["lines"][1]["events"])


def test_legal_moves_are_those_of_the_stateless_engine(sitting: Sitting, app: Flask) -> None:
    client = app.test_client()
    snapshot = client.post("/v1/games/pebbles/snapshots", json={"seat_count": 2, "seed": "noon"}).json["snapshot"]  # type: ignore[index]
    stateless = client.post("/v1/games/pebbles/legal-moves", json={"snapshot": snapshot, "seat": 1}).json
    assert sitting.look(1, "/legal-moves").json == stateless
    sitting.move(1, bid(0))
    assert sitting.look(1, "/legal-moves").json == {
        "seat": 1,
        "mode": "list",
        "count": 0,
        "phase": "bidding",
        "moves": [],
    }


def test_a_moves_answer_is_what_a_look_would_show_and_its_etag_stands_for_that(sitting: Sitting) -> None:
    sitting.move(0, bid(0))
    answer = sitting.move(1, {"code": 2})
    assert answer.status_code == 201
    assert answer.headers["ETag"] == sitting.tag('"2.en.view"', 1)
    told = shown_by(answer)
    assert [event["event"]["kind"] for event in told.pop("events")] == ["pebble_bid_given", "pebble_bids_opened"]
    assert told == shown_by(sitting.look(1))
    assert sitting.look(1, If_None_Match=answer.headers["ETag"]).status_code == 304


def test_the_last_moves_answer_says_that_it_is_over_and_repeats(sitting: Sitting, redis_client: redis.Redis) -> None:
    expanded = "?expand=legal_moves"
    seat, given = 0, 0
    while sitting.look(0).json["status"] == "running":  # type: ignore[index]
        given += 1
        seat = next(seat for seat in sitting.look(0).json["actors"] if sitting.moves(seat))  # type: ignore[index]
        body = {"move": sitting.moves(seat)[-1]["move"]}
        headers = {"If-Match": f'"{sitting.version(seat)}"', "Idempotency-Key": f"move-{given}"}
        answer = sitting.call(seat, "POST", "/moves" + expanded, json=body, headers=headers)
        told = shown_by(answer)
        del told["events"]
        assert told == shown_by(sitting.look(seat, expanded))
        assert sitting.look(seat, expanded, If_None_Match=answer.headers["ETag"]).status_code == 304
        assert sitting.look(seat, If_None_Match=answer.headers["ETag"]).status_code == 200
    assert (told["status"], told["actors"], told["legal_moves"]["count"]) == ("finished", [], 0)
    assert sorted(told["outcome"]["rewards"]) == [0.0, 1.0]
    kept = sitting.call(seat, "POST", "/moves" + expanded, json=body, headers=headers)
    redis_client.delete(*redis_client.scan_iter("o:*"))
    found = sitting.call(seat, "POST", "/moves" + expanded, json=body, headers=headers)
    for again in (kept, found):
        assert (again.data, again.headers["ETag"]) == (answer.data, answer.headers["ETag"])
        assert again.headers["Idempotency-Replayed"] == "true"


def test_an_illegal_move_names_rule_and_place(sitting: Sitting) -> None:
    sitting.move(0, bid(0))
    sitting.move(1, bid(2))
    card = sitting.look(1).json["view"]["card"]  # type: ignore[index]
    answer = sitting.move(1, {"kind": "play_pebble_card", "card": card % 6 + 1})
    assert (answer.status_code, code_of(answer)) == (422, "illegal-move")
    (error,) = answer.json["errors"]  # type: ignore[index]
    assert (error["rule"], error["pointer"]) == ("PB-5", "/move/card")


def test_an_aborted_session_can_be_read_and_tells_everything(sitting: Sitting) -> None:
    sitting.move(0, bid(2))
    for _ in range(2):
        answer = sitting.call("owner", "DELETE")
        assert (answer.status_code, answer.data) == (204, b"")
    now = sitting.look(1).json
    assert now is not None
    assert (now["status"], now["version"], now["actors"]) == ("aborted", 2, [])
    assert code_of(sitting.move(1, bid(1))) == "session-over"
    assert sitting.moves(1) == []
    history = sitting.look(1, "/history").json
    assert history is not None
    assert history["complete"]
    assert [line.get("move") for line in history["lines"]] == [None, bid(2), None]


def test_a_running_history_is_what_the_caller_heard_with_dense_versions(sitting: Sitting) -> None:
    sitting.move(0, bid(2))
    sitting.move(1, bid(1))
    histories: dict[int | None, Any] = {caller: sitting.look(caller, "/history").json for caller in (0, 1, SPECTATOR)}
    lines = {caller: history["lines"] for caller, history in histories.items()}
    assert [(each["complete"], each["total"]) for each in histories.values()] == [(False, 3), (False, 2), (False, 2)]
    kinds = {
        caller: [(line["version"], [event["event"]["kind"] for event in line["events"]]) for line in lines[caller]]
        for caller in lines
    }
    begun, given, opened = "session_started", "pebble_bid_given", "pebble_bids_opened"
    assert kinds == {
        0: [(1, [begun]), (2, [given]), (3, [opened])],
        1: [(1, [begun]), (2, [given, opened])],
        SPECTATOR: [(1, [begun]), (2, [opened])],
    }
    assert not [line for caller in lines for line in lines[caller] if {"move", "seat", "draws", "code"} & set(line)]
