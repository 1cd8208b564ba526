"""Recruiting: the die on a gnome, bribes, the roll, and who takes a gnome in; compiled."""

from __future__ import annotations

from mypy_extensions import i64, mypyc_attr

from games.core.bits import bit, first, full
from games.core.dice import Dice
from games.core.table import Journal
from games.wichtel.table.cards import HE_IS_BEST, LOOK_AGAIN, NO_WAY, actions_of, gnomes_of, kind_of_action
from games.wichtel.table.codes import BRIBE, REROLL, ROLL, SPARE, VETO
from games.wichtel.table.news import (
    tell_again,
    tell_bribe,
    tell_courted,
    tell_laid,
    tell_opened,
    tell_refused,
    tell_roll,
    tell_spared,
    tell_veto,
    tell_won,
)
from games.wichtel.table.sitting import (
    AFTER,
    ANY_PLAYER,
    BRIBING,
    DIE,
    ENDING,
    GIVING,
    LAYING,
    NOBODY,
    OPENED,
    ROLLED,
    Sitting,
)


@mypyc_attr(acyclic=True)
class Courting(Sitting):
    """One sitting, with all that has to do with recruiting."""

    __slots__ = ()

    def spend(self, seat: i64, kind: i64) -> None:
        """Lay an action card of a seat's on the pile of spent ones (HW-36)."""
        me = self.seat(seat)
        card: i64 = me.some(kind)
        me.spend(card)
        self.spent |= bit(card)

    def recruit(self, seat: i64, place: i64, journal: Journal | None) -> None:
        """Put the die on a gnome; the others are asked for bribes, each of them (HW-20, HW-21, HW-D25)."""
        self.place = place
        self.phase = BRIBING
        self.queue = full(self.seats) & ~bit(seat)
        self.asked = self.after(seat)
        if journal is not None:
            tell_courted(self, seat, journal)

    def bribe(self, seat: i64, kind: i64, card: i64, journal: Journal | None) -> None:
        """Lay a bribe or none, and ask the next one, or open all (HW-21, HW-22, HW-D7, HW-D33)."""
        me = self.seat(seat)
        if kind == BRIBE:
            me.bribe = me.some(card) + 1
        if journal is not None:
            tell_bribe(seat, kind, card, journal)
        self.queue &= ~bit(seat)
        if self.queue:
            self.asked = self.next_of(self.queue)
            return
        self.phase = OPENED
        self.asked = self.turn
        if self.bribed():
            self.open_bribes(journal)

    def open_bribes(self, journal: Journal | None) -> None:
        """Show all bribes to all; the others may be asked for "No way!" (HW-22, HW-D23, HW-D10)."""
        seat: i64
        for seat in range(self.seats):
            me = self.seat(seat)
            if me.bribe:
                # A card that all have seen before looks like any other of its kind, so it is taken to be that one.
                me.bribe = me.some(kind_of_action(me.bribe - 1)) + 1
                me.shown |= bit(me.bribe - 1)
        if self.flags & ANY_PLAYER and self.spent & actions_of(NO_WAY) == 0:
            self.queue = full(self.seats) & ~bit(self.turn)
            self.asked = self.after(self.turn)
        if journal is not None:
            tell_opened(self, journal)

    def highest(self) -> i64:
        """Return whose bribe applies: the highest kind, of equal ones the last laid, or NOBODY (HW-24, HW-25)."""
        found: i64 = NOBODY
        rank: i64 = 0
        seat: i64 = self.after(self.turn)
        while seat != self.turn:
            me = self.seat(seat)
            if me.bribe and kind_of_action(me.bribe - 1) >= rank:
                rank = kind_of_action(me.bribe - 1)
                found = seat
            seat = self.after(seat)
        return found

    def price(self) -> i64:
        """Return the kind of the bribe that applies, or NOBODY where none was laid (HW-23)."""
        seat: i64 = self.highest()
        if seat == NOBODY:
            return NOBODY
        return kind_of_action(self.seat(seat).bribe - 1)

    def wanted(self) -> i64:
        """Return how many pips it takes: those of the coin, or two without bribes (HW-26, HW-27)."""
        return max(self.price(), 0) + 2

    def judge(self, seat: i64, kind: i64, target: i64, dice: Dice, journal: Journal | None) -> None:
        """Go on with the opened bribes: "No way!" or not, a roll, another roll, or the outcome accepted."""
        if kind == VETO:
            self.veto(seat, target, journal)
        elif kind == SPARE:
            if journal is not None:
                tell_spared(seat, journal)
            self.ask_for_veto(self.queue & ~bit(seat))
        elif kind == ROLL:
            self.throw(False, dice, journal)
        elif kind == REROLL:
            self.spend(seat, LOOK_AGAIN)
            if journal is not None:
                tell_again(seat, journal)
            self.throw(True, dice, journal)
        else:
            self.accept(journal)

    def veto(self, seat: i64, target: i64, journal: Journal | None) -> None:
        """Take a bribe out; both cards are spent (HW-35, HW-D10)."""
        foe = self.seat(target)
        card: i64 = foe.bribe - 1
        self.spend(seat, NO_WAY)
        foe.spend(card)
        self.spent |= bit(card)
        if journal is not None:
            tell_veto(seat, target, kind_of_action(card), journal)
        self.ask_for_veto(0)

    def ask_for_veto(self, queue: i64) -> None:
        """Ask the next one for "No way!", or the player whose turn it is to go on (HW-D10)."""
        self.queue = queue
        self.asked = self.turn
        if queue:
            self.asked = self.next_of(queue)

    def throw(self, again: bool, dice: Dice, journal: Journal | None) -> None:
        """Roll: with enough pips the gnome comes, else one may look again, once (HW-4, HW-26, HW-34, HW-D9)."""
        self.roll = dice.below(6, DIE) + 1
        enough: bool = self.roll >= self.wanted()
        if journal is not None:
            tell_roll(self, self.wanted(), enough, journal)
        if enough:
            self.settle(self.turn, journal)
        elif again:
            self.accept(journal)
        else:
            self.phase = ROLLED

    def accept(self, journal: Journal | None) -> None:
        """Let the bribe that applies have the gnome, or let it stay where it is (HW-26, HW-27, HW-28, HW-D8)."""
        winner: i64 = self.highest()
        if winner == NOBODY:
            if journal is not None:
                tell_refused(self, journal)
            self.forget_courting()
            self.place = 0
            self.phase = AFTER
        else:
            self.settle(winner, journal)

    def settle(self, winner: i64, journal: Journal | None) -> None:
        """Spend the bribe that applies, hand back the others, and let the winner have the gnome (HW-23, HW-29)."""
        briber: i64 = self.highest()
        kind: i64 = self.price()
        if journal is not None:
            tell_won(self, winner, briber, kind, journal)
        if briber != NOBODY:
            foe = self.seat(briber)
            self.spent |= bit(foe.bribe - 1)
            foe.spend(foe.bribe - 1)
        self.forget_courting()
        if kind == HE_IS_BEST:
            self.phase = GIVING
            self.asked = winner
        else:
            self.take_gnome(winner)

    def forget_courting(self) -> None:
        """Hand all bribes back."""
        seat: i64
        for seat in range(self.seats):
            self.seat(seat).bribe = 0
        self.queue = 0

    def take_gnome(self, taker: i64) -> None:
        """Let a player have the courted gnome; he owes one for its place (HW-30)."""
        self.phase = LAYING
        self.asked = taker

    def lay(self, seat: i64, kind: i64, journal: Journal | None) -> None:
        """Lay one of the four old gnomes on the free place and take the new one in (HW-30, HW-D11)."""
        index: i64 = self.start + self.place
        taken: i64 = self.cell(index)
        gnome: i64 = first(self.seat(seat).hand & gnomes_of(kind))
        self.give_away(seat, gnome)
        self.put(index, gnome)
        self.take_in(seat, taken)
        self.show(gnome)
        if journal is not None:
            tell_laid(seat, kind, self.place, journal)
        self.place = 0
        self.ask_for_end(bit(seat))

    # The end of a round.

    def ask_for_end(self, queue: i64) -> None:
        """Ask who has taken a gnome in whether the round ends, if the officer is free (HW-39, HW-38, HW-D13, HW-D14).

        The right lapses here: whoever goes on is asked again only at the next gnome.
        """
        if not self.freed:
            queue = 0
        self.queue = queue
        self.phase = AFTER
        self.asked = self.turn
        if queue:
            self.phase = ENDING
            self.asked = self.next_of(queue)
