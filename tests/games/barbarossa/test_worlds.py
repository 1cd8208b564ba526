"""New deals hold exactly the possible worlds of a viewer with perfect memory, every fit as likely."""

from collections import Counter
from itertools import product
from math import sqrt
from typing import Final

import pytest

from games.barbarossa import GAME
from games.barbarossa.codec import encode
from games.barbarossa.moves import AskLetter, AttemptRiddle, HoldBack
from games.barbarossa.options import WizardOptions
from games.barbarossa.table.deal import DEAL, close_terms, deal_guess, possible
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, TERM_COUNT, answer, is_close, length
from games.barbarossa.table.phases import DWARF_LETTER, FIRST_ROUND, SECOND_ROUND
from games.barbarossa.terms.answers import WIDTH
from games.barbarossa.terms.catalogue import TERMS
from games.barbarossa.terms.words import letters
from games.core.bits import full
from games.core.dice import FastDice, ScriptedDice, UnfitOutcome
from games.core.table import SPECTATOR
from tests.games.barbarossa import oracle
from tests.games.barbarossa.positions import (
    after,
    learn,
    modelled,
    opening,
    riddles,
    standing,
    terms_of,
)
from tests.games.barbarossa.test_oracle import written

VIEWERS: Final = (SPECTATOR, 0, 1, 2)
DEALS: Final = 1_500
SIGMAS: Final = 5


def redealt(hall: Hall, viewer: int, seed: int) -> Hall:
    other = hall.clone()
    other.redeal(viewer, FastDice(seed))
    return other


def answer_some(hall: Hall, number: int, most: int) -> Hall:
    riddle = hall.riddle(number)
    for attribute in range(ATTRIBUTE_COUNT):
        if len(fits(hall, SPECTATOR, number)) <= most:
            break
        riddle.put_answer(answer(riddle.term, attribute), attribute)
    return hall


def fits(hall: Hall, viewer: int, number: int) -> set[int]:
    """Return the terms that a riddle may be for a viewer, by comparing every term with his information."""
    lying = written(hall)
    told = lying["riddles"][number]
    language = lying["options"]["language"]
    others = [kept for kept in told["sheets"] if kept["seat"] != viewer]
    if viewer == oracle.modeller(lying, number) or viewer in told["solvers"]:
        return {oracle.NAMES.index(told["term"])}
    mine = {"places": [], "wrong": [], "close": []} if viewer == SPECTATOR else oracle.sheet(lying, number, viewer)
    found = set()
    for term in range(TERM_COUNT):
        name, word = oracle.NAMES[term], letters(term, language)

        def letter(place: int, word: str = word) -> str | None:
            return word[place - 1 if place > 0 else place] if abs(place) <= len(word) else None

        if (
            all(oracle.true_answer(name, asked) == given for given, many in told["answers"].items() for asked in many)
            and all(letter(place) == oracle.letter_at(lying, number, place) for place in mine["places"])
            and name not in mine["wrong"]
            and not any(oracle.are_close(wrong, name) for wrong in mine["wrong"])
            and all(oracle.are_close(near, name) for near in mine["close"])
            and all(len(oracle.close_to(name)) >= len(kept["close"]) for kept in others)
        ):
            found.add(term)
    return found


def rich_table() -> Hall:
    """Return a table of three at which much was asked, seen and tried, mostly by seat 0."""
    hall = standing(SECOND_ROUND)
    for number, most in ((3, 30), (4, 12), (5, 6), (6, 40), (7, 3)):
        answer_some(hall, number, most)
    hall = after(hall, (0, AttemptRiddle(riddle=3, guess="a7")))
    hall.turn, hall.phase, hall.turns = 0, DWARF_LETTER, 3
    hall.player(0).cave = 6
    return after(hall, (0, AskLetter(riddle=6, place=-1)))


@pytest.mark.rule("BR-14", "BR-36", "BR-50")
@pytest.mark.parametrize("viewer", VIEWERS)
def test_every_term_that_fits_is_dealt_and_no_other(viewer: int) -> None:
    hall = rich_table()
    seen: list[set[int]] = [set() for _ in range(hall.total())]
    for seed in range(400):
        other = redealt(hall, viewer, seed)
        for number in range(hall.total()):
            seen[number].add(int(other.riddle(number).term))
    for number in range(hall.total()):
        possible = fits(hall, viewer, number)
        assert seen[number] <= possible
        assert len(possible) > 40 or seen[number] == possible, number


