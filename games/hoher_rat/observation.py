"""The knowledge of a seat or a spectator about a council table, and a table as he may imagine it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from games.core.bits import bit, count, first
from games.core.dice import Dice
from games.core.game import BrokenRecordError
from games.core.table import SPECTATOR
from games.hoher_rat.check import check, check_hands, check_range
from games.hoher_rat.moves import COLOURS
from games.hoher_rat.record import (
    arguments_from,
    arguments_of,
    cards_of,
    course,
    empty_table,
    pile_of,
    set_course,
    set_of,
    set_pile,
)
from games.hoher_rat.table.council import Council
from games.hoher_rat.table.faction import FOLLOWERS, Faction
from games.hoher_rat.view import FACTIONS, RULESET, Arguments, Councillor, CouncilView, Pile, Supply

ALL_ARGUMENTS: Final = 0xAAAAA
"""Ten arguments of each colour, packed (HR-4)."""

PUBLIC: Final = (
    *("ruleset", "seats", "ply", "actors", "options", "turn", "turns", "idle", "acted", "stirred", "voting"),
    *("ring", "supplies", "bank", "piles", "conferring", "winner"),
)
"""The fields of a view that all viewers are told alike; `CouncilView.own` has the others."""

REFUSED: Final = {
    "ring": "HR-6",
    "supplies": "HR-12",
    "bank": "HR-16",
    "piles": "HR-15",
    "councillors": "HR-D21",
    "actors": "HR-21",
    "conferring": "HR-D20",
    "offered": "HR-D21",
    "partner_knows": "HR-D21",
}
"""The rule that a view breaks when this part of it does not follow from the others."""


def view(council: Council, seat: int) -> CouncilView:
    """Return the view of a seat, or SPECTATOR (HR-24, HR-D21, HR-D24)."""
    seats = council.seats
    conferring = council.offered != 0
    knows_offer = conferring and seat != SPECTATOR and seat % 2 == council.turn % 2
    return CouncilView(
        ruleset=RULESET,
        seats=seats,
        seat=None if seat == SPECTATOR else seat,
        actors=[actor - 1 for actor in cards_of(council.actors())],
        **course(council),
        supplies=supplies(council),
        bank=bank(council),
        piles=[
            Pile(faction=FACTIONS[index], deck=count(side.deck), **pile_of(side))
            for index, side in enumerate((council.pro, council.contra))
        ],
        councillors=[councillor(council, other, known(council, other, seat)) for other in range(seats)],
        conferring=conferring,
        offered=cards_of(council.offered)[0] if knows_offer else None,
        partner_knows=[] if seat == SPECTATOR else cards_of(council.player(seat).shown),
    )


def views(council: Council, viewers: Sequence[int]) -> list[CouncilView]:
    """Return the views of some viewers, as `view` does; common parts are built once."""
    first = view(council, viewers[0])
    public = {name: getattr(first, name) for name in PUBLIC}
    offered = cards_of(council.offered)[0] if council.offered else None
    councillors = dict[tuple[int, int], Councillor]()
    found = [first]
    for viewer in viewers[1:]:
        hands = [(other, known(council, other, viewer)) for other in range(council.seats)]
        for other, cards in hands:
            if (other, cards) not in councillors:
                councillors[other, cards] = replace(first.councillors[other], known=cards_of(cards))
        is_ally = viewer != SPECTATOR and viewer % 2 == council.turn % 2
        found.append(
            CouncilView(
                seat=None if viewer == SPECTATOR else viewer,
                councillors=[councillors[hand] for hand in hands],
                offered=offered if is_ally else None,
                partner_knows=[] if viewer == SPECTATOR else cards_of(council.player(viewer).shown),
                **public,
            )
        )
    return found


def supplies(council: Council) -> list[Supply]:
    """Return the pieces in supply, by colour (HR-12)."""
    found = []
    for index, colour in enumerate(COLOURS):
        side = council.side(index // 2)
        fields = side.of(index % 2 == 1)
        followers = FOLLOWERS - count(fields & ~side.speakers)
        found.append(Supply(colour=colour, followers=followers, speakers=1 - count(fields & side.speakers)))
    return found


def bank(council: Council) -> Arguments:
    """Return the arguments in the common supply (HR-16)."""
    owned = sum(council.player(seat).arguments for seat in range(council.seats))
    return arguments_of(ALL_ARGUMENTS - owned)


def councillor(council: Council, seat: int, cards: int) -> Councillor:
    """Return a seat as a viewer knows it who knows of these cards in its hand."""
    me = council.player(seat)
    colours = council.colours(seat)
    first_colour = seat % 2 * 2
    return Councillor(
        seat=seat,
        faction=FACTIONS[seat % 2],
        colours=[COLOURS[first_colour + index] for index in range(2) if colours & bit(index)],
        arguments=arguments_of(me.arguments),
        cards=count(me.hand),
        known=cards_of(cards),
    )


def known(council: Council, seat: int, viewer: int) -> int:
    """Return the cards that a viewer knows to be in a seat's hand (HR-D21, HR-D24)."""
    me = council.player(seat)
    side = council.side(seat)
    if viewer == seat:
        return me.hand
    if viewer != SPECTATOR and viewer % 2 == seat % 2:
        return me.shown
    if council.offered and seat == council.turn:
        return 0
    surely = side.low == count(side.elders) if me is side.one else side.high == 0
    return side.elders if surely else 0


