"""What a search says of a seat's moves."""

from __future__ import annotations

from dataclasses import dataclass

from games.core.game import Move


@dataclass(frozen=True, slots=True)
class Rated:
    """A move with what it is worth: the mean reward in 0 to 1, and a 95 % interval around it.

    `share` is the part of all visits that were this move's, in 0 to 1.
    """

    code: int
    move: Move
    visits: int
    value: float
    interval: tuple[float, float]
    share: float


@dataclass(frozen=True, slots=True)
class Advice:
    """The moves that a search has looked at, the best first, and how much it has done."""

    iterations: int
    worlds: int
    moves: list[Rated]

    @property
    def best(self) -> Move:
        """Return the move to make."""
        return self.moves[0].move
