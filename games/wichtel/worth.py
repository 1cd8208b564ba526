"""An estimate of a village: the race, the present result of the round, and the future of retinues; compiled."""

from __future__ import annotations

from collections.abc import Mapping
from math import exp, log
from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import count, first, nibble, nibbles, rest
from games.core.table import Table, Worth
from games.wichtel.table.cards import (
    AMOUNTS,
    BRIBES,
    COIN_6,
    HAND,
    HE_IS_BEST,
    I_AM_BEST,
    KINDS,
    kind_of,
    kind_of_action,
)
from games.wichtel.table.codes import ACTION, ANSWER, BEFORE, BRIBING, LAYING, NOBODY, OPENED, OVER, ROLLED
from games.wichtel.table.gains import gain
from games.wichtel.table.rounds import bonus_of
from games.wichtel.table.titles import result_of
from games.wichtel.table.village import Village

FEATURES: Final = ("total", "now", "freed_now", "lead", "outs", "square", "courted", "bribes", "cards")
"""Terms of a seat's evaluation. They begin with the points of the rounds before, the chance to win if the round
ended now, and the same once it may end. Then follow the lead of the retinue and the mean gain of a gnome from the
piles. The gain of the best gnome on the square is that for the next seat. The last ones are the gain of the courted
gnome, bribes and other action cards."""

RACE: Final = 3.0
"""Weight of a lead in points at the start of a round, in parts of the goal, before `haste`."""

HORIZON: Final = 1.3
"""Leads weigh as if the goal lay here, for nobody wins the moment that he reaches it: `haste` has no end."""

SLIGHT: Final = 0.02
"""Minimum chance, because the logarithm of zero would outweigh everything."""

FAR: Final = 50
"""Points by which a lead is as long as any longer one."""

USUAL: Final = 5.0
"""Expected gain of drawing a gnome from the piles while one is being passed on."""


PATIENCE: Final = 17
"""Number of turns during which a round costs nothing: none of 14,000 games between `tuned` players had one of more."""

PRICE: Final = 0.05
"""Cost of each further turn while the officer is bound, as a part of the rest; half of it once he is free."""


class VillageWorth(Worth):
    """Weighs FEATURES of every seat, and shares one win among the seats by their weighed sums.

    In a long round the shares are parts of less than one win, and the scored round is worth the whole. Otherwise a
    search would for ever rather wait for better cards than free the officer.
    """

    __slots__ = ("weights",)

    def __init__(self, weights: vec[float]) -> None:
        """Take a weight for each of FEATURES."""
        self.weights = weights

    def estimate(self, table: Table) -> vec[float]:
        """Return the expected rewards per seat: each one's share of the exponentials of the weighed sums."""
        assert isinstance(table, Village)  # noqa: S101 -- tells the compiler the type
        if table.phase == OVER:
            return table.rewards()
        if table.phase == BEFORE and table.turns == 0:
            return race(table.goal, points_of(table))
        results = results_of(table)
        now = scored_now(table, results)
        hurry: float = haste(table.goal, points_of(table))
        sums = vec[float](capacity=5)
        seat: i64
        for seat in range(table.seats):
            found = features(table, seat, results, now, hurry)
            value: float = 0.0
            i: i64
            for i in range(len(found)):
                value += self.weights[i] * found[i]
            sums = append(sums, value)
        found = shares(sums)
        if table.turns > PATIENCE:
            left: float = left_of_it(table)
            for seat in range(table.seats):
                found[seat] *= left
        return found

    def terms(self, table: Table, rewards: vec[float]) -> vec[float]:
        """Return the weighed FEATURES, seat by seat; the start of a round has none, for the last one is scored."""
        assert isinstance(table, Village)  # noqa: S101 -- tells the compiler the type
        found = vec[float](capacity=45)
        if table.phase == BEFORE and table.turns == 0:
            return found
        hurry: float = haste(table.goal, points_of(table))
        results = results_of(table)
        now = scored_now(table, results)
        seat: i64
        for seat in range(table.seats):
            each = features(table, seat, results, now, hurry)
            i: i64
            for i in range(len(each)):
                found = append(found, self.weights[i] * each[i])
        return found

    def slopes(self, table: Table, seat: i64, rewards: vec[float]) -> vec[float]:
        """Return the change of a seat's reward with the weighed sum of each seat."""
        assert isinstance(table, Village)  # noqa: S101 -- tells the compiler the type
        left: float = 1.0
        if table.turns > PATIENCE:
            left = left_of_it(table)
        found = vec[float](capacity=5)
        other: i64
        for other in range(table.seats):
            found = append(found, -rewards[seat] * rewards[other] / left)
        found[seat] += rewards[seat]
        return found


def left_of_it(table: Village) -> float:
    """Return the remaining part of a win in a long round: an officer who stays bound ends none."""
    price: float = PRICE * float(table.turns - PATIENCE)
    if table.freed:
        price = 0.5 * price
    return 1.0 / (1.0 + price)


def weighed(weights: Mapping[str, float]) -> VillageWorth:
    """Return the evaluation with these weights by name."""
    return VillageWorth(vec[float]([weights[name] for name in FEATURES]))


# The race to the goal.


def points_of(table: Village) -> vec[i64]:
    """Return the points of the rounds before, by seat."""
    points = vec[i64](capacity=5)
    seat: i64
    for seat in range(table.seats):
        points = append(points, table.seat(seat).points)
    return points


def haste(goal: i64, points: vec[i64]) -> float:
    """Return the weight of points, which grows as the race gets shorter."""
    most: i64 = points[0]
    seat: i64
    for seat in range(len(points)):
        most = max(most, points[seat])
    return 1.0 / (HORIZON - float(most) / float(goal))


