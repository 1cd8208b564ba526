"""Bots in seats: they are owed a turn whatever happens to queues, and play it once, at their pace, from their view."""

import inspect
from collections.abc import Callable
from unittest.mock import Mock, patch

import pytest
import redis
from rq import Queue
from rq.serializers import JSONSerializer
from rq.timeouts import JobTimeoutException

import workers.tasks
from games.core.game import Game, View
from games.core.levels import LEVELS
from games.core.table import SPECTATOR, Table
from service.jobs import queues
from service.sessions import bot_tasks
from service.sessions.play import abort, make_move
from service.sessions.reading import events_for, load, table_of
from service.sessions.session_events import SessionBroken
from service.sessions.turns import Turn, turns
from service.store import keys
from service.store.leases import StoreLease
from service.store.sessions import ABORTED, FINISHED, RUNNING, Seat, Session
from tests.service.kit import NOON, Room, lowest
from tests.toy import GAME
from workers.sessions import bot_turns, timers

PERSON = Seat(kind="human")
BOT = Seat(kind="bot", level="random")
DELAY = LEVELS["random"].delay_ms


def never() -> bool:
    """Return that the worker is wanted nowhere else."""
    return False


def play(room: Room, name: str, choose: bot_turns.Choose = lowest, wanted: Callable[[], bool] = never) -> None:
    """Let a worker play the bots of a session; time passes only while it waits."""
    bot_turns.play(room.services, name, choose, wanted, room.clock.sleep)


def move(room: Room, name: str, seat: int) -> None:
    session = load(room.services, name)
    make_move(
        room.services, session, seat, session.versions[seat], "", lambda game, table: min(game.legal(table, seat))
    )


def tickets(client: redis.Redis) -> list[str]:
    found: list[str] = Queue(queues.PLAY, connection=client, serializer=JSONSerializer).get_job_ids()
    return found


def test_a_session_that_begins_with_a_bots_decision_calls_and_owes_it(room: Room) -> None:
    session = room.begin(PERSON, BOT).session
    assert room.calls == [(session.id, 1)]
    assert room.due.time(session.id) == NOON + DELAY


def test_a_bot_moves_until_a_person_must_act_and_calls_nobody_meanwhile(room: Room) -> None:
    name = room.begin(PERSON, BOT).session.id
    play(room, name)
    assert load(room.services, name).versions == (1, 2, 1)
    assert room.due.time(name) is None
    move(room, name, 0)
    while load(room.services, name).status == RUNNING:
        if room.due.time(name) is not None:
            play(room, name)
        else:
            move(room, name, 0)
    actors = [line.entry.seat for _, line in room.services.store.log_entries(name) if line.entry]
    assert set(actors) == {0, 1}
    assert not room.decisions.is_leased(name)


def test_bots_among_themselves_play_to_the_end_in_one_job(room: Room, redis_client: redis.Redis) -> None:
    name = room.begin(BOT, BOT, BOT).session.id
    play(room, name)
    assert load(room.services, name).status == FINISHED
    assert room.calls == [(name, 1)]
    assert not redis_client.exists(keys.decisions(name))


def test_a_long_job_gives_others_a_turn_in_the_queue_and_is_called_again(room: Room) -> None:
    def slow(game: Game, view: View, level: str, seed: str, tick: bot_turns.Tick) -> int:
        room.clock.sleep(bot_turns.BOT_SLICE_MS / 1500)
        return lowest(game, view, level, seed, tick)

    name = room.begin(BOT, BOT).session.id
    play(room, name, slow)
    session = load(room.services, name)
    assert (session.status, session.revision) == (RUNNING, 2)
    assert room.calls == [(name, 1), (name, 2)]
    assert not room.decisions.is_leased(name)


def test_the_adviser_gets_a_view_of_its_own_seat_that_shares_nothing_with_the_table(room: Room) -> None:
    seen: list[View] = []

    def watch(game: Game, view: View, level: str, seed: str, tick: bot_turns.Tick) -> int:
        seen.append(view)
        return lowest(game, view, level, seed, tick)

    name = room.begin(PERSON, BOT).session.id
    table = table_of(GAME, load(room.services, name))
    play(room, name, watch)
    assert seen == [GAME.view(table, 1)]
    assert type(seen[0]) is GAME.view_type
    assert list(inspect.signature(workers.tasks.choose_move).parameters) == ["game", "view", "level", "seed", "tick"]


def test_the_seed_of_advice_is_another_for_each_decision_and_session(room: Room) -> None:
    seeds: list[str] = []

    def watch(game: Game, view: View, level: str, seed: str, tick: bot_turns.Tick) -> int:
        seeds.append(seed)
        return lowest(game, view, level, seed, tick)

    for seed in ("one", "two"):
        play(room, room.begin(BOT, BOT, seed=seed).session.id, watch)
    assert len(set(seeds)) == len(seeds) > 4


