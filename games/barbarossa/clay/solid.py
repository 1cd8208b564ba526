"""The measure of a lump: its volume in whole numbers, its axes in space and how far it reaches.

Volumes are counted in cubes of 0.01, so that every client and every machine finds the same sum.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, hypot, radians, sin
from typing import Final

from games.barbarossa.clay.form import Part, Triple

Rows = tuple[Triple, Triple, Triple]
"""A rotation: world = rows times local."""

GRAIN: Final = 100
"""Steps of 0.01 in the length of the cube."""


def volume(part: Part) -> int:
    """Return a lump's volume in cubes of 0.01, by the formula of its shape in thousandths, rounded down."""
    a, b, c = (round(GRAIN * extent) for extent in part.size)
    if part.shape == "block":
        return a * b * c
    if part.shape == "slab":
        return 785 * a * b * c // 1000
    if part.shape == "cone":
        return 262 * a * b * c // 1000
    if part.shape == "capsule":
        return a * b * (785 * c - 262 * min(c, max(a, b))) // 1000
    if part.shape == "torus":
        width = min(2 * c, a, b)  # twice the breadth of the ring's section
        return 617 * c * width * (a + b - width) // 1000
    if part.shape == "bend":
        width = min(2 * b, a, 2 * c)
        return 617 * b * width * (a + 2 * c - width) // 2000
    if part.shape == "ribbon":
        return 157 * b * c * (2 * a + c) // 1000
    return 524 * a * b * c // 1000


def axes(rotation: Triple) -> Rows:
    """Return the rotation of angles in degrees about the fixed x, then y, then z axis."""
    (sx, cx), (sy, cy), (sz, cz) = ((sin(radians(angle)), cos(radians(angle))) for angle in rotation)
    return (
        (cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx),
        (sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx),
        (-sy, cy * sx, cy * cx),
    )


def reach(part: Part) -> Triple:
    """Return the extent of a lump from its middle along the cube's x, y and z, both ways alike."""
    return _reach(part.shape, part.size, part.rotation)


@lru_cache(maxsize=1024)
def _reach(shape: str, size: Triple, rotation: Triple) -> Triple:
    a, b, c = (extent / 2 for extent in size)
    x, y, z = (_support(shape, a, b, c, row) for row in axes(rotation))
    return x, y, z


def _support(shape: str, a: float, b: float, c: float, row: Triple) -> float:
    x, y, z = a * row[0], b * row[1], c * row[2]
    if shape in {"ball", "egg"}:
        return hypot(x, y, z)
    if shape in {"slab", "cone"}:
        return hypot(x, y) + abs(z)
    if shape == "capsule":
        cap = min(1.0, max(a, b) / c)
        return hypot(x, y, cap * z) + (1 - cap) * abs(z)
    if shape == "torus":
        width = min(c, a / 2, b / 2)
        return hypot((a - width) * row[0], (b - width) * row[1]) + hypot(width * row[0], width * row[1], z)
    return abs(x) + abs(y) + abs(z)
