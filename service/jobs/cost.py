"""Upper bounds for the cost of jobs. When a job is submitted, its upper bound is charged.

Costs are measured in playouts. A playout is one simulated game or one simulated line of play.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from games.core.game import Game
from games.core.levels import DECISIONS_PER_GAME, level_of
from service.jobs.players import Player

PLAYOUTS_PER_MILLISECOND: Final = 40
"""Usual number of playouts per millisecond of search, measured in the game Der Hohe Rat."""


def cost_of_search(iterations: int, milliseconds: int) -> int:
    """Return the maximum number of playouts of a search.

    The search is limited by `iterations` or by `milliseconds`. The other argument is 0.
    """
    return iterations or milliseconds * PLAYOUTS_PER_MILLISECOND


def milliseconds_of_search(iterations: int, milliseconds: int) -> int:
    """Return the usual duration of a search in milliseconds.

    The search is limited by `iterations` or by `milliseconds`. The other argument is 0.
    """
    return milliseconds or iterations // PLAYOUTS_PER_MILLISECOND


def cost_of_tournament(entrants: Sequence[Player], games: int, seats: int) -> int:
    """Return the maximum number of playouts of a tournament.

    `games` is the number of games. `seats` is the total number of seats that each entrant plays. For example, if each
    entrant plays one seat in each of ten games, `seats` is 10.
    """
    return games + seats * sum(map(cost_of_bot, entrants))


def bot_cost(game: Game, level: str) -> int:
    return cost_of_bot(level_of(game, level))


def cost_of_bot(bot: Player) -> int:
    return bot.iterations * DECISIONS_PER_GAME


def cost_of_games(bots: Sequence[Player], games: int) -> int:
    """Return the maximum number of playouts of games between bots.

    A game costs one playout, plus the playouts of the bots' decisions.
    """
    return games * (1 + sum(map(cost_of_bot, bots)))
