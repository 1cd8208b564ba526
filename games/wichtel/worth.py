"""An estimate of a village from hands, totals and what lies on the square; compiled."""

from __future__ import annotations

from librt.vecs import append, vec

from games.core.table import Table, Worth
from games.wichtel.table.sitting import OVER, Sitting


class VillageWorth(Worth):
    """Nothing yet."""

    __slots__ = ()

    def estimate(self, table: Table) -> vec[float]:
        """Return the expected rewards per seat."""
        assert isinstance(table, Sitting)  # noqa: S101 -- tells the compiler the type
        if table.phase == OVER:
            return table.rewards()
        worths = vec[float](capacity=5)
        for seat in range(table.seats):
            worths = append(worths, 1.0 / float(table.seats))
        return worths
