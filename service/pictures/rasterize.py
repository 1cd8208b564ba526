"""A program that reads an SVG from standard input and writes a PNG to standard output; see `service.pictures.png`.

Its arguments are the width in pixels and the font files. The operating system kills the program if it takes too much
processor time.
"""

from __future__ import annotations

import resource
import signal
import sys
from typing import Final

CPU_SECONDS: Final = 3
"""Maximum processor time in seconds. A typical picture takes a tenth of it."""

OVER_TIME: Final = (-signal.SIGXCPU, -signal.SIGKILL)
"""Exit codes of this program if it exceeds CPU_SECONDS."""


def main(width: str, *fonts: str) -> None:
    """Read an SVG from standard input and write a PNG to standard output. `width` is in pixels."""
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    from resvg_py import svg_to_bytes  # noqa: PLC0415 -- the web server knows this module by its names alone

    sys.stdout.buffer.write(
        svg_to_bytes(
            svg_string=sys.stdin.buffer.read().decode(),
            width=int(width),
            skip_system_fonts=True,
            font_files=list(fonts),
            font_family="DejaVu Sans",
            sans_serif_family="DejaVu Sans",
            serif_family="DejaVu Serif",
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
