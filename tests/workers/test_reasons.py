"""Reasons are true: gains carry the difference, risks hold in fresh worlds, and nothing hidden is named as certain."""

import json
from collections.abc import Iterator
from itertools import pairwise, product
from math import exp, prod
from typing import Any, cast

import pytest
from librt.vecs import vec
from mypy_extensions import i64

from bench import truth
from bench.arena import position
from games.barbarossa.table.hall import Hall
from games.core.dice import FastDice
from games.core.game import Game
from games.core.playout import playout
from games.core.reasons import CONFIDENCES, OUTCOME, frames
from games.core.registry import registered
from games.core.table import FACTS, Table, Worth
from games.core.texts import LANGUAGES
from games.hoher_rat.worth import CouncilWorth
from games.search.advise import Budget
from games.search.analysis import Analysis, analyse
from games.search.explain import parts_of
from games.search.risks import Answers, risks_of
from games.search.trace import MoveTrace
from games.search.tree import TreeSearch
from games.wichtel.table.village import Village
from games.wichtel.worth import PATIENCE, left_of_it

GAMES = registered()
SEARCHED_GAMES = [(slug, seats) for slug, game in GAMES.items() if game.groups for seats in game.seat_numbers]
EVERY = [*SEARCHED_GAMES, ("barbarossa", 3), ("barbarossa", 4)]


def explained(game: Game, table: Table, seat: int, iterations: int, seed: int = 3, **more: Any) -> dict[str, Any]:
    """Return an analysis with reasons."""
    return Analysis(game, game.view(table, seat), seed, "tuned", explain=True).run(Budget(iterations), **more)


def tables(game: Game, seats: int) -> Iterator[Table]:
    """Yield tables of all stages of random games."""
    for seed in range(12):
        table = game.new(seats, game.options_type(), FastDice(seed))
        playout(table, FastDice(seed + 50), 9 * seed)
        if table.actors():
            yield table


@pytest.mark.parametrize(("slug", "seats"), SEARCHED_GAMES)
@pytest.mark.parametrize("level", ["tuned", "learned", "greedy"])
def test_terms_add_up_to_the_estimate(slug: str, seats: int, level: str) -> None:
    game, told = GAMES[slug], 0
    worth = game.worth(level)
    for table in tables(game, seats):
        rewards = worth.estimate(table)
        terms = [*worth.terms(table, rewards)]
        if not terms:
            continue
        told += 1
        parties = game.teams(seats)
        size, used = len(terms) // len(parties), sorted(term for group in game.groups for term in group.terms)
        assert used == [*range(len(used))], "each term belongs to one group"
        sums = [sum(terms[size * party :][: len(used)]) for party in range(len(parties))]
        assert estimated(worth, table, sums) == pytest.approx([*rewards], abs=1e-9)
    assert told


def estimated(worth: Worth, table: Table, sums: list[float]) -> list[float]:
    """Return the estimate of each seat from the sums of the parties, by the definition of each evaluation."""
    if isinstance(worth, CouncilWorth):
        lead = sums[0] - sums[1]
        net = bool(worth.corrected >> table.seats & 1)
        pro = 1 / (1 + exp(-lead)) if net else 0.5 + 0.49 * lead / (1 + abs(lead))
        return [pro if seat % 2 == 0 else 1 - pro for seat in range(table.seats)]
    out = getattr(table, "out", 0)
    weights = [0.0 if out >> seat & 1 else exp(each) for seat, each in enumerate(sums)]
    left = left_of_it(table) if isinstance(table, Village) and table.turns > PATIENCE else 1.0
    return [left * weight / sum(weights) for weight in weights]


@pytest.mark.parametrize(("slug", "seats"), SEARCHED_GAMES)
def test_slopes_are_derivatives(slug: str, seats: int) -> None:
    game, told = GAMES[slug], 0
    worth, step = game.worth("learned"), 1e-6
    for table in tables(game, seats):
        rewards = worth.estimate(table)
        if len(worth.terms(table, rewards)):
            told += 1
            for seat in range(seats):
                slopes = [*worth.slopes(table, seat, rewards)]
                for party in range(len(slopes)):
                    shift = [step * (each == party) for each in range(len(slopes))]
                    moved = truth.revalued(worth, seats, [*rewards], seat, shift)
                    assert slopes[party] == pytest.approx((moved - rewards[seat]) / step, abs=1e-5)
    assert told


@pytest.mark.parametrize(("slug", "seats"), SEARCHED_GAMES)
def test_a_trace_changes_no_value_and_no_choice(slug: str, seats: int) -> None:
    game = GAMES[slug]
    table, seat = position(game, seats, 2)
    view = game.view(table, seat)
    plain = analyse(game, view, (300, 0), 5)
    told = explained(game, table, seat, 300, 5)
    for row in told["moves"]:
        row.pop("reasons", None)
    assert told == plain


