"""The ground of a sculpture: a turntable, and the shadow on it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import hypot
from typing import Final

from games.barbarossa.clay.drawing.camera import Camera
from games.barbarossa.clay.drawing.mesh import Frame
from games.barbarossa.clay.drawing.silhouette import LINES, spots, thickness, written
from games.barbarossa.clay.drawing.surface import SWEEPS, grid
from games.barbarossa.clay.drawing.work import VERTEX, Work
from games.barbarossa.clay.form import Clay, Part, Triple
from games.barbarossa.clay.settle import digest
from games.barbarossa.clay.solid import axes, reach
from games.core.svg import element

Spot = tuple[float, float]

LONG: Final = 0.55
"""Length of shadows, relative to the length that the lamp's height would give."""


def shadow(clay: Clay, camera: Camera, frame: Frame, colours: tuple[str, str, str], mark: str, work: Work) -> str:
    """Draw the turntable and the shadow on it, soft by one blur; its names hold the sculpture's hash and the mark.

    Raise TooDear once that is too much work.
    """
    lean, dim, name = _lean(camera), colours[2], _name(clay, mark)
    slices = [rows for part in clay.parts for rows in _slices(part, work)]
    thrown = "".join(_path(_hull(_thrown(rows, lean)), camera, frame) for rows in slices)
    close = "".join(_path(_hull(low), camera, frame) for rows in slices if len(low := _footprint(rows)) > 2)
    soft = f"url(#clay-soft-{name})"
    return _turntable(
        clay,
        camera,
        frame,
        colours,
        name,
        element("path", d=thrown, fill=dim, fill_opacity=0.3, filter=soft),
        element("path", d=close, fill=dim, fill_opacity=0.35, filter=soft) if close else "",
    )


def flat_shadow(clay: Clay, camera: Camera, frame: Frame, colours: tuple[str, str, str], mark: str) -> str:
    """Draw the turntable and the shadow of the sculpture's outlines."""
    name, (across, along), dim = _name(clay, mark), _lean(camera), colours[2]
    filled, lines = [], []
    for part in clay.parts:
        ground = [camera.seen((x, y, 0.0)) for x, y in spots(part, (1.0, 0.0, across), (0.0, 1.0, along))]
        path = written((frame.x(right), frame.y(up)) for right, up, _ in ground)
        if part.shape in LINES:
            broad = 2 * thickness(part) * frame.scale
            lines.append(element("path", d=path, fill="none", stroke=dim, stroke_width=broad))
        else:
            filled.append(f"{path}z")
    cast = [element("path", d="".join(filled), fill=dim)] if filled else []
    return _turntable(
        clay, camera, frame, colours, name, element("g", *cast, *lines, opacity=0.3, filter=f"url(#clay-soft-{name})")
    )


def _lean(camera: Camera) -> Spot:
    x, y, z = camera.lamp()
    return -LONG * x / z, -LONG * y / z


def _name(clay: Clay, mark: str) -> str:
    return digest(clay)[:12] + mark


def _turntable(
    clay: Clay, camera: Camera, frame: Frame, colours: tuple[str, str, str], name: str, *shadows: str
) -> str:
    """Draw the turntable with the given shadows."""
    table, rim, _ = colours
    far = spread(clay)
    disc = _disc(far, 0.0, camera, frame, table)
    return "".join(
        [
            element(
                "defs",
                element("filter", element("feGaussianBlur", stdDeviation=14), id=f"clay-soft-{name}"),
                element("clipPath", disc, id=f"clay-table-{name}"),
            ),
            _disc(far, 0.016, camera, frame, rim),
            disc,
            element("g", *shadows, clip_path=f"url(#clay-table-{name})"),
        ]
    )


def spread(clay: Clay) -> float:
    """Return the radius of the turntable: the reach of the sculpture along the ground."""
    return max(0.12, *map(breadth, clay.parts))


def breadth(part: Part) -> float:
    """Return the maximum distance of a lump from the upright axis."""
    x, y, _ = reach(part)
    return hypot(abs(part.position[0]) + x, abs(part.position[1]) + y)


def _disc(far: float, drop: float, camera: Camera, frame: Frame, fill: str) -> str:
    right, up, _ = camera.seen((0.0, 0.0, -drop))
    wide = far * frame.scale
    return element("ellipse", cx=frame.x(right), cy=frame.y(up), rx=wide, ry=wide * camera.rows[2][2], fill=fill)


def _slices(part: Part, work: Work) -> Iterable[list[list[Triple]]]:
    rows = _spots(part)
    work.spend(VERTEX * len(rows) * len(rows[0]))
    run = 3 if part.shape in SWEEPS else len(rows)
    for start in range(0, max(1, len(rows) - 1), run):
        yield rows[start : start + run + 1]


def _thrown(rows: Sequence[Sequence[Triple]], lean: Spot) -> list[Spot]:
    across, along = lean
    return [(x + across * z, y + along * z) for row in rows for x, y, z in row]


def _footprint(rows: Sequence[Sequence[Triple]]) -> set[Spot]:
    return {(x, y) for row in rows for x, y, z in row if z < 0.06}


def _spots(part: Part) -> list[list[Triple]]:
    a, b, c = (extent / 2 for extent in part.size)
    (r0, r1, r2), (u0, u1, u2), (n0, n1, n2) = axes(part.rotation)
    px, py, pz = part.position
    return [
        [
            (px + r0 * x + r1 * y + r2 * z, py + u0 * x + u1 * y + u2 * z, pz + n0 * x + n1 * y + n2 * z)
            for x, y, z, *_ in row
        ]
        for row in grid(part.shape, a, b, c, 12)
    ]


def _hull(spots: Collection[Spot]) -> list[Spot]:
    ordered = sorted(set(spots))
    chains = []
    for points in (ordered, ordered[::-1]):
        chain: list[Spot] = []
        for x, y in points:
            while len(chain) > 1 and (chain[-1][0] - chain[-2][0]) * (y - chain[-2][1]) <= (
                chain[-1][1] - chain[-2][1]
            ) * (x - chain[-2][0]):
                chain.pop()
            chain.append((x, y))
        chains.append(chain[:-1])
    return chains[0] + chains[1]


def _path(hull: Sequence[Spot], camera: Camera, frame: Frame) -> str:
    spots = []
    for x, y in hull:
        right, up, _ = camera.seen((x, y, 0.0))
        spots.append(f"{frame.x(right)} {frame.y(up)}")
    return f"M{'L'.join(spots)}Z"
