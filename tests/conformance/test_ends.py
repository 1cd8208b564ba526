"""Every game ends, with rewards that make sense, and estimates that do so on the way."""

from collections.abc import Callable
from importlib import import_module

import pytest
from _pytest.mark import ParameterSet
from hypothesis import given

from games.core.dice import FastDice
from games.core.game import Game, Move
from games.core.playout import playout
from games.core.table import SPECTATOR, Table, Worth

from .cases import MAX_MOVES, Case, every_case, every_game, examples, folder_of, seeds, walk
from .subjects import served

NEAR = 1e-9


def shared_wins() -> list[ParameterSet]:
    """Return every game's tables from which one move leads to a shared win; test_house lists the games without one."""
    return [
        pytest.param(game, last, id=f"{game.slug}, {claim}")
        for game in served().values()
        if (folder_of(game) / "shared_wins.py").exists()
        for claim, last in import_module(f"tests.games.{folder_of(game).name}.shared_wins").SHARED_WINS.items()
    ]


@every_case
@examples(10)
@given(seed=seeds)
def test_random_games_end_and_are_won_by_teams(case: Case, seed: int) -> None:
    game, dice = case.game, FastDice(seed)
    table = case.new(seed)
    assert game.outcome(table) is None
    assert playout(table, dice, MAX_MOVES) < MAX_MOVES
    assert game.actors(table) == []
    rewards = game.outcome(table)
    assert rewards is not None
    assert_standing(game, case.seats, rewards)
    assert all(game.legal(table, seat) == [] for seat in range(case.seats))
    for worth in game.worths.values():
        assert list(worth.estimate(table)) == rewards
    assert_whole(case.game, table)


def assert_whole(game: Game, table: Table) -> None:
    """Check that a table is read back as it was written, and that each view of it has a table, a text and a picture."""
    record = game.write(table)
    assert game.write(game.read(record)) == record
    for viewer in (*range(table.seats), SPECTATOR):
        view = game.view(table, viewer)
        assert game.view(game.from_view(view, FastDice(1)), viewer) == view
        assert game.headline(view, "en")
        assert game.picture(view, "en", "light")


@pytest.mark.parametrize(("game", "last"), shared_wins())
def test_a_game_with_a_shared_win_is_read_back(game: Game, last: Callable[[], tuple[Table, int, Move]]) -> None:
    table, seat, move = last()
    assert game.refuse(table, seat, move) is None
    ended = game.step(game.read(game.write(table)), seat, game.encode(table, seat, move), FastDice(1)).table
    rewards = game.outcome(ended)
    assert rewards is not None
    assert_standing(game, table.seats, rewards)
    assert max(rewards[team[0]] for team in game.teams(table.seats)) < 1, "one has won alone"
    for worth in game.worths.values():
        assert list(worth.estimate(ended)) == rewards
    assert_whole(game, ended)


def assert_standing(game: Game, seats: int, rewards: list[float]) -> None:
    """Check that rewards are shares of one win, equal inside a team."""
    assert len(rewards) == seats
    assert all(0.0 <= reward <= 1.0 for reward in rewards)
    teams = game.teams(seats)
    assert sorted(seat for team in teams for seat in team) == list(range(seats))
    assert all(rewards[seat] == rewards[team[0]] for team in teams for seat in team)
    assert abs(sum(rewards[team[0]] for team in teams) - 1.0) < NEAR


@every_case
@examples(6)
@given(seed=seeds)
def test_estimates_are_shares_of_one_win(case: Case, seed: int) -> None:
    for made in walk(case.game, case.somewhere(seed), seed, 15):
        for worth in case.game.worths.values():
            assert_standing(case.game, case.seats, list(worth.estimate(made.step.table)))


@every_game
def test_a_game_has_an_estimate_for_each_level(game: Game) -> None:
    assert {"greedy", "tuned"} <= set(game.worths)
    assert all(isinstance(worth, Worth) for worth in game.worths.values())


@every_case
@examples(4)
@given(seed=seeds)
def test_playing_does_not_depend_on_being_told(case: Case, seed: int) -> None:
    game = case.game
    for made in walk(game, case.somewhere(seed), seed, 10):
        silent = made.before.clone()
        dice = FastDice(seed)
        told = game.step(made.before, made.seat, made.code, FastDice(seed))
        silent.apply(made.seat, made.code, dice, None)
        assert game.write(silent) == game.write(told.table)


@every_game
def test_presets_are_options_and_the_first_is_the_default(game: Game) -> None:
    assert all(isinstance(preset, game.options_type) for preset in game.presets.values())
    assert next(iter(game.presets.values())) == game.options_type()
