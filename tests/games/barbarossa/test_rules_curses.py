"""Curses of Barbarossa: the times of casting, costs, effects, and holding back."""

from collections.abc import Callable

import pytest

from games.barbarossa.moves import (
    AskLetter,
    CurseForLetter,
    CurseToAttempt,
    EndAsking,
    GiveLetter,
    HoldBack,
    SpendStones,
)
from games.barbarossa.observation import view
from games.barbarossa.options import WizardOptions
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.phases import ANSWERING, DWARF_LETTER, FIRST_ROUND, GIVING, MOVING, OVER, SECOND_ROUND
from games.barbarossa.terms.catalogue import YES
from games.core.game import Move
from tests.games.barbarossa.positions import (
    after,
    hats,
    modelled,
    opening,
    question_of,
    refusal,
    solve_all,
    sound,
    standing,
)

CURSE = CurseToAttempt(riddle=3, guess="a2")


def owing(phase: int, resume: int) -> Hall:
    """Return a table at which seat 1 owes seat 0 an answer or a letter, asked in this state of the turn."""
    if phase == ANSWERING:
        hall = standing(resume, options=WizardOptions(answers="human"))
        return after(hall, (0, question_of(hall, 3, YES)))
    hall = standing(resume, options=WizardOptions(letter="modeller", simple=True))
    return after(hall, (0, AskLetter(riddle=3)))


OVER_BY_CAP = WizardOptions(turn_cap=1)
STATES = {
    "before a move": (lambda: standing(MOVING), None),
    "in a first round": (lambda: standing(FIRST_ROUND), None),
    "before a dwarf's letter": (lambda: standing(DWARF_LETTER), None),
    "never in a second round": (lambda: standing(SECOND_ROUND), ("BR-56", "second_round")),
    "never before its answer": (lambda: owing(ANSWERING, SECOND_ROUND), ("BR-56", "second_round")),
    "never before its letter": (lambda: owing(GIVING, SECOND_ROUND), ("BR-56", "second_round")),
    "never before a first round's answer": (lambda: owing(ANSWERING, FIRST_ROUND), ("BR-D15", "curse_later")),
    "never before a letter": (lambda: owing(GIVING, DWARF_LETTER), ("BR-D15", "curse_later")),
    "never in the modelling": (opening, ("BR-11", "modelling_first")),
    "never after the end": (
        lambda: after(modelled(options=OVER_BY_CAP), (0, SpendStones(stones=2))),
        ("BR-59", "game_over"),
    ),
}


@pytest.mark.parametrize("seat", [0, 2])
@pytest.mark.parametrize(("state", "expected"), STATES.values(), ids=STATES.keys())
@pytest.mark.rule("BR-52", "BR-56", "BR-D15")
def test_curses_spare_second_rounds(state: Callable[[], Hall], seat: int, expected: tuple[str, str] | None) -> None:
    hall = state()
    for curse in (CURSE, CurseForLetter(riddle=3, place=1 if hall.options.choosing is False else None)):
        assert refusal(hall, seat, curse) == expected


@pytest.mark.rule("BR-D15")
def test_nobody_curses_while_a_curse_waits_for_its_letter() -> None:
    hall = standing(FIRST_ROUND, options=WizardOptions(letter="modeller"))
    hall = after(hall, (2, CurseForLetter(riddle=3)))
    assert (hall.phase, hall.actors()) == (GIVING, 0b010)
    assert refusal(hall, 0, CURSE) == ("BR-D15", "curse_later")
    hall = after(hall, (1, GiveLetter(place=1)))
    assert (hall.phase, hall.turn, hall.actors()) == (FIRST_ROUND, 0, 0b111)


@pytest.mark.rule("BR-53", "BR-54", "BR-55", "BR-58", "BR-D18")
def test_a_curse_costs_its_stone_and_the_game_goes_on() -> None:
    hall = standing(FIRST_ROUND)
    hall = after(hall, (2, CurseToAttempt(riddle=3, guess="m1")), (2, CURSE), (2, CurseForLetter(riddle=4, place=1)))
    assert (hall.phase, hall.turn, hall.player(2).curses, hats(hall)) == (FIRST_ROUND, 0, 0, [0, -2, 5])
    assert refusal(hall, 2, CurseForLetter(riddle=4, place=2)) == ("BR-58", "no_curse_stone")
    assert refusal(hall, 1, CurseForLetter(riddle=4, place=2)) == ("BR-D8", "own_riddle")


@pytest.mark.parametrize("seat", [0, 2])
@pytest.mark.parametrize("phase", [MOVING, FIRST_ROUND, DWARF_LETTER])
@pytest.mark.parametrize(
    "curse",
    [CURSE, CurseToAttempt(riddle=3, guess="m1"), CurseForLetter(riddle=3, place=1)],
    ids=["right", "wrong", "a-letter"],
)
@pytest.mark.rule("BR-52", "BR-55", "BR-D18")
def test_the_game_goes_on_where_a_curse_has_interrupted_it(phase: int, seat: int, curse: Move) -> None:
    hall = standing(phase)
    if phase == FIRST_ROUND:
        hall = after(hall, (0, question_of(hall, 6, YES)))
    cursed = after(hall, (seat, curse))
    kept = (cursed.phase, cursed.turn, cursed.turns, cursed.questions, cursed.player(0).cave)
    assert kept == (hall.phase, hall.turn, hall.turns, hall.questions, hall.player(0).cave)
    assert cursed.player(seat).curses == hall.player(seat).curses - 1


@pytest.mark.rule("BR-54", "BR-59", "BR-63")
def test_a_curse_may_end_the_game() -> None:
    hall = standing(MOVING)
    hall.player(2).hat = 25
    hall = after(hall, (2, CURSE))
    assert (hall.phase, hats(hall), view(hall, 0, "x").winners) == (OVER, [0, 0, 30], [2])


@pytest.mark.rule("BR-D20", "BR-D22")
def test_a_curse_that_fills_the_last_riddle_ends_the_turn() -> None:
    spears = [(seat, number) for number in range(3, 9) for seat in range(3) if seat != number // 3]
    spears.remove((2, 3))
    hall = sound(solve_all(standing(FIRST_ROUND), spears))
    assert hall.spears == 11
    hall = after(hall, (2, CURSE))
    assert (hall.phase, hall.turn, hall.spears) == (MOVING, 1, 12)


@pytest.mark.rule("BR-D17")
def test_a_holding_seat_decides_again_after_the_next_word() -> None:
    hall = standing(FIRST_ROUND)
    before = view(hall, 0, "x")
    assert before.actors == [0, 1, 2]
    hall = after(hall, (1, HoldBack()), (2, HoldBack()))
    assert view(hall, 0, "x") == before, "nobody sees that others hold back"
    assert hall.actors() == 0b001
    assert view(hall, 1, "x").holding_back
    assert refusal(hall, 2, CURSE) == ("BR-D17", "held_back")
    assert refusal(hall, 0, HoldBack()) == ("BR-D17", "nothing_to_hold")
    hall = after(hall, (0, question_of(hall, 3, YES)))
    assert view(hall, 0, "x").actors == [0, 1, 2]
    hall = after(hall, (0, EndAsking()))
    assert view(hall, 0, "x").actors == [0]
