"""The numbers that a table is written in besides its phases: caves, verdicts, limits, purposes of chance; compiled."""

from __future__ import annotations

from typing import Final

DWARF: Final = 0
ELF: Final = 1
DRAGON: Final = 2
RIDDLE: Final = 3
GHOST: Final = 4

CAVES: Final = 12
STONES: Final = 12
CURSES: Final = 3
NOBODY: Final = -1
NO_FLOOR: Final = -1000
"""No hat ever stands so low."""

THREE: Final = 3
"""Number of players with three riddles each (BR-12)."""

AUTOMATIC: Final = 0
HUMAN: Final = 1
CHECKED: Final = 2

STRUCTURED: Final = 0
FREE: Final = 1
MIXED: Final = 2

STARTER: Final = 0
FACE: Final = 1
HAND: Final = 2
"""Purposes of chance: the first player, the die, and the fingers that knead."""

FACES: Final = 6
FINGERS: Final = 1_000_000_000
"""Range of two draws, so that nobody can try every hand that may have kneaded a piece (BR-D43)."""

STONE_LIMIT: Final = 13

WRONG: Final = 0
NEAR: Final = 1
RIGHT: Final = 2
UNJUDGED: Final = 3
"""Verdicts, and that there is none yet."""

UNANSWERED: Final = 4
REJECTED: Final = 5
"""Mark of a rejected free question, beside the four answers."""

BY_GOAL: Final = 0
BY_SPEARS: Final = 1
BY_CAP: Final = 2

SPEARS: Final = 13
"""Number of spears (BR-7, BR-59)."""

FIRST_REWARD: Final = 5
SECOND_REWARD: Final = 3
"""Steps of a solver (BR-40, BR-41)."""

UNSOLVED: Final = 5
SINGLE_SOLUTION: Final = 2
