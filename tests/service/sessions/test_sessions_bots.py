"""Bots in seats: they are owed a turn whatever happens to queues, and play it once, at their pace, from their view."""

from __future__ import annotations

import inspect
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from unittest.mock import patch

import pytest
import redis
from rq import Queue
from rq.serializers import JSONSerializer
from rq.worker import SimpleWorker

import workers.bots
from games.core.dice import FastDice
from games.core.game import Game, View
from games.core.table import SPECTATOR
from service.sessions import bots
from service.sessions.play import abort, make_move
from service.sessions.reading import load, table_of
from service.store import keys
from service.store.clients import commands
from service.store.sessions import FINISHED, RUNNING, Seat
from tests.service.sessions.room import NOON, Room
from tests.toy import GAME
from workers import names
from workers.levels import LEVELS
from workers.main import NamedJob

PERSON = Seat(kind="human")
BOT = Seat(kind="bot", level="random")
DELAY = LEVELS["random"].delay_ms


def first(game: Game, view: View, level: str, seed: str, tick: bots.Tick) -> int:  # noqa: ARG001
    """Choose the lowest legal move of a table as the seat may imagine it."""
    assert view.seat is not None
    tick(1, 2, dict)
    return min(game.legal(game.from_view(view, FastDice(1)), view.seat))


def play(room: Room, name: str, choose: bots.Choose = first) -> None:
    """Let a worker play the bots of a session; time passes only while it waits."""
    bots.play(room.desk, name, choose, room.clock.sleep)


def move(room: Room, name: str, seat: int) -> None:
    """Make a person's lowest move."""
    session = load(room.desk, name)
    make_move(room.desk, session, seat, session.versions[seat], "", lambda game, table: min(game.legal(table, seat)))


def tickets(client: redis.Redis) -> list[str]:
    """Return what waits in the queue."""
    found: list[str] = Queue(names.PLAY, connection=client, serializer=JSONSerializer).get_job_ids()
    return found


def test_a_session_that_begins_with_a_bots_decision_calls_and_owes_it(room: Room) -> None:
    session = room.begin(PERSON, BOT).session
    assert room.calls == [(session.name, 1)]
    assert room.desk.store.due(session.name) == NOON + DELAY


def test_a_bot_moves_until_a_person_must_act_and_calls_nobody_meanwhile(room: Room) -> None:
    name = room.begin(PERSON, BOT).session.name
    play(room, name)
    assert load(room.desk, name).versions == (1, 2, 1)
    assert room.desk.store.due(name) is None
    move(room, name, 0)
    while load(room.desk, name).status == RUNNING:
        if room.desk.store.due(name) is not None:
            play(room, name)
        else:
            move(room, name, 0)
    actors = [line.entry.seat for _, line in room.desk.store.lines(name) if line.entry]
    assert set(actors) == {0, 1}
    assert not room.desk.store.held(name)


def test_bots_among_themselves_play_to_the_end_in_one_job(room: Room) -> None:
    name = room.begin(BOT, BOT, BOT).session.name
    play(room, name)
    assert load(room.desk, name).status == FINISHED
    assert (
        len(room.calls) == 1 + load(room.desk, name).revision - 2
    )  # one at creation, and after each move but the last


def test_a_long_job_gives_others_a_turn_in_the_queue_and_is_called_again(room: Room) -> None:
    def slow(game: Game, view: View, level: str, seed: str, tick: bots.Tick) -> int:
        room.clock.sleep(bots.SLICE_MS / 1500)
        return first(game, view, level, seed, tick)

    name = room.begin(BOT, BOT).session.name
    play(room, name, slow)
    session = load(room.desk, name)
    assert (session.status, session.revision) == (RUNNING, 3)
    assert room.calls[-1] == (name, 3)
    assert not room.desk.store.held(name)


def test_a_bots_move_is_published_its_delay_after_the_decision_opened_forced_or_not(room: Room) -> None:
    name = room.begin(BOT, BOT).session.name
    play(room, name)
    times = [line.at for _, line in room.desk.store.lines(name)]
    assert times[:3] == [NOON, NOON + DELAY, NOON + DELAY]  # sealed bids open together
    steps = [after - before for before, after in pairwise(times[2:])]
    assert set(steps) == {DELAY}


def test_the_adviser_gets_a_view_of_its_own_seat_that_shares_nothing_with_the_table(room: Room) -> None:
    seen: list[View] = []

    def watch(game: Game, view: View, level: str, seed: str, tick: bots.Tick) -> int:
        seen.append(view)
        return first(game, view, level, seed, tick)

    name = room.begin(PERSON, BOT).session.name
    table = table_of(GAME, load(room.desk, name))
    play(room, name, watch)
    assert seen == [GAME.view(table, 1)]
    assert type(seen[0]) is GAME.view_type
    assert list(inspect.signature(workers.bots.advised).parameters) == ["game", "view", "level", "seed", "tick"]


def test_the_seed_of_advice_is_another_for_each_decision_and_session(room: Room) -> None:
    seeds: list[str] = []

    def watch(game: Game, view: View, level: str, seed: str, tick: bots.Tick) -> int:
        seeds.append(seed)
        return first(game, view, level, seed, tick)

    for seed in ("one", "two"):
        play(room, room.begin(BOT, BOT, seed=seed).session.name, watch)
    assert len(set(seeds)) == len(seeds) > 4


