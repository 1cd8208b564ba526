"""Choices of searches and simple players, in every figure, for a comparison of kernels."""

import json
from typing import Final

from games.core.dice import FastDice
from games.core.game import Game
from games.core.levels import LEVELS
from games.core.playout import playout
from games.core.registry import registered
from games.search.advise import choose
from games.search.analysis import analyse
from games.search.tree import TreeSearch
from tests.games.wichtel.positions import GAME, dragged

LONG = {"medium", "hard", "expert"}
"""Levels whose searches are too long for a comparison of kernels."""


MOVES: Final = 30
"""Number of random moves before a position."""


def searches() -> list[str]:
    """Return a line for each position, every figure in full: of all games and numbers of seats, and of a long round."""
    return [*(line(game, seats) for game in registered().values() for seats in game.seat_numbers), long_round()]


def line(game: Game, seats: int) -> str:
    """Return the line of a position: the choices of levels with little search, and the result of a search."""
    table = game.new(seats, game.options_type(), FastDice(seats))
    playout(table, FastDice(MOVES), MOVES)
    view = game.view(table, game.actors(table)[0])
    choices = [choose(game, view, level, seats) for level in LEVELS if level not in LONG]
    return json.dumps([choices, analyse(game, view, (40, 0), seats)])


def long_round() -> str:
    """Return the line of a round of Der Herr der Wichtel that drags on, with a model and without."""
    table = dragged(4, 26, 0)
    seat = GAME.actors(table)[0]
    search = TreeSearch(table, seat, GAME.worths["tuned"], 1)
    search.model = GAME.worths["tuned"]
    search.run(30)
    lines = [(line.move, line.visits, line.mean, line.margin()) for line in search.lines.values()]
    return json.dumps([lines, analyse(GAME, GAME.view(table, seat), (60, 0), 1)])
