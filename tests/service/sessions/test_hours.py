"""Clocks that run between two hours of the day in a time zone."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest

from service.sessions.clocks import earlier, elapsed, later, time_out_at
from service.sessions.mending import replayed
from service.sessions.reading import load
from service.sessions.turns import warnings
from service.settings import DAY_MS, HOUR_MS
from service.store.agreements import Hours, Rest
from service.store.clock import Calendar
from service.store.sessions import Clock, Session
from tests.service.kit import Room
from tests.service.sessions.test_clocks import PERSON, at, entries, move
from tests.service.sessions.test_undo import take_back
from tests.toy.table import BID, TAKE

BERLIN = "Europe/Berlin"
DAY_HOURS = Hours(start=8 * 60, end=22 * 60, time_zone=BERLIN)
NIGHT = Hours(start=22 * 60, end=6 * 60, time_zone=BERLIN)


def moment(text: str, zone: str = BERLIN) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).timestamp() * 1000)


def session_with(room: Room, hours: Hours, **clock: Any) -> Session:
    made = Clock(**{"move_ms": HOUR_MS, "policy": "random", "hours": hours, **clock})
    return room.begin(PERSON, PERSON, clock=made).session


@pytest.mark.parametrize(
    ("hours", "start", "duration", "end"),
    [
        (DAY_HOURS, "2027-01-11T20:30", 2 * HOUR_MS, "2027-01-12T08:30"),
        (DAY_HOURS, "2027-01-11T20:00", 2 * HOUR_MS, "2027-01-11T22:00"),
        (DAY_HOURS, "2027-01-11T23:00", HOUR_MS, "2027-01-12T09:00"),
        (DAY_HOURS, "2027-01-11T08:00", 14 * HOUR_MS + 1, "2027-01-12T08:00:00.001"),
        (DAY_HOURS, "2027-03-27T21:00", 2 * HOUR_MS, "2027-03-28T09:00"),
        (DAY_HOURS, "2027-10-30T21:00", 2 * HOUR_MS, "2027-10-31T09:00"),
        (NIGHT, "2027-03-28T00:00", 6 * HOUR_MS, "2027-03-28T23:00"),
        (NIGHT, "2027-10-31T00:00", 7 * HOUR_MS, "2027-10-31T06:00"),
        (NIGHT, "2027-01-11T12:00", 8 * HOUR_MS, "2027-01-12T06:00"),
        (Hours(start=150, end=151, time_zone=BERLIN), "2027-03-28T00:00", 60_000, "2027-03-29T02:31"),
        (Hours(start=0, end=0, time_zone=BERLIN), "2027-03-28T00:00", 23 * HOUR_MS, "2027-03-29T00:00"),
        (Hours(start=0, end=0, time_zone=BERLIN), "2027-10-31T00:00", 25 * HOUR_MS, "2027-11-01T00:00"),
    ],
)
def test_a_clock_runs_within_its_hours_also_when_clocks_are_set(
    room: Room, hours: Hours, start: str, duration: int, end: str
) -> None:
    session = session_with(room, hours)
    assert later(session, 0, moment(start), duration) == moment(end)
    assert elapsed(session, 0, moment(start), moment(end)) == duration
    begun = earlier(session, 0, moment(end), duration)
    assert elapsed(session, 0, begun, moment(end)) == duration
    assert begun >= moment(start)


@pytest.mark.parametrize("zone", [BERLIN, "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"])
def test_elapsed_time_is_additive_over_a_whole_year(room: Room, zone: str) -> None:
    session = session_with(room, Hours(start=1 * 60 + 45, end=3 * 60 + 15, time_zone=zone))
    start = moment("2027-01-01T00:00", "UTC")
    whole = elapsed(session, 0, start, start + 365 * DAY_MS)
    parts = [
        elapsed(session, 0, start + step, start + step + 7 * HOUR_MS) for step in range(0, 365 * DAY_MS, 7 * HOUR_MS)
    ]
    assert abs(whole - 365 * 90 * 60_000) <= HOUR_MS
    assert 0 <= sum(parts) - whole <= 7 * HOUR_MS
    for days in (1, 87, 88, 300):
        assert elapsed(session, 0, start, later(session, 0, start, days * HOUR_MS)) == days * HOUR_MS


def test_pauses_and_hours_both_stop_a_clock(room: Room) -> None:
    session = session_with(room, DAY_HOURS)
    rest = Rest(start=moment("2027-01-11T12:00"), end=moment("2027-01-12T12:00"), by=0, seat=0)
    agreements = msgspec.structs.replace(session.agreements, rests=(rest,))
    paused = msgspec.structs.replace(session, agreements=agreements)
    assert later(paused, 0, moment("2027-01-11T11:00"), 3 * HOUR_MS) == moment("2027-01-12T14:00")
    assert later(paused, 1, moment("2027-01-11T11:00"), 3 * HOUR_MS) == moment("2027-01-11T14:00")


def test_hours_are_those_that_are_shown_after_a_stop_of_the_service(room: Room) -> None:
    session = session_with(room, DAY_HOURS)
    stop = moment("2027-01-11T12:00")
    stopped = msgspec.structs.replace(session, calendar=Calendar(5 * HOUR_MS, ((stop, 5 * HOUR_MS),)))
    due = later(stopped, 0, moment("2027-01-11T10:00"), 8 * HOUR_MS)
    assert stopped.calendar.shown(due) == moment("2027-01-12T09:00"), "two hours before the stop, five after it"


def test_a_decision_times_out_within_the_hours_and_banks_follow_from_the_log(room: Room) -> None:
    room.clock.now = moment("2027-01-11T21:00")
    clock = Clock(move_ms=HOUR_MS, bank_ms=2 * HOUR_MS, policy="random", hours=DAY_HOURS)
    name = room.begin(PERSON, PERSON, clock=clock, undo="consent").session.id
    move(room, name, 0, BID + 2)
    move(room, name, 1, BID)
    assert room.due.time(name) == moment("2027-01-12T10:00")
    room.clock.now = moment("2027-01-12T09:00")
    move(room, name, 0, TAKE + 1)
    move(room, name, 1, TAKE + 1)
    session = load(room.services, name)
    assert (session.banks, replayed(room.services, session).session.clocks) == ((HOUR_MS, 2 * HOUR_MS), session.clocks)
    at(room, moment("2027-01-12T11:00") - 1)
    assert len(entries(room, name)) == 4
    at(room, moment("2027-01-12T11:00"))
    assert len(entries(room, name)) == 5


def test_an_undo_over_night_restores_the_time_that_was_left(room: Room) -> None:
    room.clock.now = moment("2027-01-11T21:00")
    clock = Clock(move_ms=4 * HOUR_MS, policy="random", hours=DAY_HOURS)
    name = room.begin(PERSON, PERSON, clock=clock, undo="consent").session.id
    for seat, code in ((0, BID + 2), (1, BID)):
        move(room, name, seat, code)
    room.clock.now = moment("2027-01-11T21:30")
    move(room, name, 0, TAKE + 1)
    room.clock.now = moment("2027-01-12T09:00")
    take_back(room, name, 0, 1)
    assert time_out_at(load(room.services, name), 0) == moment("2027-01-12T12:30")


def test_a_warning_comes_when_a_quarter_of_the_running_time_is_left(room: Room) -> None:
    room.clock.now = moment("2027-01-11T20:00")
    clock = Clock(move_ms=4 * HOUR_MS, policy="random", hours=DAY_HOURS)
    name = room.begin(PERSON, PERSON, clock=clock, key="back").session.id
    (text,) = warnings(load(room.services, name), [0], room.clock.now)
    assert int(text.partition("@")[0]) == moment("2027-01-12T09:00")


def test_a_session_outlasts_the_decision_that_it_waits_for(room: Room) -> None:
    hours = Hours(start=8 * 60, end=9 * 60, time_zone=BERLIN)
    name = session_with(room, hours, move_ms=10 * HOUR_MS).id
    client = room.services.store.client
    (key,) = client.scan_iter("{s:*}:" + name)
    move(room, name, 0)
    assert client.pttl(key) > 9 * DAY_MS
