"""Program that converts one SVG to PNG, from standard input to standard output; run by `service.http.png`.

Arguments: the width in pixels, and the files of fonts. The operating system ends a drawing that takes too much
processor time.
"""

from __future__ import annotations

import resource
import signal
import sys
from typing import Final

CPU_SECONDS: Final = 3
"""Maximum processor time; a picture takes a tenth of it."""

OVER_TIME: Final = (-signal.SIGXCPU, -signal.SIGKILL)
"""Exit codes of a process beyond that limit."""


def main(width: str, *fonts: str) -> None:
    """Draw the SVG from standard input."""
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
