"""Gartenzwerge e.V. by Roman Mathar, for two to six members of a club of dwarf breeders."""

from __future__ import annotations

from typing import Final

from games.core.game import Game
from games.gartenzwerge.game import Gartenzwerge

GAME: Final[Game] = Gartenzwerge()
"""The one name that others import."""
