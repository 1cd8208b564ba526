"""The others continue without an absent seat: after a time, or by vote of all other persons present."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import pytest
from flask import Flask
from msgspec import UNSET

from games.core.table import SPECTATOR
from service.sessions import pauses
from service.sessions.absence import pending_vote, vote
from service.sessions.errors import AbsenceOff, NoSuchSeat, NotAbsent
from service.sessions.reading import load
from service.sessions.resign import losers
from service.sessions.seating import take_back
from service.sessions.session_events import AbsenceVoted, SeatAbsent, SeatTakenOver, SeatTimedOut
from service.settings import HOUR_MS
from service.store.agreements import THEN_ABORT, THEN_BOT, THEN_FORFEIT, Absence, Pauses
from service.store.clock import rfc3339
from service.store.connections import Register
from service.store.sessions import ABORTED, FORFEITED, RUNNING, Seat, Session
from service.store.sessions import Clock as Clockwork
from service.wire.agreements import absence_vote_of
from tests.service.kit import NOON, Clock, Room, code_of, freeze, sit
from tests.service.sessions.test_clocks import BOT, PERSON, at, entries, logged_events, move
from tests.service.sessions.test_pauses import post
from tests.toy.table import BID

AFTER_MS = 24 * HOUR_MS
VOTE_MS = HOUR_MS
BOT_PLAYS = Absence(then=THEN_BOT, level="random", after_ms=AFTER_MS, vote_after_ms=VOTE_MS)


def begin(room: Room, *seats: Seat, absence: Absence | None = BOT_PLAYS, **terms: Any) -> str:
    """Begin a session of three in which seats 0 and 1 have bid, and seat 2 is awaited."""
    name = room.begin(*(seats or (PERSON, PERSON, PERSON)), absence=absence, **terms).session.id
    move(room, name, 0, BID + 2)
    move(room, name, 1, BID + 1)
    return name


def voted(room: Room, name: str, seat: int, absent: int = 2, present: Collection[int] = (0, 1)) -> Session:
    return vote(room.services, load(room.services, name), seat, absent, present, "")[0]


def test_after_the_time_a_bot_takes_the_seat_and_the_person_takes_it_back(room: Room) -> None:
    name = begin(room)
    at(room, NOON + AFTER_MS - 1)
    assert room.stored(name).seats[2].level is None
    at(room, NOON + AFTER_MS)
    assert room.stored(name).seats[2].level == "random"
    for viewer in (0, 1, 2, SPECTATOR):
        assert logged_events(room, name, viewer)[-2:] == [SeatAbsent(seat=2), SeatTakenOver(seat=2, level="random")]
    back = take_back(room.services, load(room.services, name), 2)
    assert back.seats[2].level is None
    assert room.due.time(name) == NOON + 2 * AFTER_MS


@pytest.mark.parametrize("then", [THEN_FORFEIT, THEN_ABORT])
def test_after_the_time_the_seat_forfeits_or_the_table_ends(room: Room, then: str) -> None:
    name = begin(room, absence=Absence(then=then, after_ms=AFTER_MS))
    at(room, NOON + AFTER_MS)
    session = room.stored(name)
    if then == THEN_FORFEIT:
        assert (session.status, losers(session)) == (FORFEITED, [2])
        assert logged_events(room, name, 0)[-2:] == [SeatAbsent(seat=2), SeatTimedOut(seat=2)]
    else:
        assert (session.status, losers(session)) == (ABORTED, [])
        assert logged_events(room, name, 0)[-1] == SeatAbsent(seat=2)
    assert room.due.time(name) is None


def test_an_earlier_clock_acts_first(room: Room) -> None:
    name = begin(room, clock=Clockwork(move_ms=60_000, policy="random"))
    at(room, NOON + 60_000)
    assert len(entries(room, name)) == 3
    name = begin(room, clock=Clockwork(move_ms=2 * AFTER_MS, policy="random"))
    at(room, room.clock.now + AFTER_MS)
    assert room.stored(name).seats[2].level == "random"


def test_a_pause_or_a_vacation_stops_the_wait(room: Room) -> None:
    name = begin(room, pauses=Pauses(days_per_seat=3))
    pauses.take_vacation(room.services, load(room.services, name), 2, 3, "")
    at(room, NOON + AFTER_MS)
    assert room.stored(name).seats[2].level is None
    with pytest.raises(NotAbsent):
        voted(room, name, 0)
    at(room, NOON + 4 * AFTER_MS)
    room.look()
    assert room.stored(name).seats[2].level == "random"


@pytest.mark.parametrize("then", [THEN_BOT, THEN_FORFEIT, THEN_ABORT])
def test_all_others_present_vote_and_the_scheduler_acts_at_once(room: Room, then: str) -> None:
    level = "random" if then == THEN_BOT else None
    name = begin(room, absence=Absence(then=then, level=level, vote_after_ms=VOTE_MS))
    room.clock.now += VOTE_MS
    session = voted(room, name, 0)
    assert (session.agreements.vote, pending_vote(session)) == (pending_vote(session), session.agreements.vote)
    room.look()
    assert (load(room.services, name).status, load(room.services, name).seats[2].level) == (RUNNING, None)
    voted(room, name, 1)
    assert logged_events(room, name, 2)[-1] == AbsenceVoted(seat=1, absent=2)
    room.look()
    session = room.stored(name)
    assert (session.status, session.seats[2].level) == {
        THEN_BOT: (RUNNING, "random"),
        THEN_FORFEIT: (FORFEITED, None),
        THEN_ABORT: (ABORTED, None),
    }[then]


def test_only_those_who_are_present_must_vote(room: Room) -> None:
    name = begin(room)
    room.clock.now += VOTE_MS
    assert voted(room, name, 0, present=()).agreements.vote.passed  # type: ignore[union-attr]
    room.look()
    assert room.stored(name).seats[2].level == "random"


def test_a_vote_is_counted_again_when_somebody_has_left(room: Room) -> None:
    name = begin(room)
    room.clock.now += VOTE_MS
    revision = voted(room, name, 0).revision
    assert voted(room, name, 0).revision == revision
    room.clock.now += 60_000
    assert voted(room, name, 0, present=(0,)).agreements.vote.passed  # type: ignore[union-attr]


def test_votes_lapse_when_the_seat_decides(room: Room) -> None:
    name = begin(room, PERSON, PERSON, PERSON)
    room.clock.now += VOTE_MS
    voted(room, name, 0)
    move(room, name, 2, BID)
    session = room.stored(name)
    assert absence_vote_of(session, [0, 1]) is UNSET
    with pytest.raises(NotAbsent):
        voted(room, name, 1)
    room.clock.now += VOTE_MS
    voted(room, name, 1, absent=0, present=(1, 2))
    found = pending_vote(load(room.services, name))
    assert found is not None
    assert (found.seat, found.voters, found.passed) == (0, (1,), False)


def test_a_passed_vote_does_not_hit_who_decides_before_the_scheduler(room: Room) -> None:
    name = begin(room)
    room.clock.now += VOTE_MS
    for seat in (0, 1):
        voted(room, name, seat)
    move(room, name, 2, BID)
    room.look()
    assert [seat.level for seat in room.stored(name).seats] == [None] * 3


WRONG = {
    "too early": (0, 2, (0, 1), -1),
    "connected": (0, 2, (0, 1, 2), 0),
    "oneself": (2, 2, (0, 1), 0),
    "has answered": (0, 1, (), 0),
}


@pytest.mark.parametrize("name", WRONG)
def test_nobody_else_is_absent(room: Room, name: str) -> None:
    seat, absent, present, early = WRONG[name]
    session = begin(room)
    room.clock.now += VOTE_MS + early
    with pytest.raises(NotAbsent):
        voted(room, session, seat, absent, present)


def test_bots_and_stand_ins_are_not_absent(room: Room) -> None:
    name = room.begin(PERSON, BOT, absence=BOT_PLAYS).session.id
    room.clock.now += VOTE_MS
    with pytest.raises(NotAbsent):
        voted(room, name, 0, absent=1)
    with pytest.raises(NoSuchSeat):
        voted(room, name, 0, absent=2)


@pytest.mark.parametrize("absence", [None, Absence(then=THEN_ABORT, after_ms=AFTER_MS)])
def test_votes_are_off_unless_the_founder_allows_them(room: Room, absence: Absence | None) -> None:
    name = begin(room, absence=absence)
    room.clock.now += VOTE_MS
    with pytest.raises(AbsenceOff):
        voted(room, name, 0)


def test_over_http(app: Flask) -> None:
    clock = Clock()
    with freeze(app, clock):
        terms = {"then": "bot", "bot": {"level": "random"}, "after_ms": AFTER_MS, "vote_after_ms": VOTE_MS}
        sitting = sit(app, absence=terms)
        assert sitting.made["absence"] == terms == sitting.standing(1)["absence"]
        shown = [
            {"seat": seat, "vote_from": rfc3339(NOON + VOTE_MS), "at": rfc3339(NOON + AFTER_MS)} for seat in (0, 1)
        ]
        assert sitting.standing(None)["absences"] == shown
        clock.now += VOTE_MS - 1
        early = post(sitting, 0, "/seats/1/absence")
        assert (early.status_code, code_of(early)) == (409, "not-absent")
        clock.now += 1
        here = Register(app.extensions["context"].sessions.store.client)
        here.look(sitting.made["id"], clock.now, ["1/stream"])
        assert code_of(post(sitting, 0, "/seats/1/absence")) == "not-absent", "it is connected"
        here.leave(sitting.made["id"], ["1/stream"])
        done: Any = post(sitting, 0, "/seats/1/absence", Idempotency_Key="vote")
        assert (done.status_code, done.json["absence_vote"]) == (200, {"seat": 1, "voters": [0]})
        again = post(sitting, 0, "/seats/1/absence", Idempotency_Key="vote")
        assert again.headers["Idempotency-Replayed"] == "true"
        assert code_of(post(sitting, 0, "/seats/7/absence")) == "not-found"


@pytest.mark.parametrize(
    "wrong",
    [{"then": "bot"}, {"then": "abort", "after_ms": 1_000, "bot": {"level": "random"}}, {"after_ms": 1_000}],
)
def test_terms_that_make_no_sense_are_refused(app: Flask, wrong: dict[str, Any]) -> None:
    body = {"game": "pebbles", "seats": [{"kind": "human"}] * 2, "absence": wrong}
    answer = app.test_client().post("/v1/sessions", json=body)
    assert (answer.status_code, code_of(answer)) == (422, "invalid-body")
