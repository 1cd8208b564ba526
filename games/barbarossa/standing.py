"""A curse that a seat leaves to be spoken as soon as it may: `curse:<code>`, with the code of the move (BR-52)."""

from __future__ import annotations

import re
from typing import Final

from games.barbarossa.table.codes import CURSE_ATTEMPT, CURSE_LETTER, kind_of
from games.barbarossa.table.hall import Hall

NAME: Final = re.compile(r"curse:([1-9][0-9]{0,7})")
"""How such an answer is written; nobody learns of it before it is given."""


def curse_named(name: str) -> int | None:
    """Return the code that a name says, or None where it says no curse."""
    found = NAME.fullmatch(name)
    move = int(found[1]) if found else 0
    return move if kind_of(move) in {CURSE_LETTER, CURSE_ATTEMPT} else None


def answer(hall: Hall, seat: int, name: str) -> int | None:
    """Return the curse that a name says where the seat may speak it now; once spoken it is silent (BR-D13)."""
    move = curse_named(name)
    return move if move is not None and move in hall.legal(seat) else None