@pytest.mark.rule("BR-D1", "BR-D10")
def test_all_choices_of_different_terms_are_as_likely() -> None:
    hall = modelled(4)
    for number in (2, 3):
        hall.riddle(number).term, kept = hall.riddle(2).term, hall.riddle(number).term
        answer_some(hall, number, 4)
        if number == 3:
            hall.riddle(3).term = kept if kept in fits(hall, 0, 3) else min(fits(hall, 0, 3) - {hall.riddle(2).term})
    one, two = fits(hall, 0, 2), fits(hall, 0, 3)
    pairs = {(first, second) for first, second in product(one, two) if first != second}
    assert len(pairs) < len(one) * len(two), "both may be the same term, but not together"
    dealt: Counter[tuple[int, int]] = Counter()
    for seed in range(DEALS):
        other = redealt(hall, 0, seed)
        dealt[int(other.riddle(2).term), int(other.riddle(3).term)] += 1
    assert set(dealt) == pairs
    usual = DEALS / len(pairs)
    assert all(abs(many - usual) < SIGMAS * sqrt(usual) for many in dealt.values()), dealt


@pytest.mark.rule("BR-14", "BR-D41")
@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("done", [(), (0,), (1,), (0, 2), (2, 1)], ids=str)
def test_nobody_knows_who_has_modelled_before_all_have(viewer: int, done: tuple[int, ...]) -> None:
    before = opening()
    hall = after(before, *((seat, riddles(*terms_of(seat, 3))) for seat in done))
    own = after(before, *((seat, riddles(*terms_of(seat, 3))) for seat in done if seat == viewer))
    assert GAME.view(hall, viewer) == GAME.view(own, viewer)
    assert GAME.write(redealt(hall, viewer, 1)) == GAME.write(own)
    assert GAME.view(hall, viewer).actors == [0, 1, 2]


@pytest.mark.rule("BR-D17")
@pytest.mark.parametrize("viewer", VIEWERS)
@pytest.mark.parametrize("holding", [(), (1,), (2,), (1, 2)], ids=str)
def test_nobody_knows_who_holds_back(viewer: int, holding: tuple[int, ...]) -> None:
    before = standing(FIRST_ROUND)
    hall = after(before, *((seat, HoldBack()) for seat in holding))
    own = after(before, *((seat, HoldBack()) for seat in holding if seat == viewer))
    assert GAME.view(hall, viewer) == GAME.view(own, viewer)
    assert GAME.write(redealt(hall, viewer, 1)).silent == GAME.write(own).silent


@pytest.mark.rule("BR-36", "BR-D10", "BR-D40")
def test_words_and_letters_of_others_are_dealt_to_suit_the_term() -> None:
    hall = standing(DWARF_LETTER, options=WizardOptions(letter="modeller"))
    hall = after(hall, (0, AskLetter(riddle=3)))
    hall = after(hall, (1, GAME.decode(hall, GAME.legal(hall, 1)[0])))
    hall.phase, hall.turn, hall.turns = SECOND_ROUND, 0, 3
    hall.player(0).cave = 3
    for guess in ("a4", "l9", "b7"):
        hall.phase, hall.turn, hall.turns = SECOND_ROUND, 0, 3
        hall = after(hall, (0, AttemptRiddle(riddle=3, guess=guess)))
    words = set()
    for seed in range(60):
        other = redealt(hall, 2, seed)
        assert GAME.view(other, 2) == GAME.view(hall, 2)
        lying = written(other)
        mine, term = oracle.sheet(lying, 3, 0), lying["riddles"][3]["term"]
        assert all(not oracle.are_close(term, word) and word != term for word in mine["wrong"])
        assert all(oracle.are_close(term, word) for word in mine["close"])
        assert len(mine["wrong"]) + len(mine["close"]) == 3
        assert all(oracle.letter_at(lying, 3, place) for place in mine["places"])
        words |= {*mine["wrong"], *mine["close"]}
    assert len(words) > 50
    assert {TERMS[int(hall.riddle(3).term)].id} == {terms_of(1, 3)[0]}


def test_a_clone_shares_its_riddles_until_one_changes() -> None:
    hall = standing(SECOND_ROUND)
    other = hall.clone()
    assert all(other.riddle(number) is hall.riddle(number) for number in range(9))
    other.apply(0, encode(hall, AttemptRiddle(riddle=3, guess="a1")), FastDice(1), None)
    assert [number for number in range(9) if other.riddle(number) is not hall.riddle(number)] == [3]


