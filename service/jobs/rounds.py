"""Rounds of a tournament. In a round, each combination of entrants plays one block of games.

A side is one seat, or all seats of a team. In a block, the same deal is played once for each rotation of the sides. A
tournament consists of complete rounds, so all entrants play equally many games in all positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Final

MAX_ENTRANTS: Final = 8
"""Maximum number of entrants. With eight entrants at tables of four, a round already has 280 games."""


def turns_of(games: int, seats: int) -> int:
    """Return the number of groups that a number of games consists of.

    In a group, the players rotate once through all seats, so it has one game for each seat. The last group may be
    incomplete.
    """
    return -(-games // seats)


def line_ups(entrants: int, sides: int) -> list[tuple[int, ...]]:
    """Return the combinations of entrants that play in a round. All entrants occur equally often.

    With at least as many entrants as sides, each combination occurs once. With fewer entrants, each entrant plays
    `sides // entrants` sides of a combination. Different entrants play the sides that are left. There is one
    combination for each choice of these entrants.
    """
    each, more = divmod(sides, entrants)
    return [tuple(sorted([*range(entrants)] * each + list(chosen))) for chosen in combinations(range(entrants), more)]


def games_a_round(entrants: int, sides: int) -> int:
    return sides * len(line_ups(entrants, sides))


def seats_a_round(entrants: int, teams: Sequence[Sequence[int]]) -> int:
    """Return the number of seats that each entrant plays in one round: the sum over all games of the round."""
    return games_a_round(entrants, len(teams)) * sum(map(len, teams)) // entrants
