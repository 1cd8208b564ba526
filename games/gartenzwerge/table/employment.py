"""The effects of each move; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

from games.core.bits import bit
from games.core.dice import Dice
from games.core.table import EVERYONE, Journal
from games.gartenzwerge.table import codes, notes
from games.gartenzwerge.table.caps import GREY, one
from games.gartenzwerge.table.codes import amount_of, cap_of, kind_of, other_of
from games.gartenzwerge.table.constants import NOTHING
from games.gartenzwerge.table.deals import (
    name_mate,
    offer_dwarf,
    pay_garden_wage,
    seal_answer,
    seek_partner,
    show_dwarf,
    strike_deal,
)
from games.gartenzwerge.table.rounds import (
    ask_for_greys,
    begin_employment,
    collect_upkeep,
    sell_one,
    start_next_go,
    update_highest,
)

if TYPE_CHECKING:
    from games.gartenzwerge.table.club import Club


def apply_move(club: Club, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
    """Make a move."""
    club.ply += 1
    kind: i64 = kind_of(move)
    cap: i64 = cap_of(move)
    if kind == codes.SHOW_DWARF:
        show_dwarf(club, seat, cap, dice, journal)
    elif kind == codes.SHOW_NO_DWARF:
        show_dwarf(club, seat, GREY, dice, journal)
    elif kind == codes.SEAL_NO_BID:
        seal_answer(club, seat, NOTHING, dice, journal)
    elif kind > codes.SHOW_NO_DWARF and kind <= codes.SEAL_BID:
        seal_answer(club, seat, amount_of(move) + 1, dice, journal)
    elif kind == codes.CHOOSE_DEAL:
        strike_deal(club, other_of(move), dice, journal)
    elif kind == codes.NAME_MATE:
        name_mate(club, seat, cap, dice, journal)
    elif kind == codes.RETURN_GREYS:
        return_greys(club, seat, amount_of(move), dice, journal)
    elif kind == codes.SELL_FOR_UPKEEP:
        sell_one(club, seat, cap, journal)
        collect_upkeep(club, seat, dice, journal)
    else:
        club.begun |= bit(seat)
        employ(club, seat, move, dice, journal)


def employ(club: Club, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
    """Give one dwarf an employment (GZ-20, GZ-21)."""
    kind: i64 = kind_of(move)
    cap: i64 = cap_of(move)
    if kind == codes.SEEK_PARTNER:
        seek_partner(club, seat, cap, other_of(move), dice, journal)
        return
    if kind == codes.OFFER_DWARF:
        offer_dwarf(club, seat, cap, dice, journal)
        return
    if kind == codes.SEND_TO_GARDEN:
        club.member(seat).free -= one(cap)
        pay_garden_wage(club, seat, cap, journal)
    elif kind == codes.SELL_DWARF:
        sell_dwarf(club, seat, cap, journal)
    elif kind == codes.TRADE_DWARFS:
        trade_dwarfs(club, seat, cap, journal)
    elif kind == codes.ENTER_COMPETITION:
        enter_competition(club, seat, cap, other_of(move), journal)
    elif kind == codes.LEAVE_GREYS:
        club.rested |= bit(seat)
        if journal is not None:
            journal.tell(EVERYONE, notes.GREYS_LEFT, seat, 0, 0)
    start_next_go(club, dice, journal)


def sell_dwarf(club: Club, seat: i64, cap: i64, journal: Journal | None) -> None:
    """Sell a dwarf to the bank (GZ-23, GZ-36, GZ-D25)."""
    me = club.member(seat)
    me.give_up(cap)
    me.cash += club.price(cap)
    if journal is not None:
        journal.tell(EVERYONE, notes.DWARF_SOLD, seat, cap, club.price(cap))


def trade_dwarfs(club: Club, seat: i64, cap: i64, journal: Journal | None) -> None:
    """Trade two dwarfs for one of the next cap, which does nothing more in this round (GZ-37 to GZ-39)."""
    me = club.member(seat)
    me.give_up(cap)
    me.give_up(cap)
    me.gain(cap + 1)
    update_highest(club, cap + 1)
    if journal is not None:
        journal.tell(EVERYONE, notes.DWARFS_TRADED, seat, cap, cap + 1)


def enter_competition(club: Club, seat: i64, cap: i64, competition: i64, journal: Journal | None) -> None:
    """Send a dwarf to a competition (GZ-40)."""
    me = club.member(seat)
    me.free -= one(cap)
    if competition == club.lower:
        me.lower += one(cap)
    else:
        me.higher += one(cap)
    if journal is not None:
        journal.tell(EVERYONE, notes.COMPETITION_ENTERED, seat, cap, competition)


def return_greys(club: Club, seat: i64, number: i64, dice: Dice, journal: Journal | None) -> None:
    """Return grey dwarfs to the supply, and ask the next (GZ-D38)."""
    me = club.member(seat)
    returned: i64
    for returned in range(number):
        me.give_up(GREY)
    if journal is not None:
        journal.tell(EVERYONE, notes.GREYS_RETURNED, seat, number, 0)
    following: i64 = club.left_of(seat)
    if following == club.treasurer:
        begin_employment(club, dice, journal)
    else:
        ask_for_greys(club, following, dice, journal)
