"""Advice follows its definitions: budgets, slices, shares, drawn moves, and statistics of moves."""

from collections.abc import Iterator
from itertools import product, repeat
from math import log, sqrt
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from games.core.advice import SETTLED, Advisor
from games.core.dice import Dice, FastDice
from games.search.advise import GRAINS, LOOK_ITERATIONS, Budget, draw_move, report, run_advisor
from games.search.line import DRIFT, FIRST_DRIFT, RootStats
from games.search.node import UNTRIED, Node
from tests.toy import GAME as PEBBLES

Ticks = list[tuple[int, int]]


class Counting:
    """An adviser that runs 128 iterations in a second."""

    def __init__(self, clock: "Clock", lead: int = 0, half_widths: Iterator[float] | None = None) -> None:
        self.clock, self.done, self.sizes, self._lead = clock, 0, list[int](), lead
        self._half_widths = half_widths

    @property
    def lines(self) -> dict[int, Any]:
        width = next(self._half_widths) if self._half_widths else 1.0
        return {1: SimpleNamespace(visits=1, mean=0.5, move=1, margin=lambda: width)}

    def run(self, iterations: int) -> None:
        self.sizes.append(iterations)
        self.done += iterations
        self.clock.now += iterations / 128

    def lead(self) -> int:
        return self._lead


