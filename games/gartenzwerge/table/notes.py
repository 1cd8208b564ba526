"""The kinds of the journal's notes, by index of EVENTS; the writer of a note documents its numbers; compiled."""

from __future__ import annotations

from typing import Final

ROUND_BEGUN: Final = 0
MONEY_TAKEN: Final = 1
MONEY_GIVEN: Final = 2
GREYS_RETURNED: Final = 3
GARDENED: Final = 4
PARTNER_SOUGHT: Final = 5
DWARF_SHOWN: Final = 6
DWARF_OFFERED: Final = 7
AMOUNT_SEALED: Final = 8
AMOUNTS_OPENED: Final = 9
DEAL_STRUCK: Final = 10
PAIR_FORMED: Final = 11
DWARF_SOLD: Final = 12
DWARFS_TRADED: Final = 13
COMPETITION_ENTERED: Final = 14
GREYS_LEFT: Final = 15
DWARF_BRED: Final = 16
COMPETITION_JUDGED: Final = 17
UPKEEP_PAID: Final = 18
SOLD_FOR_UPKEEP: Final = 19
MEMBER_OUT: Final = 20
CLUB_DECIDED: Final = 21
