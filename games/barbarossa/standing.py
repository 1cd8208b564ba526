"""Actions for an absent seat: a rule's move at a timeout, and a curse that it has left behind."""

from __future__ import annotations

import re
from typing import Final

from games.barbarossa.table import codes
from games.barbarossa.table.codes import code, kind_of
from games.barbarossa.table.constants import NEAR, WRONG
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, MAX_LETTERS, is_close
from games.barbarossa.table.lexicon import answer as true_answer
from games.barbarossa.table.listing import can_give
from games.barbarossa.table.phases import ANSWERING, GIVING, JUDGING
from games.barbarossa.terms.catalogue import UNCLEAR
from games.core.bits import has

NAME: Final = re.compile(r"curse:([1-9][0-9]{0,7})")
"""Form of a standing curse, with the code of its move; nobody learns of it before it is cast (BR-52)."""


def curse_named(name: str) -> int | None:
    """Return the code that a name says, or None if it says no curse."""
    found = NAME.fullmatch(name)
    move = int(found[1]) if found else 0
    return move if kind_of(move) in {codes.CURSE_LETTER, codes.CURSE_ATTEMPT} else None


def answer(hall: Hall, seat: int, name: str) -> int | None:
    """Return the curse that a name says where the seat may speak it now; once spoken it is silent (BR-D13)."""
    move = curse_named(name)
    return move if move is not None and move in hall.legal(seat) else None


def timeout_move(hall: Hall, seat: int) -> int | None:
    """Return the move that a rule makes for a seat out of time, or None (BR-D17, BR-D34, BR-D46).

    The list answers and judges, the first letter left is given, a curse is held back.
    """
    if not has(hall.actors(), seat):
        return None
    if hall.phase == ANSWERING:
        free = hall.open_question == ATTRIBUTE_COUNT
        term = hall.riddle(hall.open_riddle).term
        given = UNCLEAR if free else true_answer(term, hall.open_question)
        return code(codes.ANSWER, 0, given)
    if hall.phase == GIVING:
        return code(codes.GIVE, 0, next(place for place in range(MAX_LETTERS) if can_give(hall, place)))
    if hall.phase == JUDGING:
        term = hall.riddle(hall.open_riddle).term
        near = hall.options.hints and is_close(term, hall.open_guess)
        return code(codes.JUDGE, 0, NEAR if near else WRONG)
    return code(codes.HOLD, 0, 0) if hall.may_hold(seat) else None
