"""Numbered streams of chance: world k of a seed is the same whenever and wherever it is drawn."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from games.core.dice import FastDice

SEEDS: Final = 0x1FFFFFFFFFFFFFFF
"""Seeds are 0 to one below this number; with it, no sum below passes 2**62."""

STRIDE: Final = 2654435761


def world_dice(seed: i64, number: i64) -> FastDice:
    """Return the dice of one world of a seed; numbers go from 0 to 10**8."""
    return FastDice((seed + number * STRIDE) % SEEDS)
