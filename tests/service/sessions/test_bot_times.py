"""The time of a bot's move reveals nothing of its thought: neither the publication nor the shown times.

Time is moved by hand; `thought` is the duration of an adviser's work by that clock.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from flask import Flask

from games.core.dice import FastDice
from games.core.game import Game, View
from games.core.levels import LEVELS, level_of
from games.core.registry import registered
from games.core.table import Table
from games.search import advise
from service.sessions.reading import load
from service.sessions.turns import published_at
from service.store.bot_decisions import BotDecision
from service.store.sessions import COARSE_MS, RUNNING, Seat
from tests.service.kit import NOON, PEOPLE, Clock, Room, bid, freeze, lowest, sit
from tests.service.streams.hearing import NDJSON, numbered, read_stream
from workers.sessions import bot_turns

BOT = Seat(kind="bot", level="random")
PERSON = Seat(kind="human")
SLOT = LEVELS["random"].delay_ms
GAMES = registered()


def thinking(room: Room, thought: int) -> bot_turns.Choose:
    def choose(game: Game, view: View, level: str, seed: str, tick: bot_turns.Tick) -> int:
        room.clock.now += thought
        return lowest(game, view, level, seed, tick)

    return choose


def published(room: Room, queued: int, thought: int, *, wanted: bool = False, bots: int = 1) -> list[int]:
    """Return the delays of bots' moves after the decision opened, if their task came after `queued` milliseconds."""
    name = room.begin(*([PERSON] if bots < 2 else []), *[BOT] * bots).session.id
    began = room.clock.now
    room.clock.now += queued
    bot_turns.play(room.services, name, thinking(room, thought), lambda: wanted, room.clock.sleep)
    while load(room.services, name).revision < 1 + bots:
        room.clock.now += 1
        room.look()
    lines = room.services.store.log_entries(name, 2, 1 + bots)
    return [line.at - began for _, line in lines]


@pytest.mark.parametrize("wanted", [False, True], ids=["by the worker", "by the scheduler"])
@pytest.mark.parametrize(
    ("queued", "thought", "expected"),
    [
        *((0, 0, SLOT), (0, 1, SLOT), (0, SLOT - 1, SLOT), (0, SLOT, SLOT)),
        *((0, SLOT + 1, 2 * SLOT), (0, 2 * SLOT, 2 * SLOT), (0, 7 * SLOT + 1, 8 * SLOT)),
        *((70, 0, 70 + SLOT), (70, SLOT - 1, 70 + SLOT), (999, SLOT, 999 + SLOT), (999, SLOT + 1, 999 + 2 * SLOT)),
    ],
)
def test_a_bot_moves_after_whole_delays(room: Room, queued: int, thought: int, expected: int, *, wanted: bool) -> None:
    assert published(room, queued, thought, wanted=wanted) == [expected]


