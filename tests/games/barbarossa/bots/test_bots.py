"""Bots in whole games: their moves are legal, repeatable, and a function of their seat's view alone."""

from collections import Counter
from dataclasses import replace
from hashlib import sha256
from itertools import count, islice, pairwise
from math import exp, sqrt

import msgspec
import pytest

from games.barbarossa.bots.adviser import Adviser, draw_move, hypotheses
from games.barbarossa.bots.mind import HUNCHES, MASKS, Mind, prizes
from games.barbarossa.bots.recall import Recall
from games.barbarossa.bots.skills import EXPERT, SKILLS, Skill, ignorance
from games.barbarossa.clay.features import FEATURES
from games.barbarossa.codec import decode
from games.barbarossa.moves import Kneaded, ModelRiddles
from games.barbarossa.observation import view
from games.barbarossa.options import Presets, WizardOptions
from games.barbarossa.refuse import refuse
from games.barbarossa.table.codes import ATTEMPT, MODEL, kind_of, riddle_of, what_of
from games.barbarossa.table.phases import MODELLING, SECOND_ROUND
from games.barbarossa.terms.catalogue import TERM_NUMBERS
from games.barbarossa.view import WizardView
from games.core.advice import SETTLED
from games.core.dice import FastDice
from tests.games.barbarossa.bots.games import MEDIUM, decisions, play_to_end
from tests.games.barbarossa.positions import modelled, opening, standing

EVERYWHERE = pytest.mark.parametrize(
    ("seats", "options"),
    [
        pytest.param(3, WizardOptions(), id="standard-3"),
        pytest.param(4, WizardOptions(), id="standard-4"),
        pytest.param(4, Presets.named["mayfair-2005"], id="mayfair-4"),
        pytest.param(3, Presets.named["simple"], id="simple-3"),
        pytest.param(4, Presets.named["people"], id="people-4"),
        pytest.param(3, Presets.named["modellers_letter"], id="modellers-letter-3"),
        pytest.param(4, WizardOptions(answers="human", language="en", close_hints=False), id="human-4"),
        pytest.param(
            3,
            WizardOptions(questions="free", answers="human", letter="modeller", language="it", turn_cap=30),
            id="free-3",
        ),
    ],
)


@EVERYWHERE
def test_every_decision_of_a_whole_game_is_legal(seats: int, options: WizardOptions) -> None:
    kinds: Counter[int] = Counter()
    for decision in decisions(seats, options, seed=seats):
        hall, seat, adviser = decision.hall, decision.seat, decision.adviser
        legal = {int(code) for code in hall.legal(seat)}
        modelling = hall.phase == MODELLING
        assert modelling or set(adviser.lines) <= legal
        assert adviser.best() in adviser.lines
        for code in (adviser.best(),) if not modelling else adviser.lines:
            assert refuse(hall, seat, decode(hall, code)) is None
        assert all(0 <= line.mean <= 1 for line in adviser.lines.values())
        steady = Adviser(decision.seen, SKILLS["hard"], decision.seed)
        assert steady.lines[steady.best()].mean == max(line.mean for line in steady.lines.values())
        kinds[int(kind_of(adviser.best()))] += 1
    assert kinds[MODEL] == seats
    assert kinds[ATTEMPT] or options.questions == "free"


@pytest.mark.parametrize("seats", [3, 4])
def test_a_bots_cache_does_not_change_its_beliefs(seats: int) -> None:
    options = WizardOptions(letter="modeller") if seats == 4 else WizardOptions()
    for decision in islice(decisions(seats, options, seed=3), 0, 120, 3):
        known = {code: line.mean for code, line in decision.adviser.lines.items()}
        new = msgspec.json.decode(msgspec.json.encode(decision.seen), type=WizardView)
        met_again = Adviser(decision.seen, MEDIUM, 1)
        HUNCHES.kept.clear()
        MASKS.kept.clear()
        prizes.cache_clear()
        for adviser in (met_again, Adviser(decision.seen, MEDIUM, 1), Adviser(new, MEDIUM, 1)):
            assert {code: line.mean for code, line in adviser.lines.items()} == known or decision.seen.ply < seats


