"""The terms of a club's evaluation one by one, for reasons; compiled."""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING, Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import has, nibble, nibble_sum
from games.gartenzwerge.table.caps import CAPS, WORKERS
from games.gartenzwerge.table.constants import GOAL, PAIR_OF_MEMBERS, SEALING, SHOWING
from games.gartenzwerge.table.member import PAIR
from games.gartenzwerge.table.prizes import mean, odds, reach

if TYPE_CHECKING:
    from games.gartenzwerge.table.club import Club
    from games.gartenzwerge.worth import ClubWorth

TERMS: Final = (
    "grey",
    "brown",
    "orange",
    "red",
    "blue",
    "green",
    "gold",
    "idle",
    "ruin",
    "young",  # young dwarfs of this round, at their chances
    "goal",
    "cash",  # with comfort and wealth
    "lead",
    "deal",  # the expected gain of the open deal
    "net",  # the net's correction
)
"""Terms of a member's sum in their order. Behind them is the money in blossoms, which is no part of the sum."""

BLOSSOMS: Final = len(TERMS)

CASH: Final = 7
"""Places of weights in `worth.FEATURES`, behind those of the dwarfs."""

COMFORT: Final = 8
WEALTH: Final = 9
GOAL_MET: Final = 10
IDLE: Final = 11
LEAD: Final = 12
RUIN: Final = 13

COMFORTABLE: Final = 2000.0
WEALTHY: Final = 3000.0
THOUSAND: Final = 1000.0


def terms_of(worth: ClubWorth, club: Club, rewards: vec[float]) -> vec[float]:
    """Return TERMS of each member, seat by seat."""
    worth.weights = worth.more
    if club.seats == PAIR_OF_MEMBERS:
        worth.weights = worth.two
    deals = vec[float]([0.0] * club.seats)
    if club.stage == SEALING or club.stage == SHOWING:
        worth.weigh_deal(club, deals)
    most: i64 = 0
    seat: i64
    for seat in range(club.seats):
        most = max(most, club.member(seat).owned)
    found = vec[float](capacity=90)
    for seat in range(club.seats):
        found = possessions(worth, club, seat, found)
        blossoms: float = found[len(found) - 1]
        lead: float = 0.0
        if club.member(seat).owned == most:
            lead = worth.weights[LEAD]
        found[len(found) - 1] = lead
        found = append(append(append(found, deals[seat]), 0.0), blossoms)
    if worth.net is not None and has(worth.corrected, club.seats):
        put_corrections(found, rewards)
    return found


def put_corrections(found: vec[float], rewards: vec[float]) -> None:
    """Put each member's correction by the net into the term for it: the rest of the logarithm of its reward.

    Only differences between members matter, so the corrections have a mean of 0. A member who is out has none.
    """
    seats: i64 = len(rewards)
    size: i64 = len(found) // seats
    total: float = 0.0
    inside: float = 0.0
    seat: i64
    for seat in range(seats):
        if rewards[seat] > 0.0:
            left: float = log(rewards[seat])
            i: i64
            for i in range(size - 2):
                left -= found[seat * size + i]
            found[seat * size + size - 2] = left
            total += left
            inside += 1.0
    for seat in range(seats):
        if rewards[seat] > 0.0:
            found[seat * size + size - 2] -= total / inside


def possessions(worth: ClubWorth, club: Club, seat: i64, found: vec[float]) -> vec[float]:
    """Add the parts of `ClubWorth.strength` to a list, and the money in blossoms."""
    me = club.member(seat)
    weights = worth.weights
    cap: i64
    for cap in range(CAPS):
        found = append(found, weights[cap] * float(nibble(me.owned, cap)))
    found = append(found, weights[IDLE] * float(nibble_sum(me.free & WORKERS)))
    ruin: float = 0.0
    if me.owned & ~WORKERS == me.owned and me.pairs == 0:
        ruin = weights[RUIN]
    value: float = 0.0
    young: i64 = 0
    pairs: int = me.pairs
    while pairs > 0:
        pair: i64 = pairs % PAIR
        value += worth.young(club, max(pair % 8, pair // 8 % 8))
        pairs //= PAIR
        young += 1
    goal, cash = prospects(worth, club, seat, young)
    money: float = weights[CASH] * cash + weights[COMFORT] * max(cash - COMFORTABLE, 0.0)
    money = (money + weights[WEALTH] * max(cash - WEALTHY, 0.0)) / THOUSAND
    return append(append(append(append(append(found, ruin), value), goal), money), cash)


def prospects(worth: ClubWorth, club: Club, seat: i64, young: i64) -> tuple[float, float]:
    """Return the worth of a member's chance of the goal, and its money with expected prizes."""
    me = club.member(seat)
    cash: float = worth.left(club, seat, young)
    goal: float = 0.0
    if cash >= float(GOAL):
        goal = worth.weights[GOAL_MET]
    if me.lower != 0 or me.higher != 0:
        lower = odds(club, seat, False)
        higher = odds(club, seat, True)
        if cash < float(GOAL):
            goal = worth.weights[GOAL_MET] * reach(lower, higher, float(GOAL) - cash)
        cash += mean(lower) + mean(higher)
    return goal, cash
