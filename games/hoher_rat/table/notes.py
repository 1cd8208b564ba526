"""Kinds of the journal's notes that are no moves; a note below these has a move's kind (`codes.py`); compiled."""

from __future__ import annotations

from typing import Final

DRAWN: Final = 20
RESHUFFLED: Final = 21
VOTE: Final = 22
DECIDED: Final = 23
BY_BLOCK: Final = 0
BY_CAP: Final = 1
"""Kinds of endings."""
