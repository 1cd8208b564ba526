"""Der Hohe Rat by Volker Hesselmann, for two players or four in two teams."""

from __future__ import annotations

from typing import Final

from games.hoher_rat.game import HoherRat

GAME: Final = HoherRat()
"""The one name that others import."""
