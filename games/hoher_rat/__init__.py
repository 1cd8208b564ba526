"""Der Hohe Rat by Volker Hesselmann, for two players or four in two teams."""

from __future__ import annotations

from typing import Final

from games.core.game import Game
from games.hoher_rat.game import HoherRat

GAME: Final[Game] = HoherRat()
"""The one name that others import."""
