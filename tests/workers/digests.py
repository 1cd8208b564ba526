"""Prints what searches and simple players choose, for a comparison of kernels."""

from __future__ import annotations

import json

from games.core.dice import FastDice
from games.core.levels import LEVELS
from games.core.playout import playout
from games.core.registry import registered
from games.search.advise import analyse, choose
from games.search.tree import TreeSearch
from service.launch.build import kernel
from tests.games.wichtel.positions import GAME, dragged

LONG = {"medium", "hard", "expert"}
"""Levels whose searches are too long for a comparison of kernels."""


def lines() -> list[str]:
    """Return a line for each position, with every figure in full: of Der Hohe Rat, and of a long round."""
    game = registered()["hoher-rat"]
    found = []
    for seats in game.seat_numbers:
        for seed in range(3):
            table = game.new(seats, game.options_type(), FastDice(seed))
            playout(table, FastDice(seed + 100), 20 + 30 * seed)
            view = game.view(table, game.actors(table)[0])
            choices = [choose(game, view, level, seed) for level in LEVELS if level not in LONG]
            found.append(json.dumps([choices, analyse(game, view, (60, 0), seed)]))
    return [*found, long_round()]


def long_round() -> str:
    """Return the line of a round of Der Herr der Wichtel that drags on, with a model and without."""
    table = dragged(4, 26, 0)
    seat = GAME.actors(table)[0]
    search = TreeSearch(table, seat, GAME.worths["tuned"], 1)
    search.model = GAME.worths["tuned"]
    search.run(30)
    lines = [(line.move, line.visits, line.mean, line.margin()) for line in search.lines.values()]
    return json.dumps([lines, analyse(GAME, GAME.view(table, seat), (60, 0), 1)])


if __name__ == "__main__":
    print(kernel(), *lines(), sep="\n")  # noqa: T201 -- read by the test
