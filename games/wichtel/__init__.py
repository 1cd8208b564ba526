"""Der Herr der Wichtel by Ralf Sandfuchs, for three to five players."""

from __future__ import annotations

from typing import Final

from games.core.game import Game
from games.wichtel.game import Wichtel

GAME: Final[Game] = Wichtel()
"""The one name that others import."""
