"""Ratings from shares of games: one number for each entrant, on the Elo scale, with intervals (docs/decisions/044).

The model is Luce's, which for two sides is that of Bradley and Terry: a side wins in proportion to its strength, and a
rating is the logarithm of that. A shared win counts in parts. Beside its games every entrant is taken to have drawn
one more, spread over all others, so that an entrant that won or lost everything has a rating, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from workers.simulate.tally import Z95

ELO: Final = 400 / log(10)
"""How many points of Elo a factor of e in strength is."""

PRIOR_GAMES: Final = 1.0
"""How many games each is taken to have drawn beside its own."""

LONGEST_STEP: Final = 2.0
NEAR_ENOUGH: Final = 1e-9
END_NEAR_ENOUGH: Final = 1e-6
MOST_STEPS: Final = 100

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Meeting:
    """What came of all whole blocks of games that one line-up played, each block from one deal.

    For every entrant: how many `sides` it has in the line-up, and its `shares` of wins over all blocks; `squares` are
    the sums over the blocks of the products of two entrants' shares.
    """

    sides: Sequence[int]
    blocks: int
    games: int
    shares: Sequence[float]
    squares: Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class EloRating:
    """An entrant's points above the mean of the entrants at zero, and between which they lie with 95 %.

    An end is None where no result bounds it. `ratio` compares the variance of the rating, as the blocks tell it, with
    that of independent games that nobody shares; it is None at zero itself and where there are too few blocks.
    """

    elo: float
    low: float | None
    high: float | None
    ratio: float | None

    def half_width(self) -> float:
        """Return half the width of the interval."""
        return float("inf") if self.low is None or self.high is None else (self.high - self.low) / 2


class Ratings:
    """The ratings of all entrants of some meetings."""

    def __init__(self, meetings: Sequence[Meeting], entrants: int, anchor: int | None = None) -> None:
        """Rate the entrants; the anchor is at zero, without one the mean of those that results hold together."""
        self._reach = _reach(meetings, entrants)
        self.zero = _held_together(self._reach) if anchor is None else [anchor]
        """The entrants whose mean is zero."""
        self._mean = np.zeros(entrants)
        self._mean[self.zero] = 1 / len(self.zero)
        self._results = _Results(meetings, entrants)
        self._log, _, self._best = self._results.climb(self._mean[None], np.zeros(1), np.zeros(entrants))
        self._inverse = self._results.inverse(self._best, self._mean)
        self._ratios = self._results.ratios(self._best, self._inverse)
        self.of = [self._rating(entrant) for entrant in range(entrants)]
        """Each entrant's rating."""

    def expected(self, meeting: Meeting) -> list[float]:
        """Return each entrant's expected share of a game of this line-up."""
        strengths = np.asarray(meeting.sides) * np.exp(self._best - self._best.max())
        return [float(strength) for strength in strengths / strengths.sum()]

    def _rating(self, entrant: int) -> EloRating:
        elo = ELO * float(self._best[entrant])
        if self.zero == [entrant]:
            return EloRating(0.0, 0.0, 0.0, None)
        ratio = self._ratios[entrant]
        held = self._reach[self.zero[0]]
        low = self._end(entrant, -1, ratio) if self._reach[entrant][self.zero[0]] else None
        high = self._end(entrant, 1, ratio) if held[entrant] else None
        return EloRating(elo, low, high, ratio)

    def _end(self, entrant: int, side: int, ratio: float | None) -> float:
        """Return where the likelihood of an entrant's rating has fallen by as much as 95 % allow.

        The root of what is lost is nearly a line, so a few of Newton's steps are enough.
        """
        spread = sqrt(max(1.0, ratio or 1.0))  # never narrower than independent games would make it
        drop = Z95 * spread
        deviation = sqrt(self._inverse[entrant, entrant])
        direction = self._inverse[:, entrant] / deviation
        where, at = self._best + side * drop * direction, float(self._best[entrant]) + side * drop * deviation
        held = np.vstack([self._mean, np.eye(len(self._best))[entrant]])
        for _ in range(MOST_STEPS):
            found, pull, where = self._results.climb(held, np.array([0.0, at]), where)
            fallen = sqrt(max(NEAR_ENOUGH, 2 * (self._log - found)))
            step = (drop - fallen) * fallen / max(NEAR_ENOUGH, abs(float(pull[1])))
            at += side * step
            if abs(step) < END_NEAR_ENOUGH:
                break
        return ELO * at


