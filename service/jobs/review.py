"""What a review's words mean: its thresholds, how accuracy is counted, and how many iterations a decision gets."""

from __future__ import annotations

from typing import Final

MISTAKE: Final = 0.05
BLUNDER: Final = 0.15
"""How many shares of winning a mistake and a blunder give away, at least."""

VERDICTS: Final = ("good", "mistake", "blunder")

REVIEW_ITERATIONS: Final = 4_000
LEAST_REVIEW_ITERATIONS: Final = 100
MOST_REVIEW_ITERATIONS: Final = 20_000
"""How many iterations each decision gets where nothing else is said, and how few and many it may get."""


def verdict_on(regret: float) -> str:
    """Return what a decision of this regret is called."""
    if regret < MISTAKE:
        return "good"
    return "mistake" if regret < BLUNDER else "blunder"


def accuracy_of(regret: float) -> float:
    """Return how much a decision counts for: 1 without regret, 0 for a blunder, evenly in between."""
    return max(0.0, 1.0 - regret / BLUNDER)
