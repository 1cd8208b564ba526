"""The phases of a table by their numbers; compiled."""

from __future__ import annotations

from typing import Final

MODELLING: Final = 0
MOVING: Final = 1
FIRST_ROUND: Final = 2
SECOND_ROUND: Final = 3
DWARF_LETTER: Final = 4
ANSWERING: Final = 5
GIVING: Final = 6
OVER: Final = 7
JUDGING: Final = 8