def test_a_recall_forgets_the_oldest_and_keeps_alive_what_its_results_are_known_by() -> None:
    recall, tickets = Recall[int](2), count(1)

    def found(things: tuple[object, ...], number: int = 0) -> int:
        return recall.get(things, number, lambda: next(tickets))

    one, other, third = [1], [2], [3]
    assert [found((one,)), found((other,)), found((one,)), found((one,), 1)] == [1, 2, 1, 3]
    assert [found((other,)), found((one,)), found((third,))] == [2, 4, 5]
    assert len(recall.kept) == 2
    assert recall.kept[(0, id(third))][0] == (third,)


@pytest.mark.rule("BR-14", "BR-36", "BR-50", "BR-D10", "BR-D41")
@pytest.mark.parametrize("level", SKILLS)
def test_bots_choose_alike_in_worlds_that_look_alike(level: str) -> None:
    dice = FastDice(7)
    for decision in islice(decisions(4, WizardOptions(), seed=5), 0, 90, 4):
        other = decision.hall.clone()
        other.redeal(decision.seat, dice)
        seen = view(other, decision.seat, "x")
        assert seen == decision.seen
        one, two = (Adviser(known, SKILLS[level], 3) for known in (decision.seen, seen))
        assert one.best() == two.best()
        assert {code: line.mean for code, line in one.lines.items()} == {
            code: line.mean for code, line in two.lines.items()
        }


def test_either_kernel_gives_the_same_advice() -> None:
    chosen = [decision.adviser.best() for decision in islice(decisions(3, WizardOptions(), 9), 60)]
    assert sha256(repr(chosen).encode()).hexdigest()[:16] == "f594505c1a1111de"


@pytest.mark.parametrize("level", SKILLS)
def test_a_level_is_ignorant_of_the_same_throughout_a_game(level: str) -> None:
    skill = SKILLS[level]
    seen = [decision.seen for decision in islice(decisions(3, WizardOptions(), 4), 3, 60)]
    masks = {ignorance(tuple(riddle.piece for riddle in told.riddles), 1, skill) for told in seen}
    assert len(masks) == 1
    mask = masks.pop()
    assert len(mask.attributes) == 64 * (100 - skill.attributes) // 100
    assert len(mask.features) == len(FEATURES) * (100 - skill.features) // 100
    assert len(mask.terms) == 360 * (100 - skill.terms) // 100


def test_each_seat_level_and_game_has_its_own_ignorance() -> None:
    halls = [
        tuple(riddle.piece for riddle in view(table, 0, "x").riddles) for table in (play_to_end(3, WizardOptions(), 1),)
    ]
    halls.append(tuple(riddle.piece for riddle in view(modelled(3), 0, "x").riddles))
    same_size = (MEDIUM, Skill("twin", MEDIUM.attributes, MEDIUM.features, MEDIUM.terms, 3, (0, 9)))
    masks = {ignorance(pieces, seat, skill) for pieces in halls for seat in range(3) for skill in same_size}
    assert len(masks) == len(halls) * 3 * 2


def test_yardsticks_know_little_and_the_steps_to_hard_know_the_same_and_get_steadier_and_thriftier() -> None:
    easy, medium, hard = (SKILLS[name] for name in ("easy", "medium", "hard"))
    assert replace(medium, name="hard", temperature=0.0, habits=hard.habits) == hard
    assert replace(easy, name="hard", temperature=0.0, plain=hard.plain, habits=hard.habits) == hard
    assert easy.temperature > medium.temperature > hard.temperature == EXPERT.temperature == 0.0
    assert SKILLS["expert"] == EXPERT
    for lower, higher in pairwise([SKILLS["greedy"], SKILLS["tuned"], hard, EXPERT]):
        assert lower.attributes < higher.attributes
        assert lower.features < higher.features
        assert lower.terms < higher.terms
        assert lower.patience <= higher.patience


