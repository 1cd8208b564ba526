"""Invariants of answers and of a seat's attempts, for the check of a record; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mypy_extensions import i64

from games.barbarossa.table import lexicon
from games.barbarossa.table.riddle import Riddle, Sheet
from games.barbarossa.terms.answers import WIDTH, WORDS
from games.core.bits import count, full, members_of

if TYPE_CHECKING:
    from games.barbarossa.table.hall import Hall


def answers_hold(riddle: Riddle) -> bool:
    """Return whether all answers are those of the list (BR-29)."""
    given: i64
    for given in range(lexicon.ANSWERS):
        for attribute in riddle.answered(given).members():
            if lexicon.answer(riddle.term, attribute) != given:
                return False
    return True


def terms_differ(hall: Hall, number: i64) -> bool:
    """Return whether a riddle differs from its modeller's earlier ones (BR-D1, BR-D47)."""
    riddle = hall.riddle(number)
    other: i64
    for other in range(hall.modeller(number) * hall.each(), number):
        twin = hall.riddle(other)
        if twin.term == riddle.term and twin.word == riddle.word:
            return False
    return True


def attempts_hold(hall: Hall, number: i64) -> bool:
    """Return whether the failed attempts at a riddle are of other terms, with the right verdict (BR-36, BR-38)."""
    riddle = hall.riddle(number)
    seat: i64
    for seat in range(hall.seats):
        sheet = riddle.sheet(seat)
        if not (sheet.wrong.none() and sheet.close.none()) and not sheet_holds(hall, riddle, sheet):
            return False
    return True


def sheet_holds(hall: Hall, riddle: Riddle, sheet: Sheet) -> bool:
    """Return whether a seat's failed attempts are of other terms, with the right verdict (BR-36, BR-38)."""
    if sheet.wrong.has(riddle.term) or sheet.close.has(riddle.term):
        return False
    word: i64
    for word in range(WORDS):
        wrong: i64 = sheet.wrong.word(word)
        close: i64 = sheet.close.word(word)
        near: i64 = 0
        if hall.options.hints:
            near = lexicon.close(riddle.term, word)
        if not hall.options.judging and (wrong & near or close & ~near):
            return False
        if wrong & close or (wrong | close) & ~full(WIDTH):
            return False
    return True


def letters_hold(hall: Hall, number: i64) -> bool:
    """Return whether the letters that a modeller has given exist (BR-D40)."""
    seat: i64
    for seat in range(hall.seats):
        given: i64 = 0
        places: i64 = hall.riddle(number).sheet(seat).places
        for place in members_of(places):
            if place < lexicon.MAX_LETTERS and hall.letter(number, place) > 0:
                given += 1
        if given != count(places):
            return False
    return True
