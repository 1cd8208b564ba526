"""Digests of learners' data in random games: `python -m tests.clients.learners.digests` writes them.

They are the same compiled and not, and change if the card, the numbers of actions or the rules change.
"""

import hashlib
import json
import random
import sys
from pathlib import Path
from typing import Any, Final

from games.core.dice import FastDice
from games.core.registry import registered

FILE: Final = Path(__file__).with_name("digests.json")
ACTIONS: Final = 150
"""Number of actions, in as many games as needed."""


def digest(learner: Any) -> str:
    found, draw, dice = hashlib.sha256(), random.Random(11), FastDice(12)
    game, layout = learner.game, learner.layout
    table = game.new(learner.seats, game.options_type(), dice)
    begun: list[int] = []
    asked = draw.choice(game.actors(table))
    for _ in range(ACTIONS):
        for seat in range(learner.seats):
            found.update(layout.observe(table, seat, begun if seat == asked else ()).tobytes())
        choices = learner.choices(table, asked, begun)
        found.update(repr(sorted(choices.items())).encode())
        action = draw.choice(sorted(choices))
        begun.append(action)
        if choices[action] >= 0:
            table.apply(asked, choices[action], dice, None)
            if not game.actors(table):
                table = game.new(learner.seats, game.options_type(), dice)
            asked = draw.choice(game.actors(table))
            begun = []
    return found.hexdigest()[:32]


def digests(learner: Any) -> dict[str, str]:
    cases = [(slug, seats) for slug, game in registered().items() for seats in game.seat_numbers]
    return {f"{slug} {seats}": digest(learner(slug, seats)) for slug, seats in cases}


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3] / "clients" / "games"))
    from dorfplatz_games.learners import learner as found  # not installed here

    FILE.write_text(json.dumps(digests(found), indent=2) + "\n")
