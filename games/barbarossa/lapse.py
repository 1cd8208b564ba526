"""What is done for a seat that does not answer in time."""

from __future__ import annotations

from games.barbarossa.table.codes import ANSWER, GIVE, HOLD, JUDGE, code
from games.barbarossa.table.hall import NEAR, WRONG, Hall
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, LONGEST, answer, is_close
from games.barbarossa.table.listing import can_give
from games.barbarossa.table.sitting import ANSWERING, GIVING, JUDGING
from games.barbarossa.terms.catalogue import UNCLEAR
from games.core.bits import has


def lapse(hall: Hall, seat: int) -> int | None:
    """Return what a rule does for a seat that does not answer in time, or None (BR-D17, BR-D34, BR-D46).

    The list answers and judges, the first letter left is given, a curse is held back.
    """
    if not has(hall.actors(), seat):
        return None
    if hall.phase == ANSWERING:
        free = hall.open_question == ATTRIBUTE_COUNT
        term = hall.riddle(hall.open_riddle).term
        given = UNCLEAR if free else answer(term, hall.open_question, hall.house.edition)
        return code(ANSWER, 0, given)
    if hall.phase == GIVING:
        return code(GIVE, 0, next(place for place in range(LONGEST) if can_give(hall, place)))
    if hall.phase == JUDGING:
        term = hall.riddle(hall.open_riddle).term
        near = hall.house.hints and is_close(term, hall.open_guess, hall.house.edition)
        return code(JUDGE, 0, NEAR if near else WRONG)
    return code(HOLD, 0, 0) if hall.may_hold(seat) else None
