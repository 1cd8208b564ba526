"""Letters of Barbarossa: asked of a dwarf, chosen by the modeller, and in the simple variant."""

import pytest

from games.barbarossa import GAME
from games.barbarossa.events import LetterShown
from games.barbarossa.moves import (
    AskLetter,
    CurseForLetter,
    ForgoLetter,
    GiveLetter,
)
from games.barbarossa.observation import view
from games.barbarossa.options import WizardOptions
from games.barbarossa.table.lexicon import ALPHABET, spelled
from games.barbarossa.table.phases import DWARF_LETTER, GIVING, MOVING, SECOND_ROUND
from games.barbarossa.terms.catalogue import YES
from games.barbarossa.terms.words import letters
from games.core.bits import full
from games.core.table import SPECTATOR
from games.core.texts import LANGUAGES
from tests.games.barbarossa.positions import (
    after,
    events_for,
    learn,
    play,
    question_of,
    refusal,
    standing,
)


@pytest.mark.parametrize(
    ("place", "letter"),
    [
        pytest.param(1, "T", id="the-first"),
        pytest.param(-1, "R", id="the-last"),
        pytest.param(20, "", id="none-there"),
    ],
)
@pytest.mark.rule("BR-49", "BR-50", "BR-D11", "BR-D12", "BR-D13", "BR-D14")
def test_a_letter_is_shown_to_its_asker(place: int, letter: str) -> None:
    hall, heard = play(standing(DWARF_LETTER), 0, AskLetter(riddle=3, place=place))
    for viewer, shown in ((0, [letter]), (1, [letter]), (2, []), (SPECTATOR, [])):
        assert [said.letter for said in events_for(heard, viewer) if isinstance(said, LetterShown)] == shown
    assert hall.turn == 1
    hall.turn, hall.phase = 0, DWARF_LETTER
    assert refusal(hall, 0, AskLetter(riddle=3, place=place)) == ("BR-D13", "letter_known")
    assert refusal(hall, 0, ForgoLetter()) is None


@pytest.mark.rule("BR-D40")
def test_the_modeller_may_choose_the_letter_as_an_option() -> None:
    hall = standing(DWARF_LETTER, options=WizardOptions(letter="modeller"))
    hall = after(hall, (0, AskLetter(riddle=3)))
    assert hall.phase == GIVING
    assert refusal(hall, 1, GiveLetter(place=20)) == ("BR-D40", "letter_not_there")
    hall = after(hall, (1, GiveLetter(place=2)))
    assert (hall.phase, hall.turn) == (MOVING, 1)
    assert view(hall, 0, "x").riddles[3].notes[0].letters[0].letter == "R"
    assert view(hall, 2, "x").riddles[3].notes[0].letters[0].place is None


@pytest.mark.rule("BR-D40")
def test_the_modeller_gives_no_letter_twice_and_says_when_none_is_left() -> None:
    hall = standing(DWARF_LETTER, options=WizardOptions(letter="modeller"))
    learn(hall, 3, 0, places=full(6))
    hall = after(hall, (0, AskLetter(riddle=3)))
    assert [refusal(hall, 1, GiveLetter(place=place)) is None for place in range(1, 9)] == [False] * 6 + [True, False]
    hall = after(hall, (1, GiveLetter(place=7)))
    hall.turn, hall.phase, hall.turns = 0, DWARF_LETTER, 3
    hall, heard = play(hall, 0, AskLetter(riddle=3))
    assert (hall.phase, hall.turn) == (MOVING, 1)
    assert LetterShown(seat=0, riddle=3, place=None, letter="") in events_for(heard, 0)


@pytest.mark.rule("BR-D8", "BR-D9")
def test_letters_are_asked_of_riddles_that_are_left_to_solve() -> None:
    hall = standing(DWARF_LETTER)
    hall.riddle(3).solvers, hall.riddle(4).solvers = 0b001, 0b101
    assert refusal(hall, 0, AskLetter(riddle=0, place=1)) == ("BR-D8", "own_riddle")
    assert refusal(hall, 0, AskLetter(riddle=3, place=1)) == ("BR-D9", "solved_already")
    assert refusal(hall, 0, AskLetter(riddle=4, place=1)) == ("BR-42", "riddle_full")
    assert refusal(hall, 0, AskLetter(riddle=5, place=1)) is None
    assert refusal(hall, 2, CurseForLetter(riddle=3, place=1)) is None


@pytest.mark.rule("BR-51", "BR-D14")
def test_an_umlaut_is_a_letter_of_its_own() -> None:
    names = [letters(term, "de") for term in range(360)]
    term = next(term for term, name in enumerate(names) if "Ö" in name)
    assert letter_at_place(term, names[term].index("Ö")) == "Ö"


def letter_at_place(term: int, place: int) -> str:
    """Return the letter that the table knows at a place of a term's German name."""
    return ALPHABET[spelled(LANGUAGES.index("de"), term, place) - 1]


@pytest.mark.rule("BR-65", "BR-D44")
def test_in_the_simple_variant_a_letter_is_the_first_and_only_act_of_the_second_round() -> None:
    move = AskLetter(riddle=3, place=1)
    assert refusal(standing(SECOND_ROUND), 0, move) == ("BR-49", "no_dwarf")
    hall = standing(SECOND_ROUND, options=WizardOptions(simple=True))
    assert (after(hall, (0, move)).phase, after(hall, (0, move)).turn) == (MOVING, 1)
    assert refusal(after(hall, (0, question_of(hall, 3, YES))), 0, move) == ("BR-D44", "letter_is_first")


@pytest.mark.parametrize(
    ("language", "place", "asked_for"),
    [
        ("en", 2, "Ask for the 2nd letter of Blue's 2nd riddle"),
        ("en", -1, "Ask for the last letter of Blue's 2nd riddle"),
        ("de", -3, "Von Blaus 2. Rätsel den drittletzten Buchstaben verlangen"),
        ("it", -2, "Chiedere la penultima lettera dell'enigma 2 di Blu"),
        ("it", None, "Chiedere una lettera dell'enigma 2 di Blu"),
    ],
)
@pytest.mark.rule("BR-D11")
def test_places_of_letters_are_said_as_people_count(language: str, place: int | None, asked_for: str) -> None:
    view = GAME.view(standing(SECOND_ROUND), 0)
    assert GAME.label(AskLetter(riddle=4, place=place), language, view) == asked_for


@pytest.mark.parametrize(
    ("language", "told_so"),
    [
        ("en", "Red sees that Blue's 2nd riddle has no letter left."),
        ("de", "Rot sieht, dass von Blaus 2. Rätsel kein Buchstabe mehr übrig ist."),
        ("it", "Rosso vede che dell'enigma 2 di Blu non resta nessuna lettera."),
    ],
)
@pytest.mark.rule("BR-D40")
def test_it_is_said_that_no_letter_is_left(language: str, told_so: str) -> None:
    shown = LetterShown(seat=0, riddle=4, place=None, letter="")
    assert GAME.tell(shown, language, GAME.seat_names(3, language)) == told_so
