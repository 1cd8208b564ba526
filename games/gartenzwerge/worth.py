"""An estimate of a club from what its members own and have under way; compiled."""

from __future__ import annotations

from math import exp
from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import first, has, nibble, nibble_sum
from games.core.table import Table, Worth
from games.gartenzwerge.table.caps import (
    BLUE,
    BROWN,
    CAPS,
    CHAMPIONSHIP,
    GREEN,
    GREY,
    ORANGE,
    RED,
    WORKERS,
    copies,
    highest,
    kinds,
)
from games.gartenzwerge.table.club import GOAL, NOTHING, OVER, SEALING, SEARCH, SHOWING, STEP, Club
from games.gartenzwerge.table.member import PAIR

PARTS: Final = 10
"""Into how many like cases is taken apart what is not known yet: another's amount, or two of Herr Schmiedel's chips."""


class ClubWorth(Worth):
    """Values money, dwarfs by cap, young dwarfs by their stack, and prizes, in blossoms, and maps them to chances.

    `grey` to `green` are what a dwarf is worth to its owner; `idle` what one is that is still free in this round.
    """

    __slots__ = ("blue", "brown", "cash", "goal", "green", "grey", "idle", "orange", "red", "scale", "share")

    def __init__(  # noqa: PLR0913, PLR0917 -- one weight each
        self,
        grey: float = -100.0,
        brown: float = 60.0,
        orange: float = 200.0,
        red: float = 550.0,
        blue: float = 1100.0,
        green: float = 2000.0,
        idle: float = 60.0,
        goal: float = 1500.0,
        scale: float = 900.0,
        share: float = 0.5,
    ) -> None:
        """Take the worth of dwarfs, of a free one, of being rich enough, the scale of chances, and what others keep."""
        self.grey: float = grey
        self.brown: float = brown
        self.orange: float = orange
        self.red: float = red
        self.blue: float = blue
        self.green: float = green
        self.idle: float = idle
        self.goal: float = goal
        self.scale: float = scale
        self.share: float = share

    def estimate(self, table: Table) -> vec[float]:
        """Return the expected rewards per seat."""
        assert isinstance(table, Club)  # noqa: S101 -- tells the compiler the type
        if table.stage == OVER:
            return table.rewards()
        found = vec[float](capacity=6)
        seat: i64
        for seat in range(table.seats):
            found = append(found, self.strength(table, seat))
        if table.stage == SEALING or table.stage == SHOWING:
            self.weigh_deal(table, found)
        top: float = found[0]
        for seat in range(table.seats):
            top = max(top, found[seat])
        total: float = 0.0
        for seat in range(table.seats):
            chance: float = 0.0
            if not has(table.out, seat):
                chance = exp((found[seat] - top) / self.scale)
            found[seat] = chance
            total += chance
        for seat in range(table.seats):
            found[seat] = found[seat] / total
        return found

    def of_cap(self, cap: i64) -> float:
        """Return what a dwarf is worth to its owner."""
        if cap == GREY:
            return self.grey
        if cap == BROWN:
            return self.brown
        if cap == ORANGE:
            return self.orange
        if cap == RED:
            return self.red
        if cap == BLUE:
            return self.blue
        if cap == GREEN:
            return self.green
        return float(GOAL) + self.goal

    def strength(self, club: Club, seat: i64) -> float:
        """Return what a member has and expects, in blossoms."""
        me = club.member(seat)
        found: float = 0.0
        cap: i64
        for cap in range(CAPS):
            found += self.of_cap(cap) * float(nibble(me.owned, cap))
        found += self.idle * float(nibble_sum(me.free & WORKERS))
        pairs: int = me.pairs
        while pairs > 0:
            pair: i64 = pairs % PAIR
            found += self.young(club, max(pair % 8, pair // 8 % 8))
            pairs //= PAIR
        lesser: float = 500.0
        greater: float = 1000.0
        if club.event == CHAMPIONSHIP:
            lesser = 1000.0
            greater = 1500.0
        found += self.prize(club, seat, False, club.lower, lesser)
        found += self.prize(club, seat, True, club.higher, greater)
        cash: float = float(me.cash)
        left: float = cash - float(club.upkeep() * nibble_sum(me.owned))
        found += left
        if left >= float(GOAL):
            found += self.goal
        elif left < 0.0:
            found += 2.0 * left
        return found

    def young(self, club: Club, parent: i64) -> float:
        """Return the expected worth of a young dwarf from a stack (GZ-41)."""
        stack: i64 = club.stack(parent)
        total: float = 0.0
        number: i64 = 0
        cap: i64
        for cap in range(CAPS):
            total += self.of_cap(cap) * float(copies(stack, cap))
            number += copies(stack, cap)
        return total / float(number)

    def prize(self, club: Club, seat: i64, upper: bool, cap: i64, prize: float) -> float:
        """Return about what a member's dwarfs win in a competition, the two house cards drawn apart (GZ-45, GZ-46)."""
        mine: i64 = club.member(seat).lower
        if upper:
            mine = club.member(seat).higher
        if mine == 0:
            return 0.0
        best: i64 = highest(mine)
        number: i64 = nibble(mine, best)
        rivals: i64 = 0
        other: i64
        for other in range(club.seats):
            row: i64 = club.member(other).lower
            if upper:
                row = club.member(other).higher
            if other != seat and row != 0:
                if highest(row) > best:
                    return 0.0
                rivals += nibble(row, best)
        stack: i64 = club.stack(cap)
        below: i64 = 0
        total: i64 = 0
        face: i64
        for face in range(CAPS):
            total += copies(stack, face)
            if face < best:
                below += copies(stack, face)
        alike: i64 = copies(stack, best)
        cards: float = float(total)
        clear: float = float(below) / cards * float(below - 1) / (cards - 1.0)
        one: float = 2.0 * float(below) / cards * float(alike) / (cards - 1.0)
        two: float = float(alike) / cards * float(alike - 1) / (cards - 1.0)
        dwarfs: float = float(number)
        shared: float = dwarfs + float(rivals)
        return prize * dwarfs * (clear / shared + one / (shared + 1.0) + two / (shared + 2.0))

    # A deal that is not decided yet.

    def weigh_deal(self, club: Club, found: vec[float]) -> None:
        """Add what the deal brings each of those in it, amounts that are not sealed being guessed."""
        turn: i64 = club.turn
        if club.job == SEARCH:
            found[turn] += self.seeking(club)
        else:
            found[turn] += self.offering(club)
        seat: i64
        for seat in range(club.seats):
            if seat == turn:
                continue
            if club.job == SEARCH:
                if nibble(club.shown, seat) > 0:
                    found[seat] += self.asking(club, seat)
            elif club.answer(seat) != NOTHING and club.mates(seat) != 0:
                found[seat] += self.bidding(club, seat)

    def prospect(self, club: Club, seat: i64) -> float:
        """Return what breeding the dwarf of the deal with a seat's brings: the one shown, or one that may be."""
        row: i64 = club.meets(seat)
        if club.job != SEARCH:
            return self.young(club, max(club.dwarf, highest(club.mates(seat))))
        shown: i64 = nibble(club.shown, seat)
        if shown > 0:
            return self.young(club, max(club.dwarf, shown))
        return self.young(club, max(club.dwarf, first(kinds(row))))

    def takes_part(self, club: Club, seat: i64) -> bool:
        """Tell whether a seat may answer the deal, or has."""
        if seat == club.turn:
            return False
        if club.job != SEARCH:
            return club.mates(seat) != 0
        if nibble(club.shown, seat) > 0:
            return True
        if club.stage == SEALING:
            return False
        turns: i64 = club.seats - 1
        after: i64 = (seat - club.turn + club.seats) % club.seats
        asked: i64 = (club.asking - club.turn + club.seats) % club.seats
        return turns >= after >= asked and club.meets(seat) != 0

    def seeking(self, club: Club) -> float:
        """Return what a seeker expects: the pair for the lowest price, or the wage."""
        partners: i64 = 0
        worth: float = 0.0
        seat: i64
        for seat in range(club.seats):
            if self.takes_part(club, seat):
                partners += 1
                worth += self.prospect(club, seat)
        wage: float = float(club.wage())
        own: float = self.young(club, club.dwarf)
        if partners > 0:
            worth /= float(partners)
        else:
            worth = own
        most: float = worth - wage
        most = min(most, float(club.limit(club.turn) * STEP))
        if club.answer(club.turn) > 0:
            most = float(club.offered(club.turn) * STEP)
        total: float = 0.0
        part: i64
        for part in range(PARTS):
            lowest: float = 9999.0
            if partners > 0:
                lowest = 2.0 * self.share * worth * (1.0 - (1.0 - middle(part)) ** (1.0 / float(partners)))
            if club.lends():
                house: float = float(club.value(club.dwarf) + chips(part))
                lowest = min(lowest, house)
            if lowest <= most:
                total += worth - lowest
            else:
                total += wage
        return total / float(PARTS)

    def offering(self, club: Club) -> float:
        """Return what one expects who offers a dwarf: the highest bid, or the wage."""
        partners: i64 = 0
        worth: float = 0.0
        seat: i64
        for seat in range(club.seats):
            if self.takes_part(club, seat):
                partners += 1
                limit: float = float(club.limit(seat) * STEP)
                top: float = 2.0 * self.share * self.prospect(club, seat)
                top = min(top, limit)
                worth += top
        wage: float = float(club.wage())
        least: float = wage
        if club.answer(club.turn) > 0:
            least = float(club.offered(club.turn) * STEP)
        total: float = 0.0
        part: i64
        for part in range(PARTS):
            highest_bid: float = -1.0
            if partners > 0:
                highest_bid = worth / float(partners) * middle(part) ** (1.0 / float(partners))
            if club.lends():
                house: float = float(club.value(club.dwarf) + chips(part))
                highest_bid = max(highest_bid, house)
            if highest_bid >= least:
                total += highest_bid
            else:
                total += wage
        return total / float(PARTS)

    def asking(self, club: Club, seat: i64) -> float:
        """Return what a seat expects that has shown a dwarf to a seeker."""
        worth: float = self.prospect(club, seat)
        ask: float = self.share * worth
        if club.answer(seat) > 0:
            ask = float(club.offered(seat) * STEP)
        chance: float = 1.0
        if club.answer(club.turn) > 0:
            if ask > float(club.offered(club.turn) * STEP):
                return 0.0
        elif ask > float(club.limit(club.turn) * STEP):
            return 0.0
        else:
            chance = share_left(ask, worth)
        other: i64
        for other in range(club.seats):
            if other != seat and self.takes_part(club, other):
                chance *= share_left(ask, 2.0 * self.share * self.prospect(club, other))
        if club.lends():
            above: i64 = 0
            part: i64
            for part in range(PARTS):
                if float(club.value(club.dwarf) + chips(part)) > ask:
                    above += 1
            chance *= float(above) / float(PARTS)
        return chance * (ask - self.idle)

    def bidding(self, club: Club, seat: i64) -> float:
        """Return what a seat expects that bids, or may, for a dwarf offered."""
        worth: float = self.prospect(club, seat)
        bid: float = self.share * worth
        limit: float = float(club.limit(seat) * STEP)
        bid = min(bid, limit)
        if club.answer(seat) > 0:
            bid = float(club.offered(seat) * STEP)
        chance: float = 1.0
        if club.answer(club.turn) > 0:
            if bid < float(club.offered(club.turn) * STEP):
                return 0.0
        else:
            chance = 1.0 - share_left(bid, self.share * worth)
        other: i64
        for other in range(club.seats):
            if other != seat and self.takes_part(club, other):
                top: float = 2.0 * self.share * self.prospect(club, other)
                top = min(top, float(club.limit(other) * STEP))
                chance *= 1.0 - share_left(bid, top)
        if club.lends():
            below: i64 = 0
            part: i64
            for part in range(PARTS):
                if float(club.value(club.dwarf) + chips(part)) < bid:
                    below += 1
            chance *= float(below) / float(PARTS)
        return chance * (worth - self.idle - bid)


def middle(part: i64) -> float:
    """Return the middle of one of PARTS equal parts of 0 to 1."""
    return (float(part) + 0.5) / float(PARTS)


def chips(part: i64) -> i64:
    """Return what two of Herr Schmiedel's chips are worth in the part-th of ten like cases (GZ-55, GZ-56)."""
    if part == 0:
        return 100
    if part < 5:
        return 150
    if part == 5:
        return 200
    if part < 8:
        return 250
    return 300


def share_left(amount: float, top: float) -> float:
    """Return how likely a number between 0 and `top` is above an amount."""
    if amount >= top:
        return 0.0
    return 1.0 - amount / top
