"""Terms of a faction's evaluation at a council table as it stands, hands included; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import between, count, longest_run, neighbours, nibble, nibble_sum
from games.hoher_rat.table.constants import ARGUMENTS, BLACK, SIXTEEN
from games.hoher_rat.table.faction import FIELDS, NUMBERS, Faction
from games.hoher_rat.table.listing import fields_of

if TYPE_CHECKING:
    from games.hoher_rat.table.council import Council

FEATURES: Final = (
    "block",  # pieces in the largest block
    "majority",  # its square in sixteenths: the nearer to sixteen, the more one piece more is worth
    "bridged",  # pieces in the largest block once every gap of one field is closed
    "strike",  # pieces in the largest block once all pieces within reach are convinced
    "pieces",
    "pairs",  # neighbours of one colour
    "sturdy",  # pieces in groups of three or more, the dearest to convince (HR-48)
    "bridges",  # fields between two pieces that the other faction does not hold
    "speakers",
    "arguments",
    "colours",  # colours of arguments
    "reach",  # pieces that the arguments can convince
    "cards",  # cards in hand for empty fields beside one's own pieces
    "turn",  # an action that is still to come in this turn
    "turn_reach",  # `reach` and `strike` of the faction whose turn it is
    "turn_strike",
)
"""Terms of a faction's evaluation, in the order of the weights."""


def features(table: Council, faction: i64) -> vec[float]:
    """Return FEATURES of Pro (0) or Contra (1)."""
    side = table.side(faction)
    foe = table.side(faction + 1)
    fields: i64 = side.fields()
    gaps: i64 = bridges(side, foe)
    empty: i64 = NUMBERS & ~(fields | foe.fields())
    block: i64 = side.longest()
    reach: i64 = reached(table, side, foe)
    strike: i64 = longest_run(fields | reach, FIELDS)
    mine: i64 = 0
    ready: i64 = 0
    if table.turn & 1 == faction:
        mine = 1
        if not table.acted:
            ready = 1
    found = vec[float](capacity=16)
    found = append(found, float(block))
    found = append(found, float(block * block) / float(SIXTEEN))
    found = append(found, float(longest_run(fields | gaps, FIELDS)))
    found = append(found, float(strike))
    found = append(found, float(count(fields)))
    found = append(found, float(paired(side.first) + paired(side.second)))
    found = append(found, float(count(sturdy(side))))
    found = append(found, float(count(gaps)))
    found = append(found, float(count(side.speakers)))
    found = append(found, float(nibble_sum(side.arguments())))
    found = append(found, float(colours(side.arguments())))
    found = append(found, float(count(reach)))
    found = append(found, float(count((side.one.hand | side.two.hand) & empty & neighbours(fields, FIELDS))))
    found = append(found, float(ready))
    found = append(found, float(mine * count(reach)))
    return append(found, float(mine * strike))


def bridges(side: Faction, foe: Faction) -> i64:
    """Return the fields between two pieces of a faction that the other does not hold."""
    return between(side.fields(), FIELDS) & ~foe.fields()


def reached(table: Council, side: Faction, foe: Faction) -> i64:
    """Return the pieces that a faction's players could convince next."""
    found: i64 = reachable(table, side, foe, side.one.arguments)
    if side.two.arguments:
        found |= reachable(table, side, foe, side.two.arguments)
    return found


def paired(fields: i64) -> i64:
    """Return the number of pieces of a colour with a neighbour of it."""
    return count(fields & neighbours(fields, FIELDS))


def colours(arguments: i64) -> i64:
    """Return the number of colours of arguments."""
    found: i64 = 0
    hue: i64
    for hue in range(ARGUMENTS):
        if nibble(arguments, hue):
            found += 1
    return found


def core(fields: i64) -> i64:
    """Return the pieces of a colour that stand in groups of three or more (HR-48)."""
    middles: i64 = fields & between(fields, FIELDS)
    return fields & (middles | neighbours(middles, FIELDS))


def sturdy(side: Faction) -> i64:
    """Return the pieces of a faction that stand in groups of three or more."""
    return core(side.first) | core(side.second)


def reachable(table: Council, side: Faction, foe: Faction, arguments: i64) -> i64:
    """Return the pieces that one player could convince next (HR-46 to HR-50).

    In the vote it counts groups of three or more as larger than smaller ones, and no other difference (HR-59).
    """
    if arguments == 0:
        return 0
    fields: i64 = side.fields()
    singles: i64 = foe.first & ~neighbours(foe.first, FIELDS) | foe.second & ~neighbours(foe.second, FIELDS)
    singles &= ~foe.speakers
    small: i64 = foe.fields() & ~sturdy(foe)
    followers: i64 = small & ~foe.speakers
    found: i64 = 0
    most: i64 = 0
    hue: i64
    for hue in range(ARGUMENTS + 1):
        held: i64 = most  # a black field takes any colour, so the largest number of them
        if hue != BLACK:
            held = nibble(arguments, hue)
            most = max(most, held)
        sources: i64 = fields & fields_of(hue)
        if held == 0 or sources == 0:
            continue
        near: i64 = neighbours(sources, FIELDS)
        if held >= 3:
            found |= near & foe.fields()
        elif held == 2:
            found |= near & followers
        else:
            found |= near & singles
        if table.voting:
            found |= neighbours(sources & sturdy(side), FIELDS) & small
    return found
