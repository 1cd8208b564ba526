"""A sculpture in outlines: each lump as one flat shape, the far ones first; for figures whose surfaces are too costly.

The outline of a massive lump consists of the points that lie farthest in each of a few directions. Rings and arches are
drawn as broad lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import cos, hypot, pi, sin
from typing import Final

from games.barbarossa.clay.drawing.camera import Camera
from games.barbarossa.clay.drawing.mesh import Frame
from games.barbarossa.clay.form import Clay, Part, Triple
from games.barbarossa.clay.solid import Rows, axes
from games.core.svg import element

Spot = tuple[float, float]
LINES: Final = frozenset({"torus", "bend"})
"""Shapes that are drawn as lines."""

DIRECTIONS: Final = [(cos(2 * pi * at / 16), sin(2 * pi * at / 16)) for at in range(16)]
"""From where an outline is found."""

ALONG: Final = [at / 16 for at in range(17)]
"""The parts of a line after which it turns."""

DARK: Final = 3
RIM: Final = 6.0
"""Tone of the rim of an outline, and its width in steps of the picture."""

FAR: Final = 8
NEAR: Final = 14
"""Tones of the farthest and the nearest lump."""


def silhouettes(clay: Clay, colours: Sequence[str], camera: Camera, frame: Frame) -> str:
    """Draw the lumps of a sculpture as flat shapes, the nearer the brighter."""
    right, up, _ = camera.rows
    ordered = sorted(clay.parts, key=lambda part: camera.seen(part.position)[2])
    drawn = []
    for place, part in enumerate(ordered):
        tone = colours[FAR + (NEAR - FAR) * place // len(ordered)]
        path = written((frame.x(x), frame.y(y)) for x, y in spots(part, right, up))
        if part.shape in LINES:
            broad = max(RIM, 2 * thickness(part) * frame.scale)
            for colour, width in ((colours[DARK], broad + RIM), (tone, broad)):
                drawn.append(
                    element("path", d=path, fill="none", stroke=colour, stroke_width=width, stroke_linecap="round")
                )
        else:
            drawn.append(element("path", d=f"{path}z", fill=tone, stroke=colours[DARK], stroke_width=RIM / 2))
    return "".join(drawn)


def written(places: Iterable[tuple[int, int]]) -> str:
    """Write a path through places in the picture."""
    return "M" + "L".join(f"{x} {y}" for x, y in places)


def thickness(part: Part) -> float:
    """Return half the breadth of a line that stands for a lump."""
    a, b, c = (extent / 2 for extent in part.size)
    return min(c, a / 2, b / 2) if part.shape == "torus" else min(b, a / 2, c)


def spots(part: Part, right: Triple, up: Triple) -> list[Spot]:
    """Return the outline of a lump, or its centre line, in a flat picture of space.

    The horizontal and vertical positions of a point are its products with the two given vectors.
    """
    rows = axes(part.rotation)
    (i, j, k), (p, q, r) = _turned(right, rows), _turned(up, rows)
    if part.shape in LINES:
        points = _line(part)
    elif part.shape == "ribbon":
        points = _ribbon(part)
    else:
        points = [_farthest(part, (x * i + y * p, x * j + y * q, x * k + y * r)) for x, y in DIRECTIONS]
    x, y = _product(right, part.position), _product(up, part.position)
    return [(x + i * a + j * b + k * c, y + p * a + q * b + r * c) for a, b, c in points]


def _turned(direction: Triple, rows: Rows) -> Triple:
    x, y, z = direction
    (a, b, c), (d, e, f), (g, h, i) = rows
    return x * a + y * d + z * g, x * b + y * e + z * h, x * c + y * f + z * i


def _product(one: Triple, two: Triple) -> float:
    return one[0] * two[0] + one[1] * two[1] + one[2] * two[2]


def _line(part: Part) -> list[Triple]:
    a, b, c = (extent / 2 for extent in part.size)
    w = thickness(part)
    if part.shape == "torus":
        return [((a - w) * cos(2 * pi * at), (b - w) * sin(2 * pi * at), 0.0) for at in ALONG]
    return [((a - w) * cos(pi * at), 0.0, (2 * c - w) * sin(pi * at) - c) for at in ALONG]


def _ribbon(part: Part) -> list[Triple]:
    a, b, c = (extent / 2 for extent in part.size)
    edge = [(a * (2 * at - 1), b, 2 / 3 * c * sin(pi * (2 * at - 1))) for at in ALONG]
    return [*edge, *((x, -y, z) for x, y, z in reversed(edge))]


def _farthest(part: Part, toward: Triple) -> Triple:
    a, b, c = (extent / 2 for extent in part.size)
    i, j, k = toward
    end = c if k > 0 else -c
    if part.shape == "block":
        return a if i > 0 else -a, b if j > 0 else -b, end
    if part.shape in {"slab", "cone"}:
        round_ = hypot(a * i, b * j) or 1.0
        rim = (a * a * i / round_, b * b * j / round_)
        if part.shape == "slab":
            return *rim, end
        return (0.0, 0.0, c) if c * k > rim[0] * i + rim[1] * j - c * k else (*rim, -c)
    cap = min(1.0, max(a, b) / c) * c if part.shape == "capsule" else c
    far = hypot(a * i, b * j, cap * k) or 1.0
    return a * a * i / far, b * b * j / far, cap * cap * k / far + (c - cap if k > 0 else cap - c)
