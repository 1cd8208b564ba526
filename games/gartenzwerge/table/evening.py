"""From the last go of a round to the first of the next: breeding, competitions, upkeep, the end; compiled."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64, mypyc_attr

from games.core.bits import at, bit, count, first, full, has, nibble, nibble_sum, rest
from games.core.dice import Dice
from games.core.table import EVERYONE, Journal
from games.gartenzwerge.table.caps import (
    CLUB_GRANT,
    FULL_MOON,
    GOLD,
    GREEN,
    GREY,
    LUXURY_TAX,
    MEMBERSHIP_FEE,
    NO_EVENT,
    RED,
    WORKERS,
    face,
    highest,
    kinds,
    without,
)
from games.gartenzwerge.table.club import (
    BY_CAP,
    BY_CASH,
    BY_GOLD,
    BY_LAST,
    BY_RUIN,
    CLEARING,
    EMPLOYING,
    GOAL,
    OVER,
    SELLING,
    Club,
)
from games.gartenzwerge.table.member import PAIR
from games.gartenzwerge.table.prizes import competition, entered, prize_of, share_of
from games.gartenzwerge.table.told import (
    CLUB_DECIDED,
    COMPETITION_JUDGED,
    DWARF_BRED,
    MEMBER_OUT,
    MONEY_GIVEN,
    MONEY_TAKEN,
    ROUND_BEGUN,
    SOLD_FOR_UPKEEP,
    UPKEEP_PAID,
)

STARTER: Final = 0
"""What chance decides: the first treasurer, competitions, events, young dwarfs, house cards, Herr Schmiedel's chips."""

COMPETITION: Final = 1
EVENT: Final = 2
YOUNG: Final = 3
HOUSE_CARD: Final = 4
CHIP: Final = 5

FEE: Final = 100
TAX: Final = 50
GRANT: Final = 200
NOT_DRAWN: Final = 7