def test_a_seat_may_have_tried_all_close_terms_or_some() -> None:
    sizes = [close_terms(term).size() for term in range(TERM_COUNT)]
    hall = modelled()
    near = [term for term in range(TERM_COUNT) if is_close(hall.riddle(0).term, term)]
    assert len(near) == sizes[hall.riddle(0).term] > 1
    for number in range(len(near) + 1):
        hall = modelled()
        learn(hall, 0, 1, close=near[:number])
        found = possible(hall, 2, 0)
        assert [found.has(term) for term in range(TERM_COUNT)] == [size >= number for size in sizes]


def test_a_seat_may_have_been_given_all_letters_or_some() -> None:
    hall = modelled(3, WizardOptions(letter="modeller"))
    language = hall.options.language
    lengths = [length(language, term) for term in range(TERM_COUNT)]
    for number in range(lengths[hall.riddle(0).term] + 1):
        hall = modelled(3, WizardOptions(letter="modeller"))
        learn(hall, 0, 1, places=full(number))
        found = possible(hall, 2, 0)
        assert [found.has(term) for term in range(TERM_COUNT)] == [each >= number for each in lengths]


@pytest.mark.rule("BR-37", "BR-38", "BR-D39")
@pytest.mark.parametrize("tried", range(WIDTH // 2, TERM_COUNT, WIDTH), ids=lambda term: str(TERMS[term].id))
@pytest.mark.parametrize("near", [True, False], ids=["close", "wrong"])
def test_an_attempt_leaves_just_the_terms_that_deserve_its_verdict(tried: int, *, near: bool) -> None:
    hall, name = modelled(), oracle.NAMES[tried]
    learn(hall, 3, 0, close=[tried] if near else (), wrong=() if near else [tried])
    found = possible(hall, 0, 3)
    assert {term for term in range(TERM_COUNT) if found.has(term)} == {
        term for term in range(TERM_COUNT) if term != tried and oracle.are_close(oracle.NAMES[term], name) is near
    }


@pytest.mark.rule("BR-36", "BR-D46")
def test_a_guess_that_is_judged_may_be_any_term_but_the_right_one_and_those_known_to_be_wrong() -> None:
    hall = standing(SECOND_ROUND, options=WizardOptions(judging="modeller"))
    wrong, close = [0, 61, 359], [121, 300]
    learn(hall, 3, 0, wrong=wrong, close=close)
    hall = after(hall, (0, AttemptRiddle(riddle=3, guess="x7")))
    fits = {*range(TERM_COUNT)} - {int(hall.riddle(3).term), *wrong, *close}
    dealt = []
    for lot in range(len(fits)):
        other = hall.clone()
        deal_guess(other, ScriptedDice([(DEAL, lot)], None))
        dealt.append(int(other.open_guess))
    assert dealt == sorted(fits)
    with pytest.raises(UnfitOutcome):
        deal_guess(hall, ScriptedDice([(DEAL, len(fits))], None))


@pytest.mark.rule("BR-D40")
@pytest.mark.parametrize("viewer", [SPECTATOR, 2])
def test_a_letter_that_is_waited_for_tells_nothing_of_other_riddles(viewer: int) -> None:
    hall = standing(DWARF_LETTER, options=WizardOptions(letter="modeller"))
    for number in (3, 5):
        learn(hall, number, 0, places=full(length(hall.options.language, hall.riddle(number).term)))
    asked = after(hall, (0, AskLetter(riddle=4)))
    assert [possible(asked, viewer, number).size() for number in (3, 5)] == [
        possible(hall, viewer, number).size() for number in (3, 5)
    ]


@pytest.mark.rule("BR-D40")
@pytest.mark.parametrize("viewer", VIEWERS)
def test_a_requested_letter_exists(viewer: int) -> None:
    hall = standing(DWARF_LETTER, options=WizardOptions(letter="modeller"))
    learn(hall, 3, 0, places=0b111)
    hall = after(hall, (0, AskLetter(riddle=3)))
    seen = GAME.view(hall, viewer)
    for seed in range(40):
        assert GAME.view(GAME.from_view(seen, FastDice(seed)), viewer) == seen
    found = possible(hall, viewer, 3)
    assert all(length(hall.options.language, term) > 3 for term in range(TERM_COUNT) if found.has(term))
