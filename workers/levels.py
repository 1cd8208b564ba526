"""The ladder of bots, the same for every game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Level:
    """A bot's strength: how it evaluates, how many worlds it looks one ply ahead in, and how long it searches.

    `delay_ms` is the time a bot of this level lets pass before it moves, forced or not, so that time tells nothing.
    """

    name: str
    worth: str
    worlds: int
    iterations: int
    delay_ms: int


LEVELS: Final = {
    level.name: level
    for level in (
        Level("random", "greedy", worlds=0, iterations=0, delay_ms=100),
        Level("greedy", "greedy", worlds=4, iterations=0, delay_ms=150),
        Level("tuned", "tuned", worlds=4, iterations=0, delay_ms=150),
        Level("easy", "tuned", worlds=0, iterations=400, delay_ms=200),
        Level("medium", "tuned", worlds=0, iterations=2_000, delay_ms=300),
        Level("hard", "tuned", worlds=0, iterations=20_000, delay_ms=1_000),
    )
}
"""From the weakest to the strongest; `tuned` is the yardstick, the levels after it search."""
