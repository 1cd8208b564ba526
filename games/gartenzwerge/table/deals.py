"""Seeking a partner and offering a dwarf: showing, sealing, opening, and the result; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mypy_extensions import i64

from games.core.bits import at, bit, first, nibbles, rest
from games.core.dice import Dice
from games.core.table import EVERYONE, Journal
from games.gartenzwerge.table import notes
from games.gartenzwerge.table.caps import face, kinds, one, without
from games.gartenzwerge.table.constants import (
    CHIP,
    CHOOSING,
    NAMING,
    NOTHING,
    OFFER,
    SCHMIEDEL,
    SEAL_BITS,
    SEALING,
    SEARCH,
    SHOWING,
    STEP,
)
from games.gartenzwerge.table.rounds import start_next_go

if TYPE_CHECKING:
    from games.gartenzwerge.table.club import Club


CHIPS: Final = 0x010303
"""Herr Schmiedel's chips as a stack: two of 50, two of 100 and one of 200 (GZ-55)."""


def chip(shown: i64) -> i64:
    """Return a chip's steps by its face: 50, 100 and 200 blossoms."""
    if shown == 2:
        return 4
    return shown + 1


# A deal begins.


def seek_partner(club: Club, seat: i64, cap: i64, demand: i64, dice: Dice, journal: Journal | None) -> None:
    """Seek a partner for a dwarf (GZ-25)."""
    open_deal(club, SEARCH, seat, cap, demand)
    if journal is not None:
        journal.tell(EVERYONE, notes.PARTNER_SOUGHT, seat, cap, demand)
    ask_next(club, seat, dice, journal)


def offer_dwarf(club: Club, seat: i64, cap: i64, dice: Dice, journal: Journal | None) -> None:
    """Offer a dwarf for breeding (GZ-33)."""
    open_deal(club, OFFER, seat, cap, cap)
    if journal is not None:
        journal.tell(EVERYONE, notes.DWARF_OFFERED, seat, cap, 0)
    begin_sealing(club, dice, journal)


def open_deal(club: Club, job: i64, seat: i64, cap: i64, demand: i64) -> None:
    """Put a dwarf on the block (GZ-21)."""
    club.job = job
    club.dwarf = cap
    club.demand = demand
    club.shown = 0
    club.sealed = 0
    club.tied = 0
    club.house = 0
    club.member(seat).free -= one(cap)


def ask_next(club: Club, seat: i64, dice: Dice, journal: Journal | None) -> None:
    """Let the next member that could answer the search show a dwarf (GZ-26, GZ-D13)."""
    while True:
        seat = club.left_of(seat)
        if seat == club.turn:
            break
        if club.meets(seat) != 0:
            club.stage = SHOWING
            club.asking = seat
            return
    begin_sealing(club, dice, journal)


def show_dwarf(club: Club, seat: i64, cap: i64, dice: Dice, journal: Journal | None) -> None:
    """Show a dwarf, or none, to the seeker (GZ-26)."""
    club.shown |= nibbles(cap, seat)
    if journal is not None:
        journal.tell(EVERYONE, notes.DWARF_SHOWN, seat, cap, 0)
    ask_next(club, seat, dice, journal)


def begin_sealing(club: Club, dice: Dice, journal: Journal | None) -> None:
    """Let all participants seal an amount; without any the dwarf gardens (GZ-62, GZ-D15, GZ-D16)."""
    club.stage = SEALING
    if rest(club.sealers()) == 0 and not club.lends():
        fail_deal(club, dice, journal)


def seal_answer(club: Club, seat: i64, answer: i64, dice: Dice, journal: Journal | None) -> None:
    """Seal an answer; the last one opens them all (GZ-28, GZ-D32)."""
    club.sealed |= at(answer, SEAL_BITS * seat)
    if journal is not None:
        journal.tell(bit(seat), notes.AMOUNT_SEALED, seat, answer, 0)
    if club.actors() == 0:
        open_answers(club, dice, journal)


# A deal is decided.


