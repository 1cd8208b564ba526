"""The kinds of the journal's notes that are no kinds of moves; those are below 20 (`codes`); compiled."""

from __future__ import annotations

from typing import Final

HAT: Final = 20
FIELD: Final = 21
TURN: Final = 22
SECOND_ROUND: Final = 23
SHOWN: Final = 24
OVER: Final = 25
LETTER: Final = 26
ASKED: Final = 27
PENALTY: Final = 28
INSISTED: Final = 29
TRIED: Final = 30
