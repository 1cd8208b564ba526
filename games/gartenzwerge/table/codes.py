"""Move codes: a kind, a cap, a second cap or partner, and an amount, packed (published with the ruleset); compiled."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from games.core.bits import at, part

SEND_TO_GARDEN: Final = 0
SEEK_PARTNER: Final = 1
OFFER_DWARF: Final = 2
SELL_DWARF: Final = 3
TRADE_DWARFS: Final = 4
ENTER_COMPETITION: Final = 5
LEAVE_GREYS: Final = 6
SHOW_DWARF: Final = 7
SHOW_NO_DWARF: Final = 8
SEAL_MAXIMUM: Final = 9
SEAL_ASK: Final = 10
SEAL_MINIMUM: Final = 11
SEAL_BID: Final = 12
SEAL_NO_BID: Final = 13
CHOOSE_DEAL: Final = 14
NAME_MATE: Final = 15
RETURN_GREYS: Final = 16
SELL_FOR_UPKEEP: Final = 17


def code(kind: i64, cap: i64, other: i64, amount: i64) -> i64:
    """Pack a move: the dwarf's cap, the cap demanded, entered or the partner, and an amount in steps or a number."""
    return kind | at(cap, 5) | at(other, 8) | at(amount, 11)


def kind_of(move: i64) -> i64:
    """Return the kind of move of a code."""
    return part(move, 0, 5)


def cap_of(move: i64) -> i64:
    """Return the cap of its dwarf."""
    return part(move, 5, 3)


def other_of(move: i64) -> i64:
    """Return the cap demanded, the competition entered, or the partner chosen."""
    return part(move, 8, 3)


def amount_of(move: i64) -> i64:
    """Return an amount in steps of 50 blossoms, or how many grey dwarfs are returned."""
    return part(move, 11, 6)
