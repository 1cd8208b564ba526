"""Risks from the trace of a search: hidden facts that lower the value of a move.

A risk separates the values of a move's iterations. Odd iterations find it; even ones, in which nothing was chosen,
measure it. So the stated values have no bias from the choice among many facts.

An answer that another seat gives at the same time needs further proofs. No world fixes it: the search learns both the
answers and the values, so the two can change together by accident. Such a fact is a risk only if its loss is certain
where it is found, and about as large directly after all answers (`Answers.loss`). The margin covers both losses.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import hypot, sqrt
from typing import Final, NamedTuple

from games.core.bits import bit, first, rest
from games.core.dice import CHOICE, Dice
from games.core.game import Game
from games.core.reasons import Risk
from games.core.table import Table
from games.search.trace import CELLS, OTHERS, MoveTrace
from games.search.tree import TreeSearch
from games.search.worlds import world_dice

MIN_CHANCE: Final = 0.02
MIN_CASES: Final = 25
"""Minimum probability of a risk and of its opposite, and minimum number of iterations in each half with either."""

MIN_DROP: Final = 0.01
"""Minimum loss of winning chances of a risk."""

FOUND: Final = 4.0
"""Minimum ratio of a risk's difference to its standard error where it is found; there may be a hundred facts."""

MEASURED: Final = 1.0
"""The same where it is measured. It is low, because a choice by the measured values would make them too large."""

MARGIN_ERRORS: Final = 2.45
"""Half-width of a 95 % interval in standard errors. Values of one search are not independent, so it is a quarter
wider than usual."""

MAX_RISKS: Final = 3

MOMENTS: Final = 64
"""Number of pairs of moments in which an answer's loss is calculated."""

MAX_RATIO: Final = 2.0
"""Maximum ratio of the two losses of an answer: in the search, and directly after all answers."""


class Sample(NamedTuple):
    """Number, mean and variance of some values."""

    cases: float
    mean: float
    variance: float

    @property
    def error(self) -> float:
        """Return the squared standard error of the mean; one more value lies a quarter of the range away."""
        return (self.variance * self.cases + 0.0625) / self.cases / self.cases


class Answers:
    """The answers of the other seats that act together with the observer, at their frequencies in a search.

    `told` has the visits of each answer that a seat considers.
    """

    def __init__(self, search: TreeSearch) -> None:
        """Take a search that has done its work."""
        self.table, self.seat, self.worth, self.seed = search.root, int(search.observer), search.worth, int(search.seed)
        self.told = dict[int, dict[int, int]]()
        others = self.table.actors() & ~bit(self.seat)
        while others:
            self.told[first(others)] = learned(search, first(others))
            others = rest(others)

    def fact(self, own: int, seat: int, answer: int) -> int:
        """Return the fact that an answer makes true if the observer makes a move of its own, or NO_FACT."""
        return int(self.table.answer_fact(self.seat, own, seat, answer))

    def drawn(self, dice: Dice) -> dict[int, int]:
        """Draw an answer of each seat."""
        return {seat: draw(visits, dice) for seat, visits in self.told.items() if any(visits.values())}

    def dealt(self, dice: Dice) -> Table:
        """Return the table in another world."""
        place = self.table.clone()
        place.redeal(self.seat, dice)
        return place

    def play(self, place: Table, own: int, answers: Mapping[int, int], dice: Dice) -> None:
        """Make the observer's move and the answers at a table, as far as they are legal."""
        place.apply(self.seat, own, dice, None)
        for seat, answer in answers.items():
            if answer in list(place.legal(seat)):
                place.apply(seat, answer, dice, None)

    def loss(self, own: int, fact: int) -> float | None:
        """Return the loss of the observer's move by a fact directly after all answers, or None for no answer's fact.

        The moments of a pair have the same world and the same answers of all further seats. The loss is 0 if the search
        has met only answers with the fact, or none of them.
        """
        for seat, visits in self.told.items():
            held = {answer: number for answer, number in visits.items() if self.fact(own, seat, answer) == fact}
            free = {answer: number for answer, number in visits.items() if answer not in held}
            if held:
                is_open = any(held.values()) and any(free.values())
                return self._mean_loss(own, seat, held, free) if is_open else 0.0
        return None

    def _mean_loss(self, own: int, seat: int, held: Mapping[int, int], free: Mapping[int, int]) -> float:
        total = 0.0
        for world in range(MOMENTS):
            answers = self.drawn(world_dice(self.seed, MOMENTS + world))
            for sign, visits in ((-1, held), (1, free)):
                dice = world_dice(self.seed, world)
                place = self.dealt(dice)
                self.play(place, own, {**answers, seat: draw(visits, dice)}, dice)
                total += sign * self.worth.estimate(place)[self.seat]
        return total / MOMENTS


