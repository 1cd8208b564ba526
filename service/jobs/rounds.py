"""Rounds of a tournament. In a round, every line-up plays one block of games.

An entrant plays a side, which is one seat or all seats of a team. In a block, the same deal is played once for each
rotation of the sides. A tournament consists of complete rounds, so all entrants play equally many games in all
positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

MAX_ENTRANTS: Final = 8
"""Maximum number of entrants: a round of eight at tables of four has 280 games, and more entrants need many more."""


def turns_of(games: int, seats: int) -> int:
    """Return the number of rotations of seats in a number of games. An incomplete last rotation also counts."""
    return -(-games // seats)


def line_ups(entrants: int, sides: int) -> list[tuple[int, ...]]:
    """Return the line-ups of a round, each in the order of the entrants. All entrants occur equally often.

    With at least as many entrants as sides, each combination of entrants is one line-up. With fewer entrants, the sides
    are divided as evenly as possible. Then some entrants have one side more than the others, and each combination of
    such entrants is one line-up.
    """
    each, more = divmod(sides, entrants)
    return [tuple(sorted([*range(entrants)] * each + list(chosen))) for chosen in combinations(range(entrants), more)]


def games_a_round(entrants: int, sides: int) -> int:
    return sides * len(line_ups(entrants, sides))


def seats_a_round(entrants: int, teams: Sequence[Sequence[int]]) -> int:
    """Return the number of seats that each entrant plays in all games of a round."""
    return games_a_round(entrants, len(teams)) * sum(map(len, teams)) // entrants
