"""The work of a drawing, counted: steps of about half a microsecond of plain Python, as many on every machine.

The count depends on the sculpture and the angle alone, so what is drawn does not depend on how fast that goes.
"""

from __future__ import annotations

import sys
from typing import Final

VERTEX: Final = 5
"""The steps of a vertex that is turned to the eye."""

TEST: Final = 2
"""The steps of a test whether a vertex lies within a lump."""

CELL: Final = 5
CUT: Final = 12
"""Cost of a cell in steps, and the additional cost of a partly visible one."""

SAMPLING: Final = 1
VOTE: Final = 2
"""The steps of a sample of nearness, and of a comparison of two."""

CORNER: Final = 2
"""The steps of a corner of an outline, in each step of brightness."""


class TooDear(Exception):
    """A drawing needs more steps than it may take."""


class Work:
    """The number of steps that a drawing has taken, with its limit."""

    __slots__ = ("done", "most")

    def __init__(self, most: int = sys.maxsize) -> None:
        """Take the maximum number of steps."""
        self.done = 0
        self.most = most

    def spend(self, steps: int) -> None:
        """Count steps; raise TooDear once they are too many."""
        self.done += steps
        if self.done > self.most:
            raise TooDear