def test_a_job_that_is_run_again_after_a_crash_moves_once(room: Room) -> None:
    name = room.begin(PERSON, BOT).session.name
    turn = bots.next_turn(room.desk, name)
    assert turn is not None
    again = [bots.BotTurn(turn.session, turn.seat, turn.level, turn.due) for _ in range(3)]
    assert len({each.operation for each in again}) == 1
    for each in again:
        bots._take(room.desk, each, first, room.clock.sleep, lambda *_: None)
    assert load(room.desk, name).revision == 2


def test_a_bot_whose_session_was_aborted_while_it_thought_changes_nothing(room: Room) -> None:
    def aborting(game: Game, view: View, level: str, seed: str, tick: bots.Tick) -> int:
        abort(room.desk, load(room.desk, name))
        return first(game, view, level, seed, tick)

    name = room.begin(PERSON, BOT).session.name
    play(room, name, aborting)
    assert load(room.desk, name).revision == 2


def test_many_workers_at_one_session_make_each_move_once(room: Room) -> None:
    name = room.begin(BOT, BOT, BOT).session.name
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: play(room, name), range(4)))
    lines = [line for _, line in room.desk.store.lines(name)]
    assert load(room.desk, name).status == FINISHED
    alone = room.begin(BOT, BOT, BOT).session.name
    play(room, alone)
    expected = [line.entry for _, line in room.desk.store.lines(alone)]
    assert [line.entry for line in lines[4:]] == expected[4:]


def test_a_worker_leaves_a_session_alone_that_another_holds(room: Room) -> None:
    name = room.begin(PERSON, BOT).session.name
    assert room.desk.store.hold(name, "other", 60_000)
    play(room, name)
    assert load(room.desk, name).revision == 1
    room.desk.store.release(name, "me")
    assert room.desk.store.held(name)
    room.desk.store.release(name, "other")
    play(room, name)
    assert load(room.desk, name).revision == 2


def test_a_worker_in_thought_renews_its_hold(room: Room, redis_client: redis.Redis) -> None:
    def deep(game: Game, view: View, level: str, seed: str, tick: bots.Tick) -> int:
        redis_client.pexpire(keys.bots(name), 500)
        room.clock.sleep(bots.RENEW_MS / 1000)
        tick(1, 2, dict)
        assert redis_client.pttl(keys.bots(name)) > bots.HOLD_MS - 1000
        return first(game, view, level, seed, tick)

    name = room.begin(PERSON, BOT).session.name
    play(room, name, deep)
    assert load(room.desk, name).revision == 2


def test_a_call_that_does_not_get_through_is_made_good_by_the_sweep(room: Room, redis_client: redis.Redis) -> None:
    name = room.begin(PERSON, BOT).session.name
    with patch.object(bots, "_enqueue", side_effect=redis.exceptions.ConnectionError):
        bots.caller(redis_client)(name, 1)
    assert tickets(redis_client) == []
    with patch.object(bots, "milliseconds", lambda: NOON + DELAY + bots.LATE_MS):
        bots.requeue_owed(redis_client)
    assert tickets(redis_client) == []
    with patch.object(bots, "milliseconds", lambda: NOON + DELAY + bots.LATE_MS + 1):
        for _ in range(3):
            bots.requeue_owed(redis_client)
    assert tickets(redis_client) == [f"bots-{name}-1-1"]


def test_the_sweep_leaves_alone_what_waits_and_what_is_held_and_forgets_what_is_gone(
    room: Room, redis_client: redis.Redis
) -> None:
    waiting, held, gone = (room.begin(PERSON, BOT).session.name for _ in range(3))
    for _ in range(2):
        bots.caller(redis_client)(waiting, 1)
    room.desk.store.hold(held, "somebody", 60_000)
    redis_client.delete(keys.session(gone))
    with patch.object(bots, "milliseconds", lambda: NOON + 3_600_000):
        bots.requeue_owed(redis_client)
    assert tickets(redis_client) == [f"bots-{waiting}-1-0"]
    assert sorted(redis_client.zrange(keys.DUE, 0, -1)) == sorted([waiting.encode(), held.encode()])


def test_a_job_for_a_session_that_is_gone_ends_and_forgets_it(room: Room, redis_client: redis.Redis) -> None:
    name = room.begin(PERSON, BOT).session.name
    redis_client.delete(keys.session(name))
    play(room, name)
    assert redis_client.zcard(keys.DUE) == 0
    assert not room.desk.store.held(name)


def test_a_worker_of_rq_plays_the_bots_through_the_allow_list(
    room: Room, redis_client: redis.Redis, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REDIS_URL", redis_url)
    monkeypatch.setattr(workers.bots, "registered", lambda: {GAME.slug: GAME})
    name = room.begin(PERSON, BOT).session.name
    bots.caller(commands(redis_url))(name, 1)
    (queue,) = [Queue(names.PLAY, connection=redis_client, serializer=JSONSerializer)]
    SimpleWorker([queue], connection=redis_client, serializer=JSONSerializer, job_class=NamedJob).work(burst=True)
    session = load(room.desk, name)
    assert session.revision == 2
    assert GAME.view(table_of(GAME, session), SPECTATOR).bids == [None, None]  # type: ignore[attr-defined]
    assert tickets(redis_client) == []
