"""Clocks and standing answers at a real Redis, the time moved by hand: due work happens once, and not before."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
import redis

from games.core.game import Event, Game
from games.core.levels import LEVELS
from games.core.table import SPECTATOR, Table
from service.sessions.errors import TooManyWriters
from service.sessions.play import abort, make_move
from service.sessions.reading import events_for, load, table_of
from service.sessions.resign import losers, resign
from service.sessions.seating import take_back
from service.sessions.session_events import SeatTakenBack, SeatTakenOver, SeatTimedOut, TimeRanOut
from service.sessions.standing import leave_answers
from service.sessions.turns import STANDING_MS, standing_ms
from service.store import keys
from service.store.agreements import Absence
from service.store.sessions import ABORTED, FORFEITED, RUNNING, Clock, Seat
from tests.service.kit import LIFE_MS, NOON, Room, lowest
from tests.toy import GAME
from tests.toy.table import BID, TAKE
from tests.workers.processes import until
from workers.sessions import bot_turns, timers

MOVE_MS = 60_000
PERSON = Seat(kind="human")
BOT = Seat(kind="bot", level="random")
DELAY = LEVELS["random"].delay_ms
RANDOM = Clock(move_ms=MOVE_MS, policy="random")
TAKEOVER = Clock(move_ms=MOVE_MS, policy="bot", level="random")
FORFEIT = Clock(move_ms=MOVE_MS, policy="forfeit")


def move(room: Room, name: str, seat: int, code: int | None = None) -> None:
    """Make a person's move, the lowest unless another is named."""
    session = load(room.services, name)

    def decide(game: Game, table: Table) -> int:
        return min(game.legal(table, seat)) if code is None else code

    make_move(room.services, session, seat, session.versions[seat], "", decide)


def at(room: Room, time: int) -> None:
    room.clock.now = time
    room.look()


def logged_events(room: Room, name: str, viewer: int) -> list[Event]:
    return [event for _, line in room.services.store.log_entries(name) for event in events_for(GAME, line, viewer)]


def entries(room: Room, name: str) -> list[tuple[int, int]]:
    return [(line.entry.seat, line.entry.move) for _, line in room.services.store.log_entries(name) if line.entry]


# The end of a person's time.


def test_nothing_happens_before_the_deadline_and_at_the_deadline_it_happens(room: Room) -> None:
    name = room.begin(PERSON, PERSON, clock=RANDOM).session.id
    move(room, name, 0)
    assert room.due.time(name) == NOON + MOVE_MS
    at(room, NOON + MOVE_MS - 1)
    assert len(entries(room, name)) == 1
    at(room, NOON + MOVE_MS)
    assert [seat for seat, _ in entries(room, name)] == [0, 1]
    assert room.due.time(name) == NOON + 2 * MOVE_MS


def test_a_move_in_time_begins_the_time_of_the_next_decision(room: Room) -> None:
    name = room.begin(PERSON, PERSON, clock=RANDOM).session.id
    for seat in (0, 1):
        room.clock.now += 1_000
        move(room, name, seat)
    assert room.due.time(name) == NOON + 2_000 + MOVE_MS
    at(room, NOON + MOVE_MS)
    assert len(entries(room, name)) == 2


def test_a_random_move_at_the_end_of_time_is_told_as_such_to_its_seat_alone(room: Room) -> None:
    name = room.begin(PERSON, PERSON, clock=RANDOM).session.id
    move(room, name, 0)
    versions = load(room.services, name).versions
    at(room, NOON + MOVE_MS)
    assert TimeRanOut(seat=1) in logged_events(room, name, 1)
    assert not [
        event for viewer in (0, SPECTATOR) for event in logged_events(room, name, viewer) if type(event) is TimeRanOut
    ]
    assert all(new == old + 1 for new, old in zip(load(room.services, name).versions, versions, strict=True))


def test_a_sealed_random_move_moves_the_version_of_its_seat_alone(room: Room) -> None:
    name = room.begin(PERSON, BOT, clock=RANDOM).session.id
    at(room, NOON + MOVE_MS)
    assert [seat for seat, _ in entries(room, name)] == [0]
    assert load(room.services, name).versions == (2, 1, 1)


def test_random_moves_differ_per_decision_and_repeat_on_a_retry(room: Room) -> None:
    names = [room.begin(PERSON, PERSON, PERSON, clock=RANDOM, seed=None).session.id for _ in range(12)]
    at(room, NOON + MOVE_MS)
    bids = [dict(entries(room, name)) for name in names]
    assert all(set(made) == {0, 1, 2} for made in bids)
    assert {code for made in bids for code in made.values()} == {BID, BID + 1, BID + 2}
    session = room.begin(PERSON, PERSON, clock=RANDOM).session
    assert len({bot_turns.any_move(GAME, table_of(GAME, session), session, 0) for _ in range(5)}) == 1


