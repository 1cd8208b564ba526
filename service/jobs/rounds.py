"""Rounds of a tournament: every line-up once, each as a block of games.

An entrant plays a side: a seat, or all seats of a team. A block is the same deal from all sides, one full rotation of
seats. Tournaments have whole rounds, so all entrants play equally many games in all positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

MAX_ENTRANTS: Final = 8
"""Maximum number of entrants: a round of eight at tables of four has 280 games, and more entrants need many more."""


def turns_of(games: int, seats: int) -> int:
    """Return the number of seat rotations in a number of games; the last one may be shorter."""
    return -(-games // seats)


def line_ups(entrants: int, sides: int) -> list[tuple[int, ...]]:
    """Return the line-ups of a round, each in the order of the entrants, with equally many for all entrants.

    With enough entrants for all sides, every combination meets once. With fewer, each has as many sides as the others
    or one more, and every combination of the entrants with one more meets once.
    """
    each, more = divmod(sides, entrants)
    return [tuple(sorted([*range(entrants)] * each + list(chosen))) for chosen in combinations(range(entrants), more)]


def games_a_round(entrants: int, sides: int) -> int:
    return sides * len(line_ups(entrants, sides))


def seats_a_round(entrants: int, teams: Sequence[Sequence[int]]) -> int:
    """Return the number of seats that each entrant plays in a round, over all its games."""
    return games_a_round(entrants, len(teams)) * sum(map(len, teams)) // entrants
