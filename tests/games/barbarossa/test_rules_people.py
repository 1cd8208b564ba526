"""Barbarossa among people: modellers who judge and insist, words of one's own, and close terms of the list."""

from statistics import fmean
from typing import Final

import pytest

from games.barbarossa import GAME
from games.barbarossa.bots.adviser import Adviser
from games.barbarossa.bots.skills import EXPERT
from games.barbarossa.clay.form import Strokes
from games.barbarossa.codec import decode
from games.barbarossa.events import AnswerInsisted, AttemptWritten, QuestionAnswered, RiddleAttempted
from games.barbarossa.moves import (
    AnswerQuestion,
    AskAbout,
    AskFreely,
    AskLetter,
    AttemptRiddle,
    CurseToAttempt,
    JudgeAttempt,
    Kneaded,
    ModelRiddles,
    Sketch,
)
from games.barbarossa.observation import from_view, view
from games.barbarossa.options import WizardOptions
from games.barbarossa.standing import timeout_move
from games.barbarossa.table.deal import close_terms
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import TERM_COUNT, answer, is_close
from games.barbarossa.table.phases import DWARF_LETTER, FIRST_ROUND, JUDGING, MOVING, SECOND_ROUND
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, PERHAPS, TERM_NUMBERS, TERMS
from games.core.dice import FastDice
from games.core.table import SPECTATOR
from tests.games.barbarossa.positions import (
    after,
    events_for,
    learn,
    modelled,
    opening,
    play,
    refusal,
    riddles,
    sound,
    standing,
)

INK: Final = Strokes(strokes=(((1, 2), (3, 4)),))
JUDGED: Final = WizardOptions(judging="modeller", language="de")
CHECKED: Final = WizardOptions(answers="human_checked", judging="modeller")
FREE: Final = WizardOptions(questions="free", answers="human", judging="modeller", terms="free", language="de")
NAMES: Final = {term.name("de"): TERM_NUMBERS[term.id] for term in TERMS}


# Close terms.


@pytest.mark.rule("BR-38", "BR-D39")
@pytest.mark.parametrize(
    ("one", "other", "close"),
    [
        ("Krone", "Totenkopf", False),
        ("Schlüssel", "Badewanne", False),
        ("Schlüssel", "Toilettenpapier", False),
        ("Ameise", "Schlange", False),
        ("Tisch", "Schreibtisch", True),
        ("Hammer", "Axt", True),
    ],
)
def test_close_means_close_whatever_the_column(one: str, other: str, *, close: bool) -> None:
    assert is_close(NAMES[one], NAMES[other]) is close
    assert is_close(NAMES[other], NAMES[one]) is close


@pytest.mark.rule("BR-D39")
def test_few_terms_are_close_to_one() -> None:
    assert 3 < fmean(int(close_terms(term).size()) for term in range(TERM_COUNT)) < 6


@pytest.mark.rule("BR-29")
@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("Flamingo", "noise"),
        ("Pinguin", "noise"),
        ("Fuchs", "noise"),
        ("Kamel", "noise"),
        ("Spielkarte", "head"),
        ("Löwe", "over_human"),
        ("Robbe", "over_human"),
        ("Geldschein", "head"),
    ],
)
def test_the_list_says_perhaps_where_people_disagree(name: str, question: str) -> None:
    assert answer(NAMES[name], ATTRIBUTE_NUMBERS[question]) == PERHAPS


# Verdicts.


