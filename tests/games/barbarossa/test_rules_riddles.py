"""Modelling, questions and attempts of Barbarossa."""

import msgspec
import pytest

from games.barbarossa import content
from games.barbarossa.clay.form import Clay, Part, Strokes
from games.barbarossa.codec import decode, encode
from games.barbarossa.content import STOCK_PIECE, piece_of
from games.barbarossa.events import QuestionAnswered, RiddleAttempted
from games.barbarossa.moves import (
    AnswerQuestion,
    AskFreely,
    AskLetter,
    AttemptRiddle,
    EndAsking,
    Kneaded,
    ModelRiddles,
    RejectQuestion,
    Sketch,
)
from games.barbarossa.observation import from_view, view
from games.barbarossa.options import WizardOptions
from games.barbarossa.refuse import refuse
from games.barbarossa.standing import timeout_move
from games.barbarossa.table.deal import candidates_of
from games.barbarossa.table.phases import ANSWERING, DWARF_LETTER, FIRST_ROUND, MOVING, SECOND_ROUND
from games.barbarossa.table.riddle import HALF, Asked
from games.barbarossa.terms.catalogue import NO, PERHAPS, UNCLEAR, YES
from games.core.dice import FastDice
from games.core.game import BrokenRecordError
from games.core.playout import playout
from games.core.table import SPECTATOR
from tests.games.barbarossa.positions import (
    after,
    events_for,
    modelled,
    opening,
    play,
    question_of,
    refusal,
    riddles,
    sound,
    standing,
    terms_of,
)

INK = Strokes(strokes=(((1, 2), (3, 4)),))
CUBE = Clay(parts=(Part(shape="block", position=(0, 0, 0.4), size=(0.8, 0.8, 0.8)),))
BRICK = Clay(parts=(Part(shape="block", position=(0, 0, 0.25), size=(0.5, 0.5, 0.5)),))
FAR = Clay(parts=(Part(shape="ball", position=(0.5, 0, 0.5), size=(0.2, 0.2, 0.2)),))


def own(*terms: str, piece: Clay | Strokes | Kneaded) -> ModelRiddles:
    return ModelRiddles(riddles=[Sketch(term=term, piece=piece) for term in terms])


@pytest.mark.parametrize(
    ("move", "expected"),
    [
        pytest.param(riddles("a1", "b1"), "BR-12 riddles_each /riddles", id="three-players-model-three"),
        pytest.param(riddles("a1", "b1", "a1"), "BR-D1 term_twice /riddles/2/term", id="no-term-twice"),
        pytest.param(
            own("a1", "b1", "c1", piece=CUBE), "BR-15 roll_used_up /riddles/0/piece/parts", id="one-above-the-roll"
        ),
        pytest.param(
            own("a1", "b1", "c1", piece=BRICK), "BR-15 roll_used_up /riddles/2/piece/parts", id="the-roll-is-split"
        ),
        pytest.param(
            own("a1", "b1", "c1", piece=FAR),
            "BR-D42 out_of_cube /riddles/0/piece/parts/0/p/0",
            id="no-lump-outside-the-cube",
        ),
        pytest.param(own("a1", "b1", "c1", piece=INK), None, id="ink-takes-no-clay"),
        pytest.param(riddles("a1", "b1", "c1"), None, id="kneaded-by-the-table"),
    ],
)
@pytest.mark.rule("BR-12", "BR-13", "BR-15", "BR-D1", "BR-D42", "BR-D43")
def test_a_modelling_keeps_to_terms_and_clay(move: ModelRiddles, expected: str | None) -> None:
    found = refuse(opening(), 0, move)
    assert (found and f"{found.rule} {found.reason} {found.pointer}") == expected


@pytest.mark.rule("BR-12")
def test_of_four_players_each_models_two() -> None:
    assert refusal(opening(4), 0, riddles("a1", "b1")) is None
    assert refusal(opening(4), 0, riddles("a1", "b1", "c1")) == ("BR-12", "riddles_each")


