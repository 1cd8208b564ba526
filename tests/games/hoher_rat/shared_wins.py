"""Councils that end in a draw, one move before; the conformance suite plays them."""

from collections.abc import Callable
from typing import Final

from games.core.game import Move
from games.core.table import Table
from games.hoher_rat.moves import EndTurn
from tests.games.hoher_rat.positions import on, position

SHARED_WINS: Final[dict[str, Callable[[], tuple[Table, int, Move]]]] = {
    "with pieces on the ring": lambda: (
        position(pieces=on("white", 1, 2, 4) | on("red", 6, 7, 9), turns=299),
        0,
        EndTurn(),
    ),
    "with an empty ring": lambda: (position(idle=7, turns=20), 0, EndTurn()),
}
