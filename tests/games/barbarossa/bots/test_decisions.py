"""Single decisions: questions, attempts, curses, letters, walks, and a modeller's duties."""

from collections.abc import Iterable
from statistics import fmean

import pytest

from games.barbarossa.bots.adviser import Adviser
from games.barbarossa.bots.asking import prospects, rate
from games.barbarossa.bots.cursing import price
from games.barbarossa.bots.habits import HABITS
from games.barbarossa.bots.mind import Mind
from games.barbarossa.bots.modelling import TYPICAL_BITS, typical_bits
from games.barbarossa.bots.skills import EXPERT, SKILLS
from games.barbarossa.moves import AskAbout, AskFreely, AskLetter
from games.barbarossa.observation import view
from games.barbarossa.options import WizardOptions
from games.barbarossa.table.codes import (
    ANSWER,
    ASK,
    ATTEMPT,
    CURSE_ATTEMPT,
    END_ROUND,
    FORGO,
    GIVE,
    HOLD,
    ROLL,
    SPEND,
    code,
    kind_of,
    riddle_of,
    term_of,
    what_of,
)
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, PLACES, TERM_COUNT, answer, spelled
from games.barbarossa.table.phases import DWARF_LETTER, FIRST_ROUND, MOVING, SECOND_ROUND
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, UNCLEAR
from games.core.dice import FastDice
from tests.games.barbarossa.positions import (
    after,
    learn,
    modelled,
    opening,
    solve_all,
    standing,
)


def advised(hall: Hall, seat: int = 0) -> Adviser:
    return Adviser(view(hall, seat, "x"), EXPERT, 1)


def mind(hall: Hall, seat: int = 0) -> Mind:
    return Mind(view(hall, seat, "x"), seat, EXPERT)


def answer_all(hall: Hall, number: int, most: int = ATTRIBUTE_COUNT) -> Hall:
    riddle = hall.riddle(number)
    for attribute in range(most):
        riddle.put_answer(answer(riddle.term, attribute), attribute)
    return hall


@pytest.mark.rule("BR-27", "BR-32")
def test_a_first_round_asks_for_most_bits_per_risk_of_a_no() -> None:
    for told in (0, 2, 5):
        hall = answer_all(standing(FIRST_ROUND, 4), 3, told)
        own = mind(hall)
        best = max(prospects(own, HABITS), key=lambda each: each.credit / (each.no + HABITS.risk))
        chosen = advised(hall).best()
        assert kind_of(chosen) == ASK
        found = next(each for each in prospects(own, HABITS) if each.code == chosen)
        assert found.credit / (found.no + HABITS.risk) == pytest.approx(best.credit / (best.no + HABITS.risk), rel=0.2)


def test_the_worth_of_a_question_grows_with_its_bits() -> None:
    own = mind(standing(FIRST_ROUND, 4))
    for guessing in own.guessings:
        worth = rate(guessing, HABITS)
        mine = [each for each in prospects(own, HABITS) if riddle_of(each.code) == guessing.number]
        assert len(mine) == ATTRIBUTE_COUNT
        assert all(0 <= each.credit <= worth * 2 + 1e-9 for each in mine)
        assert all(each.after + each.after_no >= guessing.top * guessing.gain - 1e-9 for each in mine)


@pytest.mark.rule("BR-D5")
@pytest.mark.parametrize("level", SKILLS)
def test_patience_ends_a_round(level: str) -> None:
    hall = standing(FIRST_ROUND, 4)
    hall.questions = SKILLS[level].patience
    assert Adviser(view(hall, 0, "x"), SKILLS[level], 1).best() == code(END_ROUND, 0, 0)


@pytest.mark.rule("BR-33", "BR-35")
def test_a_bot_attempts_a_known_term() -> None:
    hall = answer_all(standing(SECOND_ROUND, 4), 5)
    assert advised(hall).best() == code(ATTEMPT, 5, hall.riddle(5).term)


@pytest.mark.rule("BR-63")
def test_nobody_solves_what_makes_another_win() -> None:
    hall = answer_all(standing(SECOND_ROUND, 4), 5)
    solve_all(hall, [(2, 0), (3, 0), (2, 1), (1, 7), (3, 2), (2, 3)])
    hall.player(2).hat = 29
    known = [guessing for guessing in mind(hall).guessings if guessing.number == 5]
    assert known[0].gain < 0
    assert what_of(advised(hall).best()) != hall.riddle(5).term


@pytest.mark.rule("BR-54", "BR-58", "BR-D17")
def test_a_curse_is_worth_it_late_and_a_waste_early() -> None:
    hall = answer_all(standing(MOVING, 4), 5)
    solve_all(hall, [(2, 0), (3, 0), (2, 1), (3, 1), (0, 2), (0, 3), (3, 3), (0, 4), (1, 4), (0, 6), (1, 6)])
    assert advised(hall, 1).best() == code(CURSE_ATTEMPT, 5, hall.riddle(5).term)
    hall.player(1).curses = 0
    hall.silent = 0
    with pytest.raises(ValueError, match="may not move"):
        advised(hall, 1)
    early = modelled(4)
    assert advised(early, 1).best() == code(HOLD, 0, 0)


