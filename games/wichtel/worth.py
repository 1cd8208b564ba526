"""An estimate of a village from totals, retinues, what they may become, bribes, and who may end the round; compiled."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import count, first, nibble, nibbles, rest
from games.core.table import Table, Worth
from games.wichtel.table.cards import AMOUNTS, BRIBES, COIN_6, HE_IS_BEST, I_AM_BEST, KINDS, kind_of, kind_of_action
from games.wichtel.table.courting import Courting
from games.wichtel.table.gains import gain
from games.wichtel.table.sitting import ANSWER, BEFORE, BRIBING, LAYING, NOBODY, OPENED, OVER, ROLLED
from games.wichtel.table.titles import result_of

FEATURES: Final = ("total", "result", "lead", "outs", "square", "courted", "bribes", "cards", "freed_lead", "crown")
"""What is weighed of a seat: points of the rounds before; the retinue's result, and by how much it leads; what a gnome
from the piles would bring on average, and the best of the square; what the courted gnome will bring; bribes and other
action cards; the lead again once the round may end; and whether that would make a chief."""

AVERAGE: Final = 9.0
"""What a retinue is worth that was just dealt, as all are, on average."""


class VillageWorth(Worth):
    """Weighs FEATURES of every seat, and shares one win among the seats by their weighed sums."""

    __slots__ = ("weights",)

    def __init__(self, weights: vec[float]) -> None:
        """Take a weight for each of FEATURES."""
        self.weights = weights

    def estimate(self, table: Table) -> vec[float]:
        """Return the expected rewards per seat: each one's share of the exponentials of the weighed sums."""
        assert isinstance(table, Courting)  # noqa: S101 -- tells the compiler the type
        if table.phase == OVER:
            return table.rewards()
        results = results_of(table)
        sums = vec[float](capacity=5)
        top: float = -1e9
        seat: i64
        for seat in range(table.seats):
            found = features(table, seat, results)
            value: float = 0.0
            i: i64
            for i in range(len(found)):
                value += self.weights[i] * found[i]
            top = max(top, value)
            sums = append(sums, value)
        total: float = 0.0
        for seat in range(table.seats):
            sums[seat] = exp(sums[seat] - top)
            total += sums[seat]
        for seat in range(table.seats):
            sums[seat] = sums[seat] / total
        return sums


def weighed(weights: Mapping[str, float]) -> VillageWorth:
    """Return the evaluation with these weights by name."""
    return VillageWorth(vec[float]([weights[name] for name in FEATURES]))


def results_of(table: Courting) -> vec[float]:
    """Return what each retinue is worth, as far as it is decided.

    A round that has just been dealt is worth the same to all, or the end of a round would be judged by the luck of the
    next. Who owes the square a gnome will lay the least useful one (HW-30).
    """
    fresh: bool = table.phase == BEFORE and table.turns == 0
    results = vec[float](capacity=5)
    seat: i64
    for seat in range(table.seats):
        result: float = AVERAGE
        if not fresh:
            result = float(result_now(table, seat))
        results = append(results, result)
    return results


def result_now(table: Courting, seat: i64) -> i64:
    """Return what a retinue is worth when what is under way is done."""
    hand: i64 = table.seat(seat).hand
    if table.phase == ANSWER:
        if seat == table.turn:
            return swapped_result(table, hand, table.seat(table.asked).hand)
        if seat == table.asked:
            return result_of(table.worths, hand) + min(gain(table.gains, hand, kind_of(table.offered - 1)), 0)
    result: i64 = result_of(table.worths, hand)
    if table.phase == LAYING and seat == table.asked:
        result += gain(table.gains, hand, kind_of(table.cell(table.start + table.place)))
    return result


def swapped_result(table: Courting, three: i64, others: i64) -> i64:
    """Return what three gnomes are worth with one of another hand, on average."""
    total: i64 = 0
    while others:
        total += result_of(table.worths, three | others & -others)
        others = rest(others)
    return total // 4


def features(table: Courting, seat: i64, results: vec[float]) -> vec[float]:
    """Return FEATURES of a seat, in parts of the goal where they are points."""
    me = table.seat(seat)
    goal: float = float(table.goal)
    best: float = -999.0
    other: i64
    for other in range(table.seats):
        if other != seat:
            best = max(best, results[other])
    lead: float = min(max((results[seat] - best) / goal, -0.5), 0.5)
    freed: float = 0.0
    crown: float = 0.0
    if table.freed:
        freed = lead
        if float(me.points) + results[seat] >= goal:
            crown = 1.0
    found = vec[float](capacity=10)
    found = append(found, float(me.points) / goal)
    found = append(found, results[seat] / goal)
    found = append(found, lead)
    if (table.phase == BEFORE and table.turns == 0) or count(me.hand) != 4:
        found = append(append(append(found, 0.05), 0.05), 0.0)
    else:
        found = append(found, outs(table, me.hand) / goal)
        found = append(found, best_of_square(table, me.hand) / goal)
        found = append(found, courted(table, seat) / goal)
    found = append(found, bribes(me.actions))
    found = append(found, float(count(me.actions & ~BRIBES)))
    found = append(found, freed)
    return append(found, crown)


def outs(table: Courting, hand: i64) -> float:
    """Return what a gnome that is not in the hand would bring on average, were each as likely to come."""
    left: i64 = AMOUNTS
    cards: i64 = hand
    while cards:
        left -= nibbles(1, kind_of(first(cards)))
        cards = rest(cards)
    total: i64 = 0
    kind: i64
    for kind in range(KINDS):
        if nibble(left, kind):
            total += nibble(left, kind) * max(gain(table.gains, hand, kind), 0)
    return float(total) / 28.0


def best_of_square(table: Courting, hand: i64) -> float:
    """Return what the most useful gnome of the square would bring."""
    best: i64 = 0
    index: i64
    for index in range(table.start, table.start + table.seats):
        best = max(best, gain(table.gains, hand, kind_of(table.cell(index))))
    return float(best)


def courted(table: Courting, seat: i64) -> float:
    """Return what the courted gnome will bring a seat: its gain times the chance to get it (HW-26, HW-27)."""
    if table.phase != BRIBING and table.phase != OPENED and table.phase != ROLLED:
        return 0.0
    price: i64 = table.price()
    chance: float = 5.0 / 6.0
    if table.phase == ROLLED:
        chance = 0.0
    elif price >= 0 and price <= COIN_6:
        chance = float(5 - price) / 6.0
    elif price != NOBODY:
        chance = 0.0
    if table.phase == BRIBING:
        chance -= 0.1 * float(count(table.queue))
    if table.highest() == seat and price != HE_IS_BEST:
        chance = 1.0 - chance
    elif seat != table.turn:
        return 0.0
    kind: i64 = kind_of(table.cell(table.start + table.place))
    return chance * float(max(gain(table.gains, table.seat(seat).hand, kind), 0))


def bribes(actions: i64) -> float:
    """Return what a seat's bribes are worth: a coin its pips, the two best ones more than any coin (HW-24)."""
    total: i64 = 0
    actions &= BRIBES
    while actions:
        kind: i64 = kind_of_action(first(actions))
        total += kind + 2
        if kind >= I_AM_BEST:
            total += 2
        actions = rest(actions)
    return float(total) / 10.0
