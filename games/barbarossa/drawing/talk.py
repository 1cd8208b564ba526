"""The conversation: the open question, the answers of this round, and the last words of the players' own."""

from __future__ import annotations

import unicodedata
from typing import Final

from games.barbarossa.drawing.notes import question_named
from games.barbarossa.speech import riddle_called, riddle_named
from games.barbarossa.terms.catalogue import TERM_NUMBERS, TERMS
from games.barbarossa.view import Exhibit, FreeQuestion, WizardView
from games.core.svg import MIN_TEXT_SIZE, element, lines, text
from games.core.texts import Texts

LINE: Final = 27
WIDTH: Final = 664
"""Height of a line, and its width."""

MAX_LINES: Final = 8
"""Maximum number of lines; the last ones are shown."""


def talk(view: WizardView, language: str, texts: Texts) -> list[str]:
    """Return the questions and answers, line by line: the last free words, this round, the open question (BR-28)."""
    words = view.free_questions[-1:]
    said = [spoken(view, question, language, texts) for question in words if question.said != "waiting"]
    said += [
        texts.say(
            language,
            "picture",
            "asked",
            riddle=riddle_named(texts, language, view, riddle.riddle),
            question=question_named(question, language),
            answer=answers_to(riddle, question),
        )
        for riddle in view.riddles
        for question in riddle.asked
        if not is_open(view, riddle, question)
    ]
    said += [spoken(view, question, language, texts) for question in words if question.said == "waiting"]
    if view.pending is not None and (view.pending.question is not None or view.phase in {"giving", "judging"}):
        said.append(waiting(view, language, texts))
    return [line for told in said for line in lines(told, WIDTH, MIN_TEXT_SIZE)][-MAX_LINES:]


def is_open(view: WizardView, riddle: Exhibit, question: str) -> bool:
    """Return whether a question waits for its answer."""
    pending = view.pending
    return pending is not None and (pending.riddle, pending.question) == (riddle.riddle, question)


def answers_to(riddle: Exhibit, question: str) -> list[str]:
    """Return the answers to a question; a person may have answered it otherwise in an earlier round."""
    answers = ("yes", "no", "perhaps", "unclear")
    return [answer for answer in answers if question in getattr(riddle.answers, answer)]


def waiting(view: WizardView, language: str, texts: Texts) -> str:
    """Return a sentence with the duty of a modeller."""
    pending = view.pending
    assert pending is not None  # noqa: S101 -- told to the type checker
    names = texts.seats(language, view.seats)
    name, riddle = names[pending.asker], riddle_called(texts, language, names, pending.riddle)
    if view.phase == "judging":
        return texts.say(language, "picture", "judged", name=name, riddle=riddle, word=word_to_judge(view, language))
    if pending.question is None:
        return texts.say(language, "picture", "letter_wanted", name=name, riddle=riddle)
    question = question_named(pending.question, language)
    return texts.say(language, "picture", "open", name=name, riddle=riddle, question=question)


def word_to_judge(view: WizardView, language: str) -> str | None:
    """Return the word that waits for its verdict, where the viewer knows it (BR-36)."""
    guess = view.pending.guess if view.pending is not None else None
    if guess is not None:
        return TERMS[TERM_NUMBERS[guess]].name(language)
    waiting = [attempt.words for attempt in view.worded_attempts if attempt.verdict == "waiting"]
    return plain(waiting[0]) if waiting and waiting[0] is not None else None


def spoken(view: WizardView, question: FreeQuestion, language: str, texts: Texts) -> str:
    """Return a player's question in own words, with its answer."""
    names = texts.seats(language, view.seats)
    told = texts.say(
        language,
        "picture",
        "open",
        name=names[question.seat],
        riddle=riddle_called(texts, language, names, question.riddle),
        question=texts.say(language, "picture", "quoted", text=plain(question.text)),
    )
    if question.said == "waiting":
        return told
    return texts.say(language, "picture", "answered", question=told, said=question.said)


def plain(words: str) -> str:
    """Return a player's words, only letters, signs and blanks: others may not stand in XML, or reverse lines."""
    composed = unicodedata.normalize("NFC", " ".join(words.split()))
    return "".join(mark for mark in composed if mark.isprintable() and not unicodedata.combining(mark))


def board(said: list[str]) -> str:
    """Draw the lines on a board."""
    if not said:
        return ""
    return element(
        "g",
        element("rect", width=WIDTH + 32, height=LINE * len(said) + 16, rx=12, class_="br-panel"),
        *(text(line, 16, 29 + LINE * number, "br-said", font_size=MIN_TEXT_SIZE) for number, line in enumerate(said)),
    )
