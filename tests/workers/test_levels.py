"""The ladder of bots: the same names in every game, and iterations that a game may set lower."""

from __future__ import annotations

from itertools import pairwise

import pytest

from games.core.game import Game
from games.core.registry import registered
from service.jobs.levels import LEVELS, level_of

GAMES = [pytest.param(game, id=slug) for slug, game in registered().items()]


@pytest.mark.parametrize("game", GAMES)
def test_a_level_searches_longer_than_the_one_below_and_never_longer_than_the_ladder_says(game: Game) -> None:
    assert set(game.efforts) <= set(LEVELS)
    ladder = [level_of(game, name) for name in LEVELS]
    searching = [level.iterations for level in ladder if level.iterations]
    assert all(less < more for less, more in pairwise(searching))
    assert all(level.iterations <= LEVELS[level.name].iterations for level in ladder)
    assert [level.name for level in ladder] == list(LEVELS)


def test_a_game_without_efforts_of_its_own_plays_the_levels_as_they_are() -> None:
    council = registered()["hoher-rat"]
    assert not council.efforts
    assert [level_of(council, name) for name in LEVELS] == list(LEVELS.values())
    assert level_of(registered()["wichtel"], "easy").iterations < LEVELS["easy"].iterations
