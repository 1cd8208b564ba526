"""What is done for a seat that does not answer in time."""

from __future__ import annotations

from games.barbarossa.table.codes import ANSWER, GIVE, HOLD, code
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, LONGEST, answer
from games.barbarossa.table.listing import can_give
from games.barbarossa.table.sitting import ANSWERING, GIVING
from games.barbarossa.terms.catalogue import UNCLEAR
from games.core.bits import has


def lapse(hall: Hall, seat: int) -> int | None:
    """Return what the list answers, the first letter left, or that a curse is held back (BR-D34, BR-D17); else None."""
    if not has(hall.actors(), seat):
        return None
    if hall.phase == ANSWERING:
        free = hall.open_question == ATTRIBUTE_COUNT
        given = UNCLEAR if free else answer(hall.riddle(hall.open_riddle).term, hall.open_question)
        return code(ANSWER, 0, given)
    if hall.phase == GIVING:
        return code(GIVE, 0, next(place for place in range(LONGEST) if can_give(hall, place)))
    return code(HOLD, 0, 0) if hall.may_hold(seat) else None
