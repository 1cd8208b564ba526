"""Sealed answers of the others as numbered facts; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mypy_extensions import i64

from games.core.table import NO_FACT
from games.gartenzwerge.table.codes import (
    SEAL_ASK,
    SEAL_BID,
    SEAL_MAXIMUM,
    SEAL_MINIMUM,
    SEAL_NO_BID,
    amount_of,
    kind_of,
)
from games.gartenzwerge.table.constants import SEALING

if TYPE_CHECKING:
    from games.gartenzwerge.table.club import Club

SEAT_FACTS: Final = 8
"""Numbers of facts about one seat."""

SPOILERS: Final = ("asks_above", "asks_below", "maximum_below", "bids_below", "bids_above", "minimum_above")
"""Codes of the answers that spoil the viewer's: above or below its amount. Their places are the numbers of facts."""

ASKS_ABOVE: Final = 0
ASKS_BELOW: Final = 1
MAXIMUM_BELOW: Final = 2
BIDS_BELOW: Final = 3
BIDS_ABOVE: Final = 4
MINIMUM_ABOVE: Final = 5


def beaten_by(club: Club, own: i64, seat: i64, move: i64) -> i64:
    """Return the fact that a seat's answer spoils the viewer's own, or NO_FACT."""
    if club.stage != SEALING:
        return NO_FACT
    spoiler: i64 = spoiler_of(kind_of(own), kind_of(move), amount_of(move) - amount_of(own))
    if spoiler == NO_FACT:
        return NO_FACT
    return seat * SEAT_FACTS + spoiler


def spoiler_of(mine: i64, theirs: i64, more: i64) -> i64:
    """Return the place in SPOILERS of an answer that exceeds the viewer's by an amount, or NO_FACT."""
    if theirs == SEAL_NO_BID:
        if mine == SEAL_MINIMUM:
            return BIDS_BELOW
        return NO_FACT
    if more > 0:
        if theirs == SEAL_ASK and mine == SEAL_MAXIMUM:
            return ASKS_ABOVE
        if theirs == SEAL_BID and mine == SEAL_BID:
            return BIDS_ABOVE
        if theirs == SEAL_MINIMUM and mine == SEAL_BID:
            return MINIMUM_ABOVE
    elif more < 0:
        if theirs == SEAL_ASK and mine == SEAL_ASK:
            return ASKS_BELOW
        if theirs == SEAL_MAXIMUM and mine == SEAL_ASK:
            return MAXIMUM_BELOW
        if theirs == SEAL_BID and mine == SEAL_MINIMUM:
            return BIDS_BELOW
    return NO_FACT