def test_a_curse_stone_gets_cheaper_towards_the_end_and_is_dearer_to_those_who_play_better() -> None:
    calm = price(mind(standing(MOVING, 4), 1), HABITS)
    hall = standing(MOVING, 4)
    solve_all(hall, [(2, 0), (3, 0), (2, 1), (3, 1), (0, 2), (0, 3), (3, 3), (0, 4), (1, 4), (0, 6), (1, 6)])
    assert price(mind(hall, 1), HABITS) < calm / 2
    assert EXPERT.habits.curse > SKILLS["hard"].habits.curse > SKILLS["medium"].habits.curse


@pytest.mark.rule("BR-49", "BR-D13", "BR-D21")
def test_the_dwarf_is_asked_for_a_letter_that_is_not_known_and_told_well() -> None:
    hall = standing(DWARF_LETTER, 4)
    hall.player(0).curses = 0
    chosen = advised(hall).best()
    learn(hall, riddle_of(chosen), 0, places=hall.riddle(riddle_of(chosen)).sheet(0).places | 1 << what_of(chosen))
    other = advised(hall).best()
    assert kind_of(other) != FORGO
    assert (riddle_of(other), what_of(other)) != (riddle_of(chosen), what_of(chosen))
    for number in range(2, 8):
        learn(hall, number, 0, places=(1 << PLACES) - 1)
    assert advised(hall).best() == code(FORGO, 0, 0)


@pytest.mark.rule("BR-23", "BR-D3")
def test_stones_are_paid_for_a_riddle_field_when_a_term_is_known() -> None:
    hall = answer_all(standing(MOVING, 4), 5)
    hall.player(0).curses = 0
    assert advised(hall).best() == code(SPEND, 0, 3)
    hall.player(0).stones = 0
    assert advised(hall).best() == code(ROLL, 0, 0)


@pytest.mark.rule("BR-29", "BR-30", "BR-D33", "BR-D34")
@pytest.mark.parametrize("answers", ["human", "human_checked"])
def test_a_modeller_answers_what_is_true_and_nothing_to_free_words(answers: str) -> None:
    options = WizardOptions(questions="mixed", answers=answers)  # type: ignore[arg-type]  # one of the three
    hall = standing(FIRST_ROUND, 3, options)
    for attribute in ("living", "old", "curved"):
        pending = after(hall, (0, AskAbout(riddle=4, question=attribute)))
        given = answer(pending.riddle(4).term, pending.open_question)
        assert advised(pending, 1).best() == code(ANSWER, 0, given)
    free = after(hall, (0, AskFreely(riddle=4, text="Did Barbarossa know it?")))
    assert advised(free, 1).best() == code(ANSWER, 0, UNCLEAR)


@pytest.mark.rule("BR-29", "BR-D36")
def test_free_words_that_mean_an_attribute_are_answered_and_heard_by_bots() -> None:
    options = WizardOptions(questions="free", answers="human", language="en")
    number = ATTRIBUTE_NUMBERS["living"]
    pending = after(standing(FIRST_ROUND, 3, options), (0, AskFreely(riddle=4, text="Is it a living thing?")))
    said = advised(pending, 1).best()
    assert said == code(ANSWER, 0, answer(pending.riddle(4).term, number))
    before = chances(mind(pending, 2), 4)
    heard = pending.clone()
    heard.apply(1, said, FastDice(1), None)
    for term, chance in enumerate(chances(mind(heard, 2), 4)):
        fits = answer(term, number) == answer(pending.riddle(4).term, number)
        assert (chance > before[term]) == fits


def chances(of: Mind, number: int) -> list[float]:
    return [
        float(chance) for guessing in of.guessings if guessing.number == number for chance in guessing.belief.chances
    ]


@pytest.mark.rule("BR-D40")
def test_a_modeller_gives_the_letter_that_tells_least() -> None:
    hall = standing(DWARF_LETTER, 3, WizardOptions(letter="modeller"))
    pending = after(hall, (0, AskLetter(riddle=4)))
    chosen = advised(pending, 1).best()
    assert kind_of(chosen) == GIVE
    term, language = pending.riddle(4).term, pending.options.language

    def holders(place: int) -> int:
        mark = spelled(language, term, place)
        return sum(spelled(language, other, place) == mark for other in range(TERM_COUNT))

    places = [place for place in range(PLACES // 2) if spelled(language, term, place)]
    assert holders(what_of(chosen)) == max(map(holders, places))


def test_modellers_prefer_terms_with_look_alikes() -> None:
    low, high = TYPICAL_BITS
    seen = view(opening(4), 0, "x")
    chosen = [term_of(Adviser(seen, EXPERT, seed).best(), index) for seed in range(40) for index in range(2)]

    def fitting(terms: Iterable[int]) -> float:
        return fmean(low <= typical_bits(term) <= high for term in terms)

    assert fitting(chosen) > fitting(range(TERM_COUNT)) + 0.1
    assert fitting(chosen) > 0.9
