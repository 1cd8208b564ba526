"""The surface of each shape as a grid of points with normals, and how far outside of it a point lies.

All in a lump's own axes, with half extents. A grid's columns run round the shape and close; its rows run from one
end to the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import cos, hypot, pi, sin, sqrt
from typing import Final

from games.barbarossa.clay.form import Shape

Vertex = tuple[float, float, float, float, float, float]
"""A point and its outward normal, which need not have length one."""

Grid = list[list[Vertex]]
Outside = Callable[[float, float, float], float]
"""About how far outside a shape a point lies; negative within."""

Knot = tuple[float, float, float, float]
"""A point of a profile (distance from the axis, height) or of a section (x, y), with its normal."""

SLIM: Final = 0.3
"""The part of its breadth that an egg loses at its top."""

SLAB_EDGE: Final = 0.28
BLOCK_EDGE: Final = 0.16
"""Rounding of the edges of slabs and blocks, in parts of half their least extent."""

SWEEPS: Final = frozenset({"torus", "bend", "ribbon"})
"""Shapes that are no heap around an axis but a section led along a line."""


def grid(shape: Shape, a: float, b: float, c: float, around: int) -> Grid:
    """Return a shape's surface with about `around` columns, a multiple of four."""
    if shape == "torus":
        return _torus(a, b, c, around)
    if shape == "bend":
        return _bend(a, b, c, around)
    if shape == "ribbon":
        return _ribbon(a, b, c, around)
    circle = [(cos(t), sin(t), cos(t), sin(t)) for t in _turns(around)]
    if shape in {"ball", "egg"}:
        return _turned(_round(shape, around // 2), circle, a, b, c)
    if shape == "capsule":
        return _turned(_capsule(min(1.0, max(a, b) / c), around // 4), circle, a, b, c)
    if shape == "cone":
        return _turned(_CONE, circle, a, b, c)
    edge = (SLAB_EDGE if shape == "slab" else BLOCK_EDGE) * min(a, b, c)
    return _edged(circle if shape == "slab" else _square(edge / a, edge / b), a, b, c, edge)


def outside(shape: Shape, a: float, b: float, c: float) -> Outside:
    """Return the function that tells how far outside a shape a point lies."""
    least = min(a, b, c)
    across = min(a, b)
    if shape == "torus":
        return _outside_torus(a, b, c)
    if shape == "bend":
        return _outside_bend(a, b, c)
    if shape == "ribbon":
        return _outside_ribbon(a, b, c)
    if shape == "capsule":
        cap = min(1.0, max(a, b) / c) * c
        return lambda x, y, z: (hypot(x / a, y / b, max(abs(z) - c + cap, 0.0) / cap) - 1) * across
    if shape == "cone":
        return lambda x, y, z: max((hypot(x / a, y / b) - 0.5 + 0.5 * z / c) * across, -c - z)
    if shape == "slab":
        edge = SLAB_EDGE * least
        return lambda x, y, z: (
            hypot(max((hypot(x / a, y / b) - 1) * across + edge, 0.0), max(abs(z) - c + edge, 0.0)) - edge
        )
    if shape == "block":
        edge = BLOCK_EDGE * least
        return lambda x, y, z: (
            hypot(max(abs(x) - a + edge, 0.0), max(abs(y) - b + edge, 0.0), max(abs(z) - c + edge, 0.0)) - edge
        )
    if shape == "egg":
        return lambda x, y, z: (hypot(x / a, y / b) - _egg(z / c)) * across if abs(z) < c else abs(z) - c + least / 8
    return lambda x, y, z: (hypot(x / a, y / b, z / c) - 1) * least


def _turns(count: int) -> list[float]:
    return [2 * pi * index / count for index in range(count)]


def _turned(profile: Sequence[Knot], section: Sequence[Knot], a: float, b: float, c: float) -> Grid:
    return [
        [(a * far * x, b * far * y, c * high, out * nx / a, out * ny / b, up / c) for x, y, nx, ny in section]
        for far, high, out, up in profile
    ]


def _edged(section: Sequence[Knot], a: float, b: float, c: float, edge: float) -> Grid:
    rows: Grid = []
    for inset, high, out, up in _flat(edge / c):
        x_in, y_in = edge * inset / a, edge * inset / b
        for part in (0.0, 0.5, 1.0) if inset == 1 and high == 1 else (1.0, 0.5, 0.0) if inset == 1 else (1.0,):
            rows.append(
                [
                    (a * part * (1 - x_in) * x, b * part * (1 - y_in) * y, c * high, out * nx / a, out * ny / b, up / c)
                    for x, y, nx, ny in section
                ]
            )
    return rows


def _egg(height: float) -> float:
    return sqrt(1 - height * height) * (1 - SLIM * (0.5 + 0.5 * height) ** 2)


def _round(shape: Shape, steps: int) -> list[Knot]:
    knots = []
    for step in range(steps + 1):
        s, k = sin(pi * step / steps), cos(pi * step / steps)
        if shape == "ball":
            knots.append((s, k, s, k))
        else:
            waist = 1 - SLIM * (0.5 + 0.5 * k) ** 2
            slope = k * waist + s * s * SLIM * (0.5 + 0.5 * k)  # how the breadth grows along the profile
            knots.append((s * waist, k, s, slope))
    return knots


def _capsule(cap: float, steps: int) -> list[Knot]:
    quarter = [(sin(pi * step / 2 / steps), cos(pi * step / 2 / steps)) for step in range(steps + 1)]
    top = [(s, 1 - cap + cap * k, s, k / cap) for s, k in quarter]
    low = [(s, cap - 1 - cap * k, s, -k / cap) for s, k in reversed(quarter)]
    middle = [(1.0, (1 - cap) * at, 1.0, 0.0) for at in (0.5, 0.0, -0.5)] if cap < 1 else []
    return top + middle + low


_CONE: Final[list[Knot]] = [
    (0.0, 1.0, 2.0, 1.0),
    (0.16, 0.68, 2.0, 1.0),
    (0.4, 0.2, 2.0, 1.0),
    (0.68, -0.36, 2.0, 1.0),
    (0.95, -0.9, 2.0, 1.0),
    (0.98, -0.97, 2.0, -0.5),
    (0.92, -1.0, 0.3, -1.0),
    (0.5, -1.0, 0.0, -1.0),
    (0.0, -1.0, 0.0, -1.0),
]


def _flat(height: float) -> list[Knot]:
    corner = [(sin(t), cos(t)) for t in (0.0, pi / 6, pi / 3, pi / 2)]
    top = [(1 - s, 1 - height + height * k, s, k) for s, k in corner]
    low = [(inset, -high, out, -up) for inset, high, out, up in reversed(top)]
    side = [(0.0, (1 - height) * at, 1.0, 0.0) for at in (0.4, -0.4)]
    return [*top, *side, *low]


def _square(width: float, depth: float) -> list[Knot]:
    knots: list[Knot] = []
    corner = [(cos(t), sin(t)) for t in (0.0, pi / 6, pi / 3, pi / 2)]
    for sx, sy in ((1, 1), (-1, 1), (-1, -1), (1, -1)):
        turn = corner if sx == sy else corner[::-1]
        if sx == sy:
            knots += [(sx, at * sy, sx, 0.0) for at in (-0.4, 0.4)]
        else:
            knots += [(at * sx, sy, 0.0, sy) for at in (-0.4, 0.4)]
        knots += [
            (sx * (1 - width + width * k), sy * (1 - depth + depth * s), sx * k / width, sy * s / depth)
            for k, s in turn
        ]
    return knots


def _torus(a: float, b: float, c: float, around: int) -> Grid:
    w = min(c, a / 2, b / 2)
    long, wide = a - w, b - w
    rows: Grid = []
    ring = [(cos(t), sin(t)) for t in _turns(max(8, around // 2))]
    steps = max(24, around * 2) // 8 * 8
    for turn in [*_turns(steps), 0.0]:
        k, s = cos(turn), sin(turn)
        norm = hypot(wide * k, long * s)
        nx, ny = wide * k / norm, long * s / norm
        rows.append(
            [
                (long * k + w * ck * nx, wide * s + w * ck * ny, c * cs, ck * nx / w, ck * ny / w, cs / c)
                for ck, cs in ring
            ]
        )
    return rows


def _bend(a: float, b: float, c: float, around: int) -> Grid:
    w = min(b, a / 2, c)
    long, high = a - w, 2 * c - w
    rows: Grid = []
    ring = [(cos(t), sin(t)) for t in _turns(max(8, around // 2))]
    steps = max(16, around) // 4 * 4
    for step in range(steps + 1):
        k, s = cos(pi * step / steps), sin(pi * step / steps)
        norm = hypot(high * k, long * s)
        nx, nz = high * k / norm, long * s / norm
        rows.append(
            [
                (long * k + w * ck * nx, b * cs, high * s - c + w * ck * nz, ck * nx / w, cs / b, ck * nz / w)
                for ck, cs in ring
            ]
        )
    return [*_closed(rows[0], (0, 0, -1)), *rows, *_closed(rows[-1], (0, 0, -1))[::-1]]


def _ribbon(a: float, b: float, c: float, around: int) -> Grid:
    t = c / 3
    swing = c - t
    rows: Grid = []
    section = [(_flattened(cos(v)), _flattened(sin(v)), cos(v) ** 3, sin(v) ** 3) for v in _turns(max(12, around // 2))]
    steps = max(20, around) // 4 * 4
    for step in range(steps + 1):
        x = -1 + 2 * step / steps
        slope = swing * pi / a * cos(pi * x)
        norm = hypot(slope, 1)
        nx, nz = -slope / norm, 1 / norm
        z = swing * sin(pi * x)
        rows.append(
            [(a * x + t * v * nx, b * u, z + t * v * nz, nv * nx / t, nu / b, nv * nz / t) for u, v, nu, nv in section]
        )
    return [*_closed(rows[0], (-1, 0, 0)), *rows, *_closed(rows[-1], (1, 0, 0))[::-1]]


def _flattened(value: float) -> float:
    return sqrt(abs(value)) * (1 if value >= 0 else -1)


def _closed(rim: Sequence[Vertex], normal: tuple[float, float, float]) -> Grid:
    x, y, z = (sum(vertex[axis] for vertex in rim) / len(rim) for axis in range(3))
    return [[(x, y, z, *normal)] * len(rim), [(*vertex[:3], *normal) for vertex in rim]]


def _outside_torus(a: float, b: float, c: float) -> Outside:
    w = min(c, a / 2, b / 2)
    long, wide, least = a - w, b - w, min(w, c)

    def far(x: float, y: float, z: float) -> float:
        stretch = max(hypot(x / long, y / wide), 0.1)  # near the middle all is as far inside the ring as matters
        return (hypot((1 - 1 / stretch) * max(hypot(x, y), 0.1 * min(long, wide)) / w, z / c) - 1) * least

    return far


def _outside_bend(a: float, b: float, c: float) -> Outside:
    w = min(b, a / 2, c)
    long, high, least = a - w, 2 * c - w, min(w, b)

    def far(x: float, y: float, z: float) -> float:
        stretch = max(hypot(x / long, (z + c) / high), 0.1)
        away = (1 - 1 / stretch) * max(hypot(x, z + c), 0.1 * min(long, high))
        return max((hypot(away / w, y / b) - 1) * least, -c - z)

    return far


def _outside_ribbon(a: float, b: float, c: float) -> Outside:
    t = c / 3
    swing = c - t

    def far(x: float, y: float, z: float) -> float:
        slope = swing * pi / a * cos(pi * x / a)
        return max(abs(z - swing * sin(pi * x / a)) / hypot(slope, 1) - t, abs(y) - b, abs(x) - a)

    return far