def test_bots_that_are_asked_at_once_move_at_once_however_long_each_thought(room: Room) -> None:
    for thought, expected in ((0, SLOT), (SLOT // 3, SLOT), (SLOT // 2, 2 * SLOT)):
        assert published(room, 30, thought, bots=3) == [30 + expected] * 3


def test_a_decision_of_an_earlier_service_is_published_when_it_is_due(room: Room) -> None:
    assert published_at(NOON, SLOT, [BotDecision(3, 0, 0)]) == NOON
    room.services.store.client.hset("x", "y", "7")
    with patch("service.store.keys.decisions", lambda _session: "x"):
        assert room.decisions.recall("session", ["y", "z"]) == [BotDecision(7, 0, 0), None]


def test_a_second_attempt_continues(room: Room) -> None:
    for now in (NOON, NOON + 500):
        room.decisions.begin("session", ["one", "two"], now)
    room.decisions.remember("session", "one", 5, NOON + 600)
    room.decisions.remember("session", "two", 6, NOON + 700)
    assert room.decisions.recall("session", ["one", "two"]) == [
        BotDecision(5, NOON, NOON + 600),
        BotDecision(6, NOON, NOON + 700),
    ]
    for decision in ("one", "two"):
        room.decisions.attempt("session", decision)
        room.decisions.forget("session", decision)
    assert room.services.store.client.dbsize() == 0


def find_table(game: Game, *, forced: bool) -> tuple[Table, int]:
    for seed in range(200):
        dice = FastDice(seed)
        table = game.new(game.seat_numbers[-1], game.options_type(), dice)
        for _ in range(60):
            seats = game.actors(table)
            for seat in seats:
                if (len(table.legal(seat)) == 1) is forced and len(table.legal(seat)) > 0:
                    return table, seat
            if not seats:
                break
            codes = table.legal(seats[0])
            table.apply(seats[0], codes[dice.below(len(codes), 0)], dice, None)
    raise AssertionError("no such table")


def iterations(choose: Callable[[], int]) -> tuple[int, int]:
    done, real = 0, advise._next_size

    def counting(advisor: Any, size: int, left: int | None) -> int:
        nonlocal done
        before = advisor.done
        following = real(advisor, size, left)
        done += advisor.done - before
        return following

    with patch.object(advise, "_next_size", counting):
        return choose(), done


@pytest.mark.parametrize("slug", GAMES)
def test_a_forced_move_costs_a_bot_as_much_thought_as_a_free_one(slug: str) -> None:
    game = GAMES[slug]
    level = level_of(game, "easy")
    spent = {}
    for forced in (True, False):
        table, seat = find_table(game, forced=forced)
        code, spent[forced] = iterations(
            lambda: advise.choose_at(game, table, seat, level, 1, thorough=True)  # noqa: B023
        )
        if forced:
            assert code == table.legal(seat)[0]
            assert iterations(lambda: advise.choose_at(game, table, seat, level, 1)) == (code, 0)  # noqa: B023
    assert spent[True] == spent[False] > 0


def test_a_thorough_bot_chooses_what_a_hasty_one_does() -> None:
    game = GAMES["hoher-rat"]
    level = LEVELS["hard"].__class__("hard", "tuned", 0, 400, 1_000)
    table, seat = find_table(game, forced=False)
    hasty = iterations(lambda: advise.choose_at(game, table, seat, level, 1))
    full = iterations(lambda: advise.choose_at(game, table, seat, level, 1, thorough=True))
    assert (hasty[0], full[1]) == (full[0], 400)


def test_times_that_are_shown_are_coarse_and_no_mark_tells_finer_ones(app: Flask) -> None:
    clock = Clock(NOON + 1_234)
    with freeze(app, clock):
        sitting = sit(app, *PEOPLE, clock={"move_ms": 60_000, "policy": "random"})
        clock.now += 77
        assert [sitting.move(seat, bid(1)).status_code for seat in (0, 1)] == [201, 201]
        now: Any = sitting.look(0)
        times = [line["at"] for line in sitting.look(0, "/history").json["lines"]]  # type: ignore[index]
        times += [deadline["at"] for deadline in now.json["deadlines"]]
        said = now.headers["ETag"] + now.text
        assert sitting.call("owner", "DELETE").status_code == 204
        messages = numbered(read_stream(sitting, 0, "?after=0", Accept=NDJSON))
    times += [message["data"]["at"] for message in messages if message["event"] == "change"]
    exact = [round(msgspec.convert(time, type=datetime).timestamp() * 1000) for time in times]
    assert len(exact) > 5
    assert {at % COARSE_MS for at in exact} == {0}
    assert max(exact) <= NOON + 1_311 + 60_000
    said += "".join(message["cursor"] for message in messages)
    assert not [at for at in (NOON + 1_234, NOON + 1_311) if f"{at:x}" in said or str(at) in said]
    assert load(app.extensions["context"].sessions, sitting.made["id"]).status != RUNNING
