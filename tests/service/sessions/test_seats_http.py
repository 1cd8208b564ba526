"""Seats over HTTP: open ones are claimed once, by an invite; one's own is given up, taken back, left with answers."""

from typing import Any

import pytest
import redis
from flask import Flask

from service.sessions.reading import load
from service.store import keys
from tests.service.kit import BOT, OPEN, PERSON, SPECTATOR, Sitting, bid, code_of, sit
from tests.service.sessions.test_sessions_http import DAILY, HOURS

FORFEIT = {"then": "forfeit"}


@pytest.fixture
def waiting(app: Flask) -> Sitting:
    return sit(app, PERSON, {**OPEN, "name": "Somebody"}, OPEN)


def invite(sitting: Sitting, seat: int) -> str:
    return str(sitting.made["seats"][seat]["invite"])


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
    now: Any = waiting.look(0).json
    assert now["headline"] == "Seats are still open."
    assert "invite" not in str(now)
    stored = repr([redis_client.hgetall(keys.session(made["id"])), redis_client.xrange(keys.log(made["id"]))])
    assert not [code for code in codes if code in stored]


def test_a_code_gets_the_seat_and_the_last_one_starts_the_session(waiting: Sitting) -> None:
    first = waiting.claim(2, name="Zoë")
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
    assert waiting.look(2).json["you"] == {"seat": 2}  # type: ignore[index]
    second = waiting.claim(1)
    assert (second.status_code, second.json["status"], second.json["name"]) == (201, "running", "Somebody")  # type: ignore[index]
    now = waiting.look(SPECTATOR).json
    assert now is not None
    assert (now["status"], now["version"], now["actors"]) == ("running", 3, [0, 1, 2])
    assert events(waiting, SPECTATOR) == ["seat_claimed", "seat_claimed", "session_started"]
    assert waiting.look(0, "/history").json["lines"][1]["events"][0]["text"] == "Zoë has taken a seat."  # type: ignore[index]
    assert waiting.move(2, bid(1)).status_code == 201


def test_bots_and_clocks_begin_with_the_session(app: Flask) -> None:
    bot = {"kind": "bot", "bot": {"level": "random"}}
    sitting = sit(app, PERSON, OPEN, bot, clock={"move_ms": 60_000, "policy": "random"})
    services = app.extensions["context"].sessions
    store, name = services.store, sitting.made["id"]
    assert load(services, name).opened == (0, 0, 0)
    assert store.client.zscore(keys.due_of(name), name) is None
    assert sitting.look(0).json["deadlines"] == []  # type: ignore[index]
    assert sitting.claim(1).status_code == 201
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
    assert waiting.claim(1).status_code == 201
    again = waiting.claim(1)
    assert (again.status_code, code_of(again)) == (409, "seat-taken")
    assert code_of(waiting.claim(1, code="guess")) == "wrong-invite"
    assert waiting.call("owner", "DELETE").status_code == 204
    late = waiting.claim(2)
    assert (late.status_code, code_of(late)) == (409, "session-over")


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
    sitting = sit(app, PERSON, BOT, bot_ms=2500)
    assert sitting.made["bot_ms"] == sitting.look(0).json["bot_ms"] == 2500  # type: ignore[index]
    branch: Any = sitting.call(0, "POST", "/branches", json={}).json
    assert branch["session"]["bot_ms"] == 2500
    assert "bot_ms" not in sit(app).look(0).json  # type: ignore[operator]


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
    ("clock", "shown"),
    [
        ({"move_ms": 60_000, "policy": "bot"}, {"bot": {"level": "medium"}}),
        ({"move_ms": 1_000, "policy": "forfeit"}, {}),
        ({"move_ms": 60_000, "bank_ms": 5_000, "increment_ms": 3_000, "policy": "random"}, {"banks": [5_000, 5_000]}),
        ({**DAILY, "hours": HOURS}, {}),
    ],
)
def test_a_clock_is_told_at_creation_and_in_every_view(app: Flask, clock: Any, shown: Any) -> None:
    sitting = sit(app, clock=clock)
    latency_ms = clock["move_ms"] // 10 if clock["move_ms"] < 10_000 else 1_000
    shown = {**clock, **shown, "latency": {"move_ms": latency_ms, "total_ms": 30 * latency_ms}}
    assert sitting.made["clock"] == shown
    for caller in (0, 1, SPECTATOR):
        assert sitting.look(caller).json["clock"] == shown  # type: ignore[index]


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
