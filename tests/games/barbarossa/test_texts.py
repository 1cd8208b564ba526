"""Texts of Barbarossa: names, numbers from 1, true signs, singulars, and the authors of curses."""

from typing import Final

import pytest

from games.barbarossa import GAME
from games.barbarossa.events import (
    AnswerInsisted,
    AttemptWritten,
    HatMoved,
    LetterAsked,
    PenaltyTaken,
    QuestionAnswered,
    QuestionRejected,
    RiddleAttempted,
    WizardTurnBegun,
)
from games.barbarossa.moves import AnswerQuestion, CurseForLetter, CurseToAttempt, GiveLetter, JudgeAttempt, SpendStones
from games.barbarossa.table.phases import FIRST_ROUND, MOVING
from games.core.game import Event, Move
from games.core.texts import LANGUAGES
from tests.games.barbarossa.positions import play, standing
from tests.games.barbarossa.test_rules_people import JUDGED

NAMES: Final = ["Oma", "Papa", "Max"]
TRIED: Final = RiddleAttempted(seat=0, riddle=4, verdict="wrong", term="o1", words=None, cursed=True)


@pytest.mark.parametrize(
    ("event", "german", "english", "italian"),
    [
        (
            HatMoved(seat=1, steps=-2, hat=-2),
            "Papas Hut zieht 2 Stufen zurück, auf Stufe −2.",  # noqa: RUF001 -- a true minus
            "Papa's hat moves back 2 steps, to −2.",  # noqa: RUF001
            "Il cappello di Papa arretra di 2 gradini, fino al gradino −2.",  # noqa: RUF001
        ),
        (
            HatMoved(seat=2, steps=1, hat=4),
            "Max' Hut zieht eine Stufe vor, auf Stufe 4.",
            "Max's hat moves on one step, to 4.",
            "Il cappello di Max avanza di un gradino, fino al gradino 4.",
        ),
        (
            PenaltyTaken(seat=1, riddle=4, steps=5, hat=3),
            "Papas 2. Rätsel wirft den Hut um 5 Stufen zurück, auf Stufe 3.",
            "Papa's 2nd riddle moves its modeller's hat back 5 steps, to 3.",
            "L'enigma 2 di Papa fa arretrare il cappello del suo modellatore di 5 gradini, fino al gradino 3.",
        ),
        (
            LetterAsked(seat=0, riddle=4, place=1, cursed=True),
            "Oma flucht und verlangt den 1. Buchstaben von Papas 2. Rätsel.",
            "Oma curses and asks for the 1st letter of Papa's 2nd riddle.",
            "Oma lancia una maledizione e chiede la 1ª lettera dell'enigma 2 di Papa.",
        ),
        (
            LetterAsked(seat=0, riddle=4, place=-2, cursed=False),
            "Oma verlangt den vorletzten Buchstaben von Papas 2. Rätsel.",
            "Oma asks for the last letter but one of Papa's 2nd riddle.",
            "Oma chiede la penultima lettera dell'enigma 2 di Papa.",
        ),
        (
            TRIED,
            "Oma flucht und versucht, Papas 2. Rätsel zu lösen, mit „Ameise“: falsch.",
            "Oma curses and guesses “ant” for Papa's 2nd riddle: wrong.",
            "Oma lancia una maledizione e prova a risolvere l'enigma 2 di Papa con «formica»: sbagliato.",
        ),
        (
            AttemptWritten(seat=2, riddle=0, term=None, words="Dings", cursed=False),
            "Max schreibt für Omas 1. Rätsel „Dings“ auf; Oma urteilt.",
            "Max writes “Dings” down for Oma's 1st riddle; Oma judges.",
            "Max scrive «Dings» per l'enigma 1 di Oma; giudica Oma.",
        ),
        (WizardTurnBegun(seat=1, turns=3), "Papa ist am Zug.", "It is Papa's turn.", "Tocca a Papa."),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Event) else "",
)
def test_events_are_said_as_people_say_them(event: Event, german: str, english: str, italian: str) -> None:
    assert [GAME.tell(event, language, NAMES) for language in ("de", "en", "it")] == [german, english, italian]


@pytest.mark.parametrize(
    ("move", "german"),
    [
        (SpendStones(stones=3), "3 Elfensteine zahlen und auf ein Rätselfeld ziehen"),
        (SpendStones(stones=1), "Einen Elfenstein zahlen und auf eine Elfenstein-Höhle ziehen"),
        (CurseForLetter(riddle=8, place=-1), "Fluchen und den letzten Buchstaben von Max' 3. Rätsel verlangen"),
        (CurseToAttempt(riddle=4, guess="o1"), "Fluchen und Papas 2. Rätsel zu lösen versuchen: Ameise"),
        (AnswerQuestion(answer="no", insist=True), "Gegen die Liste darauf bestehen: nein"),
        (JudgeAttempt(verdict="close"), "Urteilen: falsch, aber nahe dran"),
    ],
)
def test_labels_say_whose_riddle_and_where_a_way_leads(move: Move, german: str) -> None:
    assert GAME.label(move, "de", GAME.view(standing(MOVING), 0), NAMES) == german


