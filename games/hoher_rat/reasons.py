"""Reasons for moves at a council table: the terms that readers see, and the hidden cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from games.core.bits import has
from games.core.reasons import Group
from games.core.table import Worth
from games.hoher_rat.table.council import SUIT, Council
from games.hoher_rat.table.faction import FIELDS
from games.hoher_rat.table.standing import FEATURES
from games.hoher_rat.worth import SLOPE, CouncilWorth

NET: Final = len(FEATURES)
"""The place of the net's correction behind the features."""


def _group(code: str, *features: str, amount: bool = True) -> Group:
    places = tuple(map(FEATURES.index, features))
    return Group(code, places, places[0] if amount else None)


GROUPS: Final = (
    _group("block", "block", "majority", "bridged"),
    _group("strike", "strike", "turn_strike"),
    _group("pieces", "pieces"),
    _group("pairs", "pairs"),
    _group("sturdy", "sturdy"),
    _group("bridges", "bridges"),
    _group("speakers", "speakers"),
    _group("arguments", "arguments", "colours"),
    _group("reach", "reach", "turn_reach"),
    _group("cards", "cards"),
    _group("turn", "turn"),
    Group("net", (NET,)),
)


def units(table: Council, worth: Worth) -> Sequence[float | None]:
    """Return the number of pieces, arguments or cards per unit of each term."""
    assert isinstance(worth, CouncilWorth)  # noqa: S101 -- the evaluations of this game are of one class
    slope = SLOPE if has(worth.corrected, table.seats) else 1.0
    return [*(1 / (slope * weight) if weight else None for weight in worth.weights), None]


def fact(_table: Council, number: int, _move: int) -> tuple[str, dict[str, Any]]:
    """Return that a seat holds a card."""
    seat, card = divmod(number, SUIT)
    return "holds_number" if card < FIELDS else "holds_trilith", {"seat": seat, "card": card + 1}
