"""The examples of the rulebook."""

from statistics import fmean

import pytest

from games.barbarossa.clay.check import share
from games.barbarossa.clay.guess import likelihoods
from games.barbarossa.clay.modeller import modelled as kneaded
from games.barbarossa.clay.recipes.book import recipes
from games.barbarossa.moves import AskAbout, AskFreely, RejectQuestion, SpendStones
from games.barbarossa.options import WizardOptions
from games.barbarossa.table.deal import close_terms
from games.barbarossa.table.phases import ANSWERING, FIRST_ROUND
from games.barbarossa.table.stairs import modellers_step
from games.barbarossa.terms.catalogue import ATTRIBUTES, TERM_NUMBERS, TERMS
from games.barbarossa.terms.questions import attribute_of
from games.core.dice import CHOICE, FastDice
from games.core.rules import read_rules
from tests.games.barbarossa.positions import after, modelled, play, refusal, standing

HANDS = 12


@pytest.mark.rule("BR-66")
def test_the_coordinate_a1_names_the_excavator() -> None:
    assert TERMS[TERM_NUMBERS["a1"]].name("de") == "Bagger"


@pytest.mark.rule("BR-67")
@pytest.mark.parametrize("german", ["Schlüssel", "Arm"])
def test_the_plainer_a_key_or_an_arm_is_the_surer_it_is_told(german: str) -> None:
    assert {"Schlüssel", "Arm", "Aal", "Sichel"} <= {term.name("de") for term in TERMS}
    term = next(term.id for term in TERMS if term.name("de") == german)

    def betters(explicitness: float) -> float:
        found = []
        for hand in range(HANDS):
            fits = likelihoods(kneaded(recipes()[term], explicitness, share(3), FastDice(hand), CHOICE))
            found.append(sum(fit > fits[term] for fit in fits.values()))
        return fmean(found)

    exact, hinted, vague = (betters(explicitness) for explicitness in (1.0, 0.5, 0.0))
    assert exact <= 1 < vague
    assert exact <= hinted < vague


@pytest.mark.rule("BR-68")
def test_three_fields_leave_eight_of_eleven_stones() -> None:
    hall = modelled()
    hall.player(0).stones = 11
    moved = after(hall, (0, SpendStones(stones=3)))
    assert (moved.player(0).cave, moved.player(0).stones) == (3, 8)


@pytest.mark.rule("BR-69")
@pytest.mark.parametrize("attribute", ["living", "food", "body_part", "metal"])
def test_the_rulebooks_questions_are_in_the_list_and_may_be_asked(attribute: str) -> None:
    question = next(each.question["de"] for each in ATTRIBUTES if each.id == attribute)
    assert ATTRIBUTES[attribute_of(question, "de") or 0].id == attribute
    assert refusal(standing(FIRST_ROUND), 0, AskAbout(riddle=3, question=attribute)) is None


@pytest.mark.rule("BR-70")
@pytest.mark.parametrize(
    "text",
    [
        "Ist der erste Buchstabe ein A?",
        "Besteht der Begriff aus 5 Buchstaben?",
        "Wurde hier ein Schlüssel dargestellt?",
    ],
)
def test_the_rulebooks_forbidden_questions_mean_nothing_of_the_list_and_may_be_rejected(text: str) -> None:
    assert attribute_of(text, "de") is None
    hall, _ = play(standing(FIRST_ROUND, options=WizardOptions(questions="mixed")), 0, AskFreely(riddle=3, text=text))
    assert hall.phase == ANSWERING
    assert refusal(hall, 1, RejectQuestion()) is None


@pytest.mark.rule("BR-71")
def test_after_four_spears_the_next_solution_moves_its_modeller_one_step_on() -> None:
    assert modellers_step(5) == 1


@pytest.mark.rule("BR-D39")
def test_the_rules_say_how_many_terms_are_close_to_one_and_how_many_to_none() -> None:
    sizes = [int(close_terms(number).size()) for number in range(len(TERMS))]
    rule = next(rule for rule in read_rules("games.barbarossa") if rule.id == "BR-D39")
    assert f"{fmean(sizes):.1f} terms are close to one on average, {sizes.count(0)} have none" in rule.source
