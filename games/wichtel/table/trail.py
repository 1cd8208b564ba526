"""The trail: the gnomes that left and came into hands in this round, in order, in bytes; compiled.

Perfect memory needs it (docs/decisions/004). A crossing takes two bytes: the gnome with the seat, and the way it
crossed: it left, it came unseen by the others, or it came and all had seen it.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from games.core.bits import at, part

LEFT: Final = 0
CAME: Final = 1
CAME_OPEN: Final = 2
WIDTH: Final = 2
MAX_CROSSINGS: Final = 1_600
"""Number of crossings, at least 400 turns, after which a trail is rewritten (HW-D26)."""

REMEMBERED: Final = 32
"""Number of the last crossings that a search uses: eight turns, where a round of good players takes three."""

_BYTES: Final = tuple(bytes([number, way]) for way in range(3) for number in range(160))
"""Every crossing as it is written: a gnome in 5 bits, a seat in 3."""


def left(seat: i64, gnome: i64) -> bytes:
    """Write down that a gnome left a hand."""
    return _BYTES[gnome | at(seat, 5)]


def came(seat: i64, gnome: i64, seen: bool) -> bytes:
    """Write down that a gnome came into a hand, and whether all had seen it."""
    if seen:
        return _BYTES[320 + (gnome | at(seat, 5))]
    return _BYTES[160 + (gnome | at(seat, 5))]


def length_of(trail: bytes) -> i64:
    """Return the number of recorded crossings."""
    return len(trail) // WIDTH


def gnome_at(trail: bytes, index: i64) -> i64:
    """Return the gnome of a crossing."""
    return part(trail[WIDTH * index], 0, 5)


def seat_at(trail: bytes, index: i64) -> i64:
    """Return the seat whose hand it left or came into."""
    return part(trail[WIDTH * index], 5, 3)


def way_at(trail: bytes, index: i64) -> i64:
    """Return the way of its crossing."""
    return trail[WIDTH * index + 1]
