"""The kinds of the journal's notes that are no kinds of moves; those are below 20 (`codes`); compiled."""

from __future__ import annotations

from typing import Final

NOTE_HAT: Final = 20
NOTE_FIELD: Final = 21
NOTE_TURN: Final = 22
NOTE_SECOND_ROUND: Final = 23
NOTE_SHOWN: Final = 24
NOTE_OVER: Final = 25
NOTE_LETTER: Final = 26
NOTE_ASKED: Final = 27
NOTE_PENALTY: Final = 28
NOTE_INSISTED: Final = 29
NOTE_TRIED: Final = 30
