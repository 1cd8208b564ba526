"""The worth of a table to each seat: its lead on the stairs, less the costs of unsolved riddles; compiled."""

from __future__ import annotations

from librt.vecs import append, vec
from mypy_extensions import i64

from games.barbarossa.table.constants import SPEARS
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.phases import OVER
from games.barbarossa.table.stairs import penalty
from games.core.table import Table, Worth


class WizardWorth(Worth):
    """Shares the win by where hats are expected to stand in the end."""

    __slots__ = ("scale", "stone")

    def __init__(self, scale: float, stone: float) -> None:
        """Take the steps that make a hat ahead e times as good, and the steps that a stone or a curse is worth."""
        self.scale: float = scale
        self.stone: float = stone

    def estimate(self, table: Table) -> vec[float]:
        """Return the expected rewards per seat; exact where the game is over."""
        assert isinstance(table, Hall)  # noqa: S101 -- the contract's promise, told to the type checker
        if table.phase == OVER:
            return table.rewards()
        weights = vec[float](capacity=4)
        total: float = 0.0
        seat: i64
        for seat in range(table.seats):
            weight: float = power(expected(table, seat, self.stone) / self.scale)
            weights = append(weights, weight)
            total += weight
        shares = vec[float](capacity=4)
        for weight in weights:
            shares = append(shares, weight / total)
        return shares


def power(exponent: float) -> float:
    """Return e to the power of an exponent, near enough for a comparison and never less than nothing."""
    base: float = 1.0 + exponent / 64.0
    base = max(base, 0.0)
    turn: i64
    for turn in range(6):
        base *= base
    return base + 1e-9


def expected(hall: Hall, seat: i64, stone: float) -> float:
    """Return the place of a hat, less the due part of its penalties, plus its supplies."""
    player = hall.player(seat)
    owed: i64 = 0
    index: i64
    for index in range(hall.each()):
        owed += penalty(player.riddle(index))
    late: float = float(hall.spears) / float(SPEARS)
    return float(player.hat) - late * float(owed) + stone * float(player.stones + player.curses)