@pytest.mark.parametrize("terms", [{"clock": FORFEIT}, {"absence": Absence(then="forfeit", after_ms=MOVE_MS)}], ids=str)
def test_where_a_rule_makes_the_move_the_policy_has_nothing_to_say(room: Room, terms: dict[str, Any]) -> None:
    name = room.begin(PERSON, PERSON, **terms).session.id
    for seat, code in ((0, BID), (1, BID), (0, TAKE + 3), (1, TAKE + 3), (0, TAKE + 2)):
        move(room, name, seat, code)
    table = table_of(GAME, load(room.services, name))
    assert (table.heap, GAME.timeout_move(table, 1)) == (1, TAKE + 1)  # type: ignore[attr-defined]
    at(room, NOON + MOVE_MS)
    session = load(room.services, name)
    assert (session.status, entries(room, name)[-1]) == ("finished", (1, TAKE + 1))
    assert TimeRanOut(seat=1) in logged_events(room, name, 1)


@pytest.mark.parametrize("answered", [(), (0,), (1,), (2,), (0, 2)], ids="answered by {}".format)
def test_all_who_let_the_same_deadline_pass_have_lost(room: Room, answered: tuple[int, ...]) -> None:
    name = room.begin(PERSON, PERSON, PERSON, clock=FORFEIT).session.id
    for seat in answered:
        move(room, name, seat)
    at(room, NOON + MOVE_MS)
    session, late = load(room.services, name), [seat for seat in range(3) if seat not in answered]
    assert session.status == FORFEITED
    assert losers(session) == late
    for viewer in (0, 1, 2, SPECTATOR):
        assert [event for event in logged_events(room, name, viewer) if isinstance(event, SeatTimedOut)] == [
            SeatTimedOut(seat=seat) for seat in late
        ]
    assert session.revision == 2 + len(answered)
    assert room.due.time(name) is None


def test_a_deadline_of_ones_own_is_lost_alone(room: Room) -> None:
    name = room.begin(PERSON, PERSON, clock=FORFEIT).session.id
    move(room, name, 0)
    room.clock.now += 10
    move(room, name, 1)  # opens the next decision, of one seat
    at(room, room.clock.now + MOVE_MS)
    assert losers(load(room.services, name)) == [GAME.actors(table_of(GAME, load(room.services, name)))[0]]


def test_a_bot_takes_over_and_plays_at_its_pace_until_the_person_takes_the_seat_back(room: Room) -> None:
    name = room.begin(PERSON, PERSON, clock=TAKEOVER).session.id
    move(room, name, 0, BID + 2)
    at(room, NOON + MOVE_MS)
    session = load(room.services, name)
    assert [seat.level for seat in session.seats] == [None, "random"]
    assert room.calls == [(name, session.revision)]
    assert room.due.time(name) == NOON + MOVE_MS + DELAY
    assert all(
        logged_events(room, name, viewer)[-1] == SeatTakenOver(seat=1, level="random") for viewer in (0, 1, SPECTATOR)
    )
    for seat in (1, 0, 1, 0):
        if seat:
            opened = load(room.services, name).opened[1]
            bot_turns.play(room.services, name, lowest, sleep=room.clock.sleep)
            assert (entries(room, name)[-1][0], room.clock.now) == (1, opened + DELAY)
        else:
            room.clock.now += 1_000
            move(room, name, 0)
    back = take_back(room.services, load(room.services, name), 1)
    assert [seat.level for seat in back.seats] == [None, None]
    assert logged_events(room, name, 0)[-1] == SeatTakenBack(seat=1)
    assert room.due.time(name) == room.clock.now + MOVE_MS


def test_a_seat_is_taken_back_by_moving_before_the_bot_does(room: Room) -> None:
    name = room.begin(PERSON, PERSON, clock=TAKEOVER).session.id
    move(room, name, 0)
    at(room, NOON + MOVE_MS)
    before = load(room.services, name)
    move(room, name, 1, BID + 1)
    session = load(room.services, name)
    assert [seat.level for seat in session.seats] == [None, None]
    assert SeatTakenBack(seat=1) in logged_events(room, name, SPECTATOR)
    assert session.versions == tuple(version + 1 for version in before.versions)
    assert bot_turns.publish(room.services, room.decisions, before, 1, 2) is None
    assert entries(room, name) == [(0, BID), (1, BID + 1)]