@pytest.mark.parametrize(("slug", "seats"), SEARCHED_GAMES)
def test_the_named_gains_carry_at_least_half_of_the_difference(slug: str, seats: int) -> None:
    game = GAMES[slug]
    found = []
    for number in range(12):
        table, seat = position(game, seats, number)
        compared = truth.compare(game, table, seat, game.worth("tuned"), 600, number)
        if compared is not None and compared.gains:
            carried = sum(gain.value for gain in compared.gains) / compared.difference
            assert carried >= 0.6 - 1e-9
            found.append(compared.part)
    assert len(found) >= (1 if slug == "gartenzwerge" else 3)
    assert all(part >= 0.5 for part in found), found


@pytest.mark.parametrize(("slug", "seats"), SEARCHED_GAMES)
def test_a_move_really_is_worse_in_fresh_worlds_where_a_risk_holds(slug: str, seats: int) -> None:
    game, checks = GAMES[slug], list[truth.Check]()
    worth = game.worth("tuned")
    for number in range(8):
        table, seat = position(game, seats, number, several=slug == "gartenzwerge")
        told = explained(game, table, seat, 1_000)
        for row in told["moves"][:1]:
            for risk in row["reasons"]["risks"]:
                assert 0.02 <= risk["chance"] <= 0.98
                fact = truth.number_of(game, table, row["code"], risk)
                again = truth.fresh_trace(table, seat, worth, row["code"], 1_000, number + 77)
                loss = risk["otherwise"] - risk["value"]
                checked = truth.check(loss, risk["margin"], truth.cells_of(again, fact))
                if checked is not None:
                    checks.append(checked)
    assert len(checks) >= (0 if slug == "gartenzwerge" else 2)
    assert all(check.found > 0 for check in checks)
    assert sum(check.agrees for check in checks) >= 0.75 * len(checks), checks


@pytest.mark.parametrize("slug", dict(SEARCHED_GAMES))
def test_main_reasons_keep_their_sides_when_the_search_is_longer(slug: str) -> None:
    game, found = GAMES[slug], list[bool]()
    seats = min(game.seat_numbers)
    for number in range(16):
        table, seat = position(game, seats, number)
        row = explained(game, table, seat, 500)["moves"][0]
        if row["reasons"]["gains"] or row["reasons"]["risks"]:
            longer = Analysis(game, game.view(table, seat), 3, "tuned", explain=True)
            longer.run(Budget(1_000))
            found += [each for each in truth.turned(game, longer, row) if each is not None]
    assert len(found) >= 2
    assert sum(found) <= 0.25 * len(found), found


def trace_of(table: Table, worth: Worth) -> MoveTrace:
    """Return the trace of iterations that all end at a table, for seat 0."""
    found, rewards = MoveTrace(), worth.estimate(table)
    for _ in range(40):
        found.visits += 1
        found.weigh(worth, table, 0, rewards)
    return found


@pytest.mark.parametrize("slug", dict(SEARCHED_GAMES))
def test_gains_name_the_side_that_is_better_off(slug: str) -> None:
    game, worth = GAMES[slug], GAMES[slug].worth("tuned")
    seats, gains = min(game.seat_numbers), 0
    places = [table for table in tables(game, seats) if len(worth.terms(table, worth.estimate(table)))]
    for one, two in pairwise(places):
        traces = [trace_of(table, worth) for table in (one, two)]
        parts = parts_of(game, one, 0, worth, traces[0], traces[1])
        other_way = parts_of(game, one, 0, worth, traces[1], traces[0])
        sums = [[*worth.terms(table, worth.estimate(table))] for table in (one, two)]
        size = len(sums[0]) // len(game.teams(seats))
        for part, reverse in zip(parts, other_way, strict=True):
            assert part.value == pytest.approx(-reverse.value)
            if part.code == OUTCOME or not part.value:
                continue
            group = next(group for group in game.groups if group.code == part.code)
            at = [game.teams(seats).index(part.seats) * size + term for term in group.terms]
            assert part.better == (sum(sums[0][term] for term in at) > sum(sums[1][term] for term in at))
            assert (part.value > 0) == (part.better == (0 in part.seats)), "what helps others hurts the observer"
            gains += 1
    assert gains >= 10


class Shown(Answers):
    """Answers with a known loss."""

    def __init__(self, shown: float | None) -> None:
        self.shown = shown

    def loss(self, own: int, fact: int) -> float | None:
        return self.shown


