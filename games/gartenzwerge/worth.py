"""An estimate of a club from the possessions and plans of its members; compiled."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import first, has, nibble, nibble_sum
from games.core.net import Net
from games.core.table import Table, Worth
from games.gartenzwerge.table.caps import CAPS, WORKERS, copies, highest, kinds
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.table.constants import NOTHING, OVER, PAIR_OF_MEMBERS, SEALING, SEARCH, SHOWING, STEP
from games.gartenzwerge.table.features import columns_of
from games.gartenzwerge.table.member import PAIR
from games.gartenzwerge.table.prizes import chips
from games.gartenzwerge.table.terms import (
    CASH,
    COMFORT,
    COMFORTABLE,
    IDLE,
    LEAD,
    RUIN,
    THOUSAND,
    WEALTH,
    WEALTHY,
    prospects,
    terms_of,
)

FEATURES: Final = (
    "grey",  # dwarfs of each cap, young ones at their chances
    "brown",
    "orange",
    "red",
    "blue",
    "green",
    "gold",
    "cash",  # thousands of blossoms once the upkeep is paid, prizes at their chances
    "comfort",  # those of them above two thousand
    "wealth",  # those above three thousand
    "goal",  # the chance of 4,000 blossoms in this round (GZ-51)
    "idle",  # dwarfs that are still free in this round
    "lead",  # the most valuable dwarfs, which make the next treasurer (GZ-15)
    "ruin",  # no dwarf but grey ones, at home or to come (GZ-D30)
)
"""Terms of a member's evaluation, in the order of the weights; dwarfs come first, by cap."""

SHARE: Final = 0.45
"""Mean of the amounts that others are assumed to seal, as a part of the breeding's worth to them."""

MIN_BLOSSOM_WORTH: Final = 1e-6
"""Minimum worth of a blossom."""

PARTS: Final = 10
"""Into how many like cases is taken apart what is not known yet: another's amount, or two of Herr Schmiedel's chips."""


