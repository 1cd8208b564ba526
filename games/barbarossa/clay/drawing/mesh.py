"""The visible part of each lump: cells of its surface that look at the eye and do not lie within another lump.

A piece is a connected part of one surface that never hides itself; pieces are the items of the drawing order.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import hypot
from typing import Final

from games.barbarossa.clay.drawing.camera import Camera, brightness
from games.barbarossa.clay.drawing.surface import SWEEPS, Outside, Vertex, grid, outside
from games.barbarossa.clay.drawing.work import CELL, CUT, SAMPLING, TEST, VERTEX, Work
from games.barbarossa.clay.form import Part, Triple
from games.barbarossa.clay.solid import Rows, axes

Corner = tuple[int, int, float]
"""A corner of a cell in the picture, in whole steps of it, and its brightness."""

Seen = tuple[float, float, float, float, float, frozenset[int], Corner]
"""A vertex as the eye has it: right, up, nearness, brightness, how much it faces the eye, which lumps it is in.

Last comes the corner that it is in the picture.
"""

FLAT: Final = frozenset({"block", "slab"})
"""Shapes whose cells are too large for the soft dark where lumps meet."""

NONE: Final[frozenset[int]] = frozenset()
NOWHERE: Final[Corner] = (0, 0, 0.0)


MAX_REACH: Final = 0.04
"""From this distance on, another lump neither hides nor darkens a point."""

HIDDEN: Final = -0.5
"""Direction from the eye beyond which a vertex gets no light."""

HALVINGS: Final = 4
"""Number of halvings of a side to find the place where one lump enters another."""

STRETCHES: Final = 8
"""Into how many pieces a sweep is cut, so that it can go behind and before another lump."""

SAMPLE: Final = 34
"""Steps of the picture between two samples of nearness."""

STEEP: Final = 3.0
"""Maximum steepness of a cell; the ground is steeper only if it is seen from its edge."""

SLACK: Final = 0.004
"""Depth within another lump at which a surface is still drawn, so that no gaps open between two meshes."""


@dataclass(frozen=True, slots=True)
class Frame:
    """The projection of the eye's view onto the picture: a scale, and the picture's origin."""

    scale: float
    left: float
    top: float

    def x(self, right: float) -> int:
        """Return a place from the left."""
        return round((right - self.left) * self.scale)

    def y(self, up: float) -> int:
        """Return a place from the top."""
        return round((self.top - up) * self.scale)


Cell = tuple[Corner, ...]


@dataclass(frozen=True, slots=True)
class Home:
    """The origin of a piece: the lump, its breadth in the picture, and the stretch, counted along a sweep.

    `seams` are the spots where a sweep is cut into stretches; an `open` sweep hides nothing of itself.
    """

    lump: int
    breadth: float
    stretch: int = 0
    seams: frozenset[tuple[int, int]] = frozenset()
    open: bool = True


Sample = tuple[int, int, float, float, float]
"""A spot of the picture with the nearness of a cell there and, for a flat cell, its change one step right and down."""


@dataclass(slots=True)
class Piece:
    """Visible cells that hang together; `near` says where in the picture they lie how near."""

    home: Home
    cells: list[Cell]
    near: list[Sample]


@dataclass(frozen=True, slots=True)
class Lump:
    """A part as the eye has it: its axes, its middle, the box around it, and its outside."""

    part: Part
    rows: Rows
    middle: Triple
    half: Triple
    outside: Outside

    @classmethod
    def of(cls, part: Part, camera: Camera) -> Lump:
        """Turn a part to the eye."""
        a, b, c = (extent / 2 for extent in part.size)
        rows = camera.turned(axes(part.rotation))
        x, y, z = (abs(row[0]) * a + abs(row[1]) * b + abs(row[2]) * c for row in rows)
        return cls(part, rows, camera.seen(part.position), (x, y, z), outside(part.shape, a, b, c))

    def touches(self, other: Lump) -> bool:
        """Return whether the boxes around two lumps meet."""
        return all(
            abs(p - q) < h + g for p, q, h, g in zip(self.middle, other.middle, self.half, other.half, strict=True)
        )

    def away(self, x: float, y: float, z: float) -> float:
        """Return about how far outside this lump a point is, or MAX_REACH for a point far outside."""
        dx, dy, dz = x - self.middle[0], y - self.middle[1], z - self.middle[2]
        hx, hy, hz = self.half
        if abs(dx) > hx + MAX_REACH or abs(dy) > hy + MAX_REACH or abs(dz) > hz + MAX_REACH:
            return MAX_REACH
        (a, b, c), (d, e, f), (g, h, i) = self.rows
        return self.outside(a * dx + d * dy + g * dz, b * dx + e * dy + h * dz, c * dx + f * dy + i * dz) + SLACK


Box = tuple[int, "Lump", float, float, float, float, float, float]
"""A lump with its number, the middle of the box around it, and how far from there it hides or darkens a point."""


@dataclass(frozen=True, slots=True)
class View:
    """The view of one lump: the eye, the picture, the lumps that may hide it, and whether its cells are flat.

    `work` counts its cost.
    """

    camera: Camera
    frame: Frame
    near: Sequence[Box]
    flat: bool
    work: Work

    def free(self, within: Iterable[int], x: float, y: float, z: float) -> bool:
        """Return whether a point is outside some of the other lumps."""
        return all(self.near[number][1].away(x, y, z) > 0 for number in within)

    def about(self, points: Sequence[Triple]) -> list[Box]:
        """Return the lumps whose boxes meet the box around some points."""
        if not points:
            return []
        (low_x, low_y, low_z), (high_x, high_y, high_z) = (
            (pick(point[0] for point in points), pick(point[1] for point in points), pick(point[2] for point in points))
            for pick in (min, max)
        )
        return [
            box
            for box in self.near
            if low_x - box[2] < box[5]
            and box[2] - high_x < box[5]
            and low_y - box[3] < box[6]
            and box[3] - high_y < box[6]
            and low_z - box[4] < box[7]
            and box[4] - high_z < box[7]
        ]


def visible(
    number: int, lumps: Sequence[Lump], camera: Camera, frame: Frame, detail: float, work: Work | None = None
) -> list[Piece]:
    """Return the visible pieces of one of the lumps; raise TooDear once that is too much work."""
    work = work or Work()
    lump = lumps[number]
    a, b, c = (extent / 2 for extent in lump.part.size)
    broad = hypot(*sorted((a, b, c))[1:]) * frame.scale
    around = min(40, max(12 if detail > 0.5 else 8, round(detail * 1.9 * broad**0.5 / 4) * 4))
    others = [other for other in lumps if other is not lump and lump.touches(other)]
    boxes: list[Box] = []
    for place, other in enumerate(others):
        wide, high, deep = other.half
        boxes.append((place, other, *other.middle, wide + MAX_REACH, high + MAX_REACH, deep + MAX_REACH))
    view = View(camera, frame, boxes, lump.part.shape in FLAT, work)
    rows = [_row(lump, row, view) for row in grid(lump.part.shape, a, b, c, around)]
    home = Home(number, broad)
    if lump.part.shape not in SWEEPS:
        return _pieces(rows, home, view)
    ring = lump.part.shape == "torus"
    last = len(rows) - 1
    run = max(1, last // STRETCHES)
    pieces: list[Piece] = []
    for start in range(0, last, run):
        end = min(start + run, last)
        cuts = [rows[at] for at in (start, end) if ring or 0 < at < last]
        seams = frozenset((frame.x(seen[0]), frame.y(seen[1])) for row in cuts for seen in row)
        pieces += _pieces(rows[start : end + 1], Home(number, broad, start // run, seams, _is_open(lump)), view)
    return pieces


def _is_open(lump: Lump) -> bool:
    a, b, c = (extent / 2 for extent in lump.part.size)
    toward = [abs(axis) for axis in lump.rows[2]]
    if lump.part.shape == "torus":
        w = min(c, a / 2, b / 2)
        return min(a - w, b - w) * toward[2] > max(w, c)
    if lump.part.shape == "bend":
        w = min(b, a / 2, c)
        return min(a - w, 2 * c - w) * toward[1] > max(w, b)
    return toward[0] < 0.5


def _row(lump: Lump, row: Sequence[Vertex], view: View) -> list[Seen]:
    (r0, r1, r2), (u0, u1, u2), (n0, n1, n2) = lump.rows
    mx, my, mz = lump.middle
    s0, s1, s2 = (view.camera.rows[axis][2] for axis in range(3))
    view.work.spend(VERTEX * len(row))
    turned: list[tuple[float, float, float, float, float, float] | None] = []
    for index, vertex in enumerate(row):
        if index and vertex == row[index - 1]:
            turned.append(None)
            continue
        x, y, z, i, j, k = vertex
        length = hypot(i, j, k)
        i, j, k = i / length, j / length, k / length
        nx, ny, nz = r0 * i + r1 * j + r2 * k, u0 * i + u1 * j + u2 * k, n0 * i + n1 * j + n2 * k
        px, py, pz = mx + r0 * x + r1 * y + r2 * z, my + u0 * x + u1 * y + u2 * z, mz + n0 * x + n1 * y + n2 * z
        turned.append((px, py, pz, nx, ny, nz))
    around = view.about([found[:3] for found in turned if found is not None and found[5] >= HIDDEN])
    frame = view.frame
    soft = lump.part.shape not in FLAT
    tests = 0
    seen: list[Seen] = []
    for found in turned:
        if found is None:
            seen.append(seen[-1])
            continue
        px, py, pz, nx, ny, nz = found
        if nz < HIDDEN:
            seen.append((px, py, pz, 0.0, nz, NONE, NOWHERE))
            continue
        within = NONE
        free = MAX_REACH
        for number, other, cx, cy, cz, wide, high, deep in around:
            if abs(px - cx) < wide and abs(py - cy) < high and abs(pz - cz) < deep:
                away = other.away(px, py, pz)
                tests += 1
                if away <= 0:
                    within |= {number}
                free = min(free, away)
        height = s0 * px + s1 * py + s2 * pz
        bright = brightness(nx, ny, nz, s0 * nx + s1 * ny + s2 * nz) * min(1.0, 0.8 + 1.6 * max(height, 0.0))
        if free < MAX_REACH and soft:
            bright *= min(1.0, 0.76 + 6 * max(free, 0.0))
        seen.append((px, py, pz, bright, nz, within, (frame.x(px), frame.y(py), bright)))
    view.work.spend(TEST * tests)
    return seen


def _pieces(rows: Sequence[Sequence[Seen]], home: Home, view: View) -> list[Piece]:
    width = len(rows[0])
    owner: dict[tuple[int, int], int] = {}
    groups: list[Piece] = []
    cuts: dict[tuple[Seen, Seen], Corner] = {}
    for line in range(len(rows) - 1):
        upper, lower = rows[line], rows[line + 1]
        for column in range(width):
            following = (column + 1) % width
            corners = (upper[column], upper[following], lower[following], lower[column])
            lit = _lit(corners)
            if not any(lit):
                continue
            sides = (
                ((line - 1, column), lit[0] or lit[1]),
                ((line, (column - 1) % width), lit[0] or lit[3]),
                ((line, following), lit[1] or lit[2]),
            )
            joined = sorted({owner[side] for side, open_ in sides if open_ and side in owner})
            if not joined:
                joined = [len(groups)]
                groups.append(Piece(home, [], []))
            for other in joined[1:]:
                groups[joined[0]].cells += groups[other].cells
                groups[joined[0]].near += groups[other].near
                groups[other] = Piece(home, [], [])
                view.work.spend(len(owner) // CELL)
                owner.update({place: joined[0] for place, group in owner.items() if group == other})
            owner[line, column] = joined[0]
            whole = lit[0] and lit[1] and lit[2] and lit[3]
            view.work.spend(CELL if whole else CELL + CUT)
            cell = [corner[6] for corner in corners] if whole else _cut(corners, lit, cuts, view)
            groups[joined[0]].cells.append(tuple(cell))
            _sample(groups[joined[0]].near, corners, lit, view)
    return [piece for piece in groups if piece.cells]


def _lit(corners: Sequence[Seen]) -> list[bool]:
    """Return which corners of a cell are visible.

    If no single lump covers all covered corners, nothing is cut off: the gap between two lumps would be lost, and those
    lumps are laid on top anyway.
    """
    lit = [corner[4] > 0 and not corner[5] for corner in corners]
    covered = [corner[5] for corner in corners if corner[5]]
    if covered and not frozenset.intersection(*covered):
        return [corner[4] > 0 for corner in corners]
    return lit


def _sample(near: list[Sample], corners: Sequence[Seen], lit: Sequence[bool], view: View) -> None:
    frame = view.frame
    scale = frame.scale
    (ax, ay, az, *_), (bx, by, bz, *_), (cx, cy, cz, *_), (dx, dy, dz, *_) = corners
    px, py, pz, qx, qy, qz = cx - ax, cy - ay, cz - az, dx - bx, dy - by, dz - bz
    size = max(abs(px), abs(py), abs(qx), abs(qy)) * scale
    right = down = 0.0
    if view.flat:
        toward = (px * qy - py * qx) * scale
        if toward:
            right = _bounded((pz * qy - py * qz) / toward, frame)
            down = _bounded((pz * qx - px * qz) / toward, frame)
    if size <= SAMPLE:
        x, y, z = (ax + bx + cx + dx) / 4, (ay + by + cy + dy) / 4, (az + bz + cz + dz) / 4
        near.append((frame.x(x), frame.y(y), z, right, down))
        return
    whole = all(lit)
    left, top = frame.left, frame.top
    count = 1 + int(size / SAMPLE)
    view.work.spend(SAMPLING * count * count)
    parts = [(place + 0.5) / count for place in range(count)]
    for u in parts:
        ex, ey, ez = ax + u * (bx - ax), ay + u * (by - ay), az + u * (bz - az)
        fx, fy, fz = dx + u * (cx - dx), dy + u * (cy - dy), dz + u * (cz - dz)
        for v in parts:
            if whole or lit[(1 if u > 0.5 else 0) if v < 0.5 else (2 if u > 0.5 else 3)]:
                x, y = ex + v * (fx - ex) - left, top - ey - v * (fy - ey)
                near.append((int(x * scale), int(y * scale), ez + v * (fz - ez), right, down))


def _bounded(slope: float, frame: Frame) -> float:
    return max(-STEEP / frame.scale, min(STEEP / frame.scale, slope))


def _cut(
    corners: Sequence[Seen], lit: Sequence[bool], cuts: dict[tuple[Seen, Seen], Corner], view: View
) -> list[Corner]:
    """Return the part of a cell that is seen, in the picture."""
    points: list[Corner] = []
    for index, corner in enumerate(corners):
        if lit[index]:
            points.append(corner[6])
        following = (index + 1) % 4
        if lit[index] != lit[following]:
            pair = (corner, corners[following]) if lit[index] else (corners[following], corner)
            if pair not in cuts:
                cuts[pair] = _edge(*pair, view)
            points.append(cuts[pair])
    return points


def _edge(lit: Seen, dark: Seen, view: View) -> Corner:
    x, y, z, bright, facing, *_ = lit
    part = facing / (facing - dark[4]) if dark[4] <= 0 else 1.0
    dx, dy, dz, change = dark[0] - x, dark[1] - y, dark[2] - z, dark[3] - bright
    covers = dark[5]
    if not view.free(covers, x + part * dx, y + part * dy, z + part * dz):
        low = 0.0
        for _ in range(HALVINGS):
            middle = (low + part) / 2
            if view.free(covers, x + middle * dx, y + middle * dy, z + middle * dz):
                low = middle
            else:
                part = middle
    if dark[4] >= HIDDEN:
        bright += part * change
    return view.frame.x(x + part * dx), view.frame.y(y + part * dy), bright
