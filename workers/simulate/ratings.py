"""Computes Elo ratings with confidence intervals from the results of many games (docs/decisions/044).

In the Luce model, the probability that a side wins is proportional to its strength. A rating is the logarithm of a
strength.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, log, sqrt
from typing import Final

from workers.simulate.tally import Z95

ELO: Final = 400 / log(10)
"""Number of Elo points by which a player is better than another if it is e (2.718…) times as strong."""

# Without these games, an entrant that won or lost every game would have an infinite rating.
PRIOR_GAMES: Final = 1.0
"""Number of drawn games that are added to the played games of each entrant."""

MAX_STEP: Final = 2.0
TOLERANCE: Final = 1e-9
END_TOLERANCE: Final = 1e-6
MAX_STEPS: Final = 100

Vector = list[float]
Matrix = list[Vector]


@dataclass(frozen=True, slots=True)
class Meeting:
    """The results of one combination of entrants, summed over its completed blocks.

    A block consists of games with the same deal.
    """

    sides: Sequence[int]  # number of sides that each entrant plays
    blocks: int
    games: int
    # `shares[a]` is the sum over the blocks of `share(a)`, the share of wins of entrant `a` in one block.
    shares: Sequence[float]
    # `squares[a][b]` is the sum over the blocks of `share(a) * share(b)`.
    squares: Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class EloRating:
    """An entrant's rating in Elo points, and the bounds of its 95 % confidence interval."""

    elo: float
    low: float | None  # None if no result limits the rating on this side
    high: float | None  # None if no result limits the rating on this side
    # Variance of the rating by blocks with a shared deal, divided by its variance as if all games were independent.
    # None if there are too few games, or if the entrant is the only one in `Ratings.zero`.
    ratio: float | None

    def half_width(self) -> float:
        """Return half the width of the confidence interval. It is infinite if a bound is None."""
        return float("inf") if self.low is None or self.high is None else (self.high - self.low) / 2


class Ratings:
    """The ratings of all entrants."""

    def __init__(self, meetings: Sequence[Meeting], entrants: int, anchor: int | None = None) -> None:
        """Compute the ratings. The rating of the entrant `anchor` is zero.

        If `anchor` is None, the mean rating of the largest linked group is zero instead. In a linked group, a chain of
        wins leads from each entrant to every other entrant. For example, A has won against B, and B has won against C.
        This chain of wins leads from A to C.
        """
        self._reach = _reach(meetings, entrants)
        # In a linked group, a chain of wins leads from each entrant to every other entrant.
        self.zero = _held_together(self._reach) if anchor is None else [anchor]
        """One or more entrants. The mean of the ratings of these entrants is zero."""
        self._mean = [1 / len(self.zero) if entrant in self.zero else 0.0 for entrant in range(entrants)]
        self._results = _Results(meetings, entrants)
        self._log, _, self._best = self._results.climb([self._mean], [0.0], [0.0] * entrants)
        self._inverse = self._results.inverse(self._best, self._mean)
        self._ratios = self._results.ratios(self._best, self._inverse)
        self.of = [self._rating(entrant) for entrant in range(entrants)]
        """The rating of each entrant."""

    def expected(self, meeting: Meeting) -> list[float]:
        """Return each entrant's chance to win a game between the entrants of `meeting`."""
        return _chances(meeting.sides, self._best)

    def _rating(self, entrant: int) -> EloRating:
        elo = ELO * self._best[entrant]
        if self.zero == [entrant]:
            return EloRating(0.0, 0.0, 0.0, None)
        ratio = self._ratios[entrant]
        held = self._reach[self.zero[0]]
        low = self._end(entrant, -1, ratio) if self._reach[entrant][self.zero[0]] else None
        high = self._end(entrant, 1, ratio) if held[entrant] else None
        return EloRating(elo, low, high, ratio)

    def _end(self, entrant: int, side: int, ratio: float | None) -> float:
        spread = sqrt(max(1.0, ratio or 1.0))  # never narrower than for independent games
        drop = Z95 * spread
        deviation = sqrt(self._inverse[entrant][entrant])
        where = [
            best + side * drop * row[entrant] / deviation for best, row in zip(self._best, self._inverse, strict=True)
        ]
        at = self._best[entrant] + side * drop * deviation
        held = [self._mean, [float(other == entrant) for other in range(len(self._best))]]
        for _ in range(MAX_STEPS):
            found, pull, where = self._results.climb(held, [0.0, at], where)
            fallen = sqrt(max(TOLERANCE, 2 * (self._log - found)))
            step = (drop - fallen) * fallen / max(TOLERANCE, abs(pull[1]))
            at += side * step
            if abs(step) < END_TOLERANCE:
                break
        return ELO * at