@pytest.mark.rule("BR-15", "BR-D43")
@pytest.mark.parametrize(("kneaded", "expected"), [(1, None), (2, ("BR-15", "roll_used_up"))])
def test_a_kneaded_piece_takes_an_equal_part_of_the_roll(kneaded: int, expected: tuple[str, str] | None) -> None:
    kneadings: list[Clay | Strokes | Kneaded] = [Kneaded(explicitness=50)] * kneaded
    pieces = [BRICK, *kneadings, INK, INK][:3]
    sketches = [Sketch(term=term, piece=piece) for term, piece in zip(("a1", "b1", "c1"), pieces, strict=True)]
    assert refusal(opening(), 0, ModelRiddles(riddles=sketches)) == expected


@pytest.mark.rule("BR-17", "BR-D41")
def test_a_search_tells_modellings_apart_by_their_pieces_only_where_it_is_the_last() -> None:
    hall = opening()
    for seat, seen in ((0, 1), (1, 1), (2, 2)):
        moves = [riddles(*terms_of(seat, 3), explicitness=explicitness) for explicitness in (20, 80)]
        for viewer in {0, 1, 2, SPECTATOR} - {seat}:
            assert len({hall.observed_move(viewer, seat, encode(hall, move)) for move in moves}) == seen
        hall = after(hall, (seat, moves[0]))


@pytest.mark.rule("BR-14", "BR-16", "BR-17")
@pytest.mark.parametrize(("piece", "seen"), [(STOCK_PIECE, 1), (CUBE, 1), (Kneaded(explicitness=50), 2)])
def test_a_search_sees_no_term_of_an_own_piece_and_how_others_were_kneaded(piece: Clay | Kneaded, seen: int) -> None:
    hall = after(opening(), *((seat, riddles(*terms_of(seat, 3))) for seat in (0, 1)))
    codes = [encode(hall, own(*terms, piece=piece)) for terms in (("a3", "b3", "c3"), ("x3", "k7", "d9"))]
    assert len({hall.observed_move(0, 2, code) for code in codes}) == seen


@pytest.mark.rule("BR-11", "BR-18")
def test_submitted_riddles_stay_as_they_are() -> None:
    hall = after(opening(), (0, riddles("a1", "b1", "c1")))
    assert refusal(hall, 0, riddles("a1", "b1", "d1")) == ("BR-18", "modelled_already")
    assert refusal(hall, 1, EndAsking()) == ("BR-11", "modelling_first")
    assert refusal(modelled(), 0, riddles("a1", "b1", "d1")) == ("BR-18", "modelling_over")


@pytest.mark.rule("BR-D42")
def test_an_own_piece_lies_beside_the_table_until_it_is_handed_in() -> None:
    hall, move = opening(), own("a1", "b1", "c1", piece=INK)
    code = encode(hall, move)
    assert decode(hall, code) == move
    with pytest.raises(ValueError, match="no piece"):
        decode(opening(), code)
    handed_in, _ = play(hall, 0, move)
    assert view(handed_in, 0, "x").riddles[0].piece == INK
    assert handed_in.content == ""


@pytest.mark.rule("BR-D43")
def test_the_same_riddles_are_kneaded_differently_by_other_fingers() -> None:
    pieces = set()
    for seed in range(3):
        hall = opening()
        hall.apply(0, encode(hall, riddles("a1", "b1", "c1")), FastDice(seed), None)
        figure = hall.riddle(0).figure
        assert figure is not None
        pieces.add(figure.sculpture())
    assert len(pieces) == 3