def from_view(seen: CouncilView, dice: Dice) -> Council:
    """Return a table as the view's owner may imagine it; raise BrokenRecordError for a view that no table has."""
    seat = SPECTATOR if seen.seat is None else seen.seat
    if seen.seats not in {2, 4} or len(seen.councillors) != seen.seats or seat >= seen.seats:
        raise BrokenRecordError("HR-1", "seats_wrong", "/seat_count")
    council = empty_table(seen.seats, seen.ring)
    set_course(council, seen)
    for index, other in enumerate(seen.councillors):
        council.player(index).arguments = arguments_from(other.arguments)
    for index in range(2):
        deal(council, seen, seat, index)
    if seen.conferring:
        set_offer(council, seen)
    for index, side in enumerate((council.pro, council.contra)):
        check_hands(council, index, side)
        check_range(council, index, side)
    council.redeal(seat, dice)
    check(council)
    again = view(council, seat)
    if again != seen:
        name = next(name for name in seen.__struct_fields__ if getattr(again, name) != getattr(seen, name))
        raise BrokenRecordError(REFUSED.get(name, "HR-21"), "view_inconsistent", f"/{name}", part=name)
    return council


def deal(council: Council, seen: CouncilView, seat: int, index: int) -> None:
    """Give a faction's players the cards the viewer knows, and any others that may be theirs."""
    side = council.side(index)
    set_pile(side, seen.piles[index], f"/piles/{index}")
    ours = seat != SPECTATOR and seat % 2 == index
    pool = side.deck
    for other in range(index, seen.seats, 2):
        pointer = f"/councillors/{other}/known"
        me = council.player(other)
        if ours:
            me.hand = set_of(seen.councillors[other].known, pointer)
            me.shown = me.hand
        if me.hand & ~pool:
            raise BrokenRecordError("HR-14", "card_repeated", pointer, card=cards_of(me.hand & ~pool)[0])
        pool &= ~me.hand
    if ours:
        council.player(seat).shown = set_of(seen.partner_knows, "/partner_knows")
    fill(council, side, seen, index, pool)


def fill(council: Council, side: Faction, seen: CouncilView, index: int, pool: int) -> None:
    """Fill a faction's hands to their sizes from the cards that may be there, the elders first."""
    for other in range(index, seen.seats, 2):
        me = council.player(other)
        missing = seen.councillors[other].cards - count(me.hand)
        if not 0 <= missing <= count(pool):
            raise BrokenRecordError("HR-14", "hand_size", f"/councillors/{other}/cards", seat=other)
        for _ in range(missing):
            card = bit(first(pool & side.elders or pool))
            me.hand |= card
            pool ^= card
    side.deck = pool


def set_offer(council: Council, seen: CouncilView) -> None:
    """Lay the card of a conference into the partner's hand: the known one, or any until the cards are dealt."""
    if seen.seats == 2:
        raise BrokenRecordError("HR-D20", "offered_wrong", "/conferring")
    partner = council.player(council.partner(council.turn % seen.seats))
    if partner.hand:
        council.offered = bit(first(partner.hand) if seen.offered is None else seen.offered - 1)
    if council.offered & ~partner.hand:
        raise BrokenRecordError("HR-41", "offered_wrong", "/offered")
