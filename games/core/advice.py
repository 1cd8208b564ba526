"""Results of an adviser: the general search, or a game's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol, runtime_checkable

import msgspec

SETTLED: Final = 2**62
"""The lead of advice that no iteration can change, because nothing in it is sampled."""


class Hypothesis(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A possible value of a hidden thing, with its probability according to a seat's adviser."""

    about: int
    guess: str
    chance: float


class Line(Protocol):
    """Statistics of one legal move: the number of its visits, and its mean reward in 0 to 1."""

    @property
    def move(self) -> int:
        """Return the move's code."""

    @property
    def visits(self) -> int:
        """Return the number of visits of the move."""

    @property
    def mean(self) -> float:
        """Return the mean of the values seen, or an estimate where none was."""

    def margin(self) -> float:
        """Return the half-width of a 95 % interval around the mean."""


class Advisor(Protocol):
    """Advice that gets better while it runs; equal seeds and equal iterations give equal advice, however cut."""

    @property
    def done(self) -> int:
        """Return the number of finished iterations."""

    @property
    def lines(self) -> Mapping[int, Line]:
        """Return the lines of the moves it looks at by code."""

    def run(self, iterations: int) -> None:
        """Run a number of further iterations."""

    def best(self) -> int:
        """Return the move to make."""

    def lead(self) -> int:
        """Return the lead of the best move over the next, in visits; no fewer iterations can change it.

        SETTLED says that none can.
        """


@runtime_checkable
class Considering(Protocol):
    """An adviser that can value a move which it does not look at by itself."""

    def consider(self, move: int) -> None:
        """Add a legal move to its lines, if it can."""