@pytest.mark.rule("BR-12", "BR-D1", "BR-D43")
def test_bots_model_different_terms_as_plainly_as_their_level_does() -> None:
    hall = opening(3)
    seen = view(hall, 0, "x")
    drawn = set()
    for level in SKILLS.values():
        low, high = level.plain
        for seed in range(20):
            code = Adviser(seen, level, seed).best()
            move = decode(hall, code)
            assert refuse(hall, 0, move) is None
            assert isinstance(move, ModelRiddles)
            pieces = [sketch.piece for sketch in move.riddles]
            plain = [piece.explicitness for piece in pieces if isinstance(piece, Kneaded)]
            assert len(plain) == len(pieces)
            assert all(low - 5 < each < high + 5 for each in plain)
            drawn.add(code)
    assert len(drawn) > 50


def test_a_move_is_drawn_by_how_much_less_than_the_best_it_is_worth() -> None:
    told = {7: 0.1, 3: 0.3, 5: 0.2, 4: 0.3}
    assert {draw_move(told, 0.0, FastDice(seed)) for seed in range(50)} == {3}
    found = Counter(draw_move(told, 0.1, FastDice(seed)) for seed in range(4_000))
    weights = {move: exp((worth - 0.3) / 0.1) for move, worth in told.items()}
    for move, weight in weights.items():
        part = weight / sum(weights.values())
        assert abs(found[move] - 4_000 * part) < 5 * sqrt(4_000 * part * (1 - part))
    assert draw_move(told, 0.1, FastDice(9)) == draw_move(told, 0.1, FastDice(9))


def test_advice_is_settled_at_once_and_iterations_only_count() -> None:
    decision = next(islice(decisions(4, WizardOptions(), 2), 6, None))
    adviser = decision.adviser
    best, means = adviser.best(), [line.mean for line in adviser.lines.values()]
    adviser.run(16)
    adviser.run(4)
    assert (adviser.best(), adviser.lead(), adviser.done) == (best, SETTLED, 20)
    assert [line.mean for line in adviser.lines.values()] == means
    assert {line.visits for line in adviser.lines.values()} == {20}
    assert {line.margin() for line in adviser.lines.values()} == {0}


def test_a_seat_without_a_move_gets_no_advice() -> None:
    hall = standing(SECOND_ROUND)
    with pytest.raises(ValueError, match="may not move"):
        Adviser(view(hall, 1, "x"), MEDIUM, 1)
    with pytest.raises(ValueError, match="may not move"):
        Adviser(view(hall, -1, "x"), MEDIUM, 1)


def test_hunches_are_of_riddles_that_may_be_solved_and_get_better() -> None:
    right: list[tuple[float, bool]] = []
    for decision in islice(decisions(3, WizardOptions(), 8), 3, None):
        told = hypotheses(decision.seen)
        if not right:
            others = {number for number in range(9) if number // 3 != decision.seat}
            assert {hunch.about for hunch in told} == others
        assert [hunch.chance for hunch in told] == sorted((hunch.chance for hunch in told), reverse=True)
        for hunch in told:
            riddle = decision.seen.riddles[hunch.about]
            assert riddle.modeller != decision.seat
            assert decision.seat not in riddle.solvers
            right.append((hunch.chance, decision.hall.riddle(hunch.about).term == TERM_NUMBERS[hunch.guess]))
    sure = [true for chance, true in right if chance > 0.9]
    assert len(sure) > 20
    assert sum(sure) / len(sure) > 0.85
    assert hypotheses(view(play_to_end(3, WizardOptions(), 8), 0, "x")) == []
    assert hypotheses(view(opening(3), 0, "x")) == []
    assert hypotheses(view(modelled(3), -1, "x")) == []


def test_a_bot_attempts_what_it_believes_most() -> None:
    attempts = 0
    for decision in decisions(4, WizardOptions(), 3, SKILLS["hard"]):
        best = decision.adviser.best()
        if kind_of(best) == ATTEMPT:
            mind = Mind(decision.seen, decision.seat, SKILLS["hard"])
            believed = max(mind.guessings, key=lambda guessing: guessing.top * guessing.gain)
            assert (riddle_of(best), what_of(best)) == (believed.number, believed.belief.likeliest())
            attempts += 1
    assert attempts > 3