@pytest.mark.rule("BR-36", "BR-37", "BR-38", "BR-D10", "BR-D46")
def test_a_modeller_says_himself_that_an_attempt_is_wrong_or_close_and_his_word_is_for_two() -> None:
    hall, heard = play(standing(SECOND_ROUND, options=JUDGED), 0, AttemptRiddle(riddle=3, guess="Ameise"))
    assert (hall.phase, hall.turn) == (JUDGING, 0)
    for viewer, knows in ((0, True), (1, True), (2, False), (SPECTATOR, False)):
        (said,) = (item for item in events_for(heard, viewer) if isinstance(item, AttemptWritten))
        assert (said.term is not None, said.words) == (knows, None)
        pending = view(hall, viewer, "x").pending
        assert pending is not None
        assert (pending.guess is not None) == knows
        assert from_view(view(hall, viewer, "x"), "x", FastDice(4)).phase == JUDGING
    assert refusal(hall, 1, JudgeAttempt(verdict="right")) == ("BR-D38", "verdict_untrue")
    assert refusal(hall, 0, JudgeAttempt(verdict="close")) == ("BR-D15", "verdict_first")
    assert refusal(hall, 2, CurseToAttempt(riddle=3, guess="a2")) == ("BR-56", "second_round")
    hall, heard = play(sound(hall), 1, JudgeAttempt(verdict="close"))
    verdicts = [
        (item.verdict, item.term is not None) for item in events_for(heard, 2) if isinstance(item, RiddleAttempted)
    ]
    assert verdicts == [("close", False)]
    assert (hall.phase, hall.turn, hall.riddle(3).sheet(0).close.size()) == (MOVING, 1, 1)
    sound(hall)


@pytest.mark.rule("BR-55", "BR-D15", "BR-D46")
def test_a_curse_that_is_judged_goes_back_to_where_it_interrupted() -> None:
    hall = standing(FIRST_ROUND, options=JUDGED)
    hall, _ = play(hall, 2, CurseToAttempt(riddle=3, guess="m1"))
    assert refusal(hall, 0, CurseToAttempt(riddle=3, guess="a2")) == ("BR-D15", "curse_later")
    hall = after(sound(hall), (1, JudgeAttempt(verdict="wrong")))
    assert (hall.phase, hall.turn, hall.player(2).curses) == (FIRST_ROUND, 0, 2)


@pytest.mark.rule("BR-37", "BR-D46")
def test_a_right_attempt_needs_no_verdict() -> None:
    hall, _ = play(standing(SECOND_ROUND, options=JUDGED), 0, AttemptRiddle(riddle=3, guess="Trecker"))
    assert (hall.phase, hall.spears) == (MOVING, 1)


@pytest.mark.rule("BR-D13", "BR-D37", "BR-D46")
def test_words_that_are_no_term_are_judged_and_may_be_right() -> None:
    move = AttemptRiddle(riddle=3, guess="so ein Ackerschlepper")
    assert refusal(standing(SECOND_ROUND), 0, move) == ("BR-D37", "no_such_term")
    hall, heard = play(standing(SECOND_ROUND, options=JUDGED), 0, move)
    assert [item.words for item in events_for(heard, 1) if isinstance(item, AttemptWritten)] == [move.guess]
    assert [item.words for item in events_for(heard, 2) if isinstance(item, AttemptWritten)] == [None]
    assert [one.words for one in view(hall, 2, "x").worded_attempts] == [None]
    hall = sound(hall)
    right = after(hall, (1, JudgeAttempt(verdict="right")))
    assert (right.spears, right.player(0).hat, right.turn) == (1, 5, 1)
    wrong = after(hall, (1, JudgeAttempt(verdict="wrong")))
    assert [one.verdict for one in view(wrong, 0, "x").worded_attempts] == ["wrong"]
    wrong.turn, wrong.phase, wrong.turns = 0, SECOND_ROUND, 3
    assert refusal(wrong, 0, AttemptRiddle(riddle=3, guess="So ein ACKERSCHLEPPER!")) == ("BR-D13", "guess_known")


@pytest.mark.rule("BR-D46")
@pytest.mark.parametrize(("guess", "verdict"), [("a1", "close"), ("m1", "wrong"), ("Dings", "wrong")])
def test_the_list_judges_for_a_modeller_who_does_not(guess: str, verdict: str) -> None:
    hall, _ = play(standing(SECOND_ROUND, options=JUDGED), 0, AttemptRiddle(riddle=3, guess=guess))
    made = timeout_move(hall, 1)
    assert made is not None
    assert decode(hall, made) == JudgeAttempt(verdict=verdict)  # type: ignore[arg-type]


