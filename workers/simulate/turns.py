"""The items of a tally job: turns of seats, which are played and counted without storing the games.

A turn has as many games as there are seats. Turn k has the games from `k * seats` to before `(k + 1) * seats`, or to
the end of the plan. Each item is one turn, so the counters of items can be summed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from games.search.advise import Tick
from workers.simulate.batch import SimulationPlan, SimulationWork
from workers.simulate.tally import Tally


class SeatTurns:
    """Plays the turns of a plan in any order."""

    def __init__(self, plan: SimulationPlan) -> None:
        """Take a plan with a fixed number of games."""
        self._plan: Final = plan
        self._work: Final = SimulationWork(plan)

    def play(self, turn: int, tally: Tally, tick: Tick | None = None) -> None:
        """Play one turn and count its games. Call `tick` between moves. The last turn of a plan may be shorter."""
        seats = len(self._plan.bots)
        for number in range(turn * seats, min((turn + 1) * seats, self._plan.games)):
            tally.played(self._work.play(number, tick))

    def tally(self, counters: Mapping[str, int]) -> Tally:
        """Return a tally with these counters, which are sums over turns."""
        return self._plan.tally().of_counters(counters)