@pytest.mark.rule("BR-D43")
def test_pieces_are_kneaded_once_and_by_nobody_who_does_not_look(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list[int]()

    def kneading(term: int, *rest: int) -> Clay:
        made.append(term)
        return piece_of(term, *rest)

    monkeypatch.setattr(content, "piece_of", kneading)
    hall = opening()
    for seat in range(3):
        hall.apply(seat, encode(hall, riddles(*terms_of(seat, 3))), FastDice(seat), None)
    other = hall.clone()
    other.redeal(0, FastDice(1))
    assert playout(other, FastDice(2), 1_000) > 1
    assert not made
    seen = [[riddle.piece for riddle in view(table, 1, "x").riddles] for table in (hall, other, hall.clone())]
    assert len(made) == 9
    assert seen[0] == seen[1] == seen[2]


# Questions.


@pytest.mark.parametrize(
    ("phase", "given", "then"),
    [
        pytest.param(FIRST_ROUND, YES, (FIRST_ROUND, 0), id="a-yes-goes-on"),
        pytest.param(FIRST_ROUND, NO, (SECOND_ROUND, 0), id="a-no-opens-the-second-round"),
        pytest.param(SECOND_ROUND, YES, (SECOND_ROUND, 0), id="a-yes-goes-on-in-the-second-round"),
        pytest.param(SECOND_ROUND, NO, (MOVING, 1), id="a-no-ends-the-turn"),
    ],
)
@pytest.mark.rule("BR-26", "BR-27", "BR-32", "BR-33", "BR-34", "BR-D6", "BR-D16")
def test_only_a_no_ends_a_round(phase: int, given: int, then: tuple[int, int]) -> None:
    hall = standing(phase)
    hall = after(hall, (0, question_of(hall, 3, given)))
    assert (hall.phase, hall.turn) == then


@pytest.mark.parametrize("given", [PERHAPS, UNCLEAR])
@pytest.mark.rule("BR-30", "BR-D6")
def test_perhaps_and_unclear_end_no_round(given: int) -> None:
    options = WizardOptions(answers="human")
    hall = standing(FIRST_ROUND, options=options)
    word = ("no", "yes", "perhaps", "unclear")[given]
    hall = after(hall, (0, question_of(hall, 3, NO)), (1, AnswerQuestion(answer=word)))
    assert (hall.phase, hall.turn) == (FIRST_ROUND, 0)


@pytest.mark.rule("BR-28", "BR-29", "BR-D33")
def test_all_hear_the_true_answer() -> None:
    hall = standing(FIRST_ROUND)
    _, heard = play(hall, 0, question_of(hall, 4, NO))
    for viewer in (0, 1, 2, SPECTATOR):
        answers = [said for said in events_for(heard, viewer) if isinstance(said, QuestionAnswered)]
        assert [(said.seat, said.riddle, said.answer) for said in answers] == [(1, 4, "no")]


@pytest.mark.rule("BR-D33")
def test_a_checked_answer_never_stands_against_the_list() -> None:
    hall = standing(FIRST_ROUND, options=WizardOptions(answers="human_checked"))
    hall, _ = play(hall, 0, question_of(hall, 3, NO))
    assert hall.phase == ANSWERING
    assert refusal(hall, 1, AnswerQuestion(answer="yes")) == ("BR-D33", "answer_untrue")
    assert refusal(hall, 1, AnswerQuestion(answer="perhaps")) is None
    assert refusal(hall, 0, AnswerQuestion(answer="no")) == ("BR-D15", "answer_first")


@pytest.mark.rule("BR-31", "BR-D30", "BR-D35", "BR-D36")
def test_free_words_are_answered_by_the_modeller_or_mean_an_attribute() -> None:
    hall = standing(FIRST_ROUND, options=WizardOptions(questions="mixed"))
    letter = AskFreely(riddle=3, text="Ist der erste Buchstabe ein A?")
    asked_freely, _ = play(hall, 0, letter)
    assert asked_freely.phase == ANSWERING
    rejected = after(asked_freely, (1, RejectQuestion()))
    assert (rejected.phase, rejected.questions) == (FIRST_ROUND, 1)
    by_attribute = after(hall, (0, AskFreely(riddle=3, text="Ist es ein Fahrzeug?")))
    assert by_attribute.phase != ANSWERING
    assert not by_attribute.talk
    assert refusal(standing(FIRST_ROUND), 0, letter) == ("BR-D30", "structured_only")


@pytest.mark.rule("BR-D33")
def test_nobody_is_held_to_the_list_by_words_that_it_has_not() -> None:
    hall = standing(FIRST_ROUND, options=WizardOptions(questions="mixed", answers="human_checked"))
    hall, _ = play(hall, 0, AskFreely(riddle=3, text="Würde ein König es mögen?"))
    for word in ("yes", "no", "perhaps", "unclear"):
        assert refusal(hall, 1, AnswerQuestion(answer=word)) is None
    fair = play(standing(FIRST_ROUND, options=WizardOptions(answers="human")), 0, question_of(hall, 3, YES))[0]
    assert refusal(fair, 1, RejectQuestion()) == ("BR-31", "question_is_fair")


@pytest.mark.rule("BR-D30", "BR-D36")
def test_where_only_free_words_are_played_they_mean_what_the_modeller_hears() -> None:
    hall = standing(FIRST_ROUND, options=WizardOptions(questions="free"))
    assert refusal(hall, 0, question_of(hall, 3, YES)) == ("BR-D30", "free_only")
    hall, _ = play(hall, 0, AskFreely(riddle=3, text="Ist es ein Fahrzeug?"))
    assert (hall.phase, hall.talk) == (ANSWERING, ("Ist es ein Fahrzeug?",))


@pytest.mark.rule("BR-D36")
def test_words_that_were_asked_freely_stay_so_when_the_list_has_learned_them(monkeypatch: pytest.MonkeyPatch) -> None:
    hall, move = standing(FIRST_ROUND, options=WizardOptions(questions="mixed")), AskFreely(riddle=3, text="Bellt es?")
    number = encode(hall, move)
    monkeypatch.setattr("games.barbarossa.codec.attribute_of", lambda *_: 0)
    assert decode(hall, number) == move
    assert encode(hall, move) != number


@pytest.mark.rule("BR-27", "BR-33", "BR-D7")
def test_questions_go_from_riddle_to_riddle_and_the_attempt_to_another_one() -> None:
    hall = standing(FIRST_ROUND)
    for number in (3, 8, 4, 3):
        hall = after(hall, (0, question_of(hall, number, YES)))
    assert (hall.phase, hall.questions) == (FIRST_ROUND, 4)
    hall = after(hall, (0, question_of(hall, 6, NO)))
    assert (hall.phase, hall.questions) == (SECOND_ROUND, 0)
    for number in (7, 5):
        hall = after(hall, (0, question_of(hall, number, YES)))
    hall = after(hall, (0, AttemptRiddle(riddle=3, guess="a2")))
    assert (hall.phase, hall.turn, hall.spears) == (MOVING, 1, 1)


@pytest.mark.rule("BR-D5", "BR-D21")
def test_both_rounds_may_be_ended_without_a_question() -> None:
    hall = after(standing(FIRST_ROUND), (0, EndAsking()))
    assert hall.phase == SECOND_ROUND
    hall = after(hall, (0, EndAsking()))
    assert (hall.phase, hall.turn) == (MOVING, 1)


@pytest.mark.rule("BR-D7", "BR-D8", "BR-D9")
def test_riddles_of_others_are_asked_about_while_they_have_room() -> None:
    hall = standing(FIRST_ROUND)
    question = question_of(hall, 3, YES)
    assert refusal(hall, 0, msgspec.structs.replace(question, riddle=0)) == ("BR-D8", "own_riddle")
    free = standing(FIRST_ROUND, 3, WizardOptions(questions="free"))
    assert refusal(free, 0, AskFreely(riddle=0, text="Would a king like it?")) == ("BR-D8", "own_riddle")
    hall.riddle(3).solvers = 0b001
    assert refusal(hall, 0, question) is None
    hall.phase = SECOND_ROUND
    assert refusal(hall, 0, AttemptRiddle(riddle=3, guess="a2")) == ("BR-D9", "solved_already")
    hall.riddle(3).solvers = 0b101
    assert refusal(hall, 0, question) == ("BR-42", "riddle_full")


@pytest.mark.rule("BR-D31", "BR-D32")
def test_a_question_is_put_once_a_round_and_a_round_has_an_end() -> None:
    hall = standing(FIRST_ROUND, options=WizardOptions(question_cap=2))
    question = question_of(hall, 3, YES)
    hall = after(hall, (0, question))
    assert refusal(hall, 0, question) == ("BR-D31", "asked_already")
    hall = after(hall, (0, question_of(hall, 3, YES)))
    assert refusal(hall, 0, question_of(hall, 3, YES)) == ("BR-D32", "questions_used_up")
    assert refusal(hall, 0, EndAsking()) is None


@pytest.mark.rule("BR-D34")
def test_the_list_answers_for_a_modeller_who_does_not() -> None:
    hall = standing(FIRST_ROUND, options=WizardOptions(answers="human"))
    waiting, _ = play(hall, 0, question_of(hall, 3, NO))
    made = timeout_move(waiting, 1)
    assert made is not None
    assert decode(waiting, made) == AnswerQuestion(answer="no")
    assert timeout_move(waiting, 0) is None
    free = standing(FIRST_ROUND, options=WizardOptions(questions="free"))
    free, _ = play(free, 0, AskFreely(riddle=3, text="Würde ein König es mögen?"))
    made = timeout_move(free, 1)
    assert made is not None
    assert decode(free, made) == AnswerQuestion(answer="unclear")


# Attempts.


@pytest.mark.parametrize(
    ("guess", "verdict"),
    [
        pytest.param("a2", "right", id="by-coordinate"),
        pytest.param("Trecker", "right", id="by-another-name"),
        pytest.param("Bagger", "close", id="a-term-that-is-close"),
        pytest.param("m1", "wrong", id="another-term"),
    ],
)
@pytest.mark.rule("BR-33", "BR-35", "BR-36", "BR-37", "BR-38", "BR-D10", "BR-D37", "BR-D38", "BR-D39")
def test_an_attempt_ends_the_turn_and_its_word_is_for_two(guess: str, verdict: str) -> None:
    hall, heard = play(standing(SECOND_ROUND), 0, AttemptRiddle(riddle=3, guess=guess))
    assert (hall.phase, hall.turn) == (MOVING, 1)
    for viewer, knows in ((0, True), (1, True), (2, False), (SPECTATOR, False)):
        (said,) = (item for item in events_for(heard, viewer) if isinstance(item, RiddleAttempted))
        assert (said.riddle, said.verdict, said.term is not None) == (3, verdict, knows)
    sound(hall)


@pytest.mark.rule("BR-38", "BR-D39")
def test_an_option_forbids_to_call_an_attempt_close() -> None:
    hall = standing(SECOND_ROUND, options=WizardOptions(close_hints=False))
    hall, heard = play(hall, 0, AttemptRiddle(riddle=3, guess="a1"))
    assert [item.verdict for item in events_for(heard, 0) if isinstance(item, RiddleAttempted)] == ["wrong"]
    sound(hall)


@pytest.mark.rule("BR-27", "BR-D37")
def test_an_attempt_needs_a_second_round_and_a_term() -> None:
    move = AttemptRiddle(riddle=3, guess="a2")
    assert refusal(standing(FIRST_ROUND), 0, move) == ("BR-27", "only_questions")
    nonsense = AttemptRiddle(riddle=3, guess="Liebe auf den ersten Blick")
    assert refusal(standing(SECOND_ROUND), 0, nonsense) == ("BR-D37", "no_such_term")


@pytest.mark.rule("BR-D13")
@pytest.mark.parametrize("guess", ["m1", "a1"], ids=["wrong", "close"])
def test_no_riddle_is_attempted_twice_with_the_same_word(guess: str) -> None:
    move = AttemptRiddle(riddle=3, guess=guess)
    hall = after(standing(SECOND_ROUND), (0, move))
    hall.turn, hall.phase, hall.turns = 0, SECOND_ROUND, 3
    assert refusal(hall, 0, move) == ("BR-D13", "guess_known")
    assert refusal(hall, 0, AttemptRiddle(riddle=4, guess=guess)) is None


# Possible worlds.


@pytest.mark.rule("BR-16")
def test_a_piece_proves_nothing_about_its_term() -> None:
    assert candidates_of(modelled(), 0, 3).size() == 360


@pytest.mark.rule("BR-50")
def test_a_view_with_letters_of_no_term_is_refused() -> None:
    hall = after(standing(DWARF_LETTER), (0, AskLetter(riddle=3, place=1)))
    seen = msgspec.to_builtins(view(hall, 0, "x"))
    seen["riddles"][3]["notes"][0]["letters"][0]["letter"] = "Ω"
    with pytest.raises(BrokenRecordError, match="letter_wrong"):
        from_view(msgspec.convert(seen, type(view(hall, 0, "x"))), "x", FastDice(1))


def test_a_set_of_attributes_holds_what_was_added_and_nothing_else() -> None:
    sizes = range(2 * HALF)
    for attribute in sizes:
        assert [other for other in sizes if Asked(0, 0).plus(attribute).has(other)] == [attribute]
