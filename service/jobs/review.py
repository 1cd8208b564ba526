"""Constants and formulas of game reviews: thresholds of verdicts, accuracy, iterations per decision."""

from __future__ import annotations

from typing import Final

MISTAKE: Final = 0.05
"""Minimum loss of winning chances for the verdict "mistake"."""

BLUNDER: Final = 0.15
"""Minimum loss of winning chances for the verdict "blunder"."""

VERDICTS: Final = ("good", "mistake", "blunder")

REVIEW_ITERATIONS: Final = 4_000
"""Default number of search iterations per decision."""

MIN_REVIEW_ITERATIONS: Final = 100
"""Minimum number of search iterations per decision."""

MAX_REVIEW_ITERATIONS: Final = 20_000
"""Maximum number of search iterations per decision."""


def verdict_on(regret: float) -> str:
    if regret < MISTAKE:
        return "good"
    return "mistake" if regret < BLUNDER else "blunder"


def accuracy_of(regret: float) -> float:
    """Return the accuracy of a decision.

    It is 1 if the regret is 0, and 0 for a blunder. Between these two, it is linear. The regret is the lost chance of
    winning.
    """
    return max(0.0, 1.0 - regret / BLUNDER)
