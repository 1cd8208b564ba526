"""Whole turns of seats, played and counted without storing games: the items of a tally.

Item k contains the games from `k * seats` up to `(k + 1) * seats`, or up to the end of the plan. No turn is split, so
the counts of one item contain whole turns, and the counts of items add up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from games.search.advise import Tick
from workers.simulate.batch import SimulationPlan, SimulationWork
from workers.simulate.tally import Tally


class SeatTurns:
    """Plays the turns of seats of a plan in any order."""

    def __init__(self, plan: SimulationPlan) -> None:
        """Take a plan with a fixed number of games."""
        self._plan: Final = plan
        self._work: Final = SimulationWork(plan)

    def play(self, turn: int, tally: Tally, tick: Tick | None = None) -> None:
        """Play one turn and count its games; call `tick` between moves. The last turn of a plan may be shorter."""
        seats = len(self._plan.bots)
        for number in range(turn * seats, min((turn + 1) * seats, self._plan.games)):
            tally.played(self._work.play(number, tick))

    def tally(self, counters: Mapping[str, int]) -> Tally:
        """Return the sum of counters of all turns as a tally."""
        return self._plan.tally().of_counters(counters)
