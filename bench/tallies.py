"""Costs of games of a tally: the games that one core plays in a second, of each game and for bots that do not search.

Time is this process's own, so others on the machine disturb it little. No queue has a part in it; `bench.jobs` measures
the losses of workers beside it, and `bench.burst` those of many workers.
"""

from __future__ import annotations

import time
from typing import Final

import msgspec

from games.core.levels import level_of
from games.core.registry import registered
from workers.simulate.batch import SimulationPlan
from workers.simulate.turns import SeatTurns

CHEAP_LEVELS: Final = ("random", "greedy")


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """The games that a core plays in a second, of a game for some seats that bots of one level have."""

    game: str
    seats: int
    level: str
    games_a_second: float

    @property
    def core_hours(self) -> float:
        """Return the hours of a core that a million games take."""
        return 1_000_000 / self.games_a_second / 3_600


def rates(seconds: float) -> list[Rate]:
    """Measure all games, each with its fewest seats, for this number of seconds a level."""
    return [_rate(slug, level, seconds) for slug in registered() for level in CHEAP_LEVELS]


def _rate(slug: str, level: str, seconds: float) -> Rate:
    game = registered()[slug]
    seats = game.seat_numbers[0]
    bots = (level_of(game, level, seats),) * seats
    turns = SeatTurns(SimulationPlan(game, bots, game.options_type(**game.simulated), "bench", 10**9))
    tally = turns.tally({})
    turns.play(0, tally)
    begun, began, turn = tally.games, time.process_time(), 1
    while time.process_time() - began < seconds:
        turns.play(turn, tally)
        turn += 1
    spent = time.process_time() - began
    return Rate(game=slug, seats=seats, level=level, games_a_second=(tally.games - begun) / spent)
