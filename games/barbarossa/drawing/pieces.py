"""The sculptures of one picture: drawn within a common limit of work, the simplest first.

A sculpture that exceeds the rest is drawn in outlines. The work of a sculpture depends only on itself and the angle,
never on time or on earlier drawings.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from games.barbarossa.clay.drawing.camera import Camera
from games.barbarossa.clay.drawing.ink import SIDE as SHEET
from games.barbarossa.clay.drawing.ink import ink
from games.barbarossa.clay.drawing.sculpture import AZIMUTH, ELEVATION, SIDE, figure
from games.barbarossa.clay.drawing.work import Work
from games.barbarossa.clay.form import Clay, Strokes
from games.barbarossa.drawing.style import Look
from games.core.checkpoint import checkpoint
from games.core.svg import element

FIGURE: Final = 184
"""Size of a sculpture."""

DETAIL: Final = 0.5
"""As fine as can be told at that size."""

STEPS: Final = 600_000
EACH: Final = 250_000
"""Maximum steps of work for the sculptures of a picture together, and for one of them.

A figure of a bot's takes 43,000 on average and 100,000 at most, one of 48 lumps side by side 230,000.
"""


class Placed(NamedTuple):
    """A sculpture, its player's colour, and a mark that separates its names from those of others."""

    sculpture: Clay | Strokes
    colour: str
    mark: str


def draw_pieces(pieces: Sequence[Placed], look: Look) -> list[str]:
    """Draw sculptures as large as their places."""
    drawn, left = [""] * len(pieces), STEPS
    for at in sorted(range(len(pieces)), key=lambda at: _lumps(pieces[at].sculpture)):
        checkpoint()
        sculpture, colour, mark = pieces[at]
        text, steps = draw_sculpture(sculpture, colour, look, mark, min(left, EACH))
        left -= steps
        scale = FIGURE / (SIDE if isinstance(sculpture, Clay) else SHEET)
        drawn[at] = element("g", text, transform=f"scale({scale:g})")
    return drawn


@lru_cache(maxsize=256)
def draw_sculpture(sculpture: Clay | Strokes, colour: str, look: Look, mark: str, most: int) -> tuple[str, int]:
    """Draw a sculpture within a number of steps, and return it with the steps taken.

    The same stand in the hall from turn to turn, so they are kept.
    """
    if isinstance(sculpture, Strokes):
        return ink(sculpture, colour, look.theme), 0
    work = Work(most)
    camera = Camera.at(AZIMUTH + look.angle, ELEVATION)
    text = figure(sculpture, colour, camera, look.theme, DETAIL, mark, work)
    return text, min(work.done, most)


def _lumps(sculpture: Clay | Strokes) -> int:
    return len(sculpture.parts) if isinstance(sculpture, Clay) else 0