@pytest.mark.parametrize(
    ("lost", "shown", "is_named"),
    [
        (0.3, None, True),
        (0.3, 0.3, True),
        (0.3, 0.2, True),
        (0.3, 0.5, True),
        (0.3, 0.14, False),
        (0.3, -0.3, False),
        (0.3, 0.62, False),
        (0.03, None, True),
        (0.03, 0.03, True),
        (0.0115, None, True),
        (0.0115, 0.0115, False),
    ],
)
def test_an_answer_is_a_risk_only_if_its_loss_is_certain_and_shows_at_once(
    lost: float, shown: float | None, *, is_named: bool
) -> None:
    game = GAMES["gartenzwerge"]
    table, seat = position(game, 3, 1, several=True)
    other, trace = (seat + 1) % 3, MoveTrace()
    for world in range(2_000):
        held = world % 4 < 2
        trace.visits = world
        trace.count(vec[i64]([other * 8] if held else []), 0.6 - lost * held + world % 3 / 200)
    risks = risks_of(game, table, trace, game.legal(table, seat)[1], Shown(shown))
    assert bool(risks) == is_named
    for risk in risks:
        assert risk.otherwise - risk.value == pytest.approx(lost, abs=1e-3)
        assert shown is None or risk.margin >= abs(risk.otherwise - risk.value - shown)


def test_the_loss_by_an_answer_is_the_mean_of_all_answers_with_and_without_it() -> None:
    game, losses = GAMES["gartenzwerge"], list[float]()
    for number in range(12):
        table, seat = position(game, 3, number, several=True)
        search = TreeSearch(table, seat, game.worth("tuned"), number)
        search.run(300)
        answers, own = Answers(search), int(search.best())
        assert sum(sum(visits.values()) for visits in answers.told.values()) == 300 * len(answers.told)
        for fact in range(FACTS):
            loss = answers.loss(own, fact)
            if loss:
                losses.append(loss)
                assert loss == pytest.approx(exact_loss(answers, own, fact), abs=0.012)
    assert max(losses) >= 0.03
    assert min(losses) <= -0.01


def exact_loss(answers: Answers, own: int, fact: int) -> float:
    """Return the loss by a fact over all answers at their frequencies."""
    sums = {True: [0.0, 0.0], False: [0.0, 0.0]}
    holders = {seat for seat, told in answers.told.items() if any(answers.fact(own, seat, one) == fact for one in told)}
    for told in product(*answers.told.values()):
        answer = dict(zip(answers.told, told, strict=True))
        weight = prod(answers.told[seat][one] for seat, one in answer.items())
        if weight:
            dice = FastDice(1)
            place = answers.dealt(dice)
            answers.play(place, own, answer, dice)
            cell = sums[any(answers.fact(own, seat, answer[seat]) == fact for seat in holders)]
            cell[0] += weight
            cell[1] += weight * answers.worth.estimate(place)[answers.seat]
    return sums[False][1] / sums[False][0] - sums[True][1] / sums[True][0]


def test_facts_that_are_dealt_need_no_proof_by_answers() -> None:
    game = GAMES["hoher-rat"]
    table, seat = position(game, 2, 1)
    search = TreeSearch(table, seat, game.worth("tuned"), 1)
    search.run(20)
    assert Answers(search).told == {}
    assert Answers(search).loss(int(search.best()), int(table.facts(seat)[0])) is None


def test_facts_are_uncertain_if_both_halves_met_them_and_their_opposite_often_enough() -> None:
    trace = MoveTrace()
    assert not len(trace.uncertain(1.0))
    for world in range(40):
        held = {1: True, 2: world % 4 < 2, 3: world % 2 == 1}  # always, in half of each half, in the odd half only
        trace.visits = world
        trace.count(vec[i64]([fact for fact, holds in held.items() if holds]), 0.5)
    assert [*trace.uncertain(10.0)] == [2]
    assert [*trace.uncertain(11.0)] == []


@pytest.mark.parametrize(("slug", "seats"), EVERY)
def test_two_worlds_that_look_alike_have_the_same_reasons(slug: str, seats: int) -> None:
    game, reasons = GAMES[slug], 0
    for number in range(4):
        table, seat = position(game, seats, number)
        other = table.clone()
        other.redeal(seat, FastDice(number + 99))
        compared = game.legal(table, seat)[-1]
        told = [explained(game, place, seat, 900, compare=compared) for place in (table, other)]
        assert json.dumps(told[0]) == json.dumps(told[1])
        reasons += len(told[0]["moves"][0]["reasons"]["gains"]) + len(told[0]["moves"][0]["reasons"]["risks"])
    assert reasons or slug == "gartenzwerge"


