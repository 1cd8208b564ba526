"""The cards: gnomes and action cards by number and kind; compiled.

A card is a number, so that sets of cards are bit sets. Cards of one kind look alike, so visible data never names more
than a kind. Kinds of gnomes rise by value (HW-D28), kinds of action cards by rank as a bribe (HW-24).
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from games.core.bits import at, full, nibble, part

HAND: Final = 4
KINDS: Final = 11
ALL_GNOMES: Final = 0xFFFFFFFF
ALL_ACTIONS: Final = 0x1FFFFF
"""Both decks as sets (HW-2, HW-3)."""

FAMILY: Final = 0
HAULER: Final = 1
CLUBBER: Final = 2
FELLER: Final = 3
SPEAR_THROWER: Final = 4
FOREMAN: Final = 5
SERGEANT: Final = 6
MASTER: Final = 7
GENERAL: Final = 8
WIDOW: Final = 9
WITCH_DOCTOR: Final = 10
UNKNOWN: Final = 15
"""A gnome whose kind is not known."""

COIN_6: Final = 4
I_AM_BEST: Final = 5
HE_IS_BEST: Final = 6
COME_HERE: Final = 7
COME_BACK: Final = 8
STAND_STILL: Final = 9
LOOK_AGAIN_CARD: Final = 10
NO_WAY: Final = 11
BRIBES: Final = 0xFFFF
"""The sixteen action cards that can be laid as bribes, coins and the two best ones (HW-24)."""

GNOME_KIND: Final = (
    b"\x00\x00\x00\x00\x00\x00\x01\x01\x01\x01\x01\x01\x02\x02\x02\x02\x02\x03\x03\x03\x03\x04\x04\x04\x05\x05\x06\x06"
    b"\x07\x08\x09\x0a"
)
ACTION_KIND: Final = b"\x00\x00\x00\x00\x01\x01\x01\x01\x02\x02\x02\x03\x03\x04\x05\x06\x07\x08\x09\x0a\x0b"
"""The kind of every card by its number."""

AMOUNTS: Final = 0x11112234566
FIRSTS: Final = 0x7FDDE6B158B0C0
ACTION_AMOUNTS: Final = 0x111111112344
ACTION_FIRSTS: Final = 0xA4E5183DCD5A080
"""Number of cards by kind, 4 bits each (HW-2, HW-3), and the number of the first, 5 bits each."""


def kind_of(gnome: i64) -> i64:
    """Return a gnome's kind."""
    return GNOME_KIND[gnome]


def kind_of_action(card: i64) -> i64:
    """Return an action card's kind."""
    return ACTION_KIND[card]


def gnomes_of(kind: i64) -> i64:
    """Return all gnomes of a kind as a set."""
    return at(full(nibble(AMOUNTS, kind)), part(FIRSTS, 5 * kind, 5))


def actions_of(kind: i64) -> i64:
    """Return all action cards of a kind as a set."""
    return at(full(nibble(ACTION_AMOUNTS, kind)), part(ACTION_FIRSTS, 5 * kind, 5))
