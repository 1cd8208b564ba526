"""The ranking of members by dwarfs and money; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

from games.core.bits import bit, first, nibble, nibbles
from games.gartenzwerge.table.caps import GOLD
from games.gartenzwerge.table.constants import GOAL

if TYPE_CHECKING:
    from games.gartenzwerge.table.club import Club


def leader(club: Club, seats: i64, buying: bool) -> i64:
    """Return the first of some members by dwarfs, then by money; several if equal (GZ-52, GZ-53, GZ-D28, GZ-D29).

    With `buying`, members without a golden dwarf pay for one.
    """
    best: i64 = 0
    row: i64 = -1
    cash: i64 = 0
    while seats != 0:
        seat: i64 = first(seats)
        seats &= seats - 1
        me = club.member(seat)
        mine: i64 = me.owned
        money: i64 = me.cash
        if nibble(mine, GOLD) > 0:
            mine -= nibbles(1, GOLD)
        elif buying:
            money -= GOAL
        if mine > row or (mine == row and money > cash):
            best = bit(seat)
            row = mine
            cash = money
        elif mine == row and money == cash:
            best |= bit(seat)
    return best
