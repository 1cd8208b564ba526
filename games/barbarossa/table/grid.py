"""A fast check that a lump's numbers lie on the grid that they are rounded to, as those of a record do; compiled.

A number of hundredths is on the grid if no number is nearer to them, which is the result of rounding to two decimals.
"""

from __future__ import annotations

from math import copysign, floor
from typing import Final

REACH: Final = 4.0
TURN: Final = 360.0
"""Numbers this far from 0, and angles, are left to be rounded."""

Triple = tuple[float, float, float]


def on_grid(position: Triple, rotation: Triple, size: Triple) -> bool:
    """Return whether rounding a lump's position, rotation and size would change nothing."""
    if not (hundredths(position[0]) and hundredths(position[1]) and hundredths(position[2])):
        return False
    if not (hundredths(size[0]) and hundredths(size[1]) and hundredths(size[2])):
        return False
    return fives(rotation[0]) and fives(rotation[1]) and fives(rotation[2])


def hundredths(number: float) -> bool:
    """Return whether a number is a multiple of a hundredth; minus 0 is not."""
    if not -REACH < number < REACH:
        return False
    return float(floor(number * 100.0 + 0.5)) / 100.0 == number and plain_zero(number)


def fives(angle: float) -> bool:
    """Return whether an angle is a multiple of five degrees, from 0 to less than a turn."""
    if not 0.0 <= angle < TURN:
        return False
    return 5.0 * float(floor(angle / 5.0)) == angle and plain_zero(angle)


def plain_zero(number: float) -> bool:
    """Return whether a number is anything but minus 0."""
    return number != 0.0 or copysign(1.0, number) > 0.0