def test_a_job_that_is_run_again_after_a_crash_moves_once(room: Room) -> None:
    session = room.begin(PERSON, BOT).session
    for _ in range(3):
        bot_turns.publish(room.services, room.decisions, session, 1, 2)
    assert load(room.services, session.id).revision == 2


def test_a_bot_whose_session_was_aborted_while_it_thought_changes_nothing(room: Room) -> None:
    def aborting(game: Game, view: View, level: str, seed: str, tick: bot_turns.Tick) -> int:
        abort(room.services, load(room.services, name))
        return lowest(game, view, level, seed, tick)

    name = room.begin(PERSON, BOT).session.id
    play(room, name, aborting)
    assert load(room.services, name).revision == 2


def test_a_worker_leaves_a_session_alone_that_another_holds(room: Room) -> None:
    name = room.begin(PERSON, BOT).session.id
    assert room.lease(name, "other").take()
    play(room, name)
    assert load(room.services, name).revision == 1
    room.lease(name, "me").release()
    assert room.decisions.is_leased(name)
    room.lease(name, "other").release()
    play(room, name)
    assert load(room.services, name).revision == 2


def test_a_worker_in_thought_renews_its_hold(room: Room, redis_client: redis.Redis) -> None:
    def deep(game: Game, view: View, level: str, seed: str, tick: bot_turns.Tick) -> int:
        redis_client.pexpire(keys.bots(name), 500)
        room.clock.sleep(bot_turns.RENEW_MS / 1000)
        tick(1, 2, dict)
        assert redis_client.pttl(keys.bots(name)) > bot_turns.BOT_LEASE_MS - 1000
        return lowest(game, view, level, seed, tick)

    name = room.begin(PERSON, BOT).session.id
    play(room, name, deep)
    assert load(room.services, name).revision == 2


