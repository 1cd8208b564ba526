"""Seats over HTTP: open ones are claimed once, by an invite; one's own is given up, taken back, left with answers."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import msgspec
import pytest
import redis
from flask import Flask
from werkzeug.test import TestResponse

from service.sessions.reading import load
from service.store import keys
from service.store.operations import OperationStore
from service.store.sessions import COARSE_MS
from tests.service.kit import PEOPLE, SESSIONS, SPECTATOR, Sitting, bid, code_of, sit, take

PERSON = {"kind": "human"}
OPEN = {"kind": "open"}
FORFEIT = {"then": "forfeit"}


@pytest.fixture
def waiting(app: Flask) -> Sitting:
    return sit(app, PERSON, {**OPEN, "name": "Somebody"}, OPEN)


def invite(sitting: Sitting, seat: int) -> str:
    return str(sitting.made["seats"][seat]["invite"])


def claim(sitting: Sitting, seat: int, code: Any, *, name: str | None = None, key: str | None = None) -> TestResponse:
    body = {"code": code} if name is None else {"code": code, "name": name}
    headers = {} if key is None else {"Idempotency-Key": key}
    return sitting.call(None, "POST", f"/seats/{seat}/claim", json=body, headers=headers)


def as_seat(sitting: Sitting, seat: int, answer: TestResponse) -> Sitting:
    """Return a sitting that knows the token of a claimed seat, too."""
    seats = list(sitting.made["seats"])
    seats[seat] = answer.json
    return Sitting(sitting.app, {**sitting.made, "seats": seats})


def events(sitting: Sitting, caller: int | None) -> list[str]:
    """Return the kinds of all events of a caller since the session was set up."""
    lines = sitting.look(caller, "/history").json["lines"]  # type: ignore[index]
    return [event["event"]["kind"] for line in lines[1:] for event in line["events"]]


def test_creation_returns_a_code_per_open_seat_and_stores_none(waiting: Sitting, redis_client: redis.Redis) -> None:
    made = waiting.made
    assert made["status"] == "waiting"
    assert [set(seat) for seat in made["seats"]] == [
        {"seat", "kind", "token"},
        {"seat", "kind", "name", "invite"},
        {"seat", "kind", "invite"},
    ]
    codes = [invite(waiting, seat) for seat in (1, 2)]
    assert [len(code) for code in codes] == [22, 22]
    assert len(set(codes)) == 2
    stored = repr([redis_client.hgetall(keys.session(made["id"])), redis_client.xrange(keys.log(made["id"]))])
    assert not [code for code in codes if code in stored]


def test_a_session_with_open_seats_waits_nobody_moves_and_everybody_is_told_so(waiting: Sitting) -> None:
    now = waiting.look(0).json
    assert now is not None
    assert (now["status"], now["actors"], now["headline"]) == ("waiting", [], "Seats are still open.")
    assert [seat["kind"] for seat in now["seats"]] == ["human", "open", "open"]
    assert "invite" not in str(now)
    assert code_of(waiting.look(0, "/legal-moves")) == "not-dealt"
    assert waiting.look(0, "/presence").json["asked"] == []  # type: ignore[index]
    refused = waiting.move(0, bid(1))
    assert (refused.status_code, code_of(refused)) == (409, "session-waiting")
    assert waiting.look(0, "/history").json["complete"] is False  # type: ignore[index]


def test_a_code_gets_the_seat_and_the_last_one_starts_the_session(waiting: Sitting) -> None:
    first = claim(waiting, 2, invite(waiting, 2), name="Zoë")
    assert (first.status_code, first.headers["Cache-Control"]) == (201, "no-store")
    audience, _, mark = first.headers["ETag"].partition("~")
    assert audience == '"2.en.view@2'
    assert mark != waiting.look(SPECTATOR).headers["ETag"].partition("~")[2], "no audience knows another's mark"
    told = first.json
    assert told is not None
    assert {**told, "token": "", "links": {}} == {
        "id": waiting.made["id"],
        "seat": 2,
        "kind": "human",
        "name": "Zoë",
        "token": "",
        "version": 2,
        "status": "waiting",
        "links": {},
    }
    full = as_seat(waiting, 2, first)
    assert full.look(2).json["you"] == {"seat": 2}  # type: ignore[index]
    second = claim(waiting, 1, invite(waiting, 1))
    assert (second.status_code, second.json["status"], second.json["name"]) == (201, "running", "Somebody")  # type: ignore[index]
    full = as_seat(full, 1, second)
    now = full.look(SPECTATOR).json
    assert now is not None
    assert (now["status"], now["version"], now["actors"]) == ("running", 3, [0, 1, 2])
    assert events(full, SPECTATOR) == ["seat_claimed", "seat_claimed", "session_started"]
    assert full.look(0, "/history").json["lines"][1]["events"][0]["text"] == "Zoë has taken a seat."  # type: ignore[index]
    assert full.move(2, bid(1)).status_code == 201


def test_bots_and_clocks_begin_with_the_session(app: Flask) -> None:
    bot = {"kind": "bot", "bot": {"level": "random"}}
    sitting = sit(app, PERSON, OPEN, bot, clock={"move_ms": 60_000, "policy": "random"})
    services = app.extensions["context"].sessions
    store, name = services.store, sitting.made["id"]
    assert load(services, name).opened == (0, 0, 0)
    assert store.client.zscore(keys.due_of(name), name) is None
    assert sitting.look(0).json["deadlines"] == []  # type: ignore[index]
    assert claim(sitting, 1, invite(sitting, 1)).status_code == 201
    since = set(load(services, name).opened)
    assert len(since) == 1
    assert store.client.zscore(keys.due_of(name), name) == since.pop() + 100
    assert len(sitting.look(0).json["deadlines"]) == 2  # type: ignore[index]


@pytest.mark.parametrize(
    ("seat", "code"),
    [(1, "wrong"), (1, "of 2"), (0, "of 1"), (3, "of 1"), (99999999999999999999, "of 1"), (2, "x" * 64)],
    ids=["no code", "another seat's code", "a person's seat", "no seat", "far from any seat", "a long one"],
)
def test_a_wrong_code_is_refused_alike_whatever_the_seat_is(waiting: Sitting, seat: int, code: str) -> None:
    code = invite(waiting, int(code[-1])) if code.startswith("of") else code
    trace = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "Request-Id": "same"}
    answers = [
        waiting.call(None, "POST", f"/seats/{number}/claim", json={"code": given}, headers=trace)
        for number, given in ((seat, code), (1, "no such code"))
    ]
    assert [(answer.status_code, code_of(answer)) for answer in answers] == [(403, "wrong-invite")] * 2
    assert answers[0].data == answers[1].data
    assert waiting.look(0).json["version"] == 1  # type: ignore[index]


def test_a_taken_seat_is_shown_only_to_holders_of_its_code(waiting: Sitting) -> None:
    assert claim(waiting, 1, invite(waiting, 1)).status_code == 201
    again = claim(waiting, 1, invite(waiting, 1))
    assert (again.status_code, code_of(again)) == (409, "seat-taken")
    assert code_of(claim(waiting, 1, "guess")) == "wrong-invite"
    assert waiting.call("owner", "DELETE").status_code == 204
    late = claim(waiting, 2, invite(waiting, 2))
    assert (late.status_code, code_of(late)) == (409, "session-over")


@pytest.mark.parametrize("body", [{}, {"code": ""}, {"code": 7}, {"code": "x", "name": ""}, {"code": "x", "to": 1}])
def test_a_claim_that_says_nothing_is_no_body(waiting: Sitting, body: dict[str, Any]) -> None:
    answer = waiting.call(None, "POST", "/seats/1/claim", json=body)
    assert (answer.status_code, code_of(answer)) == (422, "invalid-body")


def test_of_many_who_claim_a_seat_at_once_one_gets_it(app: Flask) -> None:
    for _ in range(5):
        sitting = sit(app, PERSON, OPEN)
        code = invite(sitting, 1)
        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda number: claim(sitting, 1, code, name=f"Nr {number}"), range(6)))  # noqa: B023
        assert sorted(answer.status_code for answer in answers) == [201] + [409] * 5
        (winner,) = [answer for answer in answers if answer.status_code == 201]
        assert as_seat(sitting, 1, winner).look(1).json["seats"][1]["name"] == winner.json["name"]  # type: ignore[index]
        assert events(sitting, 0) == ["seat_claimed", "session_started"]


def test_two_open_seats_claimed_at_once_both_go_and_the_session_starts_once(app: Flask) -> None:
    for _ in range(5):
        sitting = sit(app, PERSON, OPEN, OPEN)
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(lambda seat: claim(sitting, seat, invite(sitting, seat)), (1, 2)))  # noqa: B023
        assert [answer.status_code for answer in answers] == [201, 201]
        assert events(sitting, 0) == ["seat_claimed", "seat_claimed", "session_started"]


def test_a_repeated_claim_gets_the_same_token(waiting: Sitting) -> None:
    key, code = str(uuid4()), invite(waiting, 1)
    first, again = (claim(waiting, 1, code, key=key) for _ in range(2))
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.data == first.data
    assert again.headers["Idempotency-Replayed"] == "true"
    other = claim(waiting, 1, code, name="Another", key=key)
    assert (other.status_code, code_of(other)) == (422, "idempotency-key-reused")
    assert code_of(claim(waiting, 1, code, key="no-uuid")) == "invalid-idempotency-key"


def test_a_repeated_claim_without_a_kept_answer_gets_its_token(waiting: Sitting, redis_client: redis.Redis) -> None:
    key, code = str(uuid4()), invite(waiting, 1)
    with patch.object(OperationStore, "end_each", side_effect=redis.exceptions.ConnectionError):
        first = claim(waiting, 1, code, key=key)
    for name in redis_client.scan_iter("o:*"):
        redis_client.hset(name, "deadline", 0)
    again = claim(waiting, 1, code, key=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json == first.json
    assert events(waiting, 0) == ["seat_claimed"]


def test_a_resigning_seat_loses_at_once_and_everyone_is_notified(app: Flask) -> None:
    sitting = sit(app, PERSON, {**PERSON, "name": "Zoë"}, PERSON)
    assert sitting.move(0, bid(1)).status_code == 201
    answer = sitting.call(1, "POST", "/resign", json=FORFEIT)
    assert answer.status_code == 200
    assert answer.json is not None
    assert answer.json["status"] == "forfeited"
    assert answer.headers["ETag"] == sitting.tag('"2.en.view"', 1)
    for caller in (0, 1, 2, SPECTATOR):
        now = sitting.look(caller).json
        assert now is not None
        assert now["outcome"] == {"rewards": [0.5, 0.0, 0.5], "headline": "Zoë is out; the session is over."}
        assert now["headline"] == now["outcome"]["headline"]
        assert [seat.get("out") for seat in now["seats"]] == [None, True, None]
        assert (now["actors"], now["version"]) == ([], 3 if caller == 0 else 2)
        assert events(sitting, caller)[-1] == "seat_resigned"
        history = sitting.look(caller, "/history").json
        assert history is not None
        assert (history["complete"], history["status"]) == (True, "forfeited")
    assert code_of(sitting.move(0, bid(1))) == "session-over"
    assert code_of(sitting.call(0, "POST", "/resign")) == "session-over"


def test_a_repeated_resignation_is_done_once(app: Flask, redis_client: redis.Redis) -> None:
    sitting = sit(app)
    named = {"Idempotency-Key": "enough"}
    with patch.object(OperationStore, "end_each", side_effect=redis.exceptions.ConnectionError):
        first = sitting.call(0, "POST", "/resign", headers=named, json=FORFEIT)
    for name in redis_client.scan_iter("o:*"):
        redis_client.hset(name, "deadline", 0)
    answers = [first, *(sitting.call(0, "POST", "/resign", headers=named, json={"then": "bot"}) for _ in range(2))]
    assert [answer.status_code for answer in answers] == [200, 422, 422]
    again = [sitting.call(0, "POST", "/resign", headers=named, json=FORFEIT) for _ in range(2)]
    assert [answer.json for answer in again] == [first.json] * 2
    assert again[1].headers["Idempotency-Replayed"] == "true"
    assert events(sitting, 1).count("seat_resigned") == 1


def test_a_leaving_player_hands_the_seat_to_a_bot_and_may_return(app: Flask) -> None:
    sitting = sit(app, PERSON, {**PERSON, "name": "Zoë"}, PERSON)
    named = {"Idempotency-Key": "goodbye"}
    answers = [sitting.call(1, "POST", "/resign", headers=named) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[1].headers["Idempotency-Replayed"] == "true"
    left: Any = answers[0].json
    assert (left["status"], left["you"], left["actors"]) == ("running", {"seat": 1}, [0, 1, 2])
    assert left["seats"][1] == {"seat": 1, "kind": "human", "name": "Zoë", "bot": {"level": "medium"}}
    for caller in (0, 1, 2, SPECTATOR):
        assert events(sitting, caller) == ["seat_left"]
    assert sitting.look(0, "/history").json["lines"][1]["events"][0]["text"] == (  # type: ignore[index]
        "Zoë has left; a bot (medium) plays on."
    )
    assert sitting.call(1, "POST", "/resign", json={"bot": {"level": "random"}}).json == left
    assert sitting.move(1, bid(1)).status_code == 201
    assert events(sitting, 1)[:2] == ["seat_left", "seat_taken_back"]
    assert sitting.call(1, "POST", "/resign", json=FORFEIT).json["status"] == "forfeited"  # type: ignore[index]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [({"then": "burn"}, "/then"), ({"then": "forfeit", "bot": {"level": "easy"}}, "/bot"), ({"now": True}, "/now")],
)
def test_a_resignation_says_clearly_what_is_to_become_of_the_seat(app: Flask, body: Any, pointer: str) -> None:
    sitting = sit(app)
    answer = sitting.call(0, "POST", "/resign", json=body)
    assert (answer.status_code, code_of(answer)) == (422, "invalid-body")
    assert answer.json["errors"][0]["pointer"] == pointer  # type: ignore[index]
    assert events(sitting, 0) == []


def test_a_session_tells_how_long_its_bots_wait_and_a_branch_keeps_it(app: Flask) -> None:
    seats = [PERSON, {"kind": "bot", "bot": {"level": "random"}}]
    made = app.test_client().post(SESSIONS, json={"game": "pebbles", "seats": seats, "seed": "a", "bot_ms": 2500})
    body: Any = made.json
    sitting = Sitting(app, body)
    assert (made.status_code, body["bot_ms"]) == (201, 2500)
    assert sitting.look(0).json["bot_ms"] == 2500  # type: ignore[index]
    branch: Any = sitting.call(0, "POST", "/branches", json={}).json
    assert branch["session"]["bot_ms"] == 2500
    assert "bot_ms" not in sit(app).look(0).json  # type: ignore[operator]
    beyond = {"game": "pebbles", "seats": seats, "bot_ms": 60_001}
    assert code_of(app.test_client().post(SESSIONS, json=beyond)) == "invalid-body"


def test_only_a_seat_resigns_and_only_once_the_session_has_begun(waiting: Sitting) -> None:
    refused = [waiting.call(caller, "POST", "/resign") for caller in (None, "owner", 0)]
    assert [(answer.status_code, code_of(answer)) for answer in refused] == [
        (401, "unauthorized"),
        (403, "forbidden"),
        (409, "session-waiting"),
    ]


def test_a_seat_that_nobody_has_taken_over_stays_as_it_is_when_it_is_reclaimed(app: Flask) -> None:
    sitting = sit(app)
    answer = sitting.call(0, "POST", "/seats/0/reclaim")
    assert (answer.status_code, answer.json["version"]) == (200, 1)  # type: ignore[index]
    others = [sitting.call(caller, "POST", "/seats/0/reclaim") for caller in (1, "owner", None)]
    assert [answer.status_code for answer in others] == [403, 403, 401]
    sitting.call("owner", "DELETE")
    assert code_of(sitting.call(0, "POST", "/seats/0/reclaim")) == "session-over"


def test_standing_answers_are_listed_and_put_in_place_of_those_there_were(app: Flask) -> None:
    sitting = sit(app)
    offered = [{"name": "bid_nothing", "label": "Bid nothing"}, {"name": "take_one", "label": "Take one pebble"}]
    assert sitting.look(0, "/standing-answers").json == {"answers": [], "offered": offered}
    for answers in (["take_one"], ["take_one", "bid_nothing", "take_one"], []):
        put = sitting.call(0, "PUT", "/standing-answers", json={"answers": answers})
        kept = list(dict.fromkeys(answers))
        assert (put.status_code, put.json["answers"]) == (200, kept)  # type: ignore[index]
        assert sitting.look(0, "/standing-answers").json == put.json
        assert sitting.look(1, "/standing-answers").json["answers"] == []  # type: ignore[index]
    german = sitting.look(0, "/standing-answers", Accept_Language="de").json
    assert german["offered"][0]["label"] == "Nichts bieten"  # type: ignore[index]


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({"answers": ["never"]}, ["/answers/0"]),
        ({"answers": ["take_one", "never", "ever"]}, ["/answers/1", "/answers/2"]),
        ({"answers": "take_one"}, ["/answers"]),
        ({"answers": [1]}, ["/answers/0"]),
        ({}, ["/answers"]),
    ],
)
def test_an_unknown_answer_is_refused_with_its_place(app: Flask, body: dict[str, Any], pointers: list[str]) -> None:
    sitting = sit(app)
    answer = sitting.call(0, "PUT", "/standing-answers", json=body)
    assert (answer.status_code, code_of(answer)) == (422, "invalid-body")
    assert [error["pointer"] for error in answer.json["errors"]] == pointers  # type: ignore[index]


def test_standing_answers_belong_to_seats_of_a_session_that_is_not_over(app: Flask) -> None:
    sitting = sit(app)
    for method in ("GET", "PUT"):
        sent = [sitting.call(caller, method, "/standing-answers", json={"answers": []}) for caller in (None, "owner")]
        assert [answer.status_code for answer in sent] == [401, 403]
    sitting.call("owner", "DELETE")
    late = sitting.call(0, "PUT", "/standing-answers", json={"answers": ["take_one"]})
    assert (late.status_code, code_of(late)) == (409, "session-over")


@pytest.mark.parametrize(
    ("clock", "pointer"),
    [
        ({"move_ms": 999, "policy": "random"}, "/clock/move_ms"),
        ({"move_ms": 604_800_001, "policy": "random"}, "/clock/move_ms"),
        ({"policy": "random"}, "/clock/move_ms"),
        ({"move_ms": 60_000}, "/clock/policy"),
        ({"move_ms": 60_000, "policy": "wait"}, "/clock/policy"),
        ({"move_ms": 60_000, "policy": "random", "bot": {"level": "easy"}}, "/clock/bot"),
        ({"move_ms": 60_000, "policy": "bot", "bot": {"level": "god"}}, "/clock/bot/level"),
        ({"move_ms": 60_000, "policy": "bot", "speed": 1}, "/clock/speed"),
    ],
)
def test_a_clock_that_cannot_be_is_refused_with_its_place(app: Flask, clock: dict[str, Any], pointer: str) -> None:
    answer = app.test_client().post(SESSIONS, json={"game": "pebbles", "seats": [*PEOPLE], "clock": clock})
    assert (answer.status_code, code_of(answer)) == (422, "invalid-body")
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]  # type: ignore[index]


@pytest.mark.parametrize(
    ("clock", "shown"),
    [
        ({"move_ms": 60_000, "policy": "bot"}, {"move_ms": 60_000, "policy": "bot", "bot": {"level": "medium"}}),
        ({"move_ms": 1_000, "policy": "forfeit"}, {"move_ms": 1_000, "policy": "forfeit"}),
    ],
)
def test_a_clock_is_told_at_creation_and_in_every_view(app: Flask, clock: Any, shown: Any) -> None:
    sitting = sit(app, clock=clock)
    latency_ms = clock["move_ms"] // 10 if clock["move_ms"] < 10_000 else 1_000
    shown = {**shown, "latency": {"move_ms": latency_ms, "total_ms": 30 * latency_ms}}
    assert sitting.made["clock"] == shown
    for caller in (0, 1, SPECTATOR):
        assert sitting.look(caller).json["clock"] == shown  # type: ignore[index]


def test_deadlines_are_absolute_also_for_seats_that_answered(app: Flask) -> None:
    sitting = sit(app, clock={"move_ms": 60_000, "policy": "random"})
    before = sitting.look(1).json["deadlines"]  # type: ignore[index]
    assert [deadline["seat"] for deadline in before] == [0, 1]
    since = load(app.extensions["context"].sessions, sitting.made["id"]).opened[0]
    at = msgspec.convert(before[0]["at"], type=datetime)
    assert round(at.timestamp() * 1000) == (since + 60_000) // COARSE_MS * COARSE_MS
    assert sitting.move(0, bid(2)).status_code == 201
    for caller in (0, 1, SPECTATOR):
        assert sitting.look(caller).json["deadlines"] == before  # type: ignore[index]
    assert sitting.move(1, bid(0)).status_code == 201
    after = sitting.look(1).json["deadlines"]  # type: ignore[index]
    assert [deadline["seat"] for deadline in after] == [0]
    assert sitting.move(0, take(1)).status_code == 201
    assert [deadline["seat"] for deadline in sitting.look(0).json["deadlines"]] == [1]  # type: ignore[index]


def test_a_session_without_a_clock_has_no_deadlines(app: Flask) -> None:
    now = sit(app).look(0).json
    assert now is not None
    assert not {"clock", "deadlines"} & now.keys()


@pytest.mark.parametrize("part", ["/resign", "/moves"])
def test_refusals_before_the_start_name_the_possible_operation(waiting: Sitting, part: str) -> None:
    body = {"then": "forfeit"} if part == "/resign" else {"move": bid(1)}
    for language in ("de", "en", "it"):
        refused = waiting.call(0, "POST", part, json=body, headers={"If-Match": "*", "Accept-Language": language})
        assert (refused.status_code, code_of(refused)) == (409, "session-waiting")
        assert "`assign` (POST …/seats/0/assign)" in refused.json["detail"]  # type: ignore[index]
    assert waiting.call("owner", "POST", "/seats/0/assign", json={"kind": "open"}).status_code == 201
