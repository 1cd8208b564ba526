"""Pictures as PNG: SVG of our own, drawn by resvg in a process of its own.

resvg keeps the interpreter's lock while it draws, and other requests would wait for it. A process of its own costs
25 ms, may take so much processor time and no more, and takes nobody along if it dies.
"""

from __future__ import annotations

import re
import subprocess
import sys
from math import isqrt
from pathlib import Path
from typing import Final

from service.http import rasterize
from service.http.glyphs import drawn_by, drawn_in
from service.http.work_clock import TooMuchWork

PNG: Final = "image/png"

MOST_PIXELS: Final = 2_000_000
"""A picture that would have more pixels is less wide than wanted."""

MILLISECONDS: Final = 1000 * rasterize.CPU_SECONDS

_NAMES: Final = ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSerif", "DejaVuSerif-Bold")

FONTS: Final = [str(Path(__file__).with_name("fonts") / f"{name}.ttf") for name in _NAMES]
"""Fonts that come along, so that a picture looks the same on every machine."""

_VIEW_BOX: Final = re.compile(r'<svg [^>]*viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def png(svg: str, width: int | None) -> bytes:
    """Return an SVG as PNG, so many pixels wide or as its view box is; wide pictures have `MOST_PIXELS` at most.

    Raise TooMuchWork where drawing takes more than `MILLISECONDS` of processor time.
    """
    found = _VIEW_BOX.match(svg)
    if found is None:
        raise ValueError("a picture without a view box")
    own, high = map(float, found.groups())
    pixels = min(width or int(own), isqrt(int(MOST_PIXELS * own / high)))
    svg = drawn_in(svg, drawn_text)
    command = [sys.executable, "-I", rasterize.__file__, str(max(pixels, 1)), *FONTS]
    done = subprocess.run(command, input=svg.encode(), capture_output=True, check=False)  # noqa: S603 -- our own program
    if done.returncode in rasterize.OVER_TIME:
        raise TooMuchWork(MILLISECONDS)
    if done.returncode:
        raise RuntimeError(f"drawing ended with {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}")
    return done.stdout


def drawn_text(text: str) -> str:
    """Return a text as PNG pictures draw it (`service.http.glyphs`)."""
    return drawn_by(*map(Path, FONTS[:2]))(text)