@pytest.mark.parametrize(("slug", "seats"), [("hoher-rat", 2), ("hoher-rat", 4), ("wichtel", 3), ("wichtel", 5)])
def test_a_risk_is_no_fact_that_the_seat_knows(slug: str, seats: int) -> None:
    game = GAMES[slug]
    for number in range(4):
        table, seat = position(game, seats, number)
        row = explained(game, table, seat, 600)["moves"][0]
        for risk in row["reasons"]["risks"]:
            fact, held = truth.number_of(game, table, row["code"], risk), 0
            for world in range(200):
                place = table.clone()
                place.redeal(seat, FastDice(world))
                held += fact in [*place.facts(seat)]
            assert 0 < held < 200
            assert held / 200 == pytest.approx(risk["chance"], abs=0.16)


@pytest.mark.parametrize(("slug", "seats"), SEARCHED_GAMES)
def test_lines_are_legal_and_begin_with_the_move(slug: str, seats: int) -> None:
    game = GAMES[slug]
    table, seat = position(game, seats, 1)
    for row in explained(game, table, seat, 400)["moves"][:3]:
        line = row["reasons"]["line"]
        assert (line[0]["seat"], line[0]["code"], line[0]["frequency"]) == (seat, row["code"], 1.0)
        assert line[0]["move"] == row["move"]
        assert all(0.1 <= reply["frequency"] <= 1 and set(reply["labels"]) == set(LANGUAGES) for reply in line)


@pytest.mark.parametrize(("slug", "seats"), EVERY)
def test_the_moves_after_the_third_have_no_reasons_and_a_compared_one_has(slug: str, seats: int) -> None:
    game = GAMES[slug]
    table, seat = position(game, seats, 2)
    view, asked = game.view(table, seat), game.legal(table, seat)[-1]
    told = Analysis(game, view, 3, "tuned", explain=True).run(Budget(401), compare=asked)
    assert ["reasons" in row for row in told["moves"]] == [place < 3 for place in range(len(told["moves"]))]
    assert told["compared"]["code"] == asked
    assert told["compared"]["reasons"]["against"] != asked
    again = Analysis(game, view, 3, "tuned", explain=True).run(Budget(told["iterations"]), compare=asked)
    assert again == told
    assert "reasons" not in Analysis(game, view, 3, "tuned").run(Budget(50), compare=asked)["compared"]


@pytest.mark.parametrize("budget", [Budget(iterations) for iterations in range(4, 12)])
def test_the_iterations_of_a_comparison_repeat_it(budget: Budget) -> None:
    game = GAMES["hoher-rat"]
    table, seat = position(game, 2, 1)
    asked = game.legal(table, seat)[0]
    told = Analysis(game, game.view(table, seat), 3, "tuned").run(budget, compare=asked)
    assert told["iterations"] == budget.iterations
    timed = Analysis(game, game.view(table, seat), 3, "tuned").run(Budget(0, 20), compare=asked)
    again = Budget(timed["iterations"])
    assert Analysis(game, game.view(table, seat), 3, "tuned").run(again, compare=asked) == timed


def test_gains_of_barbarossa_are_the_parts_of_the_worth_and_a_wrong_guess_costs_what_it_says() -> None:
    game, gains, guesses = GAMES["barbarossa"], 0, 0
    for seats in (3, 4):
        table = game.new(seats, game.options_type(), FastDice(seats))
        for ply in range(60):
            seat = game.actors(table)[0]
            told = explained(game, table, seat, 10)
            for row in told["moves"][:3]:
                reasons = row["reasons"]
                carried = sum(gain["value"] for gain in reasons["gains"])
                assert not reasons["gains"] or carried / reasons["difference"] >= 0.6 - 1e-6
                gains += len(reasons["gains"])
                for risk in reasons["risks"]:
                    worth = risk["chance"] * risk["value"] + (1 - risk["chance"]) * risk["otherwise"]
                    if risk["value"] > 0 and risk["otherwise"] < 1:
                        assert worth == pytest.approx(row["value"], abs=1e-3)
                    if risk["code"] == "wrong_term":
                        guesses += 1
                        wrong, right = truth.solved(cast("Hall", table), seat, row["code"], risk["params"])
                        assert right - wrong == pytest.approx(risk["otherwise"] - risk["value"], abs=0.02)
            table.apply(seat, told["moves"][0]["code"], FastDice(ply), None)
    assert gains >= 10
    assert guesses >= 3


@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_gain_and_every_fact_has_a_text(slug: str, language: str) -> None:
    game = GAMES[slug]
    nouns = game.texts.sections[language]["gains"]
    assert {group.code for group in game.groups} <= nouns.keys()
    seats = max(game.seat_numbers)
    if game.groups:
        table = game.new(seats, game.options_type(), FastDice(1))
        facts = truth.facts_of(game, table, game.legal(table, game.actors(table)[0])[0])
        assert {code for code, _ in facts} == game.texts.sections[language]["facts"].keys()
    assert set(CONFIDENCES) <= frames(language).keys()
