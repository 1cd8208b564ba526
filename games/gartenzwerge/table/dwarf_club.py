"""The club's table in play: what may be done, what each move does, and what a seat cannot know; compiled."""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i64, mypyc_attr

from games.core.bits import at, bit, count, has
from games.core.dice import Dice
from games.core.table import EVERYONE, SPECTATOR, Journal
from games.gartenzwerge.table.bargain import Bargain
from games.gartenzwerge.table.caps import GREY, one
from games.gartenzwerge.table.club import NOTHING, SEAL_BITS, SEALING
from games.gartenzwerge.table.codes import (
    CHOOSE_DEAL,
    ENTER_COMPETITION,
    LEAVE_GREYS,
    NAME_MATE,
    OFFER_DWARF,
    RETURN_GREYS,
    SEAL_BID,
    SEAL_NO_BID,
    SEEK_PARTNER,
    SELL_DWARF,
    SELL_FOR_UPKEEP,
    SEND_TO_GARDEN,
    SHOW_DWARF,
    SHOW_NO_DWARF,
    TRADE_DWARFS,
    amount_of,
    cap_of,
    kind_of,
    other_of,
)
from games.gartenzwerge.table.evening import STARTER
from games.gartenzwerge.table.listing import listed, thinned
from games.gartenzwerge.table.told import (
    COMPETITION_ENTERED,
    DWARF_SOLD,
    DWARFS_TRADED,
    GREYS_LEFT,
    GREYS_RETURNED,
)


@mypyc_attr(acyclic=True)
class DwarfClub(Bargain):
    """One sitting of the club, in play."""

    __slots__ = ()

    def clone(self) -> DwarfClub:
        """Return a copy that shares nothing."""
        copy = DwarfClub(0)
        copy.seats = self.seats
        self.copy_into(copy)
        return copy

    def legal(self, seat: i64) -> vec[i64]:
        """Return the legal moves of a seat."""
        if not has(self.actors(), seat):
            return vec[i64]()
        return listed(self, seat)

    def candidates(self, seat: i64) -> vec[i64]:
        """Return the moves of a seat that are worth a look."""
        if not has(self.actors(), seat):
            return vec[i64]()
        return thinned(self, seat)

    def apply(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Make a move."""
        self.ply += 1
        kind: i64 = kind_of(move)
        cap: i64 = cap_of(move)
        if kind == SHOW_DWARF:
            self.show(seat, cap, dice, journal)
        elif kind == SHOW_NO_DWARF:
            self.show(seat, GREY, dice, journal)
        elif kind == SEAL_NO_BID:
            self.seal(seat, NOTHING, dice, journal)
        elif kind > SHOW_NO_DWARF and kind <= SEAL_BID:
            self.seal(seat, amount_of(move) + 1, dice, journal)
        elif kind == CHOOSE_DEAL:
            self.strike(other_of(move), dice, journal)
        elif kind == NAME_MATE:
            self.name_mate(seat, cap, dice, journal)
        elif kind == RETURN_GREYS:
            self.return_greys(seat, amount_of(move), dice, journal)
        elif kind == SELL_FOR_UPKEEP:
            self.sell_one(seat, cap, journal)
            self.collect(seat, dice, journal)
        else:
            self.begun |= bit(seat)
            self.employ(seat, move, dice, journal)

    def employ(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Give one dwarf an employment (GZ-20, GZ-21)."""
        kind: i64 = kind_of(move)
        cap: i64 = cap_of(move)
        if kind == SEEK_PARTNER:
            self.seek(seat, cap, other_of(move), dice, journal)
            return
        if kind == OFFER_DWARF:
            self.offer(seat, cap, dice, journal)
            return
        if kind == SEND_TO_GARDEN:
            self.member(seat).free -= one(cap)
            self.garden(seat, cap, journal)
        elif kind == SELL_DWARF:
            self.sell(seat, cap, journal)
        elif kind == TRADE_DWARFS:
            self.trade(seat, cap, journal)
        elif kind == ENTER_COMPETITION:
            self.enter(seat, cap, other_of(move), journal)
        elif kind == LEAVE_GREYS:
            self.rested |= bit(seat)
            if journal is not None:
                journal.tell(EVERYONE, GREYS_LEFT, seat, 0, 0)
        self.next_go(dice, journal)

    def sell(self, seat: i64, cap: i64, journal: Journal | None) -> None:
        """Sell a dwarf to the bank (GZ-23, GZ-36, GZ-D25)."""
        me = self.member(seat)
        me.give_up(cap)
        me.cash += self.price(cap)
        if journal is not None:
            journal.tell(EVERYONE, DWARF_SOLD, seat, cap, self.price(cap))

    def trade(self, seat: i64, cap: i64, journal: Journal | None) -> None:
        """Trade two dwarfs for one of the next cap, which does nothing more in this round (GZ-37 to GZ-39)."""
        me = self.member(seat)
        me.give_up(cap)
        me.give_up(cap)
        me.gain(cap + 1)
        self.see(cap + 1)
        if journal is not None:
            journal.tell(EVERYONE, DWARFS_TRADED, seat, cap, cap + 1)

    def enter(self, seat: i64, cap: i64, competition: i64, journal: Journal | None) -> None:
        """Send a dwarf to a competition (GZ-40)."""
        me = self.member(seat)
        me.free -= one(cap)
        if competition == self.lower:
            me.lower += one(cap)
        else:
            me.higher += one(cap)
        if journal is not None:
            journal.tell(EVERYONE, COMPETITION_ENTERED, seat, cap, competition)

    def return_greys(self, seat: i64, number: i64, dice: Dice, journal: Journal | None) -> None:
        """Return grey dwarfs to the supply, and ask the next (GZ-D38)."""
        me = self.member(seat)
        returned: i64
        for returned in range(number):
            me.give_up(GREY)
        if journal is not None:
            journal.tell(EVERYONE, GREYS_RETURNED, seat, number, 0)
        following: i64 = self.left_of(seat)
        if following == self.treasurer:
            self.begin_employment(dice, journal)
        else:
            self.clear(following, dice, journal)

    def unseen(self, seat: i64) -> i64:
        """Return how many sealed answers of others a seat, or SPECTATOR, knows nothing of (GZ-D32)."""
        if self.stage != SEALING:
            return 0
        others: i64 = self.answered()
        if seat != SPECTATOR:
            others &= ~bit(seat)
        return count(others)

    def redeal(self, seat: i64, dice: Dice) -> None:
        """Take back the sealed answers of the others, who may still give any (GZ-D32)."""
        if self.stage != SEALING:
            return
        self.ply -= self.unseen(seat)
        own: i64 = 0
        if seat != SPECTATOR:
            own = at(self.answer(seat), SEAL_BITS * seat)
        self.sealed = own


def new_club(seats: i64, settled: DwarfClub, dice: Dice) -> DwarfClub:
    """Begin the first round of a club whose options are set: a treasurer by lot, then cards (GZ-12, GZ-D43)."""
    settled.events_left = settled.events
    settled.open_round(dice.below(seats, STARTER), dice, None)
    return settled
