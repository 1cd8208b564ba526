"""Impossible sittings are refused when they are read, with the rule that they break."""

from collections.abc import Callable

import pytest

from games.barbarossa.moves import AskFreely, AskLetter
from games.barbarossa.options import WizardOptions
from games.barbarossa.record import read, write
from games.barbarossa.table.constants import UNANSWERED
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import TERM_COUNT, answer, close
from games.barbarossa.table.phases import DWARF_LETTER, FIRST_ROUND, MOVING
from games.barbarossa.table.play import pack_speech
from games.barbarossa.terms.answers import WIDTH, WORDS
from games.core.bits import count, first
from games.core.game import BrokenRecordError
from tests.games.barbarossa.positions import (
    apart,
    learn,
    opening,
    play,
    solve_all,
    standing,
)


def near_of(term: int) -> int:
    return next(word * WIDTH + int(first(close(term, word))) for word in range(WORDS) if close(term, word))


def has_near(hall: Hall) -> Hall:
    terms = (term for term in range(TERM_COUNT) if sum(int(count(close(term, word))) for word in range(WORDS)))
    hall.riddle(0).term = next(terms)
    return hall


def wrong_answer(hall: Hall) -> None:
    riddle = hall.riddle(0)
    riddle.put_answer((int(answer(riddle.term, 0)) + 1) % 4, 0)


def own_term_tried(hall: Hall) -> None:
    learn(hall, 0, 1, wrong=[hall.riddle(0).term])


def close_term_far(hall: Hall) -> None:
    learn(has_near(hall), 0, 1, wrong=[near_of(int(hall.riddle(0).term))])


def far_term_close(hall: Hall) -> None:
    """Put a term of another column among the close ones."""
    learn(hall, 0, 1, close=[(hall.riddle(0).term + 5 * WIDTH) % TERM_COUNT])


def twin(hall: Hall) -> None:
    hall.riddle(1).term = hall.riddle(0).term


def thirteen(hall: Hall) -> None:
    """Have all spears stick, and the game go on."""
    others = [(seat, number) for number in range(9) for seat in range(3) if seat != number // 3]
    solve_all(hall, others[:13])


def setting(name: str, value: object, seat: int | None = None) -> Callable[[Hall], None]:
    return lambda hall: setattr(hall if seat is None else hall.player(seat), name, value)


@pytest.mark.parametrize(
    ("phase", "spoil", "rule", "reason"),
    [
        pytest.param(MOVING, lambda hall: solve_all(hall, [(0, 0)]), "BR-42", "solvers_wrong", id="own riddle solved"),
        pytest.param(MOVING, setting("stones", 14, 1), "BR-48", "stones_wrong", id="fourteen stones"),
        pytest.param(MOVING, setting("hat", 30, 1), "BR-63", "hat_wrong", id="a hat at the goal"),
        pytest.param(MOVING, setting("turns", 1), "BR-19", "turn_wrong", id="another one's turn"),
        pytest.param(MOVING, setting("questions", 1), "BR-D32", "questions_wrong", id="questions outside a round"),
        pytest.param(FIRST_ROUND, setting("questions", 41), "BR-D32", "questions_wrong", id="too many questions"),
        pytest.param(FIRST_ROUND, setting("cave", 0, 0), "BR-26", "phase_wrong", id="a round elsewhere"),
        pytest.param(DWARF_LETTER, setting("cave", 3, 0), "BR-49", "phase_wrong", id="a letter elsewhere"),
        pytest.param(MOVING, setting("winners", 1), "BR-62", "end_wrong", id="winners before the end"),
        pytest.param(MOVING, thirteen, "BR-59", "end_wrong", id="play after the thirteenth spear"),
        pytest.param(MOVING, twin, "BR-D1", "term_twice", id="a term twice"),
        pytest.param(MOVING, wrong_answer, "BR-29", "answer_wrong", id="a wrong answer"),
        pytest.param(MOVING, own_term_tried, "BR-38", "sheet_wrong", id="the term failed"),
        pytest.param(MOVING, close_term_far, "BR-38", "sheet_wrong", id="a close term not called close"),
        pytest.param(MOVING, far_term_close, "BR-38", "sheet_wrong", id="a far term called close"),
    ],
)
def test_impossible_sittings_are_refused(phase: int, spoil: Callable[[Hall], object], rule: str, reason: str) -> None:
    hall = standing(phase)
    spoil(hall)
    with pytest.raises(BrokenRecordError) as refused:
        read(write(hall))
    assert (refused.value.rule, refused.value.reason) == (rule, reason)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        pytest.param(lambda hall: learn(hall, 3, 0, places=1), "sheet_wrong", id="a letter known"),
        pytest.param(lambda hall: learn(hall, 3, 0, wrong=[1]), "sheet_wrong", id="an attempt made"),
        pytest.param(lambda hall: hall.renew(3).put_answer(1, 0), "phase_wrong", id="a question answered"),
    ],
)
def test_before_all_pieces_stand_nobody_knows_of_a_riddle(spoil: Callable[[Hall], object], reason: str) -> None:
    hall = apart(opening(3, WizardOptions()))
    spoil(hall)
    with pytest.raises(BrokenRecordError) as refused:
        read(write(hall))
    assert (refused.value.rule, refused.value.reason) == ("BR-17", reason)


def test_the_question_that_waits_is_the_last_one() -> None:
    hall = standing(FIRST_ROUND, 3, WizardOptions(questions="mixed", answers="human", language="en"))
    hall, _ = play(hall, 0, AskFreely(riddle=4, text="Would a king like it?"))
    assert write(read(write(hall))) == write(hall)
    hall.spoken = (pack_speech(2, 4, UNANSWERED),)
    with pytest.raises(BrokenRecordError, match="pending_wrong"):
        read(write(hall))


def test_a_dwarf_s_letter_is_owed_to_whose_turn_it_is() -> None:
    hall, _ = play(standing(DWARF_LETTER, 3, WizardOptions(letter="modeller")), 0, AskLetter(riddle=4))
    assert write(read(write(hall))) == write(hall)
    hall.asker = 2
    with pytest.raises(BrokenRecordError, match="pending_wrong"):
        read(write(hall))
