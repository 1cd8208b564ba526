"""Answers that a seat may leave to be given for it, so that nobody is asked six questions a turn in vain (HW-D25)."""

from __future__ import annotations

from typing import Final

from games.wichtel.table.codes import ACCEPT, GO_ON, MARCH, PASS_BRIBE, PASS_DIE, SPARE, code
from games.wichtel.table.sitting import AFTER, BEFORE, BRIBING, ENDING, OPENED, OVER, ROLLED
from games.wichtel.table.village import Village

ANSWERS: Final = {
    "march_on": (BEFORE, MARCH),
    "pass_bribes": (BRIBING, PASS_BRIBE),
    "spare_bribes": (OPENED, SPARE),
    "accept_rolls": (ROLLED, ACCEPT),
    "never_end": (ENDING, GO_ON),
    "pass_die": (AFTER, PASS_DIE),
}
"""By name, what is to be decided and the move that is made then."""

STANDING: Final = tuple(ANSWERS)


def answer(village: Village, seat: int, name: str) -> int | None:
    """Return the move of a standing answer, or None where it is silent; no card has a say in it."""
    phase, move = ANSWERS[name]
    asked = village.phase != OVER and village.asked == seat and village.phase == phase
    if not asked or (move == SPARE and seat == village.turn):
        return None
    return code(move, 0, 0)