@mypyc_attr(acyclic=True)
class Evening(Club):
    """A club that goes from round to round."""

    __slots__ = ()

    # The next go.

    def next_go(self, dice: Dice, journal: Journal | None) -> None:
        """Give the next seat clockwise that has a dwarf to employ its go, or end the phase (GZ-14, GZ-20, GZ-D9)."""
        self.stage = EMPLOYING
        self.dwarf = GREY
        seat: i64 = self.turn
        tried: i64
        for tried in range(self.seats):
            seat = self.left_of(seat)
            if self.has_go(seat):
                self.turn = seat
                return
        self.begun = 0
        self.rested = 0
        self.breed(dice, journal)
        self.judge_competitions(dice, journal)
        for seat in range(self.seats):
            self.member(seat).come_home()
        self.lent = 0
        self.collect(self.treasurer, dice, journal)

    # Breeding.

    def breed(self, dice: Dice, journal: Journal | None) -> None:
        """Let every pair breed, member by member from the treasurer on (GZ-14, GZ-44, GZ-D22)."""
        seat: i64 = self.treasurer
        turn: i64
        for turn in range(self.seats):
            pairs: int = self.member(seat).pairs
            weight: int = 1
            while weight * PAIR <= pairs:
                weight *= PAIR
            while pairs > 0:
                self.breed_pair(seat, pairs // weight, dice, journal)
                pairs %= weight
                weight //= PAIR
            seat = self.left_of(seat)

    def breed_pair(self, seat: i64, pair: i64, dice: Dice, journal: Journal | None) -> None:
        """Draw from the more valuable dwarf's stack, and take that from supply (GZ-41, GZ-42, GZ-43, GZ-63, GZ-D12)."""
        parent: i64 = max(pair % 8, pair // 8 % 8)
        stack: i64 = self.stack(parent)
        drawn: i64 = face(dice.member(stack, YOUNG))
        second: i64 = NOT_DRAWN
        young: i64 = drawn
        if self.event == FULL_MOON:  # GZ-D40
            second = face(dice.member(without(stack, drawn), YOUNG))
            young = max(drawn, second)
        gained: bool = self.in_supply(seat, young) > 0
        if gained:
            self.member(seat).gain(young)
            self.see(young)
        if journal is not None:
            told: i64 = 0
            if gained:
                told = 1
            journal.tell(EVERYONE, DWARF_BRED, seat, pair, drawn + 8 * second + 64 * young + 512 * told)

    def see(self, cap: i64) -> None:
        """Remember the highest cap that was ever owned (GZ-16, GZ-D7, GZ-D8)."""
        self.highest = max(self.highest, min(cap, GREEN))

    # Competitions.

    def judge_competitions(self, dice: Dice, journal: Journal | None) -> None:
        """Judge the lower competition, then the higher one (GZ-45)."""
        self.judge_competition(False, dice, journal)
        self.judge_competition(True, dice, journal)

    def judge_competition(self, upper: bool, dice: Dice, journal: Journal | None) -> None:
        """Give the highest dwarfs of a competition their shares of the prize (GZ-45, GZ-46, GZ-48, GZ-D23, GZ-D24)."""
        best: i64 = GREY
        seat: i64
        for seat in range(self.seats):
            best = max(best, highest(entered(self, seat, upper)))
        if best == GREY:
            return
        cap: i64 = competition(self, upper)
        stack: i64 = self.stack(cap)
        one_card: i64 = face(dice.member(stack, HOUSE_CARD))
        other: i64 = face(dice.member(without(stack, one_card), HOUSE_CARD))
        best = max(best, max(one_card, other))
        shares: i64 = 0
        if one_card == best:
            shares += 1
        if other == best:
            shares += 1
        for seat in range(self.seats):
            shares += nibble(entered(self, seat, upper), best)
        share: i64 = share_of(prize_of(self, upper), shares)
        won: i64 = 0
        for seat in range(self.seats):
            mine: i64 = nibble(entered(self, seat, upper), best)
            self.member(seat).cash += mine * share
            won |= at(mine, 4 * seat)
        if journal is not None:
            journal.tell(EVERYONE, COMPETITION_JUDGED, cap + 8 * one_card + 64 * other + 512 * best, share, won)

    # Upkeep.

    def collect(self, seat: i64, dice: Dice, journal: Journal | None) -> None:
        """Let a seat and those after it pay, until somebody must choose what to sell (GZ-14, GZ-49, GZ-50)."""
        while True:
            if not has(self.out, seat) and not self.pay(seat, journal):
                self.stage = SELLING
                self.asking = seat
                return
            seat = self.left_of(seat)
            if seat == self.treasurer:
                break
        self.judge(dice, journal)

    def pay(self, seat: i64, journal: Journal | None) -> bool:
        """Collect what a seat owes, and tell whether it is done with that (GZ-49, GZ-50, GZ-D26, GZ-D27)."""
        me = self.member(seat)
        if self.due == 0:
            self.due = self.upkeep() * nibble_sum(me.owned)
        while me.cash < self.due:
            left: i64 = kinds(me.free) & full(GOLD)
            if left == 0:
                break
            if count(left) > 1 and me.cash + self.proceeds(me.free) >= self.due:
                return False
            self.sell_one(seat, first(left), journal)
        paid: i64 = min(me.cash, self.due)
        me.cash -= paid
        if journal is not None:
            journal.tell(EVERYONE, UPKEEP_PAID, seat, paid, self.due)
        self.due = 0
        return True

    def proceeds(self, row: i64) -> i64:
        """Return what all dwarfs of a row bring that can be sold (GZ-D25)."""
        total: i64 = 0
        cap: i64
        for cap in range(GOLD):
            total += nibble(row, cap) * self.value(cap)
        return total

    def sell_one(self, seat: i64, cap: i64, journal: Journal | None) -> None:
        """Sell a dwarf to pay the upkeep, at its plain value (GZ-50, GZ-D26)."""
        me = self.member(seat)
        me.give_up(cap)
        me.cash += self.value(cap)
        if journal is not None:
            journal.tell(EVERYONE, SOLD_FOR_UPKEEP, seat, cap, self.value(cap))

    # The end.

    def judge(self, dice: Dice, journal: Journal | None) -> None:
        """See whether somebody has won, who is out, and whether there is another round (GZ-2, GZ-51, GZ-D5, GZ-D30).

        A win that is shared is by gold if any of the winners owns a golden dwarf (GZ-D42).
        """
        rich: i64 = 0
        seat: i64
        for seat in range(self.seats):
            me = self.member(seat)
            if not has(self.out, seat) and (nibble(me.owned, GOLD) > 0 or me.cash >= GOAL):
                rich |= bit(seat)
        if rich != 0:
            winners: i64 = self.leader(rich, True)
            how: i64 = BY_CASH
            for seat in range(self.seats):
                if has(winners, seat) and nibble(self.member(seat).owned, GOLD) > 0:
                    how = BY_GOLD
            self.end(winners, how, journal)
            return
        for seat in range(self.seats):
            if not has(self.out, seat) and self.member(seat).owned & WORKERS == 0:
                self.out |= bit(seat)
                if journal is not None:
                    journal.tell(EVERYONE, MEMBER_OUT, seat, 0, 0)
        left: i64 = full(self.seats) & ~self.out
        if left == 0:
            self.end(self.leader(full(self.seats), False), BY_RUIN, journal)
        elif rest(left) == 0:
            self.end(left, BY_LAST, journal)
        elif self.round == self.round_cap:
            self.end(self.leader(full(self.seats), False), BY_CAP, journal)
        else:
            self.open_round(self.next_treasurer(), dice, journal)

    def end(self, winners: i64, how: i64, journal: Journal | None) -> None:
        """End the game (GZ-51)."""
        self.stage = OVER
        self.winners = winners
        self.ending = how
        if journal is not None:
            journal.tell(EVERYONE, CLUB_DECIDED, winners, how, 0)

    # A new round.

    def next_treasurer(self) -> i64:
        """Return who has the best dwarfs, then the most money, then sits next (GZ-15, GZ-19, GZ-D6, GZ-D29)."""
        found: i64 = self.treasurer
        row: i64 = -1
        cash: i64 = 0
        seat: i64 = self.treasurer
        turn: i64
        for turn in range(self.seats):
            me = self.member(seat)
            better: bool = me.owned > row or (me.owned == row and me.cash > cash)
            if better and not has(self.out, seat):
                found = seat
                row = me.owned
                cash = me.cash
            seat = self.left_of(seat)
        return found

    def open_round(self, treasurer: i64, dice: Dice, journal: Journal | None) -> None:
        """Begin a round: treasurer, competitions, event (GZ-13 to GZ-18, GZ-D31)."""
        self.round += 1
        self.treasurer = treasurer
        self.draw_competitions(dice)
        self.draw_event(dice)
        if journal is not None:
            journal.tell(EVERYONE, ROUND_BEGUN, self.round, treasurer, self.lower + 8 * self.higher + 64 * self.event)
        seat: i64 = treasurer
        turn: i64
        for turn in range(self.seats):
            self.charge(seat, journal)
            seat = self.left_of(seat)
        if self.event == CLUB_GRANT:
            self.grant(journal)
        self.clear(treasurer, dice, journal)

    def draw_competitions(self, dice: Dice) -> None:
        """Draw two of the competition cards up to the highest dwarf ever in play (GZ-7, GZ-16, GZ-17, GZ-D7)."""
        pool: i64 = full(self.highest + 1) & ~bit(GREY)
        drawn: i64 = dice.member(pool, COMPETITION)
        other: i64 = dice.member(pool & ~bit(drawn), COMPETITION)
        self.lower = min(drawn, other)
        self.higher = max(drawn, other)

    def draw_event(self, dice: Dice) -> None:
        """Draw an event of the stack that is in use, shuffled anew where it is used up (GZ-18, GZ-D8)."""
        stack: i64 = self.next_events()
        self.event = NO_EVENT
        if stack == 0:
            return
        if self.events_left & stack == 0:
            self.events_left |= stack
        self.event = dice.member(self.events_left & stack, EVENT)
        self.events_left &= ~bit(self.event)

    def charge(self, seat: i64, journal: Journal | None) -> None:
        """Take a fee or a tax, as far as the money goes (GZ-D31, GZ-D37)."""
        if has(self.out, seat):
            return
        me = self.member(seat)
        owed: i64 = 0
        if self.event == MEMBERSHIP_FEE:
            owed = FEE
        elif self.event == LUXURY_TAX:
            cap: i64
            for cap in range(RED, GOLD + 1):
                owed += TAX * nibble(me.owned, cap)
        owed = min(owed, me.cash)
        me.cash -= owed
        if journal is not None and owed > 0:
            journal.tell(EVERYONE, MONEY_TAKEN, seat, owed, 0)

    def grant(self, journal: Journal | None) -> None:
        """Give those with the least money a grant (GZ-D37)."""
        least: i64 = -1
        seat: i64
        for seat in range(self.seats):
            cash: i64 = self.member(seat).cash
            if not has(self.out, seat) and (least < 0 or cash < least):
                least = cash
        for seat in range(self.seats):
            if not has(self.out, seat) and self.member(seat).cash == least:
                self.member(seat).cash += GRANT
                if journal is not None:
                    journal.tell(EVERYONE, MONEY_GIVEN, seat, GRANT, 0)

    def clear(self, seat: i64, dice: Dice, journal: Journal | None) -> None:
        """Ask a seat and those after it how many grey dwarfs they return, then begin the first go (GZ-D38)."""
        if self.clears():
            while True:
                if not has(self.out, seat) and nibble(self.member(seat).free, GREY) > 0:
                    self.stage = CLEARING
                    self.asking = seat
                    return
                seat = self.left_of(seat)
                if seat == self.treasurer:
                    break
        self.begin_employment(dice, journal)

    def begin_employment(self, dice: Dice, journal: Journal | None) -> None:
        """Give the treasurer the first go, or the next who has one (GZ-14, GZ-20)."""
        self.turn = self.treasurer
        if self.has_go(self.treasurer):
            self.stage = EMPLOYING
            return
        self.next_go(dice, journal)
