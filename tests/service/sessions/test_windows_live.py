"""Bots of one window decide from the same state, and move in random order; yielding moves come last."""

from collections import Counter
from dataclasses import replace
from itertools import product
from unittest.mock import patch

import pytest

from games.barbarossa import GAME as WIZARDS
from games.barbarossa.options import WizardOptions
from games.barbarossa.table.codes import CURSE_ATTEMPT, CURSE_LETTER, HOLD
from games.barbarossa.table.hall import Hall
from games.core.dice import FastDice
from games.core.game import Game, View
from games.core.levels import LEVELS
from service.sessions.chance import lots
from service.sessions.create import SessionRequest, create
from service.sessions.play import make_move
from service.sessions.reading import load, read_log, table_of
from service.sessions.standing import leave_answers
from service.sessions.states import advance, initial_state
from service.sessions.turns import STANDING_MS, By, standing_ms, turns
from service.store.sessions import FINISHED, Seat, Session
from tests.service.kit import NOON, Room
from workers.sessions import bot_turns, timers

PERSON = Seat(kind="human")
BOT = Seat(kind="bot", level="random")
DELAY = LEVELS["random"].delay_ms
CURSES = {CURSE_LETTER, CURSE_ATTEMPT}


@pytest.fixture
def hall(room: Room) -> Room:
    room.services = replace(room.services, games={WIZARDS.slug: WIZARDS})
    return room


def begin(hall: Room, seed: str, *seats: Seat, bot_ms: int | None = None) -> str:
    wanted = SessionRequest(
        game=WIZARDS,
        seats=seats,
        options=WizardOptions(turn_cap=24),
        seed=seed,
        spectators="live",
        clock=None,
        bot_ms=bot_ms,
    )
    return create(hall.services, wanted, hall.services.entropy(8).hex()).session.id


def rash(game: Game, view: View, _level: str, seed: str, _tick: bot_turns.Tick) -> int:
    """Curse in one of four windows; else hold back, or take the first move of the turn."""
    assert view.seat is not None
    legal = game.legal(game.from_view(view, FastDice(1)), view.seat)
    curses = [code for code in legal if code & 15 in CURSES]
    return curses[int(seed[2:6], 16) % len(curses)] if curses and int(seed[:2], 16) < 64 else legal[0]


def play_out(hall: Room, name: str) -> Session:
    for _ in range(100):
        bot_turns.play(hall.services, name, rash, lambda: False, hall.clock.sleep)
        session = load(hall.services, name)
        if session.status == FINISHED:
            return session
    raise AssertionError("the session has no end")


def cursed(hall: Room, session: Session) -> Counter[tuple[int, int]]:
    (_, first), *more = read_log(hall.services, WIZARDS, session)
    state, found = initial_state(WIZARDS, session, first), Counter[tuple[int, int]]()
    for revision, line in more:
        assert isinstance(state.table, Hall)
        if line.entry is not None and line.entry.move & 15 in CURSES:
            found[int(state.table.turn), line.entry.seat] += 1
        state = advance(WIZARDS, state, revision, line)
    return found


@pytest.mark.rule("BR-52", "BR-57")
def test_in_live_sessions_every_seat_curses_in_every_seats_turn(hall: Room) -> None:
    found = Counter[tuple[int, int]]()
    for seed in range(4):
        found += cursed(hall, play_out(hall, begin(hall, str(seed), BOT, BOT, BOT)))
    assert set(found) == set(product(range(3), repeat=2))


def test_the_same_key_carries_out_the_same_whether_a_worker_or_the_clock_publishes(hall: Room) -> None:
    names = [begin(hall, "same", BOT, BOT, BOT) for _ in range(2)]
    expected = [line.entry for _, line in hall.services.store.log_entries(play_out(hall, names[0]).id)]
    name = names[1]
    for _ in range(2_000):
        bot_turns.play(hall.services, name, rash, lambda: True, hall.clock.sleep)
        hall.clock.now = max(hall.clock.now, hall.due.time(name) or 0)
        timers.run_due_timers(hall.services, lambda *_: None)
        if load(hall.services, name).status == FINISHED:
            break
    assert [line.entry for _, line in hall.services.store.log_entries(name)] == expected


@pytest.mark.rule("BR-D19")
def test_a_bots_move_waits_for_all_decisions_of_its_window(hall: Room) -> None:
    name = begin(hall, "wait", BOT, BOT, BOT)
    thought: list[int] = []

    def dying(game: Game, view: View, level: str, seed: str, tick: bot_turns.Tick) -> int:
        thought.append(view.seat or 0)
        if len(thought) == 3:
            raise KeyboardInterrupt
        return rash(game, view, level, seed, tick)

    with pytest.raises(KeyboardInterrupt):
        bot_turns.play(hall.services, name, dying, lambda: False, hall.clock.sleep)
    hall.clock.now = NOON + DELAY
    hall.look()
    assert load(hall.services, name).revision == 1
    assert len(set(thought)) == 3
    hall.clock.now += timers.LATE_MS
    hall.look()
    assert [call[0] for call in hall.recalls] == [name]


