"""The levels of bots: one ladder in every game, on which no step has fewer iterations or leaves more to chance."""

from collections import Counter
from itertools import pairwise
from types import SimpleNamespace
from typing import cast
from unittest.mock import Mock

import pytest

from bench import ladder
from bench.matches import efforts
from games.core.advice import Advisor
from games.core.dice import FastDice
from games.core.game import Game
from games.core.levels import LADDER, LEVELS, YARDSTICKS, level_of
from games.core.playout import playout
from games.core.registry import registered
from games.search.advise import choose, choose_at, draw_move
from games.search.line import RootStats
from workers.__main__ import bot
from workers.simulate.batch import SimulationPlan
from workers.simulate.tournament import TournamentPlan

GAMES = [pytest.param(game, id=slug) for slug, game in registered().items()]
TABLES = [
    pytest.param(game, seats, id=f"{slug}-{seats}")
    for slug, game in registered().items()
    for seats in (None, *game.seat_numbers)
]
COUNCIL = registered()["hoher-rat"]
WIZARDS = registered()["barbarossa"]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_each_step_of_the_ladder_searches_longer_and_risks_less(game: Game, seats: int | None) -> None:
    first, *searching = [level_of(game, name, seats) for name in LADDER]
    assert (first.iterations, first.worlds) == (0, 0)
    assert all(less.iterations < more.iterations for less, more in pairwise(searching))
    assert all(warm.temperature > cold.temperature for warm, cold in pairwise(searching))
    assert searching[-1].temperature == 0.0
    assert all(quick.delay_ms <= slow.delay_ms for quick, slow in pairwise([first, *searching]))


def test_levels_either_search_or_look_one_ply_ahead() -> None:
    ahead = {name: (level.worlds, level.iterations) for name, level in LEVELS.items() if level.worlds}
    assert ahead == {"greedy": (1, 0), "tuned": (4, 0)}
    assert all(level.temperature >= 0 for level in LEVELS.values())
    assert all(level.temperature == 0 for level in LEVELS.values() if not level.iterations)


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_a_game_handicaps_searches_alone_and_makes_no_level_stronger(game: Game, seats: int | None) -> None:
    assert set(game.handicaps) | set(game.handicaps_at.get(seats or 0, {})) <= set(LADDER[1:])
    for name in LEVELS:
        level = level_of(game, name, seats)
        assert level.name == name
        assert level.iterations <= level_of(game, name).iterations <= LEVELS[name].iterations
        assert level.temperature >= LEVELS[name].temperature


def test_a_number_of_seats_may_have_levels_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(type(COUNCIL), "handicaps", {"easy": (9, 2.0), "medium": (20, 1.0)})
    monkeypatch.setattr(type(COUNCIL), "handicaps_at", {4: {"easy": (7, 3.0)}})
    own, most = level_of(COUNCIL, "easy", 4), level_of(COUNCIL, "easy")
    assert ((own.iterations, own.temperature), (most.iterations, most.temperature)) == ((7, 3.0), (9, 2.0))
    assert level_of(COUNCIL, "easy", 2) == most
    assert level_of(COUNCIL, "medium", 4) == level_of(COUNCIL, "medium")
    for seats in (2, 4):
        table = COUNCIL.new(seats, COUNCIL.options_type(), FastDice(5))
        seat = next(seat for seat in COUNCIL.actors(table) if len(table.legal(seat)) > 1)
        tick = Mock()
        choose(COUNCIL, COUNCIL.view(table, seat), "easy", 1, tick)
        assert {call.args[1] for call in tick.call_args_list} == {level_of(COUNCIL, "easy", seats).iterations}
    shared = {"game": COUNCIL.slug, "options": {}, "seed": "s"}
    games = {"games": 1, "rotate_seats": False, "half_width": 0.0}
    assert SimulationPlan.read({**shared, **games, "bots": ["easy"] * 4}).bots == (own,) * 4
    assert SimulationPlan.read({**shared, **games, "bots": ["easy"] * 2}).bots == (most,) * 2
    rounds = {"names": ["a", "b"], "rounds": 1, "anchor": None, "half_width": 0.0, "bots": ["easy", "easy"]}
    assert TournamentPlan.read({**shared, **rounds, "seats": 4}).bots == (own,) * 2
    assert bot(COUNCIL, "easy", 4, "--seats") == own
    assert ladder.plan(COUNCIL, 4, 1).bots[LADDER.index("easy")] == own
    assert efforts(COUNCIL, 4, "easy")["easy"] == [0, 7, 3.0]


def test_every_level_stands_on_the_ladder_or_among_the_yardsticks_above_its_first_step() -> None:
    assert set(LADDER) | set(YARDSTICKS) == set(LEVELS)
    assert YARDSTICKS[0] == LADDER[0]
    assert set(YARDSTICKS) & set(LADDER) == {LADDER[0]}


def test_a_game_without_handicaps_plays_the_levels_as_they_are() -> None:
    assert not WIZARDS.handicaps
    assert [level_of(WIZARDS, name) for name in LEVELS] == list(LEVELS.values())
    assert level_of(registered()["wichtel"], "easy").iterations < LEVELS["easy"].iterations


# How a search with a temperature chooses.


def searched(*visits: int) -> Advisor:
    lines = {move: RootStats(move, 0.0) for move in range(len(visits))}
    for move, number in enumerate(visits):
        for _ in range(number):
            lines[move].add(0.5, 0.25)
    return cast("Advisor", SimpleNamespace(lines=lines, best=lambda: len(visits)))


@pytest.mark.parametrize(
    ("temperature", "shares"), [(1.0, (0.6, 0.3, 0.1)), (0.5, (0.78, 0.2, 0.02)), (1e-4, (1, 0, 0))]
)
def test_a_move_is_drawn_by_visits_and_temperature(temperature: float, shares: tuple[float, ...]) -> None:
    dice, search = FastDice(7), searched(600, 300, 100, 0)
    count = Counter(draw_move(search, temperature, dice) for _ in range(2_000))
    assert count[3] == 0, "a move that was never tried"
    assert [count[move] / 2_000 for move in range(3)] == pytest.approx(shares, abs=0.04)


def test_a_search_that_has_tried_nothing_chooses_itself() -> None:
    assert draw_move(searched(0, 0), 1.0, FastDice(1)) == 2


@pytest.mark.parametrize("game", GAMES)
def test_a_warm_level_repeats_its_choice_with_its_seed_and_makes_legal_moves(game: Game) -> None:
    seats = min(game.seat_numbers)
    table = game.new(seats, game.options_type(), FastDice(5))
    playout(table, FastDice(6), 12)
    seat = next(seat for seat in game.actors(table) if len(table.legal(seat)) > 1)
    before = game.write(table)
    chosen = [choose_at(game, table, seat, level_of(game, "easy"), seed) for seed in (1, 1, 2, 3, 4, 5, 6)]
    assert chosen[0] == chosen[1]
    assert set(chosen) <= set(table.legal(seat))
    assert game.write(table) == before
    if "easy" not in game.advised:
        assert len(set(chosen)) > 1