class _Results:
    """The likelihood of strengths, given meetings and the games that are taken to be drawn."""

    def __init__(self, meetings: Sequence[Meeting], entrants: int) -> None:
        """Take what was played."""
        pairs = list(combinations(range(entrants), 2))
        drawn = np.array([[float(entrant in pair) for entrant in range(entrants)] for pair in pairs])
        weight = PRIOR_GAMES / (entrants - 1)
        self._meetings = [meeting for meeting in meetings if meeting.blocks]
        played = [meeting.sides for meeting in self._meetings], [meeting.shares for meeting in self._meetings]
        sides, shares = (np.array(part, float).reshape(-1, entrants) for part in played)
        self._sides = np.vstack([sides, drawn])
        self._games = np.array([*(meeting.games for meeting in self._meetings), *[weight] * len(pairs)], float)
        self._shares = np.vstack([shares, drawn * weight / 2]).sum(0)

    def climb(self, held: Matrix, to: Vector, where: Vector) -> tuple[float, Vector, Vector]:
        """Return the highest logarithm of the likelihood where `held @ strengths = to`, its pull on that, and where."""
        size, pull = len(where), to
        for _ in range(MOST_STEPS):
            _, slope, bend = self._at(where)
            solved = np.linalg.solve(_bordered(bend, held), np.concatenate([slope, to - held @ where]))
            step, pull = solved[:size], solved[size:]
            longest = float(np.abs(step).max())
            where = where + step * min(1.0, LONGEST_STEP / max(longest, NEAR_ENOUGH))
            if longest < NEAR_ENOUGH:
                break
        return self._at(where)[0], pull, where

    def inverse(self, where: Vector, mean: Vector) -> Matrix:
        """Return the covariances of the strengths, their mean held, were all games independent."""
        bend = self._at(where)[2]
        return np.array(np.linalg.inv(_bordered(bend, mean[None]))[: len(where), : len(where)], float)

    def ratios(self, where: Vector, inverse: Matrix) -> list[float | None]:
        """Return how the variances that the blocks tell compare with those of independent games."""
        size, blocks = len(where), sum(meeting.blocks for meeting in self._meetings)
        if blocks < 2 * size:
            return [None] * size
        told = np.zeros((size, size))
        for meeting in self._meetings:
            mean = self._chances(where, np.array([meeting.sides], float))[0] * meeting.games / meeting.blocks
            cross = np.outer(meeting.shares, mean)
            told += np.array(meeting.squares) - cross - cross.T + meeting.blocks * np.outer(mean, mean)
        spread = (inverse @ told @ inverse).diagonal() * blocks / (blocks - size + 1)
        both = zip(spread, inverse.diagonal(), strict=True)
        return [float(one / other) if other > NEAR_ENOUGH else None for one, other in both]

    def _at(self, where: Vector) -> tuple[float, Vector, Matrix]:
        """Return the logarithm of the likelihood, its slope, and how it bends down."""
        chances = self._chances(where, self._sides)
        strengths = self._sides @ np.exp(where - where.max())
        height = self._shares @ where - self._games @ (np.log(strengths) + where.max())
        expected = self._games @ chances
        bend = np.diag(expected) - (chances * self._games[:, None]).T @ chances
        return float(height), self._shares - expected, bend

    @staticmethod
    def _chances(where: Vector, sides: Matrix) -> Matrix:
        """Return the chance of each entrant in each line-up."""
        strengths = sides * np.exp(where - where.max())
        chances: Matrix = strengths / strengths.sum(1, keepdims=True)
        return chances


def _bordered(bend: Matrix, held: Matrix) -> Matrix:
    """Return the matrix of Newton's step where some sums are held."""
    return np.block([[bend, held.T], [held, np.zeros((len(held), len(held)))]])


def _reach(meetings: Sequence[Meeting], entrants: int) -> list[list[bool]]:
    """Return which entrants have won, or shared a win, against which others, directly or by way of others."""
    everybody = range(entrants)
    reach = [[one == other for other in everybody] for one in everybody]
    for meeting in meetings:
        present = [entrant for entrant in everybody if meeting.sides[entrant]]
        for one in present:
            for other in present:
                reach[one][other] |= meeting.shares[one] > 0
    for via in everybody:
        for one in everybody:
            for other in everybody:
                reach[one][other] |= reach[one][via] and reach[via][other]
    return reach


def _held_together(reach: Sequence[Sequence[bool]]) -> list[int]:
    """Return the largest group in which all reach each other, the first of equals."""
    everybody = range(len(reach))
    groups = [[other for other in everybody if reach[one][other] and reach[other][one]] for one in everybody]
    return max(groups, key=len)