class ClubWorth(Worth):
    """Weighs what members have and expect, and maps it to chances: a weight more is e times the chance.

    With two members there are weights of their own, for they trade on another market: they have Herr Schmiedel.
    A net corrects the sums, for those numbers of members that it is better with.
    """

    __slots__ = ("corrected", "more", "net", "two", "weights")

    def __init__(self, two: vec[float], more: vec[float], net: Net | None = None, corrected: i64 = 0) -> None:
        """Take a weight for each of FEATURES, for two members and for more; and the set of numbers of members."""
        self.two = two
        self.more = more
        self.net = net
        self.corrected: i64 = corrected
        self.weights = more

    def estimate(self, table: Table) -> vec[float]:
        """Return the expected rewards per seat."""
        assert isinstance(table, Club)  # noqa: S101 -- tells the compiler the type
        if table.stage == OVER:
            return table.rewards()
        self.weights = self.more
        if table.seats == PAIR_OF_MEMBERS:
            self.weights = self.two
        found = vec[float](capacity=6)
        top: float = 0.0
        most: i64 = 0
        seat: i64
        for seat in range(table.seats):
            found = append(found, self.strength(table, seat))
            most = max(most, table.member(seat).owned)
        if table.stage == SEALING or table.stage == SHOWING:
            self.weigh_deal(table, found)
        for seat in range(table.seats):
            if table.member(seat).owned == most:
                found[seat] += self.weights[LEAD]
        self.correct(table, found)
        top = found[0]
        for seat in range(table.seats):
            top = max(top, found[seat])
        total: float = 0.0
        for seat in range(table.seats):
            chance: float = 0.0
            if not has(table.out, seat):
                chance = exp(found[seat] - top)
            found[seat] = chance
            total += chance
        for seat in range(table.seats):
            found[seat] = found[seat] / total
        return found

    def correct(self, club: Club, found: vec[float]) -> None:
        """Add the corrections of the net, if it is for this number of members."""
        net = self.net
        if net is None or not has(self.corrected, club.seats):
            return
        added = net.corrections(club.seats, columns_of(club))
        seat: i64
        for seat in range(club.seats):
            found[seat] += added[seat]

    def strength(self, club: Club, seat: i64) -> float:
        """Return the weighed sum of a member's possessions and prospects."""
        me = club.member(seat)
        weights = self.weights
        found: float = 0.0
        cap: i64
        for cap in range(CAPS):
            found += weights[cap] * float(nibble(me.owned, cap))
        found += weights[IDLE] * float(nibble_sum(me.free & WORKERS))
        if me.owned & ~WORKERS == me.owned and me.pairs == 0:
            found += weights[RUIN]
        young: i64 = 0
        pairs: int = me.pairs
        while pairs > 0:
            pair: i64 = pairs % PAIR
            found += self.young(club, max(pair % 8, pair // 8 % 8))
            pairs //= PAIR
            young += 1
        goal, cash = prospects(self, club, seat, young)
        found += goal
        found += weights[CASH] * cash / THOUSAND
        if cash > COMFORTABLE:
            found += weights[COMFORT] * (cash - COMFORTABLE) / THOUSAND
        if cash > WEALTHY:
            found += weights[WEALTH] * (cash - WEALTHY) / THOUSAND
        return found

    def terms(self, table: Table, rewards: vec[float]) -> vec[float]:
        """Return the terms of each member in the order of TERMS, seat by seat."""
        assert isinstance(table, Club)  # noqa: S101 -- tells the compiler the type
        return terms_of(self, table, rewards)

    def slopes(self, table: Table, seat: i64, rewards: vec[float]) -> vec[float]:
        """Return the change of a seat's chance with the weighed sum of each seat."""
        found = vec[float](capacity=6)
        other: i64
        for other in range(table.seats):
            found = append(found, -rewards[seat] * rewards[other])
        found[seat] += rewards[seat]
        return found

    def left(self, club: Club, seat: i64, young: i64) -> float:
        """Return a member's money once the upkeep is paid, also of a number of young dwarfs (GZ-49)."""
        me = club.member(seat)
        return float(me.cash - club.upkeep() * (nibble_sum(me.owned) + young))

    def price(self, club: Club, seat: i64) -> float:
        """Return the worth of a blossom to a member."""
        cash: float = self.left(club, seat, 0)
        found: float = self.weights[CASH]
        if cash > COMFORTABLE:
            found += self.weights[COMFORT]
        if cash > WEALTHY:
            found += self.weights[WEALTH]
        return max(found / THOUSAND, MIN_BLOSSOM_WORTH)

    def young(self, club: Club, parent: i64) -> float:
        """Return the expected worth of a young dwarf from a stack (GZ-41)."""
        stack: i64 = club.stack(parent)
        total: float = 0.0
        number: i64 = 0
        cap: i64
        for cap in range(CAPS):
            total += self.weights[cap] * float(copies(stack, cap))
            number += copies(stack, cap)
        return total / float(number)

    # A deal that is not decided yet.

    def weigh_deal(self, club: Club, found: vec[float]) -> None:
        """Add the expected gain of the deal for each of its members, with guesses for amounts that are not sealed."""
        turn: i64 = club.turn
        if club.job == SEARCH:
            found[turn] += self.price(club, turn) * self.seeking(club)
        else:
            found[turn] += self.price(club, turn) * self.offering(club)
        seat: i64
        for seat in range(club.seats):
            if seat == turn:
                continue
            if club.job == SEARCH:
                if nibble(club.shown, seat) > 0:
                    found[seat] += self.price(club, seat) * self.asking(club, seat)
            elif club.answer(seat) != NOTHING and club.mates(seat) != 0:
                found[seat] += self.price(club, seat) * self.bidding(club, seat)

    def prospect(self, club: Club, seat: i64) -> float:
        """Return the expected blossoms of breeding with a seat's dwarf, with the shown partner or a likely one."""
        mate: i64 = nibble(club.shown, seat)
        buyer: i64 = club.turn
        if club.job != SEARCH:
            mate = highest(club.mates(seat))
            buyer = seat
        elif mate == 0:
            mate = first(kinds(club.meets(seat)))
        return self.bred(club, buyer, max(club.dwarf, mate))

    def bred(self, club: Club, buyer: i64, parent: i64) -> float:
        """Return the worth in blossoms of a young dwarf from a stack to a member that feeds it in this round."""
        return max(self.young(club, parent) / self.price(club, buyer) - float(club.upkeep()), 0.0)

    def idle(self, club: Club, seat: i64) -> float:
        """Return the worth in blossoms of a free dwarf to a member, the garden's wage at least."""
        return max(self.weights[IDLE] / self.price(club, seat), float(club.wage()))

    def takes_part(self, club: Club, seat: i64) -> bool:
        """Return whether a seat may answer the deal, or has."""
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
        first_asked: i64 = (club.asking - club.turn + club.seats) % club.seats
        return turns >= after >= first_asked and club.meets(seat) != 0

    def seeking(self, club: Club) -> float:
        """Return a seeker's expectation: the pair for the lowest price, or the wage."""
        partners: i64 = 0
        worth: float = 0.0
        seat: i64
        for seat in range(club.seats):
            if self.takes_part(club, seat):
                partners += 1
                worth += self.prospect(club, seat)
        wage: float = float(club.wage())
        own: float = self.bred(club, club.turn, club.dwarf)
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
                lowest = 2.0 * SHARE * worth * (1.0 - (1.0 - middle(part)) ** (1.0 / float(partners)))
            if club.lends():
                house: float = float(club.value(club.dwarf) + chips(part))
                lowest = min(lowest, house)
            if lowest <= most:
                total += worth - lowest
            else:
                total += wage
        return total / float(PARTS)

    def offering(self, club: Club) -> float:
        """Return the expectation of a member that offers a dwarf: the highest bid, or the wage."""
        partners: i64 = 0
        worth: float = 0.0
        seat: i64
        for seat in range(club.seats):
            if self.takes_part(club, seat):
                partners += 1
                limit: float = float(club.limit(seat) * STEP)
                top: float = 2.0 * SHARE * self.prospect(club, seat)
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
        """Return the expectation of a seat that has shown a dwarf to a seeker."""
        worth: float = self.prospect(club, seat)
        ask: float = SHARE * worth
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
                chance *= share_left(ask, 2.0 * SHARE * self.prospect(club, other))
        if club.lends():
            above: i64 = 0
            part: i64
            for part in range(PARTS):
                if float(club.value(club.dwarf) + chips(part)) > ask:
                    above += 1
            chance *= float(above) / float(PARTS)
        return chance * (ask - self.idle(club, seat))

    def bidding(self, club: Club, seat: i64) -> float:
        """Return the expectation of a seat that bids, or may, for an offered dwarf."""
        worth: float = self.prospect(club, seat)
        bid: float = SHARE * worth
        limit: float = float(club.limit(seat) * STEP)
        bid = min(bid, limit)
        if club.answer(seat) > 0:
            bid = float(club.offered(seat) * STEP)
        chance: float = 1.0
        if club.answer(club.turn) > 0:
            if bid < float(club.offered(club.turn) * STEP):
                return 0.0
        else:
            chance = 1.0 - share_left(bid, SHARE * worth)
        other: i64
        for other in range(club.seats):
            if other != seat and self.takes_part(club, other):
                top: float = 2.0 * SHARE * self.prospect(club, other)
                top = min(top, float(club.limit(other) * STEP))
                chance *= 1.0 - share_left(bid, top)
        if club.lends():
            below: i64 = 0
            part: i64
            for part in range(PARTS):
                if float(club.value(club.dwarf) + chips(part)) < bid:
                    below += 1
            chance *= float(below) / float(PARTS)
        return chance * (worth - self.idle(club, seat) - bid)


def weighed(
    two: Mapping[str, float], more: Mapping[str, float], net: Net | None = None, corrected: i64 = 0
) -> ClubWorth:
    """Return the evaluation with these weights by name, for two members and for more, and with a net."""
    return ClubWorth(in_order(two), in_order(more), net, corrected)


def in_order(weights: Mapping[str, float]) -> vec[float]:
    """Return weights in the order of FEATURES."""
    return vec[float]([weights[name] for name in FEATURES])


def middle(part: i64) -> float:
    """Return the middle of one of PARTS equal parts of 0 to 1."""
    return (float(part) + 0.5) / float(PARTS)


def share_left(amount: float, top: float) -> float:
    """Return the probability that a number between 0 and `top` is above an amount."""
    if top <= 0.0 or amount >= top:
        return 0.0
    return 1.0 - amount / top
