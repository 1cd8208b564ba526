"""Reserve clocks: time beyond the time per move comes out of the seat's bank."""

import pytest

from games.core.table import SPECTATOR
from service.sessions.clocks import time_out_at
from service.sessions.reading import load, table_of
from service.sessions.seating import take_back
from service.store.sessions import FORFEITED, Clock
from service.wire.sessions import deadlines_of
from service.wire.time_responses import Deadline
from tests.service.kit import NOON, Room
from tests.service.sessions.test_clocks import PERSON, at, entries, move
from tests.toy import GAME
from tests.toy.table import BID, TAKE

MOVE_MS = 10_000
BANK_MS = 60_000
GAIN_MS = 3_000
RANDOM = Clock(move_ms=MOVE_MS, policy="random", bank_ms=BANK_MS, increment_ms=GAIN_MS)
FORFEIT = Clock(move_ms=MOVE_MS, policy="forfeit", bank_ms=BANK_MS)
TAKEOVER = Clock(move_ms=MOVE_MS, policy="bot", level="random", bank_ms=BANK_MS)


def begin(room: Room, clock: Clock) -> str:
    """Begin a session in which seat 0 is to take pebbles: the bids are in, and took no time."""
    name = room.begin(PERSON, PERSON, clock=clock).session.id
    move(room, name, 0, BID + 2)
    move(room, name, 1, BID)
    return name


def test_a_deadline_is_the_end_of_the_time_per_move_and_of_the_bank(room: Room) -> None:
    name = begin(room, FORFEIT)
    assert room.stored(name).banks == (BANK_MS, BANK_MS)
    assert room.due.time(name) == NOON + MOVE_MS + BANK_MS
    at(room, NOON + MOVE_MS + BANK_MS - 1)
    assert load(room.services, name).status == "running"
    at(room, NOON + MOVE_MS + BANK_MS)
    session = room.stored(name)
    assert (session.status, [seat.out for seat in session.seats].count(True)) == (FORFEITED, 1)


@pytest.mark.parametrize(("took", "left"), [(MOVE_MS, BANK_MS), (MOVE_MS + 7_000, BANK_MS - 7_000)])
def test_time_beyond_the_time_per_move_is_taken_out_of_the_bank(room: Room, took: int, left: int) -> None:
    name = begin(room, RANDOM)
    first = next(iter(actors(room, name)))
    room.clock.now += took
    move(room, name, first, TAKE + 1)
    (second,) = actors(room, name)
    move(room, name, second, TAKE + 1)
    session = room.stored(name)
    assert actors(room, name) == {first}
    assert session.banks[first] == left + 2 * GAIN_MS, "for the bid, and for what was taken"
    assert room.due.time(name) == room.clock.now + MOVE_MS + session.banks[first]


def actors(room: Room, name: str) -> set[int]:
    return {deadline.seat for deadline in deadlines(room, name)}


def deadlines(room: Room, name: str) -> list[Deadline]:
    session = load(room.services, name)
    found = deadlines_of(session, GAME.actors(table_of(GAME, session)))
    assert isinstance(found, list)
    return found


def test_at_the_end_of_its_bank_a_seat_has_the_time_per_move_alone(room: Room) -> None:
    name = begin(room, TAKEOVER)
    (seat,) = actors(room, name)
    at(room, NOON + MOVE_MS + BANK_MS)
    session = take_back(room.services, load(room.services, name), seat)
    assert session.seats[seat].level is None
    session = room.stored(name)
    assert session.banks[seat] == 0
    assert room.due.time(name) == room.clock.now + MOVE_MS


def test_a_move_at_the_end_of_the_bank_is_made_once(room: Room) -> None:
    name = begin(room, RANDOM)
    at(room, NOON + MOVE_MS + BANK_MS + GAIN_MS)
    assert len(entries(room, name)) == 3
    room.stored(name)


def test_a_sealed_answer_changes_nothing_that_others_are_shown_of_clocks_until_all_are_in(room: Room) -> None:
    name = room.begin(PERSON, PERSON, clock=RANDOM).session.id
    before = load(room.services, name)
    room.clock.now += MOVE_MS + 7_000
    move(room, name, 0, BID)
    after = room.stored(name)
    assert (after.banks, after.opened) == (before.banks, before.opened)
    assert [time_out_at(after, seat) for seat in (0, 1)] == [time_out_at(before, seat) for seat in (0, 1)]
    assert [after.versions[viewer] for viewer in (1, SPECTATOR)] == [1, 1]
    room.clock.now += 1_000
    move(room, name, 1, BID + 2)
    (seat,) = actors(room, name)
    used = 7_000 if seat == 0 else 8_000
    assert room.stored(name).banks[seat] == BANK_MS - used + GAIN_MS
