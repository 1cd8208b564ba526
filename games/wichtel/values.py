"""What gnomes count, by the options."""

from __future__ import annotations

from typing import Final

from games.wichtel.moves import Gnome
from games.wichtel.view import VillageOptions

FIXED: Final = {"family": 0, "hauler": 1, "clubber": 2, "witch_doctor": 10}
"""Points that the rulebook gives (HW-D28)."""


def points_of(kind: Gnome, options: VillageOptions) -> int:
    """Return a gnome's points (HW-D28)."""
    return FIXED[kind] if kind in FIXED else int(getattr(options, kind))
