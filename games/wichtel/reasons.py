"""Reasons for moves in the village: the terms that readers see, and the hidden cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from games.core.reasons import Group
from games.core.table import Worth
from games.wichtel.moves import ACTIONS, GNOMES
from games.wichtel.table.hidden import BRIBES_FROM, GNOMES_FROM, SEAT_FACTS
from games.wichtel.table.village import Village
from games.wichtel.worth import FEATURES, VillageWorth, haste, points_of


def _group(code: str, *features: str, amount: bool = False) -> Group:
    places = tuple(map(FEATURES.index, features))
    return Group(code, places, places[0] if amount else None)


GROUPS: Final = (
    _group("total", "total", amount=True),
    _group("now", "now", "freed_now"),
    _group("lead", "lead", amount=True),
    _group("outs", "outs"),
    _group("square", "square"),
    _group("courted", "courted"),
    _group("bribes", "bribes"),
    _group("cards", "cards", amount=True),
)


def units(table: Village, worth: Worth) -> Sequence[float | None]:
    """Return the number of points or cards per unit of each term, as the race stands."""
    assert isinstance(worth, VillageWorth)  # noqa: S101 -- the evaluations of this game are of one class
    hurry = float(haste(table.goal, points_of(table)))
    points = {"total", "lead", "outs", "square", "courted"}
    weights = zip(FEATURES, worth.weights, strict=True)
    return [(int(table.goal) if name in points else 1) / hurry / weight if weight else None for name, weight in weights]


def fact(_table: Village, number: int, _move: int) -> tuple[str, dict[str, Any]]:
    """Return that a seat holds a kind of card, or has laid one as a bribe."""
    seat, kind = divmod(number, SEAT_FACTS)
    if kind >= BRIBES_FROM:
        return "bribe", {"seat": seat, "card": ACTIONS[kind - BRIBES_FROM]}
    if kind >= GNOMES_FROM:
        return "holds_gnome", {"seat": seat, "gnome": GNOMES[kind - GNOMES_FROM]}
    return "holds_action", {"seat": seat, "card": ACTIONS[kind]}
