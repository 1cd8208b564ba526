"""Barbarossa und die Rätselmeister by Klaus Teuber, for three or four players."""

from __future__ import annotations

from typing import Final

from games.barbarossa.game import Barbarossa

GAME: Final = Barbarossa()
"""The one name that others import."""
