"""The ladder of bots: the same levels in every game, each stronger than the one before."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from games.core.game import Game


@dataclass(frozen=True, slots=True)
class Level:
    """A bot's strength: how it evaluates, how many worlds it looks one ply ahead in, and how long it searches.

    `delay_ms` is the time a bot of this level lets pass before it moves, forced or not, so that time reveals nothing.
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
        Level("greedy", "greedy", worlds=1, iterations=0, delay_ms=150),
        Level("tuned", "tuned", worlds=4, iterations=0, delay_ms=150),
        Level("easy", "tuned", worlds=0, iterations=400, delay_ms=200),
        Level("medium", "tuned", worlds=0, iterations=2_000, delay_ms=300),
        Level("hard", "tuned", worlds=0, iterations=20_000, delay_ms=1_000),
    )
}
"""From the weakest to the strongest; `tuned` is the yardstick, the levels after it search."""


def level_of(game: Game, name: str) -> Level:
    """Return a level as a game plays it: a search may take fewer iterations where more of them win no more games."""
    level = LEVELS[name]
    return replace(level, iterations=game.efforts.get(name, level.iterations))