class _Results:
    """Computes the likelihood of ratings from the results of the games.

    In this class, a rating is the logarithm of a strength, and not a number of Elo points. The class adds drawn games
    between the entrants. Each entrant plays PRIOR_GAMES of the added games. Without the added games, an entrant that
    won every game would have an infinite rating.
    """

    def __init__(self, meetings: Sequence[Meeting], entrants: int) -> None:
        everybody = range(entrants)
        pairs = [[int(entrant in pair) for entrant in everybody] for pair in combinations(everybody, 2)]
        weight = PRIOR_GAMES / (entrants - 1)
        self._meetings = [meeting for meeting in meetings if meeting.blocks]
        self._played: list[tuple[Sequence[int], float]] = [
            *((meeting.sides, meeting.games) for meeting in self._meetings),
            *((pair, weight) for pair in pairs),
        ]
        self._shares = [
            sum(meeting.shares[entrant] for meeting in self._meetings) + PRIOR_GAMES / 2 for entrant in everybody
        ]

    def climb(self, held: Matrix, to: Vector, where: Vector) -> tuple[float, Vector, Vector]:
        """Find the ratings that maximise the log-likelihood under the condition `held @ ratings = to`.

        The search starts at the ratings `where`. Return the greatest log-likelihood, its gradient with respect to `to`,
        and the ratings.
        """
        size, pull = len(where), to
        for _ in range(MAX_STEPS):
            _, slope, bend = self._at(where)
            lacking = [wanted - _dot(row, where) for row, wanted in zip(held, to, strict=True)]
            solved = [row[0] for row in _solve(_bordered(bend, held), [[value] for value in (*slope, *lacking)])]
            step, pull = solved[:size], solved[size:]
            longest = max(map(abs, step))
            scale = min(1.0, MAX_STEP / max(longest, TOLERANCE))
            where = [strength + scale * change for strength, change in zip(where, step, strict=True)]
            if longest < TOLERANCE:
                break
        return self._at(where)[0], pull, where

    def inverse(self, where: Vector, mean: Vector) -> Matrix:
        """Return the covariance matrix of the ratings. `where` contains the ratings.

        The method assumes that all games are independent. It also assumes that a weighted mean of the ratings is fixed.
        `mean` contains the weight of each entrant in this weighted mean.
        """
        size = len(where)
        unit = [[float(row == column) for column in range(size + 1)] for row in range(size + 1)]
        return [row[:size] for row in _solve(_bordered(self._at(where)[2], [mean]), unit)[:size]]

    def ratios(self, where: Vector, inverse: Matrix) -> list[float | None]:
        """Estimate the variance of each rating in two ways. Return the ratio of the two estimates for each rating.

        The first estimate takes into account that games in the same block have the same deal. The second estimate
        assumes that all games are independent. The ratio is the first estimate divided by the second. If there are too
        few blocks, all ratios are None. `where` contains the ratings. `inverse` is the result of the method `inverse`
        for these ratings.
        """
        size, blocks = len(where), sum(meeting.blocks for meeting in self._meetings)
        if blocks < 2 * size:
            return [None] * size
        told = [[0.0] * size for _ in range(size)]
        for meeting in self._meetings:
            means = [chance * meeting.games / meeting.blocks for chance in _chances(meeting.sides, where)]
            for one, row in enumerate(told):
                for other in range(size):
                    crossed = meeting.shares[one] * means[other] + meeting.shares[other] * means[one]
                    row[other] += meeting.squares[one][other] - crossed + meeting.blocks * means[one] * means[other]
        found = list[float | None]()
        for entrant, weights in enumerate(inverse):
            spread = _dot(weights, [_dot(row, weights) for row in told]) * blocks / (blocks - size + 1)
            independent = weights[entrant]
            found.append(spread / independent if independent > TOLERANCE else None)
        return found

    def _at(self, where: Vector) -> tuple[float, Vector, Matrix]:
        size, highest = len(where), max(where)
        raised = [exp(strength - highest) for strength in where]
        height, expected = _dot(self._shares, where), [0.0] * size
        bend = [[0.0] * size for _ in range(size)]
        for sides, games in self._played:
            strength = _dot(sides, raised)
            height -= games * (log(strength) + highest)
            present = [(entrant, count * raised[entrant] / strength) for entrant, count in enumerate(sides) if count]
            for one, chance in present:
                expected[one] += games * chance
                row = bend[one]
                for other, met in present:
                    row[other] -= games * chance * met
        for entrant, games in enumerate(expected):
            bend[entrant][entrant] += games
        return height, [shares - games for shares, games in zip(self._shares, expected, strict=True)], bend


def _chances(sides: Sequence[int], where: Vector) -> Vector:
    highest = max(where)
    strengths = [count * exp(strength - highest) for count, strength in zip(sides, where, strict=True)]
    whole = sum(strengths)
    return [strength / whole for strength in strengths]


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return sum(left * right for left, right in zip(one, other, strict=True))


def _bordered(bend: Matrix, held: Matrix) -> Matrix:
    rows = [[*row, *(sums[entrant] for sums in held)] for entrant, row in enumerate(bend)]
    return [*rows, *([*sums, *[0.0] * len(held)] for sums in held)]


def _solve(matrix: Matrix, right: Matrix) -> Matrix:
    rows, size = [[*row, *values] for row, values in zip(matrix, right, strict=True)], len(matrix)
    for column in range(size):
        best = max(range(column, size), key=lambda row: abs(rows[row][column]))
        rows[column], rows[best] = rows[best], rows[column]
        pivot = rows[column] = [value / rows[column][column] for value in rows[column]]
        for other, row in enumerate(rows):
            if other != column and (factor := row[column]):
                rows[other] = [value - factor * above for value, above in zip(row, pivot, strict=True)]
    return [row[size:] for row in rows]


def _reach(meetings: Sequence[Meeting], entrants: int) -> list[list[bool]]:
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
    everybody = range(len(reach))
    groups = [[other for other in everybody if reach[one][other] and reach[other][one]] for one in everybody]
    return max(groups, key=len)
