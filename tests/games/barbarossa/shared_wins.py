"""Rounds of the wizards that end with a shared win, one move before; the conformance suite plays them."""

from collections.abc import Callable
from typing import Final

from games.barbarossa.moves import SpendStones
from games.barbarossa.options import WizardOptions
from games.core.game import Move
from games.core.table import Table
from tests.games.barbarossa.positions import modelled


def at_the_goal() -> Table:
    """Return a hall in which a ghost lets seats 1 and 2 go one step on, to the goal."""
    hall = modelled()
    hall.player(1).hat = hall.player(2).hat = 28
    return hall


SHARED_WINS: Final[dict[str, Callable[[], tuple[Table, int, Move]]]] = {
    "at the goal": lambda: (at_the_goal(), 0, SpendStones(stones=8)),
    "after the last turn": lambda: (modelled(options=WizardOptions(turn_cap=1)), 0, SpendStones(stones=2)),
}
