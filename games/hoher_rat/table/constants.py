"""Numbers of the council that several chapters of the table share; compiled."""

from __future__ import annotations

from typing import Final

ARGUMENTS: Final = 5
"""Colours of arguments; there are no black ones (HR-D31)."""

BLACK: Final = 5
HUES: Final = 6
BANK: Final = 10
SIXTEEN: Final = 16
"""The block that carries the council, clearly more than half of thirty (HR-2, HR-19)."""

CLAIM_PRICE: Final = 3
RUNNING: Final = -1
DRAW: Final = 2
FOUR: Final = 4

STARTER: Final = 0
"""Purposes of chance: the first player, and the draws of Pro and of Contra from PILE on."""

PILE: Final = 1
