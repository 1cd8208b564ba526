"""The net's view of a council: facts of each faction and of the sitting, as numbers of columns; compiled.

A quantity has a column for each of its levels but the lowest, and at most one of them is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import count, has, longest_run, neighbours, nibble, nibble_sum
from games.core.net import END
from games.hoher_rat.table.constants import ARGUMENTS, BLACK, FOUR, SIXTEEN
from games.hoher_rat.table.faction import FIELDS, FOLLOWERS, NUMBERS, Faction
from games.hoher_rat.table.listing import fields_of
from games.hoher_rat.table.standing import bridges, paired, reached, sturdy

if TYPE_CHECKING:
    from games.hoher_rat.table.council import Council

TURNS: Final = 16
"""Number of turns in a group."""

BLOCK: Final = 0
BRIDGED: Final = 15
STRIKE: Final = 30
WINDOW: Final = 45
SEATED: Final = 60
NEED: Final = 75
PIECES: Final = 91
PAIRS: Final = 107
STURDY: Final = 117
GAPS: Final = 127
SPEAKERS: Final = 133
OWNED: Final = 135
ONES: Final = 147
TWOS: Final = 152
THREES: Final = 157
REACH: Final = 162
NEAR: Final = 172
HAND: Final = 176
TRILITHS: Final = 180
DARK: Final = 182
SUPPLY: Final = 184
TURN: Final = 186
FACTION: Final = 189
VOTING: Final = 189
EMPTY: Final = 190
TIME: Final = 210
SEATS: Final = 222
CONSTANT_COLUMN: Final = 223

QUANTITIES: Final = (
    ("block", 15, True),  # pieces in the largest block, as it is, with gaps closed, with pieces in reach
    ("bridged", 15, True),
    ("strike", 15, True),
    ("window", 15, True),  # pieces in the best sixteen fields in a row; with those in reach and cards for empty ones
    ("seated", 15, True),
    ("need", 16, True),  # what the cheapest sixteen fields in a row still want, half fields
    ("pieces", 16, True),  # above four
    ("pairs", 10, True),  # two by two
    ("sturdy", 10, True),  # two by two
    ("gaps", 6, True),
    ("speakers", 2, True),
    ("owned", 12, True),  # arguments
    ("ones", 5, True),  # colours of which there is an argument, are two, are three
    ("twos", 5, True),
    ("threes", 5, True),
    ("reach", 10, True),
    ("near", 4, True),  # cards for empty fields beside pieces
    ("hand", 4, True),  # cards for empty fields
    ("triliths", 2, True),
    ("dark", 2, True),
    ("supply", 2, True),  # colours without a follower in supply
    ("turn", 3, False),  # that an action is to come, is made, or a card is owed
    ("voting", 1, False),  # from here on of the sitting
    ("empty", 20, True),
    ("time", 12, True),
    ("seats", 1, False),  # that there are four
    ("always", 1, False),
)
"""Names, numbers of columns in their order, and whether a level includes the lower ones."""


def columns_of(council: Council) -> vec[i64]:
    """Return the columns of Pro, of Contra, then those of the sitting, each list with END."""
    found = vec[i64](capacity=64)
    faction: i64
    for faction in range(2):
        found = append(tell_faction(council, faction, found), END)
    if council.voting:
        found = append(found, VOTING)
    empty: i64 = count(NUMBERS & ~(council.pro.fields() | council.contra.fields()))
    found = level(found, EMPTY, empty, 20)
    found = level(found, TIME, council.turns // TURNS, 12)
    if council.seats == FOUR:
        found = append(found, SEATS)
    return append(append(found, CONSTANT_COLUMN), END)


def level(found: vec[i64], column: i64, reach: i64, most: i64) -> vec[i64]:
    """Add the column of a level that a quantity has reached, if that is above 0."""
    if reach > 0:
        return append(found, column + min(reach, most) - 1)
    return found


def tell_faction(council: Council, faction: i64, found: vec[i64]) -> vec[i64]:
    """Add the columns of a faction."""
    side = council.side(faction)
    foe = council.side(faction + 1)
    fields: i64 = side.fields()
    foes: i64 = foe.fields()
    empty: i64 = NUMBERS & ~(fields | foes)
    hand: i64 = side.one.hand | side.two.hand
    cards: i64 = hand & empty
    reach: i64 = reached(council, side, foe)
    gaps: i64 = bridges(side, foe)
    pieces: i64 = count(fields)
    found = level(found, BLOCK, side.longest(), 15)
    found = level(found, BRIDGED, longest_run(fields | gaps, FIELDS), 15)
    found = level(found, STRIKE, longest_run(fields | reach, FIELDS), 15)
    found = level(found, WINDOW, densest(fields), 15)
    found = level(found, SEATED, densest(fields | reach | cards), 15)
    found = level(found, NEED, cheapest(empty & ~cards, foes, foes & (sturdy(foe) | foe.speakers)) - 4, 16)
    found = level(found, PIECES, pieces - 4, 16)
    found = level(found, PAIRS, (paired(side.first) + paired(side.second) + 1) // 2, 10)
    found = level(found, STURDY, (count(sturdy(side)) - 1) // 2, 10)
    found = level(found, GAPS, count(gaps), 6)
    found = level(found, SPEAKERS, count(side.speakers), 2)
    found = purse(side, found)
    found = level(found, REACH, count(reach), 10)
    found = level(found, NEAR, count(cards & neighbours(fields, FIELDS)), 4)
    found = level(found, HAND, count(cards), 4)
    found = level(found, TRILITHS, count(hand & ~NUMBERS), 2)
    found = level(found, DARK, count(hand & fields_of(BLACK)), 2)
    found = level(found, SUPPLY, count(side.first) // FOLLOWERS + count(side.second) // FOLLOWERS, 2)
    if council.turn & 1 == faction:
        if council.offered:
            return append(found, TURN + 2)
        if council.acted:
            return append(found, TURN + 1)
        return append(found, TURN)
    return found


def purse(side: Faction, found: vec[i64]) -> vec[i64]:
    """Add facts about a faction's arguments: their number, and the colours with one, two or three."""
    arguments: i64 = side.arguments()
    ones: i64 = 0
    twos: i64 = 0
    threes: i64 = 0
    hue: i64
    for hue in range(ARGUMENTS):
        held: i64 = nibble(arguments, hue)
        if held > 0:
            ones += 1
        if held > 1:
            twos += 1
        if held > 2:
            threes += 1
    found = level(found, OWNED, nibble_sum(arguments), 12)
    found = level(found, ONES, ones, 5)
    found = level(found, TWOS, twos, 5)
    return level(found, THREES, threes, 5)


def densest(fields: i64) -> i64:
    """Return the maximum number of some fields in any sixteen in a row."""
    held: i64 = 0
    field: i64
    for field in range(SIXTEEN):
        if has(fields, field):
            held += 1
    most: i64 = held
    for field in range(FIELDS - 1):
        if has(fields, field):
            held -= 1
        if has(fields, (field + SIXTEEN) % FIELDS):
            held += 1
        most = max(most, held)
    return most


def cheapest(empty: i64, foes: i64, dear: i64) -> i64:
    """Return the cost of the cheapest sixteen fields in a row: 1 each, another's 2, and 3 for a costly one."""
    price: i64 = 0
    field: i64
    for field in range(SIXTEEN):
        price += cost(empty, foes, dear, field)
    least: i64 = price
    for field in range(FIELDS - 1):
        price += cost(empty, foes, dear, (field + SIXTEEN) % FIELDS) - cost(empty, foes, dear, field)
        least = min(least, price)
    return least


def cost(empty: i64, foes: i64, dear: i64, field: i64) -> i64:
    """Return the cost of a field."""
    if has(empty, field):
        return 1
    if has(dear, field):
        return 3
    if has(foes, field):
        return 2
    return 0
