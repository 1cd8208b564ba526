"""The net's view of a club: facts of each member and of the round, as numbers of columns; compiled.

A quantity has a column for each of its levels but the lowest, and at most one of them is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import has, nibble, nibble_sum
from games.core.net import END
from games.gartenzwerge.table.caps import CAPS, WORKERS, highest
from games.gartenzwerge.table.member import PAIR

if TYPE_CHECKING:
    from games.gartenzwerge.table.club import Club

CASH_STEP: Final = 100
CASH_FROM: Final = -600
"""A member's money once the upkeep is paid is told in steps from here on."""

ROUNDS: Final = 3
"""Number of rounds in a group."""

DWARFS: Final = 4
"""Number of dwarfs of a cap that are distinguished."""

CASH: Final = 28
FREE: Final = 74
PAIRS: Final = 82
STACK: Final = 85
LOWER: Final = 92
HIGHER: Final = 99
RICHER: Final = 106
FINER: Final = 111
TURN: Final = 116
TREASURER: Final = 121
BEGUN: Final = 126
RESTED: Final = 127
OUT: Final = 128
LENT: Final = 129
EVENT: Final = 130
STAGE: Final = 148
ROUND: Final = 155
SHOW: Final = 168
HIGH_SHOW: Final = 174
BEST: Final = 180
SEATS: Final = 186
CONSTANT_COLUMN: Final = 190

QUANTITIES: Final = (
    ("grey", 4, True),  # dwarfs of each cap
    ("brown", 4, True),
    ("orange", 4, True),
    ("red", 4, True),
    ("blue", 4, True),
    ("green", 4, True),
    ("gold", 4, True),
    ("cash", 46, True),  # money once the upkeep is paid, also of the young
    ("free", 8, True),
    ("pairs", 3, True),
    ("stack", 7, False),  # the highest cap that breeds
    ("lower", 7, False),  # the highest cap in a competition
    ("higher", 7, False),
    ("richer", 5, True),  # how many are richer, or have more valuable dwarfs
    ("finer", 5, True),
    ("turn", 5, False),  # distance in seats from the member on turn, or from the treasurer
    ("treasurer", 5, False),
    ("begun", 1, False),
    ("rested", 1, False),
    ("out", 1, False),
    ("lent", 1, False),
    ("event", 18, False),  # from here on of the round
    ("stage", 7, False),
    ("round", 13, True),
    ("show", 6, False),
    ("high_show", 6, False),
    ("best", 6, True),
    ("seats", 4, False),
    ("always", 1, False),
)
"""Names, numbers of columns in their order, and whether a level includes the lower ones."""


def columns_of(club: Club) -> vec[i64]:
    """Return the columns of each seat, then those of the round, each list with END."""
    found = vec[i64](capacity=128)
    lefts = vec[i64](capacity=6)
    seat: i64
    for seat in range(club.seats):
        lefts = append(lefts, left(club, seat))
    for seat in range(club.seats):
        found = append(tell_member(club, seat, lefts, found), END)
    found = level(found, EVENT, club.event, 18)
    found = level(found, STAGE, club.stage, 7)
    found = level(found, ROUND, club.round // ROUNDS, 13)
    found = level(found, SHOW, club.lower, 6)
    found = level(found, HIGH_SHOW, club.higher, 6)
    found = level(found, BEST, club.highest, 6)
    found = level(found, SEATS, club.seats - 2, 4)
    return append(append(found, CONSTANT_COLUMN), END)


def level(found: vec[i64], column: i64, reached: i64, most: i64) -> vec[i64]:
    """Add the column of a level that a quantity has reached, if that is above 0."""
    if reached > 0:
        return append(found, column + min(reached, most) - 1)
    return found


def left(club: Club, seat: i64) -> i64:
    """Return a member's money once the upkeep is paid, also of the young (GZ-49)."""
    me = club.member(seat)
    mouths: i64 = nibble_sum(me.owned)
    pairs: int = me.pairs
    while pairs > 0:
        mouths += 1
        pairs //= PAIR
    return me.cash - club.upkeep() * mouths


def tell_member(club: Club, seat: i64, lefts: vec[i64], found: vec[i64]) -> vec[i64]:
    """Add the columns of a member."""
    me = club.member(seat)
    cap: i64
    for cap in range(CAPS):
        found = level(found, DWARFS * cap, nibble(me.owned, cap), DWARFS)
    found = level(found, CASH, (lefts[seat] - CASH_FROM) // CASH_STEP, 46)
    found = level(found, FREE, nibble_sum(me.free & WORKERS), 8)
    number: i64 = 0
    stack: i64 = 0
    pairs: int = me.pairs
    while pairs > 0:
        pair: i64 = pairs % PAIR
        stack = max(stack, max(pair % 8, pair // 8 % 8))
        number += 1
        pairs //= PAIR
    found = level(found, PAIRS, number, 3)
    found = level(found, STACK, stack, 7)
    if me.lower != 0:
        found = level(found, LOWER, highest(me.lower) + 1, 7)
    if me.higher != 0:
        found = level(found, HIGHER, highest(me.higher) + 1, 7)
    richer: i64 = 0
    finer: i64 = 0
    other: i64
    for other in range(club.seats):
        if lefts[other] > lefts[seat]:
            richer += 1
        if club.member(other).owned > me.owned:
            finer += 1
    found = level(found, RICHER, richer, 5)
    found = level(found, FINER, finer, 5)
    found = level(found, TURN, (seat - club.turn + club.seats) % club.seats, 5)
    found = level(found, TREASURER, (seat - club.treasurer + club.seats) % club.seats, 5)
    if has(club.begun, seat):
        found = append(found, BEGUN)
    if has(club.rested, seat):
        found = append(found, RESTED)
    if has(club.out, seat):
        found = append(found, OUT)
    if me.lent != 0:
        found = append(found, LENT)
    return found
