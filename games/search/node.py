"""The places of a search tree, with the records of the moves that lead to them; compiled."""

from __future__ import annotations

from math import log, sqrt
from typing import Final

from mypy_extensions import i64

UNTRIED: Final = 1000.0
"""The bound of a move that was never tried and has no virtual visits."""

NOBODY: Final = -1

OTHER_OBSERVER: Final = -2
"""The key OTHER_OBSERVER - seat leads from a place that another seat owns to the same place as `seat` owns it.

Codes of moves are from 0, so no key is a code.
"""


class Node:
    """A place in the tree, with the record of the move that leads to it."""

    __slots__ = ("kids", "move", "offers", "owner", "squares", "total", "visits")

    def __init__(self, move: i64) -> None:
        """Take the code of the move, as seen; the record is empty until `start`."""
        self.move: i64 = move
        self.owner: i64 = NOBODY
        self.visits: i64 = 0
        self.offers: i64 = 0
        self.total: float = 0.0
        self.squares: float = 0.0
        self.kids: dict[i64, Node] = {}

    def start(self, value: float, visits: i64) -> None:
        """Begin the record with virtual visits of one value."""
        self.visits = visits
        self.offers = visits
        self.total = value * float(visits)
        self.squares = value * value * float(visits)

    def add(self, value: float) -> None:
        """Add a visit."""
        self.visits += 1
        self.total += value
        self.squares += value * value

    def bound(self, curiosity: float, virtual: float) -> float:
        """Return the upper confidence bound of a move: its mean plus an exploration term.

        The term grows with the spread of its values and with the number of times that the move was available but not
        chosen. `virtual` is the contribution of the virtual visits to the squares. Moves without a visit come before
        all others.
        """
        if self.visits == 0:
            return UNTRIED + curiosity
        visits: float = float(self.visits)
        mean: float = self.total / visits
        spread: float = max(0.0, (self.squares + virtual) / visits - mean * mean)
        return mean + curiosity * sqrt(spread * log(float(self.offers)) / visits)

    def step(self, key: i64) -> Node:
        """Return the place that a move, as seen, leads to."""
        kid = self.kids.get(key)
        if kid is None:
            kid = Node(key)
            self.kids[key] = kid
        return kid

    def of(self, seat: i64) -> Node:
        """Return this place as one where `seat` decides."""
        if self.owner == NOBODY:
            self.owner = seat
        if self.owner == seat:
            return self
        return self.step(OTHER_OBSERVER - seat).of(seat)
