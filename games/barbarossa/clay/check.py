"""Limits of a sculpture beyond its types: the cube, the roll of clay, and the points of the ink.

A fault names a reason and a place; the game adds the rule behind it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from games.barbarossa.clay.form import POINTS, Clay, Sculpture, Strokes
from games.barbarossa.clay.solid import GRAIN, reach, volume

ROLL: Final = 360_000
"""The roll of clay that every player has for all riddles together, in cubes of 0.01: 0.36 of the unit cube."""

REASONS: Final = ("out_of_cube", "roll_used_up", "too_many_points", "too_long", "malformed")
"""Every reason a sculpture is refused for; the last two only where it is read from text."""

EXACT: Final = 6
"""Decimals in comparisons of reaches, because sines are no more exact."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of a sculpture: a reason of REASONS, its place as a JSON pointer, and the figures."""

    reason: str
    pointer: str = ""
    params: dict[str, int | str] = field(default_factory=dict)


def share(riddles: int) -> int:
    """Return one riddle's part of the roll where it is split into equal ones."""
    return ROLL // riddles


def used(sculpture: Sculpture) -> int:
    """Return the part of the roll that a sculpture takes; ink takes none."""
    return sum(map(volume, sculpture.parts)) if isinstance(sculpture, Clay) else 0


def fault(sculpture: Sculpture, room: int = ROLL) -> Fault | None:
    """Return the first fault of a settled sculpture, or None; `room` is the rest of the roll."""
    return _clay(sculpture, room) if isinstance(sculpture, Clay) else _ink(sculpture)


def _clay(clay: Clay, room: int) -> Fault | None:
    for index, part in enumerate(clay.parts):
        axis = _outside(part.position, reach(part))
        if axis is not None:
            return Fault("out_of_cube", f"/parts/{index}/p/{axis}", {"axis": "xyz"[axis]})
    amount = used(clay)
    if amount > room:
        return Fault("roll_used_up", "/parts", {"used": amount, "room": room})
    return None


def _outside(middle: tuple[float, float, float], far: tuple[float, float, float]) -> int | None:
    for axis, (at, extent) in enumerate(zip(middle, far, strict=True)):
        low, high = (0, GRAIN) if axis == 2 else (-GRAIN // 2, GRAIN // 2)
        if round(GRAIN * (at - extent), EXACT) < low or round(GRAIN * (at + extent), EXACT) > high:
            return axis
    return None


def _ink(ink: Strokes) -> Fault | None:
    points = 0
    for index, stroke in enumerate(ink.strokes):
        points += len(stroke)
        if points > POINTS:
            return Fault("too_many_points", f"/strokes/{index}", {"points": sum(map(len, ink.strokes)), "most": POINTS})
    return None
