"""Counts of games, kept in whole numbers so that any order and any cut of the same games gives the same counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, Final

SHARES: Final = 60
"""Rewards are counted in sixtieths: a win shared by up to six is a whole number of them."""

Z95: Final = 1.959964


def wilson(wins: float, games: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a rate: the whole range where nothing was seen."""
    if games == 0:
        return 0.0, 1.0
    rate = wins / games
    square = Z95 * Z95 / games
    centre = (rate + square / 2) / (1 + square)
    half = Z95 * sqrt(rate * (1 - rate) / games + square / (4 * games)) / (1 + square)
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass(slots=True)
class Count:
    """The games of one bot in one seat, or a sum of such."""

    games: int = 0
    wins: int = 0
    shared: int = 0
    sixtieths: int = 0

    def add(self, reward: float) -> None:
        """Count one game."""
        share = round(reward * SHARES)
        self.games += 1
        self.wins += share == SHARES
        self.shared += 0 < share < SHARES
        self.sixtieths += share

    def plus(self, other: Count) -> Count:
        """Return the sum of two counts."""
        return Count(
            self.games + other.games,
            self.wins + other.wins,
            self.shared + other.shared,
            self.sixtieths + other.sixtieths,
        )

    def interval(self) -> tuple[float, float]:
        """Return the interval of the win rate."""
        return wilson(self.wins, self.games)

    def told(self) -> dict[str, Any]:
        """Return the count as plain JSON; the rate and its interval are of undivided wins, the score counts shares."""
        games = max(1, self.games)
        return {
            "games": self.games,
            "wins": self.wins,
            "shared": self.shared,
            "win_rate": round(self.wins / games, 6),
            "interval": [round(bound, 6) for bound in self.interval()],
            "score": round(self.sixtieths / SHARES / games, 6),
        }


@dataclass(slots=True)
class Tally:
    """The games of a simulation so far: a count for every bot (in the order given) in every seat, and the lengths."""

    seats: int
    counts: list[list[Count]] = field(init=False)
    games: int = 0
    plies: int = 0
    shortest: int = 0
    longest: int = 0

    def __post_init__(self) -> None:
        """Start with nothing counted."""
        self.counts = [[Count() for _ in range(self.seats)] for _ in range(self.seats)]

    def add(self, bots: Sequence[int], rewards: Sequence[float], plies: int) -> None:
        """Count one game: which bot sat in each seat, each seat's reward, and the number of moves."""
        for seat, bot in enumerate(bots):
            self.counts[bot][seat].add(rewards[seat])
        self.shortest = plies if self.games == 0 else min(self.shortest, plies)
        self.longest = max(self.longest, plies)
        self.games += 1
        self.plies += plies

    def merge(self, other: Tally) -> None:
        """Add what was counted elsewhere."""
        for bot in range(self.seats):
            for seat in range(self.seats):
                self.counts[bot][seat] = self.counts[bot][seat].plus(other.counts[bot][seat])
        if other.games:
            self.shortest = other.shortest if self.games == 0 else min(self.shortest, other.shortest)
            self.longest = max(self.longest, other.longest)
        self.games += other.games
        self.plies += other.plies

    def bot(self, bot: int) -> Count:
        """Return a bot's count over all seats."""
        return _sum(self.counts[bot])

    def seat(self, seat: int) -> Count:
        """Return a seat's count over all bots."""
        return _sum(row[seat] for row in self.counts)

    def half_width(self) -> float:
        """Return half the width of the widest interval of a bot's win rate."""
        return max((high - low) / 2 for low, high in (self.bot(bot).interval() for bot in range(self.seats)))

    def told(self, levels: Sequence[str]) -> dict[str, Any]:
        """Return everything as plain JSON; `levels` names the bots."""
        return {
            "games": self.games,
            "bots": [
                {
                    "bot": level,
                    **self.bot(bot).told(),
                    "by_seat": [
                        {"seat": seat, **count.told()} for seat, count in enumerate(self.counts[bot]) if count.games
                    ],
                }
                for bot, level in enumerate(levels)
            ],
            "seats": [{"seat": seat, **self.seat(seat).told()} for seat in range(self.seats)],
            "plies": {
                "mean": round(self.plies / max(1, self.games), 3),
                "shortest": self.shortest,
                "longest": self.longest,
            },
        }


def _sum(counts: Iterable[Count]) -> Count:
    """Add counts up."""
    total = Count()
    for count in counts:
        total = total.plus(count)
    return total
