"""Reasons for moves in the club: the terms that readers see, and sealed answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from games.core.reasons import Group
from games.core.table import Worth
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.table.codes import amount_of
from games.gartenzwerge.table.constants import PAIR_OF_MEMBERS, STEP
from games.gartenzwerge.table.hidden import SEAT_FACTS, SPOILERS
from games.gartenzwerge.table.terms import BLOSSOMS, TERMS
from games.gartenzwerge.worth import FEATURES, ClubWorth

PERCENTS: Final = {"goal", "lead", "ruin"}
"""Terms that are probabilities."""

PLAIN: Final = {"young", "deal", "net"}
"""Terms without a quantity."""

GROUPS: Final = tuple(
    Group(
        code,
        (place,),
        None if code in PLAIN else BLOSSOMS if code == "cash" else place,
        code in PERCENTS,
    )
    for place, code in enumerate(TERMS)
)


def units(table: Club, worth: Worth) -> Sequence[float | None]:
    """Return the number of dwarfs or the chance per unit of each term; money has a quantity of its own."""
    assert isinstance(worth, ClubWorth)  # noqa: S101 -- the evaluations of this game are of one class
    weights = dict(zip(FEATURES, worth.two if table.seats == PAIR_OF_MEMBERS else worth.more, strict=True))
    return [*(1 / weights[term] if weights.get(term) else None for term in TERMS), 1.0]


def fact(_table: Club, number: int, move: int) -> tuple[str, dict[str, Any]]:
    """Return that a seat's sealed amount spoils one's own, with that amount."""
    seat, kind = divmod(number, SEAT_FACTS)
    return SPOILERS[kind], {"seat": seat, "amount": amount_of(move) * STEP}
