"""The picture of a sculpture in ink: strokes as smooth lines through their points, on a sheet of paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from games.barbarossa.clay.drawing.paint import ramp
from games.barbarossa.clay.form import Point, Strokes
from games.core.svg import document, element

SIDE: Final = 1024
"""The sheet's width and height, in the strokes' own steps."""

PAPERS: Final = {"light": "#fffdf6", "dark": "#e9e3d4"}
"""Paper by theme; ink stays readable on it in every player's colour."""

PEN: Final = 14
"""Width of a line."""

TONE: Final = 7
"""Step of a colour's ramp that is ink: dark enough for the brightest colours."""


def ink(strokes: Strokes, colour: str, theme: str) -> str:
    """Draw strokes into a square of SIDE."""
    tone = ramp(colour)[TONE]
    path = "".join(map(_smooth, strokes.strokes))
    return element(
        "g",
        element("rect", width=SIDE, height=SIDE, rx=40, fill=PAPERS[theme]),
        element(
            "path", d=path, fill="none", stroke=tone, stroke_width=PEN, stroke_linecap="round", stroke_linejoin="round"
        ),
    )


def sheet(strokes: Strokes, colour: str, theme: str = "light") -> str:
    """Draw strokes as a document of its own."""
    return document(
        SIDE,
        SIDE,
        ink(strokes, colour, theme),
    )


def _smooth(points: Sequence[Point]) -> str:
    return "".join(_steps(points))


def _steps(points: Sequence[Point]) -> Iterator[str]:
    x, y = points[0]
    yield f"M{x} {y}"
    if len(points) < 3:
        x, y = points[-1]
        yield f"L{x} {y}"  # also for a dot, which a round cap makes visible
        return
    for (ax, ay), (bx, by) in pairwise(points[1:-1]):
        yield f"Q{ax} {ay} {(ax + bx) / 2:g} {(ay + by) / 2:g}"
    (ax, ay), (bx, by) = points[-2:]
    yield f"Q{ax} {ay} {bx} {by}"