@pytest.mark.rule("BR-D40")
def test_the_giver_of_a_letter_sees_which_one_it_is() -> None:
    options = GAME.presets["modellers_letter"]
    hall, _ = play(standing(FIRST_ROUND, 3, options), 2, CurseForLetter(riddle=3))  # type: ignore[arg-type]
    assert GAME.label(GiveLetter(place=2), "de", GAME.view(hall, 1), NAMES) == "Nenne den 2. Buchstaben: R"


@pytest.mark.parametrize(
    ("held", "german", "english", "italian"),
    [
        (1, "Du hast nur einen Elfenstein.", "You have only one elf stone.", "Hai solo una pietra elfica."),
        (4, "Du hast nur 4 Elfensteine.", "You have only 4 elf stones.", "Hai solo 4 pietre elfiche."),
        (0, "Du hast keinen Elfenstein mehr.", "You have no elf stone left.", "Non hai più pietre elfiche."),
    ],
)
@pytest.mark.rule("BR-D3")
def test_stones_are_counted_as_people_count(held: int, german: str, english: str, italian: str) -> None:
    hall = standing(MOVING)
    hall.player(0).stones = held
    refusal = GAME.refuse(hall, 0, SpendStones(stones=9))
    assert refusal is not None
    said = [GAME.explain(refusal.rule, refusal.reason, refusal.params, language) for language in ("de", "en", "it")]
    assert said == [german, english, italian]


def test_a_curse_that_is_judged_is_told_once() -> None:
    hall, written = play(standing(FIRST_ROUND, options=JUDGED), 2, CurseToAttempt(riddle=3, guess="m1"))
    _, judged = play(hall, 1, JudgeAttempt(verdict="wrong"))
    lines = [GAME.tell(event, "de", NAMES) for _, event in (*written[:1], *judged[:1])]
    assert ["flucht" in line for line in lines] == [True, False]


def test_players_names_stand_in_headline_and_picture_and_no_riddle_is_the_zeroth() -> None:
    view = GAME.view(standing(FIRST_ROUND), 0)
    for language in LANGUAGES:
        picture = GAME.picture(view, language, "light", 0, NAMES)
        assert GAME.headline(view, language, NAMES).startswith("Oma")
        assert all(name in picture for name in NAMES)
        assert not any(f">{colour}<" in picture or f">{colour}:" in picture for colour in GAME.seat_names(3, language))
        assert " 0" not in GAME.label(CurseToAttempt(riddle=0, guess="o1"), language, view, NAMES)


@pytest.mark.parametrize(
    ("language", "answered", "rejected"),
    [
        ("de", "Oma antwortet zum eigenen 3. Rätsel: ja.", "Oma weist die Frage zum eigenen 3. Rätsel zurück."),
        ("en", "Oma answers for their own 3rd riddle: yes.", "Oma rejects the question about their own 3rd riddle."),
        ("it", "Oma risponde sul proprio enigma 3: sì.", "Oma respinge la domanda sul proprio enigma 3."),
    ],
)
def test_a_modeller_is_not_named_twice_about_the_own_riddle(language: str, answered: str, rejected: str) -> None:
    answer = QuestionAnswered(seat=0, riddle=2, question="alive", answer="yes")
    said = [GAME.tell(event, language, NAMES) for event in (answer, QuestionRejected(seat=0, riddle=2))]
    assert said == [answered, rejected]
    insisted = AnswerInsisted(seat=0, riddle=2, question="alive", answer="yes")
    assert GAME.tell(insisted, language, NAMES).count("Oma") == 1


def test_the_eighth_and_the_eleventh_letter_are_elided_in_italian() -> None:
    view = GAME.view(standing(FIRST_ROUND), 0)
    said = [GAME.label(CurseForLetter(riddle=3, place=place), "it", view, NAMES) for place in (3, 8, 11, -8)]
    assert [sentence.split(" dell'")[0] for sentence in said] == [
        "Lanciare una maledizione per la 3ª lettera",
        "Lanciare una maledizione per l'8ª lettera",
        "Lanciare una maledizione per l'11ª lettera",
        "Lanciare una maledizione per l'8ª lettera dalla fine",
    ]
