"""The picture of a sculpture of clay as SVG: lit, shaded, on a turntable with a soft shadow."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Final

from games.barbarossa.clay.drawing.bands import line, outline, rim, steps
from games.barbarossa.clay.drawing.camera import Camera
from games.barbarossa.clay.drawing.mesh import Frame, Lump, Piece, visible
from games.barbarossa.clay.drawing.order import back_to_front
from games.barbarossa.clay.drawing.paint import STEPS, ramp
from games.barbarossa.clay.drawing.shadow import breadth, flat_shadow, shadow, spread
from games.barbarossa.clay.drawing.silhouette import silhouettes
from games.barbarossa.clay.drawing.surface import SWEEPS
from games.barbarossa.clay.drawing.work import CORNER, TooDear, Work
from games.barbarossa.clay.form import Clay
from games.barbarossa.clay.solid import reach, volume
from games.core.svg import document, element

SIDE: Final = 1000
"""The picture's width and height in steps."""

AZIMUTH: Final = -25
ELEVATION: Final = 22
"""From where a sculpture is seen if nobody says anything else: a little from the left, a little from above."""

EDGE: Final = 0.02
"""Thickness of the turntable."""

COARSE: Final = 60
MAX_STRIDE: Final = 5
"""Maximum stride through the steps of brightness: a broad lump gets every step, the smallest every fifth."""

MAX_CHARACTERS: Final = 150_000
"""Maximum length of a picture; a longer one is drawn in outlines."""

CROWD: Final = 14
"""Lumps that are drawn in full detail."""

GROUNDS: Final = {"light": ("#e9e0cf", "#d8cbb2", "#4a3b28"), "dark": ("#2c313b", "#3b4250", "#000000")}
"""Turntable, its edge and shadow by theme."""


def figure(
    clay: Clay,
    colour: str,
    camera: Camera,
    theme: str,
    detail: float = 1.0,
    mark: str = "",
    work: Work | None = None,
) -> str:
    """Draw a sculpture into a square of SIDE, lit, with its turntable and shadow; never longer than MAX_CHARACTERS.

    A `detail` below 1 makes the picture coarser and shorter; crowded sculptures are coarser by themselves. A `mark`
    tells equal sculptures on one page apart. Where that is more `work` than may be done, the lumps are outlines.
    """
    detail *= min(1.0, sqrt(CROWD / len(clay.parts)))
    work = work or Work()
    frame, colours = _frame(clay, camera), ramp(colour)
    try:
        ground = shadow(clay, camera, frame, GROUNDS[theme], mark, work)
        shape = _surfaces(clay, colours, camera, frame, detail, work)
        check_length(ground, shape)
    except TooDear:
        ground = flat_shadow(clay, camera, frame, GROUNDS[theme], mark)
        shape = silhouettes(clay, colours, camera, frame)
    return element("g", ground, shape, stroke_linejoin="round")


def picture(
    clay: Clay, colour: str, azimuth: float = AZIMUTH, elevation: float = ELEVATION, theme: str = "light"
) -> str:
    """Draw a sculpture as a document of its own; angles are degrees, azimuth 0 is the front, the right side next."""
    return document(
        SIDE,
        SIDE,
        figure(clay, colour, Camera.at(azimuth, elevation), theme),
    )


def heart(clay: Clay, azimuth: float = AZIMUTH, elevation: float = ELEVATION) -> tuple[int, int]:
    """Return the place in its picture of the middle of a sculpture's largest massive lump."""
    camera = Camera.at(azimuth, elevation)
    frame = _frame(clay, camera)
    massive = [part for part in clay.parts if part.shape not in SWEEPS] or clay.parts
    right, up, _ = camera.seen(max(massive, key=volume).position)
    return frame.x(right), frame.y(up)


def check_length(*texts: str) -> None:
    """Raise TooDear for a picture that is longer than MAX_CHARACTERS."""
    if sum(map(len, texts)) > MAX_CHARACTERS:
        raise TooDear


def _surfaces(clay: Clay, colours: Sequence[str], camera: Camera, frame: Frame, detail: float, work: Work) -> str:
    lumps = [Lump.of(part, camera) for part in clay.parts]
    pieces = [piece for number in range(len(lumps)) for piece in visible(number, lumps, camera, frame, detail, work)]
    return "".join(_painted(piece, colours, detail, work) for piece in back_to_front(pieces, work))


def _frame(clay: Clay, camera: Camera) -> Frame:
    """Lay the picture so that the sculpture fills it and keeps its place when it is turned."""
    far = spread(clay)
    rise, level = camera.rows[2][2], camera.rows[1][2]
    top = max((part.position[2] + reach(part)[2]) * level + breadth(part) * rise for part in clay.parts)
    top, bottom = max(top, far * rise), -far * rise - EDGE
    span = max(2.06 * far, (top - bottom) * 1.03)
    return Frame(SIDE / span, -span / 2, (top + bottom) / 2 + span / 2)


def _painted(piece: Piece, colours: Sequence[str], detail: float, work: Work) -> str:
    lights = [corner[2] for cell in piece.cells for corner in cell]
    stride = min(MAX_STRIDE, max(1, round(COARSE / (piece.home.breadth * detail * detail))))
    first, last = (_step(light) // stride for light in (min(lights), max(lights)))
    tones = [colours[min(STEPS - 1, step * stride + stride // 2)] for step in range(last + 1)]
    work.spend(CORNER * len(lights))
    sides = rim(piece.cells)
    work.spend(CORNER * len(sides) * (last - first + 1))
    whole = outline(sides)
    if not whole:
        return ""
    seams = piece.home.seams
    true = [side for side in sides if side[0][:2] not in seams or side[1][:2] not in seams]
    parts = [
        element("path", d=line(true), fill="none", stroke=colours[max(0, first * stride - 4)], stroke_width=3.0),
        element("path", d=whole, fill=tones[first]),
    ]
    brighter = range(first + 1, last + 1)
    if brighter:
        paths = steps(piece.cells, sides, [step * stride / STEPS for step in brighter])
        parts += [element("path", d=path, fill=tones[step]) for step, path in zip(brighter, paths, strict=True) if path]
    return "".join(parts)


def _step(light: float) -> int:
    return min(STEPS - 1, max(0, int(light * STEPS)))
