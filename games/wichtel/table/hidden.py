"""Hidden cards of the others as numbered facts; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import bit, first, rest
from games.wichtel.table.cards import kind_of, kind_of_action
from games.wichtel.table.codes import BRIBING

if TYPE_CHECKING:
    from games.wichtel.table.village import Village

SEAT_FACTS: Final = 32
"""Numbers of facts about one seat: its action cards by kind, its gnomes, and the bribe that it has laid."""

GNOMES_FROM: Final = 12
BRIBES_FROM: Final = 24


def hidden_cards(table: Village, viewer: i64) -> vec[i64]:
    """Return the cards that the others hold, each kind once per seat, and their bribes that lie face down."""
    found = vec[i64](capacity=48)
    seat: i64
    for seat in range(table.seats):
        if seat == viewer:
            continue
        me = table.seat(seat)
        kinds: i64 = 0
        cards: i64 = me.actions & ~me.shown
        while cards:
            kinds |= bit(kind_of_action(first(cards)))
            cards = rest(cards)
        cards = me.hand
        while cards:
            kinds |= bit(GNOMES_FROM + kind_of(first(cards)))
            cards = rest(cards)
        if me.bribe and table.phase == BRIBING:
            kinds |= bit(BRIBES_FROM + kind_of_action(me.bribe - 1))
        while kinds:
            found = append(found, seat * SEAT_FACTS + first(kinds))
            kinds = rest(kinds)
    return found
