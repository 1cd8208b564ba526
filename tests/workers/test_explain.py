"""Reasons follow their definitions: thresholds of risks, amounts of gains, continuations and second looks."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from math import sqrt
from statistics import fmean, pvariance
from typing import cast

import pytest
from librt.vecs import vec
from mypy_extensions import i64

from bench.arena import position
from games.core.dice import FastDice
from games.core.game import Game
from games.core.playout import playout
from games.core.reasons import OUTCOME, Risk
from games.core.registry import registered
from games.core.table import Table, Worth
from games.search import explain
from games.search.advise import Budget, seed_of
from games.search.analysis import Analysis, compared_part, main_part
from games.search.explain import MIN_VISITS, SECOND_PARTS, followed, gains_of, parts_of
from games.search.risks import MARGIN_ERRORS, MAX_RISKS, risks_of, sample
from games.search.trace import CELLS, OTHERS, SEATS, SKIPPED, MoveTrace, Step, Trace
from games.search.tree import TreeSearch
from games.search.worlds import SEEDS

GAMES = registered()
COUNCIL = GAMES["hoher-rat"]
SEARCHED_GAMES = [game for game in GAMES.values() if game.groups]

Samples = Mapping[tuple[bool, int], tuple[int, float]]
"""Number and value of the iterations, by whether the fact holds, and by half: 1 finds a risk, 0 measures it."""


def traced(samples: Samples, facts: Sequence[int]) -> MoveTrace:
    """Return a trace without variance in which some facts hold together."""
    trace = MoveTrace()
    for (holds, half), (number, value) in samples.items():
        trace.visits = half
        for _ in range(number):
            trace.count(vec[i64](facts if holds else ()), value)
    return trace


def risks(samples: Samples, facts: int = 1) -> list[Risk]:
    table = COUNCIL.new(2, COUNCIL.options_type(), FastDice(1))
    named = [int(fact) for fact in table.facts(COUNCIL.actors(table)[0])][:facts]
    return risks_of(COUNCIL, table, traced(samples, named), COUNCIL.legal(table, COUNCIL.actors(table)[0])[0])


def even(found: float, measured: float, number: int = 50, others: int = 50) -> Samples:
    """Return samples with a loss where a risk is found, and one where it is measured."""
    return {
        (True, 1): (number, 0.5 - found),
        (False, 1): (others, 0.5),
        (True, 0): (number, 0.5 - measured),
        (False, 0): (others, 0.5),
    }


UNIT = sqrt(2 * 0.0625) / 50
"""Standard error of the difference of two means of 50 equal values."""


@pytest.mark.parametrize(
    ("samples", "is_named"),
    [
        pytest.param(even(4.05 * UNIT, 0.1), True, id="four errors where it is found"),
        pytest.param(even(3.95 * UNIT, 0.1), False, id="less than four errors where it is found"),
        pytest.param(even(0.1, 1.05 * UNIT), True, id="one error where it is measured"),
        pytest.param(even(0.1, 0.95 * UNIT), False, id="less than one error where it is measured"),
        pytest.param(even(0.0101, 0.1, 1_000, 1_000), True, id="a hundredth is lost"),
        pytest.param(even(0.0099, 0.1, 1_000, 1_000), False, id="less than a hundredth is lost"),
        pytest.param(even(0.3, 0.3, 25), True, id="25 iterations with it"),
        pytest.param(even(0.3, 0.3, 24), False, id="24 iterations with it"),
        pytest.param(even(0.3, 0.3, 50, 25), True, id="25 iterations without it"),
        pytest.param(even(0.3, 0.3, 50, 24), False, id="24 iterations without it"),
        pytest.param(even(0.3, 0.3, 25, 1_225), True, id="its chance is a fiftieth"),
        pytest.param(even(0.3, 0.3, 25, 1_226), False, id="its chance is less than a fiftieth"),
        pytest.param(even(0.3, 0.3, 1_225, 25), True, id="the chance of its opposite is a fiftieth"),
        pytest.param(even(0.3, 0.3, 1_226, 25), False, id="the chance of its opposite is less than a fiftieth"),
        pytest.param(even(-0.3, -0.3), False, id="it raises the value"),
    ],
)
def test_a_risk_reaches_every_threshold(samples: Samples, *, is_named: bool) -> None:
    assert bool(risks(samples)) == is_named


def test_a_risk_has_the_measured_values_and_the_chance_of_both_halves() -> None:
    (risk,) = risks({(True, 1): (60, 0.2), (False, 1): (40, 0.6), (True, 0): (30, 0.3), (False, 0): (70, 0.5)})
    assert (risk.chance, risk.value, risk.otherwise) == pytest.approx((0.45, 0.3, 0.5))
    assert risk.margin == pytest.approx(MARGIN_ERRORS * sqrt(0.0625 / 30**2 + 0.0625 / 70**2))


@pytest.mark.parametrize("values", [[0.5], [0.25, 0.75], [0.1, 0.2, 0.9, 0.4]])
def test_a_sample_has_the_mean_the_variance_and_the_error_of_its_values(values: list[float]) -> None:
    found = sample([len(values), sum(values), sum(value**2 for value in values)])
    mean, variance = fmean(values), pvariance(values)
    assert found == pytest.approx((len(values), mean, variance))
    assert found.error == pytest.approx((variance + 0.0625 / len(values)) / len(values))
    assert sample([0, 0, 0]) == (0, 0, 0)


def test_the_first_risks_are_the_most_certain_ones() -> None:
    assert len(risks(even(0.3, 0.3), facts=MAX_RISKS + 1)) == MAX_RISKS
    table = COUNCIL.new(2, COUNCIL.options_type(), FastDice(1))
    seat, trace = COUNCIL.actors(table)[0], MoveTrace()
    small, large = (int(fact) for fact in table.facts(seat)[:2])
    for number in range(400):
        trace.visits = number
        held = {small: number % 4 < 2, large: number % 8 < 4}
        trace.count(vec[i64]([fact for fact in held if held[fact]]), 0.6 - 0.1 * held[small] - 0.2 * held[large])
    move = COUNCIL.legal(table, seat)[0]
    found = [(risk.code, risk.params) for risk in risks_of(COUNCIL, table, trace, move)]
    assert found == [COUNCIL.fact(table, fact, move) for fact in (large, small)]


def step(visits: int, world: int = 0, **kids: Step) -> Step:
    """Return a place in a continuation; `m5s1` leads on by move 5 of seat 1."""
    made = Step()
    made.visits, made.world = visits, world
    for name, kid in kids.items():
        move, _, seat = name.removeprefix("m").partition("s")
        made.put(int(move) * SEATS + int(seat), kid)
    return made


@pytest.mark.parametrize(
    ("start", "line", "world"),
    [
        (step(9, 3), [], 3),
        (step(20, 1, m5s1=step(8, 2)), [(1, 5, 1.0)], 2),
        (step(20, 1, m5s1=step(7, 2)), [], 1),
        (step(90, 1, **{f"m{move}s1": step(8, move) for move in range(10)}), [(1, 0, 0.1)], 0),
        (step(90, 99, **{f"m{move}s1": step(8, move) for move in range(11)}), [], 99),
        (step(30, 1, m5s1=step(9, 2), m4s1=step(9, 3), m6s0=step(9, 4)), [(1, 4, 1 / 3)], 3),
        (step(40, 1, m5s1=step(30, 2, m7s0=step(20, 6), m2s0=step(5, 7))), [(1, 5, 1.0), (0, 7, 0.8)], 6),
    ],
)
def test_a_line_follows_the_most_visited_moves(start: Step, line: list[tuple[int, int, float]], world: int) -> None:
    found, last = followed(start)
    assert [(seat, move) for seat, move, _ in found] == [(seat, move) for seat, move, _ in line]
    assert [part for _, _, part in found] == pytest.approx([part for _, _, part in line])
    assert last == world


def leaves(worth: Worth, *tables: Table) -> MoveTrace:
    """Return the trace of iterations that end at some tables, for seat 0."""
    found = MoveTrace()
    for table in tables:
        for _ in range(MIN_VISITS):
            found.visits += 1
            found.weigh(worth, table, 0, worth.estimate(table))
    return found


def is_valued(worth: Worth, table: Table) -> bool:
    """Return whether a table has terms: it is not over."""
    return bool(table.actors()) and len(worth.terms(table, worth.estimate(table))) > 0


def played(game: Game, moves: Callable[[int], int]) -> list[Table]:
    """Return tables of random games after some moves."""
    found = []
    for seed in range(12):
        table = game.new(min(game.seat_numbers), game.options_type(), FastDice(seed))
        playout(table, FastDice(seed + 50), moves(seed))
        found.append(table)
    return found


@pytest.mark.parametrize("game", SEARCHED_GAMES, ids=lambda game: game.slug)
def test_a_gain_is_the_difference_of_its_terms_times_the_mean_slope(game: Game) -> None:
    worth, amounts = game.worth("tuned"), 0
    for one, two in pairwise(table for table in played(game, lambda seed: 9 * seed) if is_valued(worth, table)):
        found = parts_of(game, one, 0, worth, leaves(worth, one), leaves(worth, two))
        parts = {(part.code, *part.seats): part for part in found}
        rewards = [worth.estimate(table) for table in (one, two)]
        terms = [*zip(worth.terms(one, rewards[0]), worth.terms(two, rewards[1]), strict=True)]
        slopes = [*zip(worth.slopes(one, 0, rewards[0]), worth.slopes(two, 0, rewards[1]), strict=True)]
        teams, units = game.teams(one.seats), game.units(one, worth)
        for number, (team, (first, second)) in enumerate(zip(teams, slopes, strict=True)):
            deltas = [mine - other for mine, other in terms[number * len(terms) // len(teams) :]]
            for group in game.groups:
                part = parts[group.code, *team]
                assert part.value == pytest.approx((first + second) / 2 * sum(deltas[term] for term in group.terms))
                assert part.percent == group.percent
                unit = None if group.amount is None else units[group.amount]
                amount = None if group.amount is None or not unit else deltas[group.amount] * unit
                assert part.amount == (pytest.approx(amount) if amount else None)
                amounts += part.amount is not None
    assert amounts


@pytest.mark.parametrize("game", SEARCHED_GAMES, ids=lambda game: game.slug)
def test_ended_games_carry_what_the_running_ones_do_not(game: Game) -> None:
    worth = game.worth("tuned")
    going = next(table for table in played(game, lambda _: 20) if is_valued(worth, table))
    over = next(table for table in played(game, lambda _: 10**6) if table.rewards()[0] != worth.estimate(going)[0])
    value, end = worth.estimate(going)[0], worth.estimate(over)[0]
    for own, other, expected in (
        ((going, over), (going,), (end - value) / 2),
        ((over,), (going,), end - value),
        ((going,), (over,), value - end),
        ((over,), (over,), 0.0),
        ((going,), (going,), 0.0),
    ):
        parts = parts_of(game, going, 0, worth, leaves(worth, *own), leaves(worth, *other))
        ends = [part for part in parts if part.code == OUTCOME]
        assert [(part.seats, part.better) for part in ends] == ([([0], expected > 0)] if expected else [])
        assert sum(part.value for part in ends) == pytest.approx(expected)


def test_gains_need_a_difference_and_iterations_of_both_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    worth = COUNCIL.worth("tuned")
    one, two = (table for table in played(COUNCIL, lambda seed: 9 * seed + 9)[:2])
    own, other = leaves(worth, one), leaves(worth, two)
    difference = sum(part.value for part in parts_of(COUNCIL, one, 0, worth, own, other))
    assert abs(difference) > 0.01

    def number() -> int:
        return len(gains_of(COUNCIL, one, 0, worth, own, other, difference))

    monkeypatch.setattr(explain, "MIN_DIFFERENCE", abs(difference))
    assert number()
    for trace in (own, other):
        trace.visits -= 1
        assert not number()
        trace.visits += 1
    monkeypatch.setattr(explain, "MIN_DIFFERENCE", 1.001 * abs(difference))
    assert not number()


def test_the_second_move_is_searched_alone_only_if_it_had_few_iterations() -> None:
    met, named = set[bool](), 0
    for number, iterations in ((0, 30), (0, 300), (1, 300)):
        table, seat = position(COUNCIL, 2, number)
        analysis = Analysis(COUNCIL, COUNCIL.view(table, seat), 3, "tuned", explain=True)
        reasoner = analysis.reasoner
        assert reasoner is not None
        analysis.advisor.run(iterations)
        second, effort = reasoner.leaders[1], max(MIN_VISITS + SKIPPED, iterations // SECOND_PARTS)
        reasoner.look_again(5)
        again = second.visits < effort
        assert {move: int(line.visits) for move, line in reasoner.apart.items()} == (
            {second.move: effort} if again else {}
        )
        met.add(again)
        first, difference = reasoner.leaders[0], reasoner.leaders[0].mean - reasoner.line(int(second.move)).mean
        own, other = (reasoner.traces[int(line.move)] for line in (first, second))
        gains = gains_of(COUNCIL, analysis.table, seat, analysis.worth, own, other, difference)
        assert reasoner.findings(int(first.move), int(second.move)).gains == gains
        named += len(gains)
    assert met == {False, True}
    assert named


@pytest.mark.parametrize("done", [20, 32 * SECOND_PARTS, 33 * SECOND_PARTS, 100 * SECOND_PARTS + 39])
def test_a_longer_search_has_a_longer_second_look(done: int) -> None:
    table, seat = position(COUNCIL, 2, 0)
    analysis = Analysis(COUNCIL, COUNCIL.view(table, seat), 3, "tuned", explain=True)
    reasoner, search = analysis.reasoner, cast("TreeSearch", analysis.advisor)
    assert reasoner is not None
    search.run(12)
    search.done = done
    reasoner.look_again(5)
    assert [int(line.visits) for line in reasoner.apart.values()] == [max(32, done // SECOND_PARTS)]


def test_all_iterations_are_sampled_then_one_in_two_then_one_in_four() -> None:
    trace = MoveTrace()
    strides = list[int]()
    for visits in range(1, 140):
        trace.visits = visits
        strides.append(int(trace.stride()))
    assert strides == [1] * 32 + [2] * 64 + [4] * 43


def test_a_trace_counts_sampled_continuations_and_grows_by_one_place_each_time() -> None:
    table = COUNCIL.new(2, COUNCIL.options_type(), FastDice(1))
    seat, worth = COUNCIL.actors(table)[0], COUNCIL.worth("tuned")
    trace, rewards = Trace(table, seat, worth, 5, 100), worth.estimate(table)
    for number in range(40):
        trace.open(table)
        for mover, move in ((seat, 3), (1 - seat, 7), (seat, 3), (1 - seat, number)):
            trace.step(mover, move)
        trace.close(table, 3, rewards)
    found, place, worlds = trace.moves[3], trace.moves[3].start, list[int]()
    assert (found.visits, found.weight, found.running) == (40, 32, 32)
    assert found.total == pytest.approx(32 * rewards[seat])
    assert found.cells[OTHERS] + found.cells[OTHERS + CELLS] == 32
    for visits, key in ((28, 7 * SEATS + 1 - seat), (28, 3 * SEATS + seat)):
        assert (place.visits, list(place.kids or ())) == (visits, [key])
        worlds.append(int(place.world))
        place = (place.kids or {})[key]
    assert (place.visits, worlds) == (27, [139, 139])
    sampled = [*range(10, 32), *range(33, 40, 2)]
    assert {key: (kid.visits, kid.world) for key, kid in (place.kids or {}).items()} == {
        number * SEATS + 1 - seat: (1, 100 + number) for number in sampled
    }
    for move in range(9):
        trace.step(0, move)
    assert [*trace.told] == [3, 7, 3, 39, 0, 1]


def test_the_facts_of_an_iteration_are_its_worlds_and_the_first_answers_to_the_observer() -> None:
    game = GAMES["gartenzwerge"]
    places = (position(game, 4, number, several=True) for number in range(40))
    table, seat = next((table, seat) for table, seat in places if len(game.actors(table)) < 4)
    others = [other for other in game.actors(table) if other != seat]
    idle = next(other for other in range(4) if other != seat and other not in others)
    trace, own = Trace(table, seat, game.worth("tuned"), 5, 0), game.legal(table, seat)[0]
    told, asked = list[int](), {other: game.legal(table, other) for other in others}
    for world in range(3):
        trace.open(table)
        assert (trace.worlds, [*trace.told]) == (world + 1, [])
        for mover in (seat, idle):
            trace.step(mover, own)
        told = [*table.facts(seat)]
        for other in others:
            answer = asked[other][world % len(asked[other])]
            trace.step(other, answer)
            trace.step(other, asked[other][-1])
            fact = table.answer_fact(seat, own, other, answer)
            told += [fact] if fact >= 0 else []
        assert [*trace.facts_after(own)] == told
    assert others


@pytest.mark.parametrize(
    ("budget", "done", "main", "part"),
    [
        (Budget(100, 40, 0.1), 75, Budget(75, 30, 0.1), 25),
        (Budget(100), 30, Budget(75), 10),
        (Budget(0, 41), 90, Budget(0, 31), 30),
        (Budget(8), 60, Budget(6), 2),
        (Budget(3), 3, Budget(3), 1),
        (Budget(0, 3), 2, Budget(0, 3), 1),
    ],
)
def test_a_comparison_takes_a_quarter_of_a_budget(budget: Budget, done: int, main: Budget, part: int) -> None:
    assert main_part(budget) == main
    assert compared_part(budget, done) == part


def test_a_seed_is_the_digest_of_its_parts() -> None:
    for parts in (("again", 3), (1, "x", None), ()):
        text = "\x1f".join(str(part) for part in parts)
        assert seed_of(*parts) == int(sha256(text.encode()).hexdigest()[:16], 16) % SEEDS
