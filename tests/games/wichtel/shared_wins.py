"""Rounds of the village that end with a shared win, one move before; the conformance suite plays them."""

from collections.abc import Callable
from typing import Final

from games.core.game import Move
from games.core.table import Table
from games.wichtel.moves import EndRound
from tests.games.wichtel.positions import position

EQUAL_HANDS: Final = {"hands": {0: "FA FA HS KS", 1: "FA FA HS KS", 2: "FA FA HS KS"}}


def ending(*points: int) -> Table:
    """Return a table with like retinues, on which seat 0 may end the round."""
    return position(phase="ending", asked=[0], officer_free=True, points=dict(enumerate(points)), **EQUAL_HANDS)


SHARED_WINS: Final[dict[str, Callable[[], tuple[Table, int, Move]]]] = {
    "of two": lambda: (ending(95, 95, -7), 0, EndRound()),
    "of the two who sit last": lambda: (ending(0, 96, 96), 0, EndRound()),
    "of all": lambda: (ending(95, 95, 95), 0, EndRound()),
}