def test_a_person_who_comes_back_between_takeover_and_the_bots_move_has_a_whole_new_time(room: Room) -> None:
    name = room.begin(PERSON, PERSON, clock=TAKEOVER).session.id
    at(room, NOON + MOVE_MS)
    for _ in range(3):
        room.look()
    room.clock.now += 50
    take_back(room.services, load(room.services, name), 0)
    session = load(room.services, name)
    assert [seat.level for seat in session.seats] == [None, "random"]
    assert session.opened == (room.clock.now, NOON + MOVE_MS)


def test_a_clock_leaves_bots_alone(room: Room) -> None:
    name = room.begin(PERSON, BOT, clock=FORFEIT).session.id
    move(room, name, 0)
    at(room, NOON + MOVE_MS)
    assert load(room.services, name).status == RUNNING
    assert room.recalls


@pytest.mark.parametrize("clock", [RANDOM, TAKEOVER, FORFEIT], ids=lambda clock: clock.policy)
def test_a_deadline_passed_while_everything_was_down_is_dealt_with_once_afterwards(room: Room, clock: Clock) -> None:
    name = room.begin(PERSON, PERSON, clock=clock).session.id
    move(room, name, 0)
    revision = load(room.services, name).revision
    room.clock.now = NOON + 10 * MOVE_MS
    for _ in range(4):
        room.look()
    assert load(room.services, name).revision == revision + 1


@pytest.mark.parametrize("clock", [RANDOM, TAKEOVER, FORFEIT], ids=lambda clock: clock.policy)
def test_a_late_scheduler_changes_nothing(room: Room, clock: Clock) -> None:
    name = room.begin(PERSON, PERSON, clock=clock).session.id
    move(room, name, 0)
    room.clock.now = NOON + MOVE_MS
    look = timers.TimerSweep(room.services, room.due, lambda *_: None, name, NOON + MOVE_MS)
    seen = room.services.store.load(name)
    move(room, name, 1)
    after = load(room.services, name)
    store = room.services.store
    loads = iter([seen])
    late = replace(room.services, store=_Remembering(store, loads.__next__))  # type: ignore[arg-type]
    look = timers.TimerSweep(late, room.due, lambda *_: None, name, NOON + MOVE_MS)
    look.deal()
    assert load(room.services, name) == after
    assert room.due.time(name) == NOON + 2 * MOVE_MS


def test_a_session_at_which_nothing_could_be_done_is_due_again_soon(room: Room) -> None:
    name = room.begin(PERSON, PERSON, clock=RANDOM).session.id
    move(room, name, 0)
    with patch.object(timers, "make_move", side_effect=TooManyWriters):
        at(room, NOON + MOVE_MS)
    assert entries(room, name) == [(0, BID)]
    assert room.due.time(name) == NOON + MOVE_MS + timers.LATE_MS
    at(room, NOON + MOVE_MS + timers.LATE_MS)
    assert len(entries(room, name)) == 2


class _Remembering:
    """A store that returns something it has loaded before, once."""

    def __init__(self, store: object, remembered: Callable[[], object]) -> None:
        self._store, self._remembered, self._used = store, remembered, False

    def load(self, name: str) -> object:
        if not self._used:
            self._used = True
            return self._remembered()
        return self._store.load(name)  # type: ignore[attr-defined]

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


def test_an_ended_session_is_no_longer_due(room: Room) -> None:
    aborted, resigned = (room.begin(PERSON, PERSON, clock=RANDOM).session for _ in range(2))
    abort(room.services, aborted)
    resign(room.services, resigned, 0, "enough")
    assert [room.due.time(session.id) for session in (aborted, resigned)] == [None, None]
    at(room, NOON + MOVE_MS)
    assert [load(room.services, session.id).status for session in (aborted, resigned)] == [ABORTED, FORFEITED]


def test_an_expired_session_is_gone_and_leaves_nothing_behind(room: Room, redis_client: redis.Redis) -> None:
    name = room.begin(PERSON, BOT, clock=RANDOM).session.id
    bot_turns.play(room.services, name, lowest, sleep=room.clock.sleep)
    assert 0 < redis_client.pttl(keys.session(name)) <= LIFE_MS
    for key in (keys.session(name), keys.log(name)):
        redis_client.pexpire(key, 1)
    until(lambda: not redis_client.exists(keys.session(name), keys.log(name)))
    at(room, NOON + MOVE_MS)
    assert redis_client.keys() == []


