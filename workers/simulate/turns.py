"""Whole turns of seats, which are played and counted without keeping a game: the items of a tally.

Item k are the games from `k * seats` to before `(k + 1) * seats`, or the last of the plan. No turn is cut, so whatever
is counted of a turn as a whole stands in the counts of one item, and the counts of items add up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from games.search.advise import Tick
from workers.simulate.batch import SimulationPlan, SimulationWork
from workers.simulate.tally import Tally


class SeatTurns:
    """Plays the turns of seats of a plan, any of them at any time."""

    def __init__(self, plan: SimulationPlan) -> None:
        """Take the plan, which has a fixed number of games."""
        self._plan: Final = plan
        self._work: Final = SimulationWork(plan)

    def play(self, turn: int, tally: Tally, tick: Tick | None = None) -> None:
        """Play one turn, telling `tick` between moves, and count its games; the last one of all may be shorter."""
        seats = len(self._plan.bots)
        for number in range(turn * seats, min((turn + 1) * seats, self._plan.games)):
            tally.played(self._work.play(number, tick))

    def tally(self, counters: Mapping[str, int]) -> Tally:
        """Return the tally of all turns that have added to counters."""
        return self._plan.tally().of_counters(counters)
