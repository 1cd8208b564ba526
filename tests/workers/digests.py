"""Prints what searches and simple players choose in Der Hohe Rat, for a comparison of kernels."""

from __future__ import annotations

import json

from games.core.dice import FastDice
from games.core.levels import LEVELS
from games.core.playout import playout
from games.core.registry import registered
from games.search.advise import analyse, choose
from service.launch.build import kernel

LONG = {"medium", "hard", "expert"}
"""Levels whose searches are too long for a comparison of kernels."""


def lines() -> list[str]:
    """Return a line for each position, with every figure of the search in full."""
    game = registered()["hoher-rat"]
    found = []
    for seats in game.seat_numbers:
        for seed in range(3):
            table = game.new(seats, game.options_type(), FastDice(seed))
            playout(table, FastDice(seed + 100), 20 + 30 * seed)
            view = game.view(table, game.actors(table)[0])
            choices = [choose(game, view, level, seed) for level in LEVELS if level not in LONG]
            found.append(json.dumps([choices, analyse(game, view, (60, 0), seed)]))
    return found


if __name__ == "__main__":
    print(kernel(), *lines(), sep="\n")  # noqa: T201 -- read by the test
