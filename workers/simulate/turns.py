"""Plays simulations that store only totals. Workers play such a simulation in seat rotations.

A seat rotation is a series of games. If there are n seats at the table, the series has n games. Rotation k begins with
the game number `k * n`. The last rotation may have fewer games.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from games.search.advise import Tick
from workers.simulate.batch import SimulationPlan, SimulationWork
from workers.simulate.tally import Tally


class SeatTurns:
    """Plays a simulation in seat rotations. Each rotation has one game for each seat at the table.

    The rotations can be played in any order.
    """

    def __init__(self, plan: SimulationPlan) -> None:
        """Prepare the games of `plan`.

        This class never ends a simulation early. So it ignores `plan.half_width`, the precision at which a simulation
        may end early.
        """
        self._plan: Final = plan
        self._work: Final = SimulationWork(plan)

    def play(self, turn: int, tally: Tally, tick: Tick | None = None) -> None:
        """Play the seat rotation `turn`, and count its games in `tally`. Call `tick` between moves."""
        seats = len(self._plan.bots)
        for number in range(turn * seats, min((turn + 1) * seats, self._plan.games)):
            tally.played(self._work.play(number, tick))

    def tally(self, counters: Mapping[str, int]) -> Tally:
        """Return a tally that contains `counters`. Each counter may be a sum over several seat rotations."""
        return self._plan.tally().of_counters(counters)
