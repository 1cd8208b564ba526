"""Effects of an undo on standing answers and warnings, and the prospects of a request."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask

import service.sessions.undo
from service.sessions.reading import load
from service.sessions.standing import leave_answers
from service.sessions.turns import decision, warnings
from service.store.sessions import Clock, Seat
from tests.service.kit import BOT, NOON, PEOPLE, Room, Sitting, bid, sit, take
from tests.service.sessions.test_clocks import PERSON, at, entries, move
from tests.service.sessions.test_undo import ask, begin, consent, open_session, refuse, take_back
from tests.toy.table import BID, TAKE


def offered(sitting: Sitting, seat: int) -> dict[str, Any]:
    """Return the offer that a seat sees."""
    shown: dict[str, Any] = sitting.standing(seat)["undo_offer"]
    assert shown["possible"] == ("obstacle" not in shown)
    return shown


def test_the_state_shows_beforehand_what_a_request_would_get(app: Flask) -> None:
    sitting = begin(app, *PEOPLE, PEOPLE[0])
    assert offered(sitting, 0) == {
        "possible": False,
        "obstacle": "nothing-to-undo",
        "consent_of": [1, 2],
        "left": 20,
    }
    assert "undo_offer" not in sitting.standing(None)
    sitting.move(0, bid(2))
    assert offered(sitting, 0) == {"possible": True, "consent_of": [1, 2], "left": 20}
    assert offered(sitting, 1)["obstacle"] == "nothing-to-undo"
    ask(sitting, 0)
    assert {offered(sitting, seat)["obstacle"] for seat in range(3)} == {"undo-pending"}
    for seat in (1, 2):
        consent(sitting, seat)
    assert (offered(sitting, 0)["obstacle"], offered(sitting, 0)["left"]) == ("nothing-to-undo", 19)


def test_a_refused_decision_is_offered_no_more_but_the_next_one_is(app: Flask) -> None:
    sitting, seat = open_session(app)
    sitting.move(seat, take(1))
    ask(sitting, seat)
    refuse(sitting, 1)
    assert offered(sitting, seat)["obstacle"] == "undo-denied"
    assert ask(sitting, seat).json["code"] == "undo-denied"  # type: ignore[index]
    sitting.move(1, take(1))
    sitting.move(seat, take(1))
    assert offered(sitting, seat)["possible"]
    for request in (ask(sitting, seat), consent(sitting, 1)):
        assert request.status_code == 200
    assert offered(sitting, seat)["obstacle"] == "undo-denied", "its last decision is the refused one again"
    assert ask(sitting, seat).json["code"] == "undo-denied"  # type: ignore[index]
    assert offered(sitting, 1)["possible"]


def test_a_refusal_outlives_the_undo_of_another_seats_earlier_decision(app: Flask) -> None:
    sitting, seat = open_session(app)
    sitting.move(seat, take(1))
    sitting.move(1, take(1))
    ask(sitting, seat)
    refuse(sitting, 1)
    for request in (ask(sitting, 1), consent(sitting, seat)):
        assert request.status_code == 200
    assert offered(sitting, seat)["obstacle"] == "undo-denied"
    assert ask(sitting, seat).json["code"] == "undo-denied"  # type: ignore[index]


def test_at_the_limit_nothing_is_offered(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service.sessions.undo, "MAX_UNDOS", 1)
    sitting = begin(app, PEOPLE[0], BOT)
    sitting.move(0, bid(1))
    assert offered(sitting, 0) == {"possible": True, "consent_of": [], "left": 1}
    ask(sitting, 0)
    sitting.move(0, bid(1))
    assert offered(sitting, 0) == {"possible": False, "obstacle": "undo-denied", "consent_of": [], "left": 0}
    assert ask(sitting, 0).json["code"] == "undo-denied"  # type: ignore[index]


def test_without_undo_and_after_the_end_nothing_is_offered(app: Flask) -> None:
    sitting, _ = open_session(app)
    sitting.play_out()
    assert "undo_offer" not in sitting.standing(0)
    assert "undo_offer" not in sit(app).standing(0)


def test_a_session_of_an_earlier_service_offers_nothing_and_takes_back_all_the_same(app: Flask) -> None:
    sitting, seat = open_session(app)
    client = app.extensions["context"].sessions.store.client
    (name,) = (key for key in client.scan_iter("{s:*}:" + sitting.made["id"]))
    assert client.hdel(name, "decided") == 1
    sitting.move(seat, take(1))
    assert client.hget(name, "decided") is None
    assert "undo_offer" not in sitting.standing(seat)
    assert ask(sitting, seat).status_code == consent(sitting, 1).status_code == 200


def test_a_decision_that_a_standing_answer_made_is_not_made_again_at_once(room: Room) -> None:
    name = room.begin(PERSON, PERSON, undo="consent").session.id
    leave_answers(room.services, load(room.services, name), 1, ["take_one", "bid_nothing"])
    at(room, NOON + 4_000)
    assert entries(room, name) == [(1, BID)]
    room.clock.now += 60_000
    take_back(room, name, 1, 0)
    assert room.stored(name).standing == ((), ("take_one",)), "the answer that fits the decision is gone"
    at(room, room.clock.now + 60_000)
    assert len(entries(room, name)) == 1


def test_other_standing_answers_wait_as_long_as_after_any_opening(room: Room) -> None:
    name = room.begin(PERSON, PERSON, undo="consent").session.id
    leave_answers(room.services, load(room.services, name), 1, ["bid_nothing"])
    move(room, name, 0, BID + 1)
    at(room, NOON + 60_000)
    assert len(entries(room, name)) == 2
    take_back(room, name, 0, 1)
    assert room.clock.now + 500 <= (room.due.time(name) or 0) <= room.clock.now + 4_000
    at(room, room.clock.now + 4_000)
    assert entries(room, name)[2:] == [(1, BID)]


def test_a_warning_of_the_restored_deadline_is_sent_once(room: Room) -> None:
    clock = Clock(move_ms=400_000, policy="random")
    name = room.begin(PERSON, PERSON, undo="consent", clock=clock, key="back").session.id
    move(room, name, 0, BID + 2)
    move(room, name, 1, BID)

    def warned(seat: int) -> list[int]:
        session = load(room.services, name)
        texts = warnings(session, [seat], room.clock.now)
        assert all(decision(session, seat) in text for text in texts)
        return [int(text.partition("@")[0]) - room.clock.now for text in texts]

    assert warned(0) == [300_000]
    room.clock.now += 100_000
    move(room, name, 0, TAKE + 1)
    room.clock.now += 7_000
    take_back(room, name, 0, 1)
    assert warned(0) == [200_000], "the time that was left then"
    room.clock.now += 250_000
    move(room, name, 0, TAKE + 1)
    take_back(room, name, 0, 1)
    assert warned(0) == [], "it was sent before"


def test_stand_ins_consent_to_nothing(app: Flask) -> None:
    sitting = begin(app, *PEOPLE, PEOPLE[0])
    sitting.call(2, "POST", "/resign")
    sitting.move(0, bid(1))
    assert offered(sitting, 0)["consent_of"] == [1]


def test_offers_follow_from_the_log(room: Room) -> None:
    name = room.begin(PERSON, PERSON, Seat(kind="bot", level="random"), undo="consent").session.id
    move(room, name, 1, BID + 1)
    assert room.stored(name).decided == (0, 2, 0)
    move(room, name, 0, BID + 1)
    assert room.stored(name).decided == (3, 2, 0)
    take_back(room, name, 1, 0)
    assert room.stored(name).decided == (0, 0, 0)