def test_a_worker_in_thought_renews_its_hold_once_a_second(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    takes, take = list[int](), StoreLease.take

    def counted(lease: StoreLease) -> bool:
        takes.append(room.clock())
        return take(lease)

    def deep(game: Game, view: View, level: str, seed: str, tick: bot_turns.Tick) -> int:
        takes.clear()
        began.append(room.clock())
        for _ in range(25):
            room.clock.sleep(bot_turns.RENEW_MS / 10_000)
            tick(1, 2, dict)
        thought.extend(takes)
        return lowest(game, view, level, seed, tick)

    began, thought = list[int](), list[int]()
    monkeypatch.setattr(StoreLease, "take", counted)
    play(room, room.begin(PERSON, BOT).session.id, deep)
    assert thought == [began[0] + bot_turns.RENEW_MS, began[0] + 2 * bot_turns.RENEW_MS]


def test_a_call_that_does_not_get_through_is_made_good(room: Room, redis_client: redis.Redis) -> None:
    name = room.begin(PERSON, BOT).session.id
    with patch.object(bot_tasks, "enqueue", side_effect=redis.exceptions.ConnectionError):
        bot_tasks.enqueuer(redis_client)(name, 1)
    room.clock.now = NOON + DELAY + timers.LATE_MS - 1
    timers.run_due_timers(room.services, timers.RequeueBots(redis_client))
    assert tickets(redis_client) == []
    for _ in range(3):
        room.clock.now += 1
        timers.run_due_timers(room.services, timers.RequeueBots(redis_client))
    assert tickets(redis_client) == [f"bots-{name}-1-1"]


def test_a_bot_is_not_called_again_while_a_job_waits_or_is_at_it(room: Room, redis_client: redis.Redis) -> None:
    waiting, held, gone = (room.begin(PERSON, BOT).session.id for _ in range(3))
    for _ in range(2):
        bot_tasks.enqueuer(redis_client)(waiting, 1)
    room.lease(held, "somebody").take()
    redis_client.delete(keys.session(gone))
    for _ in range(3):
        room.clock.now += 3_600_000
        timers.run_due_timers(room.services, timers.RequeueBots(redis_client))
    assert tickets(redis_client) == [f"bots-{waiting}-1-0"]
    assert [room.due.time(name) is None for name in (waiting, held, gone)] == [False, False, True]


def test_a_wanted_worker_leaves_its_decision_to_be_published_when_due(room: Room, redis_client: redis.Redis) -> None:
    name = room.begin(PERSON, BOT, BOT).session.id
    play(room, name, wanted=lambda: True)
    assert (room.clock.now, load(room.services, name).revision) == (NOON, 1)
    assert not room.decisions.is_leased(name)
    room.clock.now = NOON + DELAY - 1
    room.look()
    assert load(room.services, name).revision == 1
    room.clock.now += 1
    room.look()
    lines = room.services.store.log_entries(name)
    assert [line.entry.seat for _, line in lines if line.entry] == [1, 2]
    assert {line.at for _, line in lines[1:]} == {NOON + DELAY}
    assert room.recalls == []
    assert not redis_client.exists(keys.decisions(name))


def test_a_worker_publishes_what_is_due_and_the_scheduler_what_is_later(
    room: Room,
) -> None:
    name = room.begin(PERSON, BOT, BOT).session.id
    play(room, name, wanted=lambda: True)
    assert room.lease(name, "worker").take()
    room.clock.now = NOON + DELAY
    room.look()
    assert load(room.services, name).revision == 1
    assert room.due.time(name) == NOON + DELAY + timers.RECHECK_MS
    room.clock.now += timers.RECHECK_MS
    room.look()
    assert load(room.services, name).revision == 3


@pytest.mark.parametrize("thought_ms", [0, bot_turns.NAP_MS // 4])
def test_a_wanted_worker_moves_one_bot_and_requeues_the_next_decision(room: Room, thought_ms: int) -> None:
    def choose(game: Game, view: View, level: str, seed: str, tick: bot_turns.Tick) -> int:
        room.clock.sleep(thought_ms / 1000)  # where that is not 0, less than a nap is left at the end
        return lowest(game, view, level, seed, tick)

    name = room.begin(BOT, BOT).session.id
    play(room, name, choose, wanted=lambda: room.clock.now > NOON + DELAY - bot_turns.NAP_MS - 1)
    revision = load(room.services, name).revision
    assert revision == 2
    assert room.calls == [(name, 1), (name, 2)]


def test_a_bot_whose_adviser_keeps_failing_moves_at_random_in_the_end(room: Room) -> None:
    failing = Mock(side_effect=MemoryError)
    name = room.begin(PERSON, BOT).session.id
    play(room, name, failing)
    assert failing.call_count == bot_turns.ADVICE_ATTEMPTS
    assert load(room.services, name).revision == 2
    move(room, name, 0)
    assert load(room.services, name).status == RUNNING


def test_a_bot_whose_advice_is_illegal_moves_at_random_in_the_end(room: Room) -> None:
    name = room.begin(PERSON, BOT).session.id
    play(room, name, lambda *_: 999)
    (entry,) = [line.entry for _, line in room.services.store.log_entries(name) if line.entry]
    assert (entry.seat, entry.move in {0, 1, 2}) == (1, True)


def test_workers_that_die_in_thought_count_as_failures(room: Room) -> None:
    class Killed(BaseException):
        pass

    dying = Mock(side_effect=Killed)
    name = room.begin(PERSON, BOT).session.id
    for _ in range(bot_turns.ADVICE_ATTEMPTS):
        with pytest.raises(Killed):
            play(room, name, dying)
        assert load(room.services, name).revision == 1
    play(room, name, dying)
    assert load(room.services, name).revision == 2


def test_a_session_whose_bot_cannot_move_at_all_ends_and_says_so_to_everybody(room: Room) -> None:
    name = room.begin(PERSON, BOT).session.id
    with patch.object(type(GAME), "step", side_effect=ArithmeticError):
        play(room, name)
    session = load(room.services, name)
    assert session.status == ABORTED
    assert session.versions == (2, 2, 2)
    (line,) = room.services.store.log_entries(name, 2)
    (heard,) = events_for(GAME, line[1], SPECTATOR)
    assert heard == SessionBroken(seat=1)
    assert room.due.time(name) is None


def test_a_session_that_breaks_whoever_looks_after_it_harms_no_other(room: Room) -> None:
    broken, whole = (room.begin(PERSON, BOT).session.id for _ in range(2))
    play(room, whole, wanted=lambda: True)
    found = turns

    def breaking(game: Game, table: Table, session: Session) -> list[Turn]:
        if session.id == broken:
            raise ArithmeticError
        return found(game, table, session)

    room.clock.now += DELAY
    with patch.object(timers, "turns", breaking):
        room.look()
    assert [load(room.services, name).revision for name in (broken, whole)] == [1, 2]
    assert room.due.time(broken) == room.clock.now + timers.SICK_MS


def test_a_job_for_a_session_that_is_gone_ends_and_forgets_it(room: Room, redis_client: redis.Redis) -> None:
    name = room.begin(PERSON, BOT).session.id
    redis_client.delete(keys.session(name))
    play(room, name)
    assert not room.decisions.is_leased(name)
    room.clock.now += DELAY
    room.look()
    assert room.due.time(name) is None


def test_a_worker_whose_time_is_up_ends_while_its_adviser_thinks(room: Room) -> None:
    name = room.begin(PERSON, BOT).session.id
    with pytest.raises(JobTimeoutException):
        play(room, name, Mock(side_effect=JobTimeoutException))
    assert load(room.services, name).revision == 1
