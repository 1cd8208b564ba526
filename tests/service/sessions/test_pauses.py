"""Pauses by consent and vacations stop clocks until a public end."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from games.core.table import SPECTATOR
from service.sessions import pauses
from service.sessions.clocks import time_out_at
from service.sessions.errors import NoPausePending, NoPausesLeft, NotPaused, PausePending, PausesOff, StaleVersion
from service.sessions.reading import load
from service.sessions.session_events import PauseBegun, PauseEnded, VacationBegun, VacationEnded
from service.sessions.turns import decision, warnings
from service.sessions.undo import ask as ask_for_undo
from service.sessions.undo import consent as consent_to_undo
from service.settings import DAY_MS, HOUR_MS
from service.store.agreements import Pauses
from service.store.sessions import Clock, Seat
from tests.service.kit import NOON, Room, Sitting, code_of, sit, take
from tests.service.sessions.test_clocks import PERSON, at, entries, logged_events, move
from tests.service.streams.hearing import NDJSON, chunks, final_state, listen, parsed
from tests.service.streams.hearing import read_stream as streamed
from tests.toy.table import BID, TAKE

MOVE_MS = 60_000
BANK = Clock(move_ms=MOVE_MS, policy="forfeit", bank_ms=30_000)
ALLOWED = Pauses(consent=True, days_per_seat=5)


def begin(room: Room, *seats: Seat, clock: Clock = BANK, allowed: Pauses = ALLOWED, **terms: Any) -> str:
    """Begin a session in which seat 0 is to take pebbles, the bids being in."""
    name = room.begin(*(seats or (PERSON, PERSON)), clock=clock, pauses=allowed, **terms).session.id
    move(room, name, 0, BID + 2)
    move(room, name, 1, BID)
    return name


def paused(room: Room, name: str, duration_ms: int, asker: int = 0, *others: int) -> None:
    pauses.ask(room.services, load(room.services, name), asker, duration_ms, "")
    for other in others:
        session = load(room.services, name)
        pauses.consent(room.services, session, other, session.versions[other], "")


def left(room: Room, name: str, seat: int = 0) -> int:
    return time_out_at(room.stored(name), seat) - room.clock.now


def test_a_pause_that_all_agree_to_moves_the_deadline_and_ends_by_itself(room: Room) -> None:
    name = begin(room)
    room.clock.now += 50_000
    pauses.ask(room.services, load(room.services, name), 0, HOUR_MS, "")
    assert left(room, name) == 40_000, "a request stops nothing"
    session = load(room.services, name)
    pauses.consent(room.services, session, 1, session.versions[1], "")
    assert left(room, name) == 40_000 + HOUR_MS
    assert all(logged_events(room, name, viewer)[-1] == PauseBegun() for viewer in (0, 1, SPECTATOR))
    at(room, room.clock.now + HOUR_MS - 1)
    assert room.stored(name).agreements.running
    at(room, room.clock.now + 1)
    assert not room.stored(name).agreements.running
    assert logged_events(room, name, SPECTATOR)[-1] == PauseEnded()
    assert left(room, name) == 40_000 == room.due.time(name) - room.clock.now  # type: ignore[operator]
    at(room, room.clock.now + 39_999)
    assert load(room.services, name).status == "running"
    at(room, room.clock.now + 1)
    assert load(room.services, name).status == "forfeited"


def test_banks_are_charged_for_running_time_alone(room: Room) -> None:
    name = begin(room)
    room.clock.now += 50_000
    paused(room, name, HOUR_MS, 0, 1)
    room.clock.now += HOUR_MS + 20_000
    move(room, name, 0, TAKE + 1)
    move(room, name, 1, TAKE + 1)
    assert room.stored(name).banks == (20_000, 30_000)


def test_a_move_in_a_pause_opens_a_decision_whose_time_begins_at_its_end(room: Room) -> None:
    name = begin(room)
    paused(room, name, HOUR_MS, 0, 1)
    room.clock.now += 1_000
    move(room, name, 0, TAKE + 1)
    assert left(room, name, 1) == HOUR_MS - 1_000 + 90_000


def test_a_warning_of_the_deadline_moves_with_the_pause(room: Room) -> None:
    clock = Clock(move_ms=400_000, policy="random")
    name = begin(room, clock=clock, key="back")

    def warned() -> list[tuple[int, bool]]:
        session = load(room.services, name)
        texts = warnings(session, [0], room.clock.now)
        return [(int(text.partition("@")[0]) - NOON, decision(session, 0) in text) for text in texts]

    assert warned() == [(300_000, True)]
    before = decision(load(room.services, name), 0)
    paused(room, name, HOUR_MS, 0, 1)
    assert warned() == [(300_000 + HOUR_MS, True)]
    assert decision(load(room.services, name), 0) != before, "the earlier warning is stale"
    room.clock.now += 600_000
    pauses.end(room.services, load(room.services, name), 0, "")
    assert warned() == [(900_000, True)]


def test_the_scheduler_may_be_late_with_the_end_of_a_pause(room: Room) -> None:
    name = begin(room)
    paused(room, name, HOUR_MS, 0, 1)
    at(room, NOON + HOUR_MS + 80_000)
    assert (load(room.services, name).status, left(room, name)) == ("running", 10_000)
    for _ in range(3):
        room.look()
    assert [event for event in logged_events(room, name, 1) if event == PauseEnded()] == [PauseEnded()]


def test_the_asker_ends_a_pause_early_and_nobody_else_does(room: Room) -> None:
    name = begin(room)
    paused(room, name, HOUR_MS, 0, 1)
    room.clock.now += 600_000
    with pytest.raises(NotPaused):
        pauses.end(room.services, load(room.services, name), 1, "")
    pauses.end(room.services, load(room.services, name), 0, "")
    assert left(room, name) == 90_000
    with pytest.raises(NotPaused):
        pauses.end(room.services, load(room.services, name), 0, "")
    room.clock.now += 1_000
    assert left(room, name) == 89_000


def test_a_pause_with_bots_alone_needs_nobody(room: Room) -> None:
    name = room.begin(PERSON, Seat(kind="bot", level="random"), clock=BANK, pauses=ALLOWED).session.id
    paused(room, name, HOUR_MS)
    assert load(room.services, name).agreements.running


def test_a_request_lasts_through_moves_until_it_is_answered(room: Room) -> None:
    name = begin(room, PERSON, PERSON, PERSON, clock=Clock(move_ms=MOVE_MS, policy="random"))
    move(room, name, 2, BID + 1)
    pauses.ask(room.services, load(room.services, name), 1, HOUR_MS, "")
    with pytest.raises(PausePending):
        pauses.ask(room.services, load(room.services, name), 0, HOUR_MS, "")
    version = room.version(name, 2)
    pauses.ask(room.services, load(room.services, name), 1, 2 * HOUR_MS, "")
    with pytest.raises(StaleVersion):  # the request that the seat has seen was another
        pauses.consent(room.services, load(room.services, name), 2, version, "")
    at(room, NOON + MOVE_MS)
    assert len(entries(room, name)) == 4
    for seat in (0, 2):
        assert pauses.awaited(load(room.services, name)) == [other for other in (0, 2) if other >= seat]
        session = load(room.services, name)
        pauses.consent(room.services, session, seat, session.versions[seat], "")
    (rest,) = room.stored(name).agreements.rests
    assert (rest.end - rest.start, rest.by) == (2 * HOUR_MS, 1)


@pytest.mark.parametrize("who", [0, 1], ids=["withdrawn", "refused"])
def test_a_refused_request_is_over_and_may_be_made_again(room: Room, who: int) -> None:
    name = begin(room)
    pauses.ask(room.services, load(room.services, name), 0, HOUR_MS, "")
    pauses.refuse(room.services, load(room.services, name), who, "")
    with pytest.raises(NoPausePending):
        pauses.consent(room.services, load(room.services, name), 1, room.version(name, 1), "")
    with pytest.raises(NoPausePending):
        pauses.refuse(room.services, load(room.services, name), 0, "")
    paused(room, name, HOUR_MS, 0, 1)
    assert load(room.services, name).agreements.running


def test_a_session_outlasts_its_pauses_also_before_the_first_move(room: Room) -> None:
    name = room.begin(PERSON, PERSON, clock=BANK, pauses=ALLOWED).session.id
    paused(room, name, 10 * DAY_MS, 0, 1)
    (key,) = room.services.store.client.scan_iter("{s:*}:" + name)
    assert room.services.store.client.pttl(key) > 10 * DAY_MS


def test_pauses_are_off_unless_the_founder_allows_them(room: Room) -> None:
    for allowed in (Pauses(), Pauses(days_per_seat=2)):
        name = begin(room, allowed=allowed)
        with pytest.raises(PausesOff):
            pauses.ask(room.services, load(room.services, name), 0, HOUR_MS, "")
    for allowed in (Pauses(), Pauses(consent=True)):
        name = begin(room, allowed=allowed)
        with pytest.raises(PausesOff):
            pauses.take_vacation(room.services, load(room.services, name), 0, 1, "")


def test_a_session_has_so_many_pauses_and_no_more(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pauses, "MAX_RESTS", 2)
    name = begin(room)
    for _ in range(2):
        paused(room, name, HOUR_MS, 0, 1)
        pauses.end(room.services, load(room.services, name), 0, "")
    with pytest.raises(NoPausesLeft):
        pauses.ask(room.services, load(room.services, name), 0, HOUR_MS, "")


def test_a_vacation_stops_the_clock_of_its_seat_alone(room: Room) -> None:
    name = begin(room)
    room.clock.now += 10_000
    pauses.take_vacation(room.services, load(room.services, name), 0, 2, "")
    assert left(room, name) == 2 * DAY_MS + 80_000
    assert logged_events(room, name, 1)[-1] == VacationBegun(seat=0)
    room.clock.now += DAY_MS
    move(room, name, 0, TAKE + 1)
    assert left(room, name, 1) == 90_000
    pauses.take_vacation(room.services, load(room.services, name), 1, 5, "")
    with pytest.raises(NoPausesLeft):
        pauses.take_vacation(room.services, load(room.services, name), 1, 1, "")
    at(room, NOON + 10_000 + 2 * DAY_MS)
    assert [rest.seat for rest in room.stored(name).agreements.running] == [1]
    assert logged_events(room, name, SPECTATOR)[-1] == VacationEnded(seat=0)


def test_a_vacation_is_extended_and_its_unused_days_come_back(room: Room) -> None:
    name = begin(room)
    for days in (1, 3):
        pauses.take_vacation(room.services, load(room.services, name), 0, days, "")
    assert left(room, name) == 4 * DAY_MS + 90_000
    room.clock.now += DAY_MS // 2
    pauses.end_vacation(room.services, load(room.services, name), 0, "")
    session = room.stored(name)
    assert (pauses.days_taken(session), left(room, name)) == ((1, 0), 90_000)
    with pytest.raises(NotPaused):
        pauses.end_vacation(room.services, load(room.services, name), 0, "")
    pauses.take_vacation(room.services, load(room.services, name), 0, 4, "")
    assert left(room, name) == 4 * DAY_MS + 90_000


def test_an_undo_gives_back_the_running_time_of_then(room: Room) -> None:
    name = begin(room, undo="consent")
    room.clock.now += 20_000
    paused(room, name, HOUR_MS, 0, 1)
    room.clock.now += HOUR_MS + 5_000
    room.look()
    before = left(room, name)
    assert before == 65_000
    move(room, name, 0, TAKE + 1)
    paused(room, name, HOUR_MS, 1, 0)
    room.clock.now += 2 * HOUR_MS
    session = load(room.services, name)
    ask_for_undo(room.services, session, 0, session.versions[0], "a")
    session = load(room.services, name)
    consent_to_undo(room.services, session, 1, session.versions[1], "b")
    assert left(room, name) == before


# Over HTTP.


def begin_session(app: Flask, **body: Any) -> Sitting:
    terms = {"pauses": {"consent": True, "days_per_seat": 3}, "clock": {"move_ms": MOVE_MS, "policy": "random"}}
    return sit(app, **{**terms, **body})


def post(sitting: Sitting, seat: int, part: str, body: Any = None, **headers: str) -> TestResponse:
    sent = {name.replace("_", "-"): text for name, text in headers.items()}
    return sitting.call(seat, "POST", part, json=body, headers=sent)


def consent(sitting: Sitting, seat: int) -> TestResponse:
    return post(sitting, seat, "/pause/consent", If_Match=f'"{sitting.version(seat)}"')


def test_a_state_shows_terms_requests_and_pauses_and_streams_show_the_same(app: Flask) -> None:
    sitting = begin_session(app)
    terms = {"consent": True, "days_per_seat": 3, "days_left": [3, 3]}
    assert (sitting.made["pauses"], sitting.standing(0)["pauses"]) == (terms, terms)
    asked: Any = post(sitting, 0, "/pause", {"duration_ms": HOUR_MS})
    request = {"seat": 0, "duration_ms": HOUR_MS, "awaited": [1]}
    assert (asked.status_code, asked.json["pause_request"]) == (200, request)
    before = sitting.standing(1)["deadlines"][0]["at"]
    done: Any = consent(sitting, 1)
    assert (done.status_code, "pause_request" in done.json) == (200, False)
    (shown,) = done.json["paused"]
    assert (shown["by"], "seat" in shown, shown["start"] < shown["until"]) == (0, False, True)
    assert before < done.json["deadlines"][0]["at"]
    trip: Any = post(sitting, 1, "/vacation", {"days": 2}).json
    assert (trip["pauses"]["days_left"], trip["paused"][1]["seat"]) == ([3, 1], 1)
    assert post(sitting, 1, "/vacation/end").json["pauses"]["days_left"] == [3, 2]  # type: ignore[index]
    assert "paused" not in post(sitting, 0, "/pause/end").json  # type: ignore[operator]
    sitting.play_out()
    for caller in (0, 1, None):
        seen = {key: part for key, part in sitting.standing(caller).items() if key != "links"}
        assert final_state(streamed(sitting, caller, "?after=0", Accept=NDJSON)) == seen
    assert code_of(post(sitting, 0, "/pause", {"duration_ms": HOUR_MS})) == "session-over"


def test_problems_of_pauses(app: Flask) -> None:
    plain = sit(app)
    assert "pauses" not in plain.made
    assert code_of(post(plain, 0, "/pause", {"duration_ms": HOUR_MS})) == "pauses-off"
    assert code_of(post(plain, 0, "/vacation", {"days": 1})) == "pauses-off"
    sitting = begin_session(app)
    for path, body, status, code in (
        ("/pause", {"duration_ms": 999}, 422, "invalid-body"),
        ("/pause", {"duration_ms": 14 * DAY_MS + 1}, 422, "invalid-body"),
        ("/vacation", {"days": 4}, 409, "no-pauses-left"),
        ("/pause/consent", None, 428, "precondition-required"),
        ("/pause/refuse", None, 409, "no-pause-pending"),
        ("/pause/end", None, 409, "not-paused"),
        ("/vacation/end", None, 409, "not-paused"),
    ):
        answer = post(sitting, 0, path, body)
        assert (answer.status_code, code_of(answer)) == (status, code), path
    post(sitting, 0, "/pause", {"duration_ms": HOUR_MS})
    assert code_of(post(sitting, 1, "/pause", {"duration_ms": HOUR_MS})) == "pause-pending"
    waiting = begin_session(app, seats=[{"kind": "human"}, {"kind": "open"}])
    assert code_of(post(waiting, 0, "/pause", {"duration_ms": HOUR_MS})) == "session-waiting"


def test_a_repeated_request_acts_once(app: Flask) -> None:
    sitting = begin_session(app)
    for part, body in (("/vacation", {"days": 1}), ("/vacation/end", None), ("/pause", {"duration_ms": HOUR_MS})):
        first, again = (post(sitting, 0, part, body, Idempotency_Key=part) for _ in range(2))
        assert (first.json, again.headers["Idempotency-Replayed"]) == (again.json, "true")
    key = {"If_Match": f'"{sitting.version(1)}"', "Idempotency_Key": "yes"}
    first, again = (post(sitting, 1, "/pause/consent", **key) for _ in range(2))
    assert (first.status_code, first.json) == (200, again.json)


def test_a_rematch_has_the_same_pauses(app: Flask) -> None:
    sitting = begin_session(app)
    post(sitting, 0, "/resign", {"then": "forfeit"})
    made: Any = post(sitting, 0, "/rematch").json
    shown: Any = app.test_client().get(made["links"]["session"]).json
    assert shown["pauses"] == {"consent": True, "days_per_seat": 3, "days_left": [3, 3]}


def test_presence_lists_the_seats_whose_clock_rests_and_has_another_etag(app: Flask) -> None:
    sitting = begin_session(app, seats=[{"kind": "human"}, {"kind": "human"}, {"kind": "bot"}])
    before = sitting.look(0, "/presence")
    assert "paused" not in before.text
    post(sitting, 1, "/vacation", {"days": 1})
    away: Any = sitting.look(0, "/presence", If_None_Match=before.headers["ETag"])
    assert (away.status_code, away.json["paused"]) == (200, [1])
    answer = listen(sitting, None)
    stream = chunks(answer)
    assert [parsed(next(stream)) for _ in range(3)][2][0]["data"]["paused"] == [1]
    answer.close()
    post(sitting, 0, "/pause", {"duration_ms": HOUR_MS})
    consent(sitting, 1)
    assert '"paused":[0,1]' in sitting.look(0, "/presence").text


def test_moves_stay_possible_in_a_pause(app: Flask) -> None:
    sitting = begin_session(app)
    post(sitting, 0, "/pause", {"duration_ms": HOUR_MS})
    consent(sitting, 1)
    for seat in (0, 1):
        assert sitting.move(seat, {"kind": "bid_pebbles", "amount": seat}).status_code == 201
    assert sitting.move(1, take(1)).status_code == 201