class Clock:
    """A clock that only iterations move on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 5.0
        monkeypatch.setattr("time.monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def iterations_of(advisor: Counting, budget: Budget, *, decided: bool = False) -> tuple[int, Ticks]:
    ticks: Ticks = []
    run_advisor(cast("Advisor", advisor), budget, lambda *told: ticks.append(told[:2]), dict, decided=decided)
    return advisor.done, ticks


def test_a_budget_of_iterations_is_spent_to_the_last_one(clock: Clock) -> None:
    for iterations in (1, 15, 16, 17, 40):
        advisor = Counting(clock)
        done, ticks = iterations_of(advisor, Budget(iterations))
        assert done == sum(advisor.sizes) == iterations
        assert advisor.sizes[0] == min(16, iterations)
        assert ticks == [(sum(advisor.sizes[:place]), iterations) for place in range(len(advisor.sizes))]


def test_a_budget_of_time_ends_with_the_slice_that_uses_it_up(clock: Clock) -> None:
    advisor = Counting(clock)
    _, ticks = iterations_of(advisor, Budget(0, 500))
    spent = [int(sum(advisor.sizes[:place]) / 128 * 1000) for place in range(len(advisor.sizes) + 1)]
    assert ticks == [(each, 500) for each in spent[:-1]]
    assert spent[-2] < 500 <= spent[-1]
    assert iterations_of(Counting(clock), Budget(4, 500))[0] == 4
    assert iterations_of(Counting(clock), Budget(1_000, 125))[0] == 16


def test_time_is_not_spent_on_settled_advice_but_iterations_are(clock: Clock) -> None:
    assert iterations_of(Counting(clock, SETTLED), Budget(0, 10_000))[0] == 16
    assert iterations_of(Counting(clock, SETTLED - 1), Budget(0, 1_000))[0] > 90
    assert iterations_of(Counting(clock, SETTLED), Budget(40))[0] == 40


@pytest.mark.parametrize(("lead", "iterations"), [(24, 22), (25, 16), (40, 16), (41, 0)])
def test_a_choice_is_decided_if_its_lead_exceeds_the_iterations_left(clock: Clock, lead: int, iterations: int) -> None:
    assert iterations_of(Counting(clock, lead), Budget(40), decided=True)[0] == iterations
    assert iterations_of(Counting(clock, lead), Budget(40))[0] == 40


@pytest.mark.parametrize(("widths", "looks"), [([0.3, 0.2, 0.1], 3), ([0.1], 1), ([0.11, 0.1], 2)])
def test_an_interval_is_looked_at_every_hundred_iterations(clock: Clock, widths: list[float], looks: int) -> None:
    advisor = Counting(clock, half_widths=iter(widths))
    assert iterations_of(advisor, Budget(0, 10**6, 0.1))[0] == looks * LOOK_ITERATIONS
    assert iterations_of(Counting(clock, half_widths=repeat(0.2)), Budget(250, 0, 0.1))[0] == 250


@pytest.mark.parametrize("visits", [(0, 0), (1, 0), (1, 2)])
def test_a_share_is_a_part_of_all_visits(visits: tuple[int, int]) -> None:
    lines = {move: RootStats(move, 0.25) for move in range(2)}
    for move, number in enumerate(visits):
        for _ in range(number):
            lines[move].add(0.5, 0.25)
    table = PEBBLES.new(2, PEBBLES.options_type(), FastDice(1))
    for lead in (0, SETTLED):
        told = report(
            PEBBLES, table, cast("Advisor", SimpleNamespace(lines=lines, done=3, lead=lambda lead=lead: lead)), None
        )
        assert {row["code"]: row["share"] for row in told["moves"]} == {
            move: round(number / max(1, sum(visits)), 6) for move, number in enumerate(visits)
        }
        assert (told["iterations"], told["worlds"]) == (3, 3 if lead == 0 else 0)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_a_drawn_move_weighs_as_its_visits_at_a_temperature(temperature: float) -> None:
    lines = {move: SimpleNamespace(visits=visits, move=move) for move, visits in enumerate((2, 0, 8, 4))}
    advisor = cast("Advisor", SimpleNamespace(lines=lines, best=lambda: 9))
    weights = {move: (line.visits / 8) ** (1 / temperature) for move, line in lines.items() if line.visits}
    upto = 0.0
    for move, weight in weights.items():
        for mark in (upto + 1e-6, upto + weight - 1e-6):
            dice = cast(
                "Dice", SimpleNamespace(below=lambda limit, _, mark=mark: int(mark / sum(weights.values()) * limit))
            )
            assert draw_move(advisor, temperature, dice) == move
        upto += weight
    unseen = cast("Advisor", SimpleNamespace(lines={1: SimpleNamespace(visits=0, move=1)}, best=lambda: 9))
    assert draw_move(unseen, temperature, cast("Dice", SimpleNamespace(below=lambda *_: GRAINS - 1))) == 9


@pytest.mark.parametrize("seed", range(8))
def test_the_interval_of_a_move_is_that_of_its_values_and_their_drift(seed: int) -> None:
    lots, line, values = Random(seed), RootStats(3, 0.4), list[float]()
    batches, last, drift, fresh = [4], 0.4, 0.0, FIRST_DRIFT
    for _ in range(60):
        values.append(lots.random())
        line.add(values[-1], 0.2)
        mean = sum(values) / len(values)
        spread = sum((value - mean) ** 2 for value in values)
        if len(values) == sum(batches):
            now = sum(values[-batches[-1] :]) / batches[-1]
            chance = 3 * spread / len(values) / batches[-1]
            drift += 0.5 * (max(0.0, (now - last) ** 2 - chance) - drift)
            last, fresh = now, fresh * 0.7
            batches.append(2 * batches[-1])
        assert line.mean == pytest.approx(mean)
        assert line.margin() == pytest.approx(
            1.96 * sqrt((spread + 0.2) / len(values) ** 2 + DRIFT * (drift + fresh * 0.2))
        )


@pytest.mark.parametrize(("curiosity", "virtual"), [*product((0.0, 0.6), (0.0, 0.3))])
def test_an_upper_bound_is_the_mean_with_the_doubt_of_a_move(curiosity: float, virtual: float) -> None:
    node = Node(1)
    assert node.bound(curiosity, virtual) == UNTRIED + curiosity
    node.start(0.25, 4)
    values = [0.25] * 4
    assert (node.visits, node.offers) == (4, 4)
    for value in (1.0, 0.5, 0.125):
        node.add(value)
        values.append(value)
        node.offers += 3
        mean = sum(values) / len(values)
        spread = (sum(value**2 for value in values) + virtual) / len(values) - mean**2
        doubt = sqrt(spread * log(4 + 3 * (len(values) - 4)) / len(values))
        assert node.bound(curiosity, virtual) == pytest.approx(mean + curiosity * doubt)


def test_each_seat_that_decides_at_a_place_has_it_as_its_own() -> None:
    top = Node(0)
    assert top.of(2) is top
    other = top.of(1)
    assert other is not top
    assert other is top.of(1)
    assert top.of(3) is not other
    assert top.step(5) is top.step(5) is not top.step(6)
