"""Stages of a club, purposes of chance, and the numbers printed in the rules; compiled."""

from __future__ import annotations

from typing import Final

EMPLOYING: Final = 0
"""The stages, by their decision: an employment, an answer to a search, sealed amounts, one of equal amounts, a mate,
greys to return. Then a dwarf to sell for the upkeep, and finally no more decision."""

SHOWING: Final = 1
SEALING: Final = 2
CHOOSING: Final = 3
NAMING: Final = 4
CLEARING: Final = 5
SELLING: Final = 6
OVER: Final = 7

SEARCH: Final = 0
OFFER: Final = 1

NOT_ENDED: Final = 0
BY_GOLD: Final = 1
BY_CASH: Final = 2
BY_LAST: Final = 3
BY_RUIN: Final = 4
BY_CAP: Final = 5

SCHMIEDEL: Final = 6
"""The seat that stands for Herr Schmiedel as a partner (GZ-54)."""

NO_DUTY: Final = -1
PAIR_OF_MEMBERS: Final = 2
STEP: Final = 50
STEPS: Final = 61
"""3,050 blossoms in steps of 50 (GZ-8)."""

NOTHING: Final = 63
"""A sealed answer without a bid (GZ-D15); 0 is no answer yet, and an amount lies one step higher than it is."""

SEAL_BITS: Final = 6
START: Final = 1500
GOAL: Final = 4000

STARTER: Final = 0
"""Purposes of chance: the first treasurer, competitions, events, young dwarfs, house cards, Herr Schmiedel's chips."""

COMPETITION: Final = 1
EVENT: Final = 2
YOUNG: Final = 3
HOUSE_CARD: Final = 4
CHIP: Final = 5

FEE: Final = 100
TAX: Final = 50
GRANT: Final = 200
NOT_DRAWN: Final = 7