def race(goal: i64, points: vec[i64]) -> vec[float]:
    """Return each seat's chance to win with these points at the start of a round, when nobody has reached the goal."""
    hurry: float = haste(goal, points)
    sums = vec[float](capacity=5)
    seat: i64
    for seat in range(len(points)):
        sums = append(sums, RACE * hurry * float(points[seat]) / float(goal))
    return shares(sums)


def shares(sums: vec[float]) -> vec[float]:
    """Return each number's share of the sum of their exponentials."""
    top: float = sums[0]
    i: i64
    for i in range(1, len(sums)):
        top = max(top, sums[i])
    total: float = 0.0
    for i in range(len(sums)):
        sums[i] = exp(sums[i] - top)
        total += sums[i]
    for i in range(len(sums)):
        sums[i] = sums[i] / total
    return sums


def scored_now(table: Village, results: vec[i64]) -> vec[float]:
    """Return each seat's chance to win were the round scored with these results (HW-45 to HW-47, HW-D16, HW-D21)."""
    best: i64 = results[0]
    worst: i64 = best
    seat: i64
    for seat in range(1, table.seats):
        best = max(best, results[seat])
        worst = min(worst, results[seat])
    points = vec[i64](capacity=5)
    most: i64 = 0
    winners: i64 = 0
    for seat in range(table.seats):
        total: i64 = table.seat(seat).points + results[seat] + bonus_of(table, worst, best, results[seat])
        points = append(points, total)
        if seat == 0 or total > most:
            most = total
            winners = 0
        if total == most:
            winners += 1
    if most < table.goal:
        return race(table.goal, points)
    found = vec[float](capacity=5)
    for seat in range(table.seats):
        chance: float = 0.0
        if points[seat] == most:
            chance = 1.0 / float(winners)
        found = append(found, chance)
    return found


# The round.


def results_of(table: Village) -> vec[i64]:
    """Return the worth of each retinue after the pending actions, as far as they are decided.

    A player who owes the square a gnome will lay the least useful one (HW-30).
    """
    results = vec[i64](capacity=5)
    seat: i64
    for seat in range(table.seats):
        results = append(results, result_now(table, seat))
    return results


def result_now(table: Village, seat: i64) -> i64:
    """Return the worth of a retinue after the pending actions."""
    hand: i64 = table.seat(seat).hand
    if table.phase == ANSWER:
        if seat == table.turn:
            return swapped_result(table, hand, table.seat(table.actor).hand)
        if seat == table.actor:
            return result_of(table.worths, hand) + min(gain(table.gains, hand, kind_of(table.offered - 1)), 0)
    result: i64 = result_of(table.worths, hand)
    if table.phase == LAYING and seat == table.actor:
        result += gain(table.gains, hand, kind_of(table.courted()))
    return result


def swapped_result(table: Village, three: i64, others: i64) -> i64:
    """Return the mean worth of three gnomes with one of another hand."""
    total: i64 = 0
    while others:
        total += result_of(table.worths, three | others & -others)
        others = rest(others)
    return total // 4


def features(table: Village, seat: i64, results: vec[i64], now: vec[float], hurry: float) -> vec[float]:
    """Return FEATURES of a seat; points and possible points are parts of the goal, and weigh with haste."""
    me = table.seat(seat)
    unit: float = hurry / float(table.goal)
    best: i64 = -999
    other: i64
    for other in range(table.seats):
        if other != seat:
            best = max(best, results[other])
    chance: float = log(now[seat] + SLIGHT)
    found = vec[float](capacity=9)
    found = append(append(found, unit * float(me.points)), chance)
    found = append(found, chance if table.freed else 0.0)
    found = append(found, unit * float(min(max(results[seat] - best, -FAR), FAR)))
    if count(me.hand) == HAND:
        found = append(found, unit * outs(table, me.hand))
        if seat == next_to_act(table):
            found = append(found, unit * best_of_square(table, me.hand))
        else:
            found = append(found, 0.0)
        found = append(found, unit * courted(table, seat))
    else:
        found = append(append(append(found, unit * USUAL), 0.0), 0.0)
    found = append(found, hurry * bribes(me.actions))
    return append(found, hurry * float(count(me.actions & ~BRIBES)))


def next_to_act(table: Village) -> i64:
    """Return the seat that calls, swaps or recruits next."""
    if table.phase == BEFORE or table.phase == ACTION:
        return table.turn
    return table.after(table.turn)


def outs(table: Village, hand: i64) -> float:
    """Return the mean gain of a gnome outside the hand, each as likely to come."""
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


def best_of_square(table: Village, hand: i64) -> float:
    """Return the gain of the most useful gnome on the square."""
    best: i64 = 0
    index: i64
    for index in range(table.start, table.start + table.seats):
        best = max(best, gain(table.gains, hand, kind_of(table.cell(index))))
    return float(best)


def courted(table: Village, seat: i64) -> float:
    """Return the expected gain of the courted gnome for a seat: its gain times the chance to get it (HW-26, HW-27)."""
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
    kind: i64 = kind_of(table.courted())
    return chance * float(max(gain(table.gains, table.seat(seat).hand, kind), 0))


def bribes(actions: i64) -> float:
    """Return the worth of a seat's bribes: a coin its pips, the two best ones more than any coin (HW-24)."""
    total: i64 = 0
    actions &= BRIBES
    while actions:
        kind: i64 = kind_of_action(first(actions))
        total += kind + 2
        if kind >= I_AM_BEST:
            total += 2
        actions = rest(actions)
    return float(total) / 10.0
