"""Rounds of a tournament.

In each round, each combination of entrants plays one block of games. All games of a block have the same deal. After
each game of a block, each entrant moves to the next side. A side is a seat or a team.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

MAX_ENTRANTS: Final = 8
"""Maximum number of entrants. With eight entrants at tables of four, a round already has 280 games."""


def turns_of(games: int, seats: int) -> int:
    """Return the number of rotations in `games` games.

    In a rotation, each player plays once at each seat. An incomplete rotation counts, too.
    """
    return -(-games // seats)


def line_ups(entrants: int, sides: int) -> list[tuple[int, ...]]:
    """Return the combinations of entrants that play in a round. Each entrant plays equally often."""
    # Each entrant gets `each` sides. The other sides go to different entrants. Each choice of these is one combination.
    each, more = divmod(sides, entrants)
    return [tuple(sorted([*range(entrants)] * each + list(chosen))) for chosen in combinations(range(entrants), more)]


def games_a_round(entrants: int, sides: int) -> int:
    return sides * len(line_ups(entrants, sides))


def seats_a_round(entrants: int, teams: Sequence[Sequence[int]]) -> int:
    """Return the total number of seats that an entrant plays in a round.

    In each game of the round, count the seats that the entrant plays. The total is the sum of these counts. It is the
    same for each entrant.
    """
    return games_a_round(entrants, len(teams)) * sum(map(len, teams)) // entrants
