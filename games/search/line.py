"""Statistics of a search for one of its observer's moves, with their uncertainty; compiled."""

from __future__ import annotations

from math import sqrt
from typing import Final

from mypy_extensions import i64

FIRST_BATCH: Final = 4
"""Number of values in the first comparison that measures drift."""

DRIFT: Final = 6.6
"""Part of the drift, squared, that is still to come while a search grows a hundredfold.

It doubles 6.6 times, and each time values may drift as they did from batch to batch.
"""

FIRST_DRIFT: Final = 1 / 32
"""The drift that is reckoned with before any is seen, squared, as a part of the variance of all moves' values.

Without it a move whose few batches happen to agree passes for settled.
"""

FORGET: Final = 0.7
"""Part of the first drift that remains after every batch. It is more than the data support, because few batches
measure drift badly."""


class RootStats:
    """Statistics of one of the observer's moves: visits, mean and spread of the values, and drift.

    The tree learns while it samples, so values drift. They are taken in batches, each twice as long as the one before.
    `drift` is the mean square of the change from batch to batch, beyond the part that chance explains; later changes
    weigh more. `fresh` is an additional part of the variance as long as there are few batches.
    """

    __slots__ = ("batch", "drift", "fresh", "last", "left", "mean", "move", "size", "spread", "variance", "visits")

    def __init__(self, move: i64, estimate: float) -> None:
        """Start with nothing seen; the first value takes the place of the estimate."""
        self.move: i64 = move
        self.visits: i64 = 0
        self.mean: float = estimate
        self.spread: float = 0.0
        self.variance: float = 0.25
        self.size: i64 = FIRST_BATCH
        self.left: i64 = FIRST_BATCH
        self.batch: float = 0.0
        self.last: float = estimate
        self.drift: float = 0.0
        self.fresh: float = FIRST_DRIFT

    def add(self, value: float, variance: float) -> None:
        """Add one value; `variance` is that of the values of all moves."""
        self.visits += 1
        change: float = value - self.mean
        self.mean += change / float(self.visits)
        self.spread += change * (value - self.mean)
        self.variance = variance
        self.batch += value
        self.left -= 1
        if self.left == 0:
            self.turn()

    def turn(self) -> None:
        """Compare a batch that is full with the one before, and begin the next."""
        size: float = float(self.size)
        mean: float = self.batch / size
        change: float = mean - self.last
        chance: float = 3.0 * self.spread / float(self.visits) / size
        self.fresh *= FORGET
        self.drift += 0.5 * (max(0.0, change * change - chance) - self.drift)
        self.last = mean
        self.batch = 0.0
        self.size *= 2
        self.left = self.size

    def margin(self) -> float:
        """Return the half-width of a 95 % interval around the mean, meant to hold the result of a far longer search.

        It covers the chance of the sampled worlds, draws and replies, as if they were independent. It also covers the
        drift still to come while the search grows a hundredfold, but no errors of the evaluation. A few equal
        values are no certainty, so the squares contain one more value, as far away as the values of all moves spread.
        Unseen moves have a margin of 1.
        """
        if self.visits == 0:
            return 1.0
        seen: float = float(self.visits)
        drift: float = self.drift + self.fresh * self.variance
        return 1.96 * sqrt((self.spread + self.variance) / seen / seen + DRIFT * drift)