def learned(search: TreeSearch, seat: int) -> dict[int, int]:
    """Return the visits of each answer that a seat considers together with the observer."""
    kids, virtual = search.top.of(seat).kids, int(search.seeded)
    moves = [int(move) for move in search.root.candidates(seat)]
    return {move: max(0, int(kids[move].visits) - virtual) if move in kids else 0 for move in moves}


def draw(visits: Mapping[int, int], dice: Dice) -> int:
    """Draw a move by its visits."""
    upto = [*accumulate(visits.values())]
    return [*visits][bisect_right(upto, dice.below(upto[-1], CHOICE))]


def risks_of(game: Game, table: Table, trace: MoveTrace, move: int, answers: Answers | None = None) -> list[Risk]:
    """Return the hidden facts that lower a move's value most certainly."""
    found = list[tuple[float, Risk]]()
    facts = [int(fact) for fact in trace.uncertain(MIN_CASES)]
    cells = [*trace.cells] if facts else []
    for fact in facts:
        count = cells[2 * fact * CELLS] + cells[(2 * fact + 1) * CELLS]
        visits = cells[OTHERS] + cells[OTHERS + CELLS]
        if not MIN_CHANCE * visits <= count <= (1 - MIN_CHANCE) * visits:
            continue
        seen = halves(cells, fact, 1)
        ratio = drop_ratio(*seen)
        if ratio < FOUND or drop(seen) < MIN_DROP:
            continue
        held, free = halves(cells, fact, 0)
        if drop_ratio(held, free) < MEASURED:
            continue
        shown = None if answers is None else answers.loss(move, fact)
        if shown is not None and not is_proved(seen, shown):
            continue
        margin = margin_of(held, free)
        if shown is not None:
            margin = hypot(margin, free.mean - held.mean - shown)
        code, params = game.fact(table, fact, move)
        found.append((ratio, Risk(code, params, count / visits, held.mean, free.mean, margin)))
    found.sort(key=lambda each: -each[0])
    return [risk for _, risk in found[:MAX_RISKS]]


def halves(cells: Sequence[float], fact: int, half: int) -> tuple[Sample, Sample]:
    """Return the values of one half of the iterations with a fact and without it."""
    held = cells[(2 * fact + half) * CELLS : (2 * fact + half + 1) * CELLS]
    total = cells[OTHERS + half * CELLS : OTHERS + (half + 1) * CELLS]
    return sample(held), sample([one - two for one, two in zip(total, held, strict=True)])


def sample(sums: Sequence[float]) -> Sample:
    """Return the statistics of a count, a sum and a sum of squares."""
    count, total, squares = sums
    if count < 1:
        return Sample(0.0, 0.0, 0.0)
    return Sample(count, total / count, max(0.0, squares / count - (total / count) ** 2))


def drop(samples: tuple[Sample, Sample]) -> float:
    """Return the loss of value with a fact."""
    return samples[1].mean - samples[0].mean


def drop_ratio(held: Sample, free: Sample) -> float:
    """Return the loss of value with a fact in standard errors."""
    return (free.mean - held.mean) / sqrt(held.error + free.error)


def is_proved(seen: tuple[Sample, Sample], shown: float) -> bool:
    """Return whether an answer's loss is certain, and about as large as directly after all answers."""
    loss = drop(seen)
    return loss - margin_of(*seen) >= MIN_DROP and loss / MAX_RATIO <= shown <= loss * MAX_RATIO


def margin_of(held: Sample, free: Sample) -> float:
    """Return the half-width of the 95 % interval of the loss of value with a fact."""
    return MARGIN_ERRORS * sqrt(held.error + free.error)
