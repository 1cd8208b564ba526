"""Rounds of the club that end with a shared win, one go before; the conformance suite plays them."""

from collections.abc import Callable
from typing import Any, Final

from games.core.game import Move
from games.core.table import Table
from games.gartenzwerge.options import ClubOptions
from tests.games.gartenzwerge.test_rules_evening import BREEDER, BUYER, GARDEN, RUINED, last_go

POOR: Final[dict[str, Any]] = {"money": 0, "garden": ""}

SHARED_WINS: Final[dict[str, Callable[[], tuple[Table, int, Move]]]] = {
    "by money": lambda: (last_go({1: {"money": 4300}, 2: {"money": 4300}}), 0, GARDEN),
    "by money in the lower seat, by gold in the other": lambda: (last_go({1: BUYER, 2: BREEDER}), 0, GARDEN),
    "by gold in the lower seat, by money in the other": lambda: (last_go({1: BREEDER, 2: BUYER}), 0, GARDEN),
    "after the last round": lambda: (
        last_go({1: {"money": 1600}, 2: {"money": 1600}}, options=ClubOptions(events=[], round_cap=2)),
        0,
        GARDEN,
    ),
    "in ruin": lambda: (last_go({0: POOR, 1: RUINED, 2: RUINED}, rested=[1, 2]), 0, GARDEN),
}
