"""Pictures as PNG: our own SVG, drawn by resvg in a separate process.

resvg holds the interpreter's lock while it draws, which would block other requests. A separate process costs 25 ms, has
a limit of processor time, and cannot take other requests down if it dies.
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

MAX_PIXELS: Final = 2_000_000
"""Maximum number of pixels; a larger picture is narrower than requested."""

MILLISECONDS: Final = 1000 * rasterize.CPU_SECONDS

_NAMES: Final = ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSerif", "DejaVuSerif-Bold")

FONTS: Final = [str(Path(__file__).with_name("fonts") / f"{name}.ttf") for name in _NAMES]
"""Bundled fonts, so that a picture looks the same on every machine."""

_VIEW_BOX: Final = re.compile(r'<svg [^>]*viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def png(svg: str, width: int | None) -> bytes:
    """Convert an SVG to PNG. `width` is in pixels, by default the width of the view box.

    A picture with more than `MAX_PIXELS` becomes narrower. Raise TooMuchWork if drawing takes more than `MILLISECONDS`
    of processor time.
    """
    found = _VIEW_BOX.match(svg)
    if found is None:
        raise ValueError("a picture without a view box")
    own, high = map(float, found.groups())
    pixels = min(width or int(own), isqrt(int(MAX_PIXELS * own / high)))
    svg = drawn_in(svg, drawn_text)
    command = [sys.executable, "-I", rasterize.__file__, str(max(pixels, 1)), *FONTS]
    done = subprocess.run(command, input=svg.encode(), capture_output=True, check=False)  # noqa: S603 -- our own program
    if done.returncode in rasterize.OVER_TIME:
        raise TooMuchWork(MILLISECONDS)
    if done.returncode:
        raise RuntimeError(f"drawing ended with {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}")
    return done.stdout


def drawn_text(text: str) -> str:
    """Return a text as PNG pictures show it (`service.http.glyphs`)."""
    return drawn_by(*map(Path, FONTS[:2]))(text)
