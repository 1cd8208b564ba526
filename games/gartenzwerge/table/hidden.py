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

SPOILERS: Final = (
    ("asks_above", SEAL_MAXIMUM, SEAL_ASK, True),
    ("asks_below", SEAL_ASK, SEAL_ASK, False),
    ("maximum_below", SEAL_ASK, SEAL_MAXIMUM, False),
    ("bids_below", SEAL_MINIMUM, SEAL_BID, False),
    ("bids_above", SEAL_BID, SEAL_BID, True),
    ("minimum_above", SEAL_BID, SEAL_MINIMUM, True),
)
"""Answers that spoil the viewer's: the kinds of both, and whether theirs is above or below the viewer's amount."""


def beaten_by(club: Club, own: i64, seat: i64, move: i64) -> i64:
    """Return the fact that a seat's answer spoils the viewer's own, or NO_FACT."""
    if club.stage != SEALING:
        return NO_FACT
    theirs: i64 = kind_of(move)
    more: i64 = amount_of(move) - amount_of(own)
    if theirs == SEAL_NO_BID:
        theirs = SEAL_BID
        more = -1
    number: i64
    for number in range(len(SPOILERS)):
        _, mine, other, above = SPOILERS[number]
        if kind_of(own) == mine and theirs == other and ((above and more > 0) or (not above and more < 0)):
            return seat * SEAT_FACTS + number
    return NO_FACT
