"""Plays simulations that store only totals. Each item of such a job is one seat rotation.

If the game has n seats, rotation k consists of n games and begins with game `k * n`. The last rotation may have fewer
games.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from games.search.advise import Tick
from workers.simulate.batch import SimulationPlan, SimulationWork
from workers.simulate.tally import Tally


class SeatTurns:
    """Plays the seat rotations of a plan, in any order."""

    def __init__(self, plan: SimulationPlan) -> None:
        """Create the work for a plan with a fixed number of games."""
        self._plan: Final = plan
        self._work: Final = SimulationWork(plan)

    def play(self, turn: int, tally: Tally, tick: Tick | None = None) -> None:
        """Play the seat rotation `turn`, and count its games in `tally`. Call `tick` between moves."""
        seats = len(self._plan.bots)
        for number in range(turn * seats, min((turn + 1) * seats, self._plan.games)):
            tally.played(self._work.play(number, tick))

    def tally(self, counters: Mapping[str, int]) -> Tally:
        """Return a tally with `counters`, which may be sums over several seat rotations."""
        return self._plan.tally().of_counters(counters)
