"""Caps and rows of dwarfs by cap, stacks of cards, and the eighteen events, as small numbers; compiled.

A row holds the number of dwarfs of each cap, packed, grey in the lowest place. So of two rows the larger number is the
more valuable set of dwarfs, from the highest rank down (GZ-3, GZ-D29). A stack is a set of cards, up to eight of a
face. Face f has the members 8 * f and on, so that any card of a face stands for all of them.
"""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from games.core.bits import at, bit, count, full, nibble, nibbles, part

GREY: Final = 0
BROWN: Final = 1
ORANGE: Final = 2
RED: Final = 3
BLUE: Final = 4
GREEN: Final = 5
GOLD: Final = 6
CAPS: Final = 7

WORKERS: Final = 0xFFFFF0
"""The places of a row that can be employed: all but grey and gold (GZ-23)."""

BASE: Final = 0x110
"""One brown and one orange dwarf, with which everybody begins (GZ-9)."""

COPIES: Final = 8

NO_EVENT: Final = 18
SPRING_CLEAN: Final = 0
OPEN_SHOW: Final = 1
LONELY_HEARTS: Final = 2
RENTAL_DAY: Final = 3
BUMPER_HARVEST: Final = 4
RAINY_WEEK: Final = 5
MEMBERSHIP_FEE: Final = 6
CLUB_GRANT: Final = 7
BULKY_WASTE: Final = 8
CLUBHOUSE_REPAIR: Final = 9
REGIONAL_SHOW: Final = 10
STUD_MARKET: Final = 11
CHAMPIONSHIP: Final = 12
FULL_MOON: Final = 13
HUNGRY_WINTER: Final = 14
SPONSOR: Final = 15
COLLECTOR: Final = 16
LUXURY_TAX: Final = 17

GREY_EVENTS: Final = 0x1FF
BLUE_EVENTS: Final = 0x3FE00


def one(cap: i64) -> i64:
    """Return the row of one dwarf."""
    return nibbles(1, cap)


def kinds(row: i64) -> i64:
    """Return the set of caps that a row has."""
    found: i64 = 0
    cap: i64
    for cap in range(CAPS):
        if nibble(row, cap) > 0:
            found |= bit(cap)
    return found


def highest(row: i64) -> i64:
    """Return the highest cap of a row, grey for an empty one."""
    cap: i64 = GOLD
    while cap > GREY and nibble(row, cap) == 0:
        cap -= 1
    return cap


def face(card: i64) -> i64:
    """Return the face of a card of a stack."""
    return card // COPIES


def copies(stack: i64, shown: i64) -> i64:
    """Return the number of cards of a stack with a face."""
    return count(part(stack, COPIES * shown, COPIES))


def without(stack: i64, shown: i64) -> i64:
    """Return a stack with one card of a face fewer, its lower members left."""
    return stack & ~bit(COPIES * shown + copies(stack, shown) - 1)


def cards(shown: i64, number: i64) -> i64:
    """Return a number of cards of a face as a set."""
    return at(full(number), COPIES * shown)
