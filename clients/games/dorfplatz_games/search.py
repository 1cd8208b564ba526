"""Results of a search for a seat's moves."""

from __future__ import annotations

from dataclasses import dataclass

from games.core.game import Move


@dataclass(frozen=True, slots=True)
class Rated:
    """A move and its value: the mean reward in 0 to 1, with a 95 % interval.

    `share` is the move's share of all visits, in 0 to 1.
    """

    code: int
    move: Move
    visits: int
    value: float
    interval: tuple[float, float]
    share: float


@dataclass(frozen=True, slots=True)
class Advice:
    """The moves that a search has rated, best first, and the effort of the search."""

    iterations: int
    worlds: int
    moves: list[Rated]

    @property
    def best(self) -> Move:
        """Return the best move."""
        return self.moves[0].move
