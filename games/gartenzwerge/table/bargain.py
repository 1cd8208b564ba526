"""Seeking a partner and offering a dwarf: showing, sealing, opening, and what comes of it; compiled."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64, mypyc_attr

from games.core.bits import at, bit, first, nibbles, rest
from games.core.dice import Dice
from games.core.table import EVERYONE, Journal
from games.gartenzwerge.table.caps import face, kinds, one, without
from games.gartenzwerge.table.club import (
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
from games.gartenzwerge.table.evening import CHIP, Evening
from games.gartenzwerge.table.told import (
    AMOUNT_SEALED,
    AMOUNTS_OPENED,
    DEAL_STRUCK,
    DWARF_OFFERED,
    DWARF_SHOWN,
    GARDENED,
    PAIR_FORMED,
    PARTNER_SOUGHT,
)

CHIPS: Final = 0x010303
"""Herr Schmiedel's chips as a stack: two of 50, two of 100 and one of 200 (GZ-55)."""


def chip(shown: i64) -> i64:
    """Return a chip's steps by its face: 50, 100 and 200 blossoms."""
    if shown == 2:
        return 4
    return shown + 1


@mypyc_attr(acyclic=True)
class Bargain(Evening):
    """A club whose members make deals."""

    __slots__ = ()

    # A deal begins.

    def seek(self, seat: i64, cap: i64, demand: i64, dice: Dice, journal: Journal | None) -> None:
        """Seek a partner for a dwarf (GZ-25)."""
        self.open_deal(SEARCH, seat, cap, demand)
        if journal is not None:
            journal.tell(EVERYONE, PARTNER_SOUGHT, seat, cap, demand)
        self.ask_next(seat, dice, journal)

    def offer(self, seat: i64, cap: i64, dice: Dice, journal: Journal | None) -> None:
        """Offer a dwarf for breeding (GZ-33)."""
        self.open_deal(OFFER, seat, cap, cap)
        if journal is not None:
            journal.tell(EVERYONE, DWARF_OFFERED, seat, cap, 0)
        self.begin_sealing(dice, journal)

    def open_deal(self, job: i64, seat: i64, cap: i64, demand: i64) -> None:
        """Put a dwarf on the block (GZ-21)."""
        self.job = job
        self.dwarf = cap
        self.demand = demand
        self.shown = 0
        self.sealed = 0
        self.tied = 0
        self.house = 0
        self.member(seat).free -= one(cap)

    def ask_next(self, seat: i64, dice: Dice, journal: Journal | None) -> None:
        """Ask the next who could answer the search to show a dwarf (GZ-26, GZ-D13)."""
        while True:
            seat = self.left_of(seat)
            if seat == self.turn:
                break
            if self.meets(seat) != 0:
                self.stage = SHOWING
                self.asking = seat
                return
        self.begin_sealing(dice, journal)

    def show(self, seat: i64, cap: i64, dice: Dice, journal: Journal | None) -> None:
        """Show a dwarf, or none, to the seeker (GZ-26)."""
        self.shown |= nibbles(cap, seat)
        if journal is not None:
            journal.tell(EVERYONE, DWARF_SHOWN, seat, cap, 0)
        self.ask_next(seat, dice, journal)

    def begin_sealing(self, dice: Dice, journal: Journal | None) -> None:
        """Have all who take part seal an amount; with nobody there the dwarf gardens (GZ-62, GZ-D15, GZ-D16)."""
        self.stage = SEALING
        if rest(self.asked()) == 0 and not self.lends():
            self.fail(dice, journal)

    def seal(self, seat: i64, answer: i64, dice: Dice, journal: Journal | None) -> None:
        """Seal an answer; the last one opens them all (GZ-28, GZ-D32)."""
        self.sealed |= at(answer, SEAL_BITS * seat)
        if journal is not None:
            journal.tell(bit(seat), AMOUNT_SEALED, seat, answer, 0)
        if self.actors() == 0:
            self.open(dice, journal)

    # A deal is decided.

    def open(self, dice: Dice, journal: Journal | None) -> None:
        """Open all amounts, Herr Schmiedel's last, and see who wins.

        That is so for a search and for an offer (GZ-28, GZ-29, GZ-34, GZ-56, GZ-57, GZ-59, GZ-61, GZ-D33).
        """
        if self.lends():
            one_chip: i64 = face(dice.member(CHIPS, CHIP))
            other: i64 = face(dice.member(without(CHIPS, one_chip), CHIP))
            self.house = self.value(self.dwarf) // STEP + chip(one_chip) + chip(other) + 1
        if journal is not None:
            journal.tell(EVERYONE, AMOUNTS_OPENED, self.sealed, self.house, self.turn + 8 * self.job)
        self.tied = self.best_offers()
        if self.tied == 0:
            self.fail(dice, journal)
        elif rest(self.tied) == 0:
            self.strike(first(self.tied), dice, journal)
        else:
            self.stage = CHOOSING

    def best_offers(self) -> i64:
        """Return the partners with the best amount, if that meets what the member on turn has sealed (GZ-D17)."""
        own: i64 = self.offered(self.turn)
        partners: i64 = self.asked() & ~bit(self.turn)
        if self.house > 0:
            partners |= bit(SCHMIEDEL)
        found: i64 = 0
        best: i64 = own
        while partners != 0:
            seat: i64 = first(partners)
            partners = rest(partners)
            if seat != SCHMIEDEL and self.answer(seat) == NOTHING:
                continue
            amount: i64 = self.offered(seat)
            if amount == best:
                found |= bit(seat)
            elif (amount < best) == (self.job == SEARCH):
                found = bit(seat)
                best = amount
        return found

    def fail(self, dice: Dice, journal: Journal | None) -> None:
        """Send the dwarf to the garden, no deal having come about (GZ-32, GZ-35, GZ-D20)."""
        self.garden(self.turn, self.dwarf, journal)
        self.close(dice, journal)

    def garden(self, seat: i64, cap: i64, journal: Journal | None) -> None:
        """Pay the wage of a dwarf that is no longer free (GZ-24)."""
        self.member(seat).cash += self.wage()
        if journal is not None:
            journal.tell(EVERYONE, GARDENED, seat, cap, self.wage())

    def strike(self, partner: i64, dice: Dice, journal: Journal | None) -> None:
        """Make the deal with a partner: the price is his amount (GZ-29, GZ-30, GZ-31, GZ-34, GZ-D18)."""
        price: i64 = self.offered(partner) * STEP
        me = self.member(self.turn)
        if journal is not None:
            journal.tell(EVERYONE, DEAL_STRUCK, self.turn, partner, price + self.job)
        if self.job == SEARCH:
            me.cash -= price
            self.take_mate(partner, price)
            if journal is not None:
                self.tell_pair(self.turn, self.dwarf, self.mate_shown(partner), partner, journal)
            self.close(dice, journal)
            return
        me.cash += price
        me.lent += one(self.dwarf)
        if partner == SCHMIEDEL:  # GZ-60
            self.close(dice, journal)
            return
        self.member(partner).cash -= price
        self.asking = partner
        self.stage = NAMING
        possible: i64 = kinds(self.mates(partner))
        if rest(possible) == 0:
            self.name_mate(partner, first(possible), dice, journal)

    def take_mate(self, partner: i64, price: i64) -> None:
        """Bring a partner's dwarf to the shed of the seeker (GZ-30, GZ-58)."""
        cap: i64 = self.mate_shown(partner)
        self.member(self.turn).pair(self.dwarf, cap, partner)
        if partner == SCHMIEDEL:
            self.lent += one(cap)
            return
        him = self.member(partner)
        him.cash += price
        him.free -= one(cap)
        him.lent += one(cap)

    def name_mate(self, seat: i64, cap: i64, dice: Dice, journal: Journal | None) -> None:
        """Put an own dwarf into the shed with the one that was rented (GZ-34, GZ-D19)."""
        me = self.member(seat)
        me.free -= one(cap)
        me.pair(cap, self.dwarf, self.turn)
        if journal is not None:
            self.tell_pair(seat, cap, self.dwarf, self.turn, journal)
        self.close(dice, journal)

    def tell_pair(self, seat: i64, own: i64, mate: i64, owner: i64, journal: Journal) -> None:
        """Tell who has which pair in the shed."""
        journal.tell(EVERYONE, PAIR_FORMED, seat, own + 8 * mate, owner)

    def close(self, dice: Dice, journal: Journal | None) -> None:
        """Clear the block, and go on with the next go."""
        self.dwarf = 0
        self.demand = 1
        self.shown = 0
        self.sealed = 0
        self.tied = 0
        self.house = 0
        self.job = SEARCH
        self.next_go(dice, journal)