@pytest.mark.rule("BR-D46")
@pytest.mark.parametrize(("words", "verdict"), [("ein Tractor da", "right"), ("ein Elephant", "wrong")])
def test_a_bot_judges_words_by_what_they_sound_like(words: str, verdict: str) -> None:
    hall, _ = play(standing(SECOND_ROUND, options=JUDGED), 0, AttemptRiddle(riddle=3, guess=words))
    advice = Adviser(view(hall, 1, "x"), EXPERT, 1).best()
    assert decode(hall, advice) == JudgeAttempt(verdict=verdict)  # type: ignore[arg-type]


# Insisting.


def questioned(term: str) -> Hall:
    """Return a table at which seat 0 has asked whether the first riddle of seat 1, of this term, lives."""
    hall = after(opening(options=CHECKED), (0, riddles("a1", "b1", "c1")), (2, riddles("a3", "b3", "c3")))
    move = ModelRiddles(riddles=[Sketch(term=name, piece=INK) for name in (term, "b2", "c2")])
    hall, _ = play(hall, 1, move)
    hall.player(0).cave, hall.phase = 3, FIRST_ROUND
    hall, _ = play(sound(hall), 0, AskAbout(riddle=3, question="living"))
    return hall


@pytest.mark.rule("BR-D33")
def test_a_modeller_may_insist_where_the_list_errs() -> None:
    hall = questioned("a2")
    assert refusal(hall, 1, AnswerQuestion(answer="yes")) == ("BR-D33", "answer_untrue")
    assert refusal(hall, 1, AnswerQuestion(answer="no", insist=True)) == ("BR-D33", "nothing_to_insist_on")
    hall, heard = play(hall, 1, AnswerQuestion(answer="yes", insist=True))
    doubts = [[item for item in events_for(heard, seat) if isinstance(item, AnswerInsisted)] for seat in (0, 1, 2)]
    assert [len(found) for found in doubts] == [0, 1, 0]
    assert (doubts[1][0].question, doubts[1][0].answer) == ("living", "yes")
    assert view(sound(hall), 2, "x").riddles[3].answers.yes == ["living"]


@pytest.mark.rule("BR-14", "BR-D33")
def test_nobody_else_can_tell_an_answer_that_was_insisted_on_from_one_that_was_not() -> None:
    machine, lion = questioned("a2"), questioned("l1")
    insisted = play(machine, 1, AnswerQuestion(answer="yes", insist=True))
    plain = play(lion, 1, AnswerQuestion(answer="yes"))
    for viewer in (0, 2, SPECTATOR):
        assert view(insisted[0], viewer, "x") == view(plain[0], viewer, "x")
        assert events_for(insisted[1], viewer) == events_for(plain[1], viewer)
        assert [type(item) for item in events_for(insisted[1], viewer)] == [QuestionAnswered]
        codes = [
            hall.observed_move(viewer, 1, GAME.encode(hall, 1, move))
            for hall, move in (
                (machine, AnswerQuestion(answer="yes", insist=True)),
                (lion, AnswerQuestion(answer="yes")),
            )
        ]
        assert codes[0] == codes[1] == GAME.encode(lion, 1, AnswerQuestion(answer="yes"))


# Words of one's own.


def sketched(*terms: str) -> ModelRiddles:
    return ModelRiddles(riddles=[Sketch(term=term, piece=INK) for term in terms])


def with_own_words() -> Hall:
    """Return a table at which seat 1 has modelled two words of its own."""
    hall = after(opening(options=FREE), (0, sketched("a1", "b1", "c1")))
    hall = after(hall, (1, sketched("Vogelscheuche", "Qualle am Strand", "c2")), (2, sketched("a3", "b3", "c3")))
    hall.player(0).cave, hall.phase = 3, SECOND_ROUND
    return sound(hall)


HIDDEN = {
    "a zero-width space": "Is it\u200b big?",
    "a mark that turns text around": "Is it \u202ebig?",
    "a line separator": "Is it\u2028 big?",
    "a control character": "Is it \u0085 big?",
}


