"""Makes lumps of any size and place into one valid sculpture: as large as cube and clay allow, on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Final

from msgspec.structs import replace

from games.barbarossa.clay.check import fault
from games.barbarossa.clay.form import Clay, Part, Triple
from games.barbarossa.clay.settle import settled
from games.barbarossa.clay.solid import GRAIN, reach, volume

FILL: Final = 0.96
"""Maximum part of the cube's length that a sculpture takes."""

SHRINK: Final = 0.98
"""Factor by which a sculpture is reduced while rounding still pushes it over a limit."""

Box = tuple[Triple, Triple]


def fitted(parts: Sequence[Part], room: int) -> Clay:
    """Return lumps as a settled sculpture within the cube and within `room` of the roll."""
    low, high = box(parts)
    longest = max(above - below for below, above in zip(low, high, strict=True))
    scale = min(FILL / longest, (room / max(1, sum(map(volume, parts)))) ** (1 / 3))
    while True:
        clay = _placed(parts, low, high, scale)
        if fault(clay, room) is None:
            return clay
        scale *= SHRINK


def box(parts: Sequence[Part]) -> Box:
    """Return the lowest and the highest corner of the box around lumps."""
    spans = [(part.position, reach(part)) for part in parts]
    x, y, z = (min(at[axis] - far[axis] for at, far in spans) for axis in range(3))
    i, j, k = (max(at[axis] + far[axis] for at, far in spans) for axis in range(3))
    return (x, y, z), (i, j, k)


def _placed(parts: Sequence[Part], low: Triple, high: Triple, scale: float) -> Clay:
    x, y = (low[0] + high[0]) / 2, (low[1] + high[1]) / 2
    clay = settled(
        replace(
            part,
            position=(
                (part.position[0] - x) * scale,
                (part.position[1] - y) * scale,
                (part.position[2] - low[2]) * scale,
            ),
            size=_grown(part.size, scale),
        )
        for part in parts
    )
    sunk = max(reach(part)[2] - part.position[2] for part in clay.parts)
    lift = ceil(round(sunk * GRAIN, 4)) / GRAIN
    return settled(
        replace(part, position=(part.position[0], part.position[1], part.position[2] + lift)) for part in clay.parts
    )


def _grown(size: Triple, scale: float) -> Triple:
    a, b, c = (min(1.0, max(0.02, extent * scale)) for extent in size)
    return a, b, c
