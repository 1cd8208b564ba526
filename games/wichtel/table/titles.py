"""The worth of four gnomes: points, titles, the witch doctor, the widow, and the banished player; compiled.

A table of bytes holds the worth of every retinue by its kinds in rising order; all tables share it.
"""

from __future__ import annotations

from typing import Final

from librt.strings import BytesWriter
from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import bit, first, has, nibble, rest
from games.wichtel.table.cards import (
    CLUBBER,
    FAMILY,
    GENERAL,
    HAND,
    HAULER,
    KINDS,
    MASTER,
    WIDOW,
    WITCH_DOCTOR,
    kind_of,
)

NO_TITLE: Final = 0
CHIEFS: Final = 10
"""The first of the three chiefs' titles, which need the widow and the witch doctor themselves."""

RESULT_OFFSET: Final = 100
"""Offset of a result, so that a byte holds it."""

# Each title's required kinds, the kinds that may stand beside them, and its points, by number: the council, workers,
# soldiers, chiefs (HW-41, HW-48, HW-49, HW-50, HW-51, HW-D29).
REQUIRED: Final = (0, 0x001, 0x002, 0x008, 0x028, 0x0A0, 0x004, 0x010, 0x050, 0x140, 0x6A0, 0x740, 0x780)
REST: Final = (0, 0x001, 0x003, 0x00B, 0x00A, 0x028, 0x005, 0x015, 0x014, 0x050, 0, 0, 0)
POINTS: Final = (0, -5, 3, 8, 13, 23, 5, 10, 15, 25, 40, 45, 65)


def title_of(kinds: vec[i64], chiefs: bool) -> i64:
    """Return the title that these kinds earn, a chief's or another; at most one fits them (HW-41, HW-D20)."""
    number: i64
    for number in range(1, len(POINTS)):
        if chiefs == (number >= CHIEFS) and fits(kinds, REQUIRED[number], REST[number]):
            return number
    return NO_TITLE


def fits(kinds: vec[i64], required: i64, others: i64) -> bool:
    """Return whether all required kinds are there, and only allowed others beside one of each (HW-41, HW-53)."""
    i: i64
    for i in range(len(kinds)):
        if has(required, kinds[i]):
            required &= ~bit(kinds[i])
        elif not has(others, kinds[i]):
            return False
    return required == 0


def scored(kinds: vec[i64], mask: i64, values: i64, short: bool) -> i64:
    """Return title and result, as result * 16 + title, with the witch doctor standing for the kind `mask`.

    A master or general sends haulers and clubbers away first (HW-42); the others must be four for a title, unless
    `short` (HW-D17). The widow is a family outside a chief's title (HW-44, HW-54, HW-D19).
    """
    seen = vec[i64](capacity=4)
    points: i64 = 0
    held: i64 = 0
    i: i64
    for i in range(len(kinds)):
        held |= bit(kinds[i])
    strict: bool = has(held, MASTER) or has(held, GENERAL)
    for i in range(len(kinds)):
        kind: i64 = kinds[i]
        if strict and (kind == HAULER or kind == CLUBBER):
            continue
        if kind != WIDOW:
            points += nibble(values, kind)
        if kind == WITCH_DOCTOR:
            kind = mask
        elif kind == WIDOW:
            kind = FAMILY
        seen = append(seen, kind)
    title: i64 = title_of(kinds, True)
    if title != NO_TITLE:
        return (points + nibble(values, WIDOW) + POINTS[title]) * 16 + title
    if short or len(seen) == HAND:
        title = title_of(seen, False)
    points += POINTS[title]
    if has(held, WIDOW):
        if points > 0:
            points = -points
        else:
            points *= 2
    return points * 16 + title


def best_of(kinds: vec[i64], values: i64, short: bool) -> i64:
    """Return title and result at their best, whatever the witch doctor stands for (HW-43, HW-D18)."""
    best: i64 = scored(kinds, WITCH_DOCTOR, values, short)
    mask: i64
    if kinds[len(kinds) - 1] == WITCH_DOCTOR:
        for mask in range(WIDOW):
            found: i64 = scored(kinds, mask, values, short)
            if found - found % 16 > best - best % 16:
                best = found
    return best


def worths_of(values: i64, short: bool) -> bytes:
    """Return the table of all retinues: two bytes at twice `place`, the result plus RESULT_OFFSET and the title."""
    writer = BytesWriter()
    a: i64
    b: i64
    c: i64
    d: i64
    for a in range(KINDS):
        for b in range(KINDS):
            for c in range(KINDS):
                for d in range(KINDS):
                    found: i64 = 0
                    if a <= b <= c <= d:
                        kinds = vec[i64](capacity=4)
                        kinds = append(append(append(append(kinds, a), b), c), d)
                        found = best_of(kinds, values, short)
                    writer.append(found // 16 + RESULT_OFFSET)
                    writer.append(found % 16)
    return writer.getvalue()


def place(hand: i64) -> i64:
    """Return the position of four gnomes in the table; their kinds rise with their numbers."""
    found: i64 = 0
    while hand:
        found = found * KINDS + kind_of(first(hand))
        hand = rest(hand)
    return found


def result_of(worths: bytes, hand: i64) -> i64:
    """Return the score of four gnomes, without the points for the best and the worst (HW-40)."""
    return worths[2 * place(hand)] - RESULT_OFFSET


def named(worths: bytes, hand: i64) -> i64:
    """Return the title of four gnomes, or NO_TITLE."""
    return worths[2 * place(hand) + 1]


def place_of_kinds(kinds: i64) -> i64:
    """Return the position in the table of four rising kinds, packed by 4 bits, each as its number plus one."""
    found: i64 = 0
    i: i64
    for i in range(HAND):
        found = found * KINDS + nibble(kinds, i) - 1
    return found


def result_kinds(worths: bytes, kinds: i64) -> i64:
    """Return the score of four packed kinds."""
    return worths[2 * place_of_kinds(kinds)] - RESULT_OFFSET


def named_kinds(worths: bytes, kinds: i64) -> i64:
    """Return the title of four packed kinds, or NO_TITLE."""
    return worths[2 * place_of_kinds(kinds) + 1]
