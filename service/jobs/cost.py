"""What a job may cost at most, in playouts: known when it is submitted, so that a quota can be charged with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from games.core.game import Game
from games.core.levels import DECISIONS_PER_GAME, level_of
from service.jobs.players import Player

PLAYOUTS_PER_MILLISECOND: Final = 40
"""What a millisecond of search is usually enough for, measured with Der Hohe Rat."""


def cost_of_search(iterations: int, milliseconds: int) -> int:
    """Return the cost of a search by its budget, one part of which is 0."""
    return iterations or milliseconds * PLAYOUTS_PER_MILLISECOND


def milliseconds_of_search(iterations: int, milliseconds: int) -> int:
    """Return how long a search usually takes, by its budget, one part of which is 0."""
    return milliseconds or iterations // PLAYOUTS_PER_MILLISECOND


def cost_of_tournament(entrants: Sequence[Player], games: int, seats: int) -> int:
    """Return the cost of games among entrants that play so many seats each."""
    return games + seats * sum(map(cost_of_bot, entrants))


def bot_cost(game: Game, level: str) -> int:
    """Return the cost of a bot of a level that plays one seat of one game."""
    return cost_of_bot(level_of(game, level))


def cost_of_bot(bot: Player) -> int:
    """Return the cost of a bot that plays one seat of one game."""
    return bot.iterations * DECISIONS_PER_GAME


def cost_of_games(bots: Sequence[Player], games: int) -> int:
    """Return the cost of games between bots: one each, and what their decisions cost."""
    return games * (1 + sum(map(cost_of_bot, bots)))
