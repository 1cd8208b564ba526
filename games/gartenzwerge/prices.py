"""What things cost and bring in a round, as a view shows it."""

from __future__ import annotations

from games.gartenzwerge.moves import Cap
from games.gartenzwerge.table.club import STEP
from games.gartenzwerge.view import ClubView

PRIZES = (500, 1000)
"""The prizes of the lower and the higher competition (GZ-47)."""


def wage(view: ClubView) -> int:
    """Return what garden work earns (GZ-24, GZ-D36)."""
    return {"bumper_harvest": 2 * STEP, "rainy_week": 0}.get(view.event or "", STEP)


def value(view: ClubView, cap: Cap) -> int:
    """Return what a cap is worth (GZ-36, GZ-D1)."""
    return int(getattr(view.options.cap_values, cap, 0))


def price(view: ClubView, cap: Cap) -> int:
    """Return what a dwarf brings that is sold in a go (GZ-36, GZ-D39)."""
    return value(view, cap) * (2 if view.event == "collector_in_town" else 1)


def prize(view: ClubView, number: int) -> int:
    """Return the prize of the lower (0) or the higher competition (GZ-47, GZ-D39)."""
    return PRIZES[number] + (500 if view.event == "championship" else 0)
