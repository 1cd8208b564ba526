"""Converts our SVG pictures to PNG with resvg.

resvg runs in a separate process, which takes 25 ms to start. In the server's process, it would hold the GIL while it
draws. A crash of the separate process affects no other request.
"""

from __future__ import annotations

import re
import subprocess
import sys
from math import isqrt
from pathlib import Path
from typing import Final

from service.pictures import rasterize
from service.pictures.glyphs import drawn_by, drawn_in
from service.work_clock import TooMuchWork

PNG: Final = "image/png"

MAX_PIXELS: Final = 2_000_000
"""Maximum number of pixels. A larger picture is scaled down."""

MILLISECONDS: Final = 1000 * rasterize.CPU_SECONDS

_NAMES: Final = ("DejaVuSans", "DejaVuSans-Bold", "DejaVuSerif", "DejaVuSerif-Bold")

FONTS: Final = [str(Path(__file__).with_name("fonts") / f"{name}.ttf") for name in _NAMES]
"""Bundled fonts, so that pictures look the same on every machine."""

_VIEW_BOX: Final = re.compile(r'<svg [^>]*viewBox="0 0 ([0-9.]+) ([0-9.]+)"')


def png(svg: str, width: int | None) -> bytes:
    """Convert an SVG to PNG. A picture of more than `MAX_PIXELS` pixels is scaled down.

    `width` is in pixels. If it is None, the width of the view box is used. Raise TooMuchWork if the conversion takes
    more than `MILLISECONDS` of processor time.
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
    """Replace the characters that the fonts of PNG pictures lack (`service.pictures.glyphs`)."""
    return drawn_by(*map(Path, FONTS[:2]))(text)