# Standing answers.


def leave(room: Room, name: str, seat: int, *answers: str) -> None:
    leave_answers(room.services, load(room.services, name), seat, answers)


def pause(room: Room, name: str, seat: int = 1) -> int:
    """Return the delay of a seat's standing answer to its decision."""
    return standing_ms(GAME, load(room.services, name), seat)


def test_a_standing_answer_is_given_after_a_pause_that_is_drawn_for_the_decision(room: Room) -> None:
    name = room.begin().session.id
    leave(room, name, 1, "bid_nothing")
    drawn = pause(room, name)
    assert room.due.time(name) == NOON + drawn
    at(room, NOON + drawn - 1)
    assert entries(room, name) == []
    at(room, NOON + drawn)
    assert entries(room, name) == [(1, BID)]
    assert room.due.time(name) is None
    move(room, name, 0)
    assert room.due.time(name) is None


def test_the_first_standing_answer_that_fits_a_decision_is_given_each_time_it_comes_up(room: Room) -> None:
    name = room.begin().session.id
    leave(room, name, 1, "take_one", "bid_nothing")
    pauses = {pause(room, name)}
    at(room, room.due.time(name) or 0)
    while load(room.services, name).status == RUNNING:
        move(room, name, 0)
        if load(room.services, name).status == RUNNING:
            pauses.add(pause(room, name))
            at(room, room.clock.now + pause(room, name))
    made = [code for seat, code in entries(room, name) if seat == 1]
    assert made == [BID] + [TAKE + 1] * (len(made) - 1)
    assert len(made) > 2
    pace = [line.at for _, line in room.services.store.log_entries(name)]
    assert {after - before for before, after in pairwise(pace)} <= {0, *pauses}
    assert len(pauses) > 1
    assert STANDING_MS[0] <= min(pauses) <= max(pauses) <= STANDING_MS[1]


def test_a_standing_answer_waits_as_people_do_and_never_longer_than_the_clock(room: Room) -> None:
    session = room.begin(clock=TAKEOVER).session
    versions = [msgspec.structs.replace(session, versions=(1, version, 1)) for version in range(300)]
    pauses = [standing_ms(GAME, each, 1) for each in versions]
    assert len(set(pauses)) > 200
    assert min(pauses) < STANDING_MS[0] + 300 < STANDING_MS[1] - 300 < max(pauses)
    short = msgspec.structs.replace(session.charter, clock=Clock(move_ms=1_000, policy="random"))
    hasty = [standing_ms(GAME, msgspec.structs.replace(each, charter=short), 1) for each in versions]
    assert 250 <= min(hasty) <= max(hasty) <= 500


def test_nobody_learns_that_a_seat_has_left_answers(room: Room) -> None:
    name = room.begin().session.id
    before = load(room.services, name)
    leave(room, name, 1, "bid_nothing")
    after = load(room.services, name)
    assert after == msgspec.structs.replace(before, standing=((), ("bid_nothing",)))
    assert len(room.services.store.log_entries(name)) == 1
    leave(room, name, 1)
    assert load(room.services, name) == before
    assert room.due.time(name) is None


def test_a_seat_that_moves_first_has_decided_otherwise(room: Room) -> None:
    name = room.begin().session.id
    leave(room, name, 1, "bid_nothing")
    move(room, name, 1, BID + 2)
    at(room, NOON + STANDING_MS[1])
    assert entries(room, name) == [(1, BID + 2)]


def test_an_answer_left_while_another_seat_moves_is_neither_lost_nor_forgotten_when_it_is_due(room: Room) -> None:
    for _ in range(10):
        name = room.begin().session.id
        with ThreadPoolExecutor(2) as pool:
            done = pool.submit(leave, room, name, 1, "bid_nothing"), pool.submit(move, room, name, 0)
            assert [each.result() for each in done] == [None, None]
        session = load(room.services, name)
        assert session.standing == ((), ("bid_nothing",))
        assert room.due.time(name) == session.opened[1] + pause(room, name)


def test_standing_answers_come_before_the_clock_and_not_at_a_bots_seat(room: Room) -> None:
    name = room.begin(PERSON, PERSON, clock=TAKEOVER).session.id
    move(room, name, 0)
    at(room, NOON + MOVE_MS)
    leave(room, name, 1, "bid_nothing")
    assert room.due.time(name) == NOON + MOVE_MS + DELAY
    back = take_back(room.services, load(room.services, name), 1)
    at(room, back.opened[1] + pause(room, name))
    assert entries(room, name) == [(0, BID), (1, BID)]


# Log lines.
