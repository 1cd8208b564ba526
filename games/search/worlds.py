"""Determinizations: whole tables dealt from the observer's knowledge, by numbered streams of chance."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64, mypyc_attr

from games.core.dice import Dice, FastDice
from games.core.table import Table

SEEDS: Final = 0x1FFFFFFFFFFFFFFF
"""Seeds are 0 to one below this number; with it, no sum below passes 2**62."""

STRIDE: Final = 2654435761


def world_dice(seed: i64, number: i64) -> FastDice:
    """Return the dice of one world of a seed; numbers go from 0 to 10**8.

    World k of a seed is the same whenever and wherever it is drawn.
    """
    return FastDice((seed + number * STRIDE) % SEEDS)


@mypyc_attr(allow_interpreted_subclasses=True)
class Worlds:
    """The source of a search's worlds."""

    __slots__ = ()

    def deal(self, table: Table, seat: i64, dice: Dice) -> None:
        """Deal the unknown parts of a seat again."""
        table.redeal(seat, dice)