def open_answers(club: Club, dice: Dice, journal: Journal | None) -> None:
    """Open all amounts, Herr Schmiedel's last, and see who wins.

    That is so for a search and for an offer (GZ-28, GZ-29, GZ-34, GZ-56, GZ-57, GZ-59, GZ-61, GZ-D33).
    """
    if club.lends():
        one_chip: i64 = face(dice.member(CHIPS, CHIP))
        other: i64 = face(dice.member(without(CHIPS, one_chip), CHIP))
        club.house = club.value(club.dwarf) // STEP + chip(one_chip) + chip(other) + 1
    if journal is not None:
        journal.tell(EVERYONE, notes.AMOUNTS_OPENED, club.sealed, club.house, club.turn + 8 * club.job)
    club.tied = best_offers(club)
    if club.tied == 0:
        fail_deal(club, dice, journal)
    elif rest(club.tied) == 0:
        strike_deal(club, first(club.tied), dice, journal)
    else:
        club.stage = CHOOSING


def best_offers(club: Club) -> i64:
    """Return the partners with the best amount, if that meets what the member on turn has sealed (GZ-D17)."""
    own: i64 = club.offered(club.turn)
    partners: i64 = club.sealers() & ~bit(club.turn)
    if club.house > 0:
        partners |= bit(SCHMIEDEL)
    found: i64 = 0
    best: i64 = own
    while partners != 0:
        seat: i64 = first(partners)
        partners = rest(partners)
        if seat != SCHMIEDEL and club.answer(seat) == NOTHING:
            continue
        amount: i64 = club.offered(seat)
        if amount == best:
            found |= bit(seat)
        elif (amount < best) == (club.job == SEARCH):
            found = bit(seat)
            best = amount
    return found


def fail_deal(club: Club, dice: Dice, journal: Journal | None) -> None:
    """Send the dwarf to the garden, no deal having come about (GZ-32, GZ-35, GZ-D20)."""
    pay_garden_wage(club, club.turn, club.dwarf, journal)
    close_deal(club, dice, journal)


def pay_garden_wage(club: Club, seat: i64, cap: i64, journal: Journal | None) -> None:
    """Pay the wage of a dwarf that is no longer free (GZ-24)."""
    club.member(seat).cash += club.wage()
    if journal is not None:
        journal.tell(EVERYONE, notes.GARDENED, seat, cap, club.wage())


def strike_deal(club: Club, partner: i64, dice: Dice, journal: Journal | None) -> None:
    """Make the deal with a partner: the price is his amount (GZ-29, GZ-30, GZ-31, GZ-34, GZ-D18)."""
    price: i64 = club.offered(partner) * STEP
    me = club.member(club.turn)
    if journal is not None:
        journal.tell(EVERYONE, notes.DEAL_STRUCK, club.turn, partner, price + club.job)
    if club.job == SEARCH:
        me.cash -= price
        take_mate(club, partner, price)
        if journal is not None:
            pair: i64 = club.dwarf + 8 * club.mate_shown(partner)
            journal.tell(EVERYONE, notes.PAIR_FORMED, club.turn, pair, partner)
        close_deal(club, dice, journal)
        return
    me.cash += price
    me.lent += one(club.dwarf)
    if partner == SCHMIEDEL:  # GZ-60
        close_deal(club, dice, journal)
        return
    club.member(partner).cash -= price
    club.asking = partner
    club.stage = NAMING
    possible: i64 = kinds(club.mates(partner))
    if rest(possible) == 0:
        name_mate(club, partner, first(possible), dice, journal)


def take_mate(club: Club, partner: i64, price: i64) -> None:
    """Bring a partner's dwarf to the shed of the seeker (GZ-30, GZ-58)."""
    cap: i64 = club.mate_shown(partner)
    club.member(club.turn).add_pair(club.dwarf, cap, partner)
    if partner == SCHMIEDEL:
        club.lent += one(cap)
        return
    him = club.member(partner)
    him.cash += price
    him.free -= one(cap)
    him.lent += one(cap)


def name_mate(club: Club, seat: i64, cap: i64, dice: Dice, journal: Journal | None) -> None:
    """Put an own dwarf into the shed with the rented one (GZ-34, GZ-D19)."""
    me = club.member(seat)
    me.free -= one(cap)
    me.add_pair(cap, club.dwarf, club.turn)
    if journal is not None:
        journal.tell(EVERYONE, notes.PAIR_FORMED, seat, cap + 8 * club.dwarf, club.turn)
    close_deal(club, dice, journal)


def close_deal(club: Club, dice: Dice, journal: Journal | None) -> None:
    """Clear the block, and go on with the next go."""
    club.dwarf = 0
    club.demand = 1
    club.shown = 0
    club.sealed = 0
    club.tied = 0
    club.house = 0
    club.job = SEARCH
    start_next_go(club, dice, journal)