def test_bots_of_one_window_move_when_the_slowest_of_them_may(hall: Room) -> None:
    slow = Seat(kind="bot", level="hard")
    session = load(hall.services, begin(hall, "slow", BOT, slow, BOT))
    coming = turns(WIZARDS, table_of(WIZARDS, session), session)
    assert [turn.due for turn in coming] == [NOON + LEVELS["hard"].delay_ms] * 3
    assert [turn.seat for turn in coming] == sorted(range(3), key=lots(session.charter.key, 1, 3).__getitem__)


def test_the_lots_are_a_function_of_key_and_version_and_every_order_falls() -> None:
    orders = Counter(tuple(lots("00" * 32, version, 3)) for version in range(300))
    assert len(orders) == 6
    assert min(orders.values()) > 30
    assert lots("00" * 32, 7, 4) == lots("00" * 32, 7, 4)


# A pace for bots at tables with people.


@pytest.mark.rule("BR-52")
@pytest.mark.parametrize(
    ("seats", "bot_ms", "expected"),
    [
        ((PERSON, BOT, BOT), None, 3_000),
        ((BOT, BOT, BOT), None, DELAY),
        ((PERSON, BOT, BOT), 0, DELAY),
        ((BOT, BOT, BOT), 700, 700),
        ((PERSON, BOT, BOT), 5_000, 5_000),
    ],
    ids=["with a person", "among bots", "switched off", "bots, slowed down", "slower"],
)
def test_bots_leave_time_for_curses(hall: Room, seats: tuple[Seat, ...], bot_ms: int | None, expected: int) -> None:
    session = load(hall.services, begin(hall, "pace", *seats, bot_ms=bot_ms))
    due = {turn.due for turn in turns(WIZARDS, table_of(WIZARDS, session), session) if turn.by is By.BOT}
    assert due == {NOON + expected}


def in_a_bots_turn(hall: Room, name: str) -> tuple[Session, int]:
    """Play on to a bot's turn in which the person at seat 0 may curse; return the session and the first curse."""
    while True:
        session = load(hall.services, name)
        table = table_of(WIZARDS, session)
        assert isinstance(table, Hall)
        curses = [code for code in WIZARDS.legal(table, 0) if code & 15 in CURSES]
        if table.turn != 0 and curses:
            return session, curses[0]
        if 0 in WIZARDS.actors(table) and (table.turn == 0 or not table.cursing()):
            make_move(hall.services, session, 0, session.versions[0], "", lambda game, now: game.legal(now, 0)[0])
        else:
            bot_turns.play(hall.services, name, held, lambda: False, hall.clock.sleep)


def last_mover(hall: Room, name: str) -> int:
    return [line.entry.seat for _, line in hall.services.store.log_entries(name) if line.entry][-1]


@pytest.mark.rule("BR-52", "BR-55")
def test_a_person_curses_in_a_bots_turn_before_the_bot_moves(hall: Room) -> None:
    name = begin(hall, "curse", PERSON, BOT, BOT)
    session, code = in_a_bots_turn(hall, name)
    hall.clock.now += 2_900
    hall.look()
    make_move(hall.services, session, 0, session.versions[0], "", lambda *_: code)
    assert last_mover(hall, name) == 0


@pytest.mark.rule("BR-52", "BR-57")
@pytest.mark.parametrize("bot_ms", [None, 1_000, STANDING_MS[0]], ids=["usual pace", "quick", "at the same time"])
def test_a_curse_that_was_left_to_be_spoken_comes_before_a_bots_move(hall: Room, bot_ms: int | None) -> None:
    name = begin(hall, "standing", PERSON, BOT, BOT, bot_ms=bot_ms)
    session, code = in_a_bots_turn(hall, name)
    with patch.object(type(WIZARDS), "answer", lambda _game, table, seat, _name: code if table.turn != seat else None):
        leave_answers(hall.services, session, 0, ["curse"])
        bot_turns.play(hall.services, name, held, lambda: True, hall.clock.sleep)
        hall.clock.now += standing_ms(WIZARDS, session, 0)
        hall.look()
    assert last_mover(hall, name) == 0
    assert load(hall.services, name).revision == session.revision + 1 + holds(hall, name, session.revision)


def holds(hall: Room, name: str, after: int) -> int:
    """Return the number of seats that have held back since a revision."""
    lines = hall.services.store.log_entries(name, after + 1)
    return sum(1 for _, line in lines if line.entry is not None and line.entry.move == HOLD)


def held(game: Game, view: View, _level: str, _seed: str, _tick: bot_turns.Tick) -> int:
    assert view.seat is not None
    legal = game.legal(game.from_view(view, FastDice(1)), view.seat)
    assert legal[0] & 15 not in CURSES
    return legal[0]
