"""An estimate of a table of Pebbles."""

from __future__ import annotations

from collections.abc import Mapping

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.table import Table, Worth
from tests.toy.table import Pebbles


class PebbleWorth(Worth):
    """Weighs the seat on turn, which is likely to lose with four pebbles in the heap, or eight."""

    __slots__ = ("turn",)

    def __init__(self, turn: float) -> None:
        """Take the difference between the share of the seat to move and that of the others, 1/3 at most."""
        self.turn: float = turn

    def estimate(self, table: Table) -> vec[float]:
        """Return the shares of one win, or the result."""
        assert isinstance(table, Pebbles)
        if table.winner >= 0:
            return table.rewards()
        gain: float = self.turn if table.heap % 4 else -self.turn
        found = vec[float]()
        seat: i64 = 0
        for seat in range(table.seats):
            share: float = 1.0 / float(table.seats)
            if table.turn >= 0:
                share += gain if seat == table.turn else -gain / float(table.seats - 1)
            found = append(found, share)
        return found


def weighed(weights: Mapping[str, float]) -> Worth:
    """Return the evaluation with these weights."""
    return PebbleWorth(weights["turn"])
