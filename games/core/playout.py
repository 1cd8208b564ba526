"""Random play of whole games, the yardstick of the kernel."""

from __future__ import annotations

from mypy_extensions import i64

from games.core.bits import first
from games.core.dice import CHOICE, Dice
from games.core.table import Table


def playout(table: Table, dice: Dice, plies: i64) -> i64:
    """Play at random until the game is over or `plies` moves are made, and return how many were."""
    made: i64 = 0
    while made < plies:
        seats: i64 = table.actors()
        if seats == 0:
            break
        seat: i64 = first(seats)
        moves = table.legal(seat)
        table.apply(seat, moves[dice.below(len(moves), CHOICE)], dice, None)
        made += 1
    return made