@pytest.mark.rule("BR-D54")
@pytest.mark.parametrize("words", HIDDEN.values(), ids=HIDDEN)
def test_a_player_s_own_words_hide_nothing(words: str) -> None:
    hall = with_own_words()
    riddle = 3
    plain = "".join(sign for sign in words if sign.isprintable())
    asked = [AskFreely(riddle=riddle, text=text) for text in (plain, words)]
    tried = [AttemptRiddle(riddle=riddle, guess=text) for text in (plain, words)]
    assert [refusal(hall, 0, move) for move in asked] == [None, ("BR-D54", "words_hidden")]
    assert [refusal(hall, 0, move) for move in tried] == [None, ("BR-D54", "words_hidden")]
    assert refusal(opening(options=FREE), 0, sketched(words, "b1", "c1")) == ("BR-D54", "words_hidden")


@pytest.mark.rule("BR-13", "BR-D47")
def test_words_of_one_s_own_are_an_option() -> None:
    assert refusal(opening(), 0, sketched("Vogelscheuche", "b1", "c1")) == ("BR-13", "term_unknown")
    hall = opening(options=FREE)
    assert refusal(hall, 0, sketched("Vogelscheuche", "Mondrakete 2", "c1")) is None
    assert refusal(hall, 0, sketched("Vogelscheuche", "die vogelscheuche", "c1")) == ("BR-D1", "term_twice")
    assert refusal(hall, 0, sketched("Я", "b1", "c1")) == ("BR-D47", "word_unfit")
    kneaded = ModelRiddles(riddles=[Sketch(term=term, piece=Kneaded(explicitness=50)) for term in ("Yeti", "b1", "c1")])
    assert refusal(hall, 0, kneaded) == ("BR-D47", "word_unkneaded")
    with pytest.raises(ValueError, match="words of one's own"):
        WizardOptions(terms="free")


@pytest.mark.rule("BR-13")
def test_a_term_of_the_table_may_be_named_in_words_when_it_is_modelled() -> None:
    hall = after(opening(), (0, sketched("Bagger", "das Segelboot", "Hammer")))
    assert [riddle.term for riddle in view(hall, 0, "x").riddles[:3]] == ["a1", "b1", "c1"]
    assert refusal(opening(), 0, sketched("a1", "Bagger", "c1")) == ("BR-D1", "term_twice")


@pytest.mark.rule("BR-50", "BR-D12", "BR-D47")
def test_a_word_of_one_s_own_is_spelled_and_guessed_as_it_was_written() -> None:
    hall = with_own_words()
    right, _ = play(hall, 0, AttemptRiddle(riddle=3, guess="die VOGELSCHEUCHE"))
    assert right.spears == 1
    assert view(right, 0, "x").riddles[3].term == "Vogelscheuche"
    judged, _ = play(hall, 0, AttemptRiddle(riddle=4, guess="Qualle"))
    assert refusal(judged, 1, JudgeAttempt(verdict="right")) is None
    hall.player(0).cave, hall.phase = 6, DWARF_LETTER
    for place, letter in ((1, "Q"), (-1, "D"), (24, "")):
        asked, _ = play(hall, 0, AskLetter(riddle=4, place=place))
        assert [note.letter for note in view(asked, 0, "x").riddles[4].notes[0].letters] == [letter]


@pytest.mark.rule("BR-14", "BR-D47")
@pytest.mark.parametrize("viewer", [SPECTATOR, 0, 1, 2])
def test_a_word_that_no_list_holds_is_imagined_by_what_was_seen_of_it(viewer: int) -> None:
    hall = with_own_words()
    learn(hall, 4, 0, places=0b1001 | 1 << 24 | 1 << 40)
    learn(hall, 4, 2, places=0b11)
    hall = after(sound(hall), (0, AttemptRiddle(riddle=3, guess="Dings")), (1, JudgeAttempt(verdict="close")))
    seen = view(hall, viewer, "x")
    for seed in range(5):
        imagined = from_view(seen, "x", FastDice(seed))
        assert view(imagined, viewer, "x") == seen
        dealt = hall.clone()
        dealt.redeal(viewer, FastDice(seed))
        assert view(sound(dealt), viewer, "x") == seen
        assert (dealt.riddle(3).word == "Vogelscheuche") == (viewer == 1)
        assert (dealt.tries == ("Dings",)) == (viewer in {0, 1}), "only the attempter and the modeller know the words"


