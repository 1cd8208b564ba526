"""The levels of bots, the same in every game: a ladder of five for people, and two yardsticks beside it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from games.core.game import Game

DECISIONS_PER_GAME: Final = 50
"""The usual number of decisions of a bot in a game, by which its cost is estimated."""


@dataclass(frozen=True, slots=True)
class Level:
    """A bot's strength: its evaluation, its worlds one ply ahead, and the length and quality of its search.

    With a `temperature` a search's move is drawn: a move with v visits weighs v ** (1 / temperature). At 0 it is the
    most visited. `delay_ms` is the pause of a bot of this level before each move, forced or not. If it thought longer,
    it moves after the next whole pause, so that time reveals nothing.
    """

    name: str
    worth: str
    worlds: int
    iterations: int
    delay_ms: int
    temperature: float = 0.0


LEVELS: Final = {
    level.name: level
    for level in (
        Level("random", "greedy", worlds=0, iterations=0, delay_ms=100),
        Level("greedy", "greedy", worlds=1, iterations=0, delay_ms=150),
        Level("tuned", "tuned", worlds=4, iterations=0, delay_ms=150),
        Level("easy", "tuned", worlds=0, iterations=50, delay_ms=200, temperature=1.5),
        Level("medium", "tuned", worlds=0, iterations=100, delay_ms=300, temperature=0.55),
        Level("hard", "learned", worlds=0, iterations=200, delay_ms=500, temperature=0.3),
        Level("expert", "learned", worlds=0, iterations=5_000, delay_ms=1_000),
    )
}
"""`random` makes any legal move, `greedy` and `tuned` look one ply ahead, the others search.

Where a game has an adviser of its own, that plays the levels in `Game.advised`, and knows how.
"""

LADDER: Final = ("random", "easy", "medium", "hard", "expert")
"""Levels that people choose from: each beats the one before it, in every game and number of seats
(docs/strength.md)."""

YARDSTICKS: Final = ("random", "greedy", "tuned")
"""The players one ply ahead; each beats the one before it, and searches are compared with them."""


LEVELS_TEXT: Final = (
    "`random`, `easy`, `medium`, `hard` and `expert` are a ladder: each beats the one before it. `greedy` and "
    "`tuned` look one move ahead and respond at once; they stand between `random` and `expert`."
)
"""Description of a choice between levels in the contract."""


def level_of(game: Game, name: str, seats: int | None = None) -> Level:
    """Return a level as a game plays it: a search may be shorter and warmer where the ladder's own are no steps.

    With some numbers of seats it may be another than with most; where no number is said, it is that of most.
    """
    level = LEVELS[name]
    handicaps = {**game.handicaps, **game.handicaps_at.get(seats or 0, {})}
    iterations, temperature = handicaps.get(name, (level.iterations, level.temperature))
    return replace(level, iterations=iterations, temperature=temperature)
