"""What a round of a tournament is: every line-up once, each as a block of games.

An entrant plays a side: a seat, or all seats of a team. A block is the same deal from all sides, one whole turn of
seats. Tournaments have whole rounds, so nobody has played more, or elsewhere, than others.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

MOST_ENTRANTS: Final = 8
"""How many may take part: a round of eight at tables of four has 280 games, and grows fast with more."""


def turns_of(games: int, seats: int) -> int:
    """Return how many turns of seats so many games are, the last of which may be shorter."""
    return -(-games // seats)


def line_ups(entrants: int, sides: int) -> list[tuple[int, ...]]:
    """Return who meets, each line-up in the order of the entrants, all entrants alike often.

    With enough entrants for all sides every choice of them meets once. With fewer, each has as many sides as the
    others or one more, and every choice of those who have one more meets once.
    """
    each, more = divmod(sides, entrants)
    return [tuple(sorted([*range(entrants)] * each + list(chosen))) for chosen in combinations(range(entrants), more)]


def games_a_round(entrants: int, sides: int) -> int:
    """Return how many games a round has."""
    return sides * len(line_ups(entrants, sides))


def seats_a_round(entrants: int, teams: Sequence[Sequence[int]]) -> int:
    """Return how many seats each entrant plays in a round, over all its games."""
    return games_a_round(entrants, len(teams)) * sum(map(len, teams)) // entrants