@pytest.mark.rule("BR-14", "BR-D47")
def test_a_word_of_one_s_own_and_a_term_of_the_table_look_alike_to_all_but_its_modeller() -> None:
    tables = []
    for term in ("Vogelscheuche", "a2"):
        hall = after(opening(options=FREE), (0, sketched("a1", "b1", "c1")))
        hall, heard = play(hall, 1, sketched(term, "b2", "c2"))
        hall, later = play(hall, 2, sketched("a3", "b3", "c3"))
        tables.append((hall, heard + later))
    (one, told_of_one), (other, told_of_other) = tables
    for viewer in (0, 2, SPECTATOR):
        assert view(one, viewer, "x") == view(other, viewer, "x")
        assert events_for(told_of_one, viewer) == events_for(told_of_other, viewer)


# Bots among people.


@pytest.mark.rule("BR-D36", "BR-D49")
def test_a_bot_asks_in_words_where_only_free_ones_are_played_and_nothing_twice() -> None:
    options = WizardOptions(questions="free", answers="human", language="de")
    hall = standing(FIRST_ROUND, options=options)
    asked = []
    for _ in range(3):
        move = decode(hall, Adviser(view(hall, 0, "x"), EXPERT, 1).best())
        assert isinstance(move, AskFreely)
        asked.append((move.riddle, move.text))
        hall = after(hall, (0, move), (hall.modeller(move.riddle), AnswerQuestion(answer="unclear")))
    assert len(set(asked)) == 3
    assert all(text.endswith("?") for _, text in asked)


@pytest.mark.rule("BR-D51")
def test_colours_follow_the_seats() -> None:
    assert GAME.seat_names(4, "en") == ["Red", "Blue", "Green", "Yellow"]


@pytest.mark.rule("BR-D52")
def test_pad_and_pencil_are_kept_for_each_player() -> None:
    hall = after(standing(SECOND_ROUND), (0, AttemptRiddle(riddle=3, guess="m1")))
    mine, others = (view(hall, viewer, "x").riddles[3].notes[0] for viewer in (0, 2))
    assert (mine.wrong_terms, others.wrong_terms, others.wrong) == (["m1"], None, 1)


@pytest.mark.parametrize("seats", [3, 4])
def test_a_person_is_shown_a_form_and_not_every_word(seats: int) -> None:
    hall = modelled(seats)
    shown, legal = GAME.listing(hall, 1), GAME.legal(hall, 1)
    assert len(shown) < 20
    assert len(legal) > 1000
    assert set(shown) <= set(legal)
    assert {type(GAME.decode(hall, code)) for code in shown} == {type(GAME.decode(hall, code)) for code in legal}


@pytest.mark.rule("BR-D1", "BR-D47")
@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("options", [WizardOptions(), FREE], ids=["terms", "own words"])
def test_examples_of_riddles_have_different_terms_and_one_word_where_it_may_be(
    options: WizardOptions, seats: int
) -> None:
    hall = GAME.new(seats, options, FastDice(1))
    moves = [decode(hall, code) for code in GAME.legal(hall, 0)]
    words = 0
    for move in moves:
        assert isinstance(move, ModelRiddles)
        assert len({sketch.term for sketch in move.riddles}) == len(move.riddles) == (3 if seats == 3 else 2)
        has_word = [sketch.term not in TERM_NUMBERS for sketch in move.riddles]
        own = not isinstance(move.riddles[0].piece, Kneaded)
        assert has_word == [own and options.terms == "free"] + [False] * (len(move.riddles) - 1)
        words += has_word[0]
        assert all(isinstance(sketch.piece, Kneaded) is not own for sketch in move.riddles)
    assert (words > 0) == (options.terms == "free")
    assert len(set(GAME.legal(hall, 0))) == len(moves)
