"""What a seat may still hold possible, and hidden terms and words dealt anew in keeping with it; compiled."""

from __future__ import annotations

from typing import Final

from mypy_extensions import i64

from games.barbarossa.studio import UNHEARD, spelling
from games.barbarossa.table.lexicon import (
    ANSWERS,
    ATTRIBUTE_COUNT,
    NO_TERM,
    OWN_WORD,
    close,
    holders,
    length,
    spelled,
)
from games.barbarossa.table.riddle import NOTHING, Riddle, Sheet, Terms, no_terms
from games.barbarossa.table.sitting import AUTOMATIC, GIVING, JUDGING, MODELLING, OVER, Sitting
from games.barbarossa.terms.answers import WIDTH, WORDS
from games.barbarossa.terms.catalogue import TODAY
from games.core.bits import bit, count, full, has, members_of, nth, part
from games.core.dice import Dice
from games.core.table import SPECTATOR

DEAL: Final = 3
"""The purpose of dealing anew, which is none of the game's own."""


def candidates_of(sitting: Sitting, viewer: i64, number: i64) -> Terms:
    """Return the terms that a riddle may be for a viewer, from all that he knows of it alone.

    Its own riddles and those it has solved are known (BR-37). The piece is no proof of anything (BR-16).
    """
    riddle = sitting.riddle(number)
    found = no_terms()
    if viewer == sitting.modeller(number) or (viewer != SPECTATOR and has(riddle.solvers, viewer)):
        found.add(riddle.term)
        return found
    index: i64
    for index in range(WORDS):
        members: i64 = fitting_answers(sitting, riddle, index)
        if viewer != SPECTATOR:
            members &= fitting_attempts(sitting, riddle.sheet(viewer), index)
            members = fitting_letters(sitting, number, riddle.sheet(viewer).places, index, members)
        found.put(index, members)
    if sitting.phase == JUDGING and number == sitting.open_riddle and viewer == sitting.asker:
        found.drop(sitting.open_guess)  # what is right needs no verdict (BR-D46)
    return found


def fitting_answers(sitting: Sitting, riddle: Riddle, index: i64) -> i64:
    """Return the terms, of one word, that fit what was answered (BR-29, BR-D33).

    The list's own answers prove what they say; people's prove nothing, for a person may insist.
    """
    members: i64 = full(WIDTH)
    if sitting.house.answering != AUTOMATIC:
        return members
    given: i64
    attribute: i64
    for given in range(ANSWERS):
        asked = riddle.answered(given)
        if (asked.low | asked.high) == 0:
            continue
        for attribute in range(ATTRIBUTE_COUNT):
            if asked.has(attribute):
                members &= holders(attribute, given, index, sitting.house.edition)
    return members


def fitting_attempts(sitting: Sitting, sheet: Sheet, index: i64) -> i64:
    """Return the terms, of one word, that fit a seat's failed attempts (BR-37, BR-38, BR-D39).

    What a modeller calls close proves nothing (BR-D46).
    """
    members: i64 = full(WIDTH) & ~sheet.wrong.word(index) & ~sheet.close.word(index)
    edition: i64 = sitting.house.edition
    word: i64
    if sitting.house.judging:
        return members
    for word in range(WORDS):
        if sitting.house.hints:
            for member in members_of(sheet.wrong.word(word)):
                members &= ~close(word * WIDTH + member, index, edition)
        for member in members_of(sheet.close.word(word)):
            members &= close(word * WIDTH + member, index, edition)
    return members


def fitting_letters(sitting: Sitting, number: i64, places: i64, index: i64, members: i64) -> i64:
    """Return those of some terms, of one word, that have the same letters at the places seen (BR-50, BR-D12)."""
    language: i64 = sitting.house.language
    found: i64 = members
    for place in members_of(places):
        mark: i64 = sitting.mark(number, place)
        for member in members_of(found):
            if spelled(language, index * WIDTH + member, place) != mark:
                found &= ~bit(member)
    return found


def redealt(sitting: Sitting, viewer: i64, dice: Dice) -> None:
    """Deal anew all that a viewer cannot know; every choice of a player's different terms is as likely (BR-D1)."""
    sitting.paper = ""
    sitting.silent &= bit(viewer) if viewer != SPECTATOR else 0
    if sitting.phase == OVER:
        return
    if sitting.phase == MODELLING:
        unmodel(sitting, viewer)
        return
    seat: i64
    for seat in range(sitting.seats):
        if seat != viewer and sitting.house.words:
            deal_words(sitting, viewer, seat, dice)
        elif seat != viewer:
            deal_terms(sitting, viewer, seat, dice)
    number: i64
    for number in range(sitting.total()):
        if sitting.modeller(number) == viewer:
            continue
        for seat in range(sitting.seats):
            if seat != viewer and seat != sitting.modeller(number):
                deal_sheet(sitting, number, sitting.riddle(number).sheet(seat), dice)
    forget_tries(sitting, viewer)
    if sitting.phase == JUDGING and viewer != sitting.asker and viewer != sitting.modeller(sitting.open_riddle):
        deal_guess(sitting, dice)


def forget_tries(sitting: Sitting, viewer: i64) -> None:
    """Forget the words of attempts that a viewer has neither made nor judged (BR-36, BR-D10)."""
    index: i64
    for index in range(len(sitting.tries)):
        seat: i64 = part(sitting.tried[index], 0, 4)
        if viewer != seat and viewer != sitting.modeller(part(sitting.tried[index], 4, 4)):
            sitting.tries = (*sitting.tries[:index], UNHEARD, *sitting.tries[index + 1 :])


def deal_guess(sitting: Sitting, dice: Dice) -> None:
    """Deal the term anew that waits for a verdict: none that is right, or known to be wrong (BR-36, BR-D46)."""
    if sitting.open_guess == NO_TERM:
        return
    sheet = sitting.riddle(sitting.open_riddle).sheet(sitting.asker)
    pool = no_terms()
    index: i64
    for index in range(WORDS):
        pool.put(index, full(WIDTH) & ~sheet.wrong.word(index) & ~sheet.close.word(index))
    pool.drop(sitting.riddle(sitting.open_riddle).term)
    sitting.open_guess = drawn(pool, dice)


def unmodel(sitting: Sitting, viewer: i64) -> None:
    """Forget what others have handed in, which nobody knows of before all have (BR-D41)."""
    sitting.modelled &= bit(viewer) if viewer != SPECTATOR else 0
    sitting.ply = count(sitting.modelled)
    number: i64
    for number in range(sitting.total()):
        if not has(sitting.modelled, sitting.modeller(number)):
            riddle = sitting.riddle(number)
            riddle.term = NOTHING
            riddle.word = ""
            riddle.piece = ""


def possible(sitting: Sitting, viewer: i64, number: i64) -> Terms:
    """Return the terms that a riddle may be dealt: candidates that leave room for what others are known to know."""
    found = candidates_of(sitting, viewer, number)
    near: i64 = 0
    given: i64 = 0
    seat: i64
    for seat in range(sitting.seats):
        if seat != viewer and seat != sitting.modeller(number):
            sheet = sitting.riddle(number).sheet(seat)
            if not sitting.house.judging:
                near = max(near, sheet.close.size())
            given = max(given, count(sheet.places))
    if sitting.phase == GIVING and number == sitting.open_riddle:  # so there is one more to give (BR-D40)
        given = max(given, count(sitting.riddle(number).sheet(sitting.asker).places) + 1)
    if not sitting.house.choosing:
        given = 0
    if near == 0 and given == 0:
        return found
    index: i64
    for index in range(WORDS):
        for member in members_of(found.word(index)):
            term: i64 = index * WIDTH + member
            if close_terms(term, sitting.house.edition).size() < near or length(sitting.house.language, term) < given:
                found.drop(term)
    return found


def deal_terms(sitting: Sitting, viewer: i64, seat: i64, dice: Dice) -> None:
    """Deal a player's terms anew; tries with a term twice are thrown away, which keeps all fits as likely."""
    each: i64 = sitting.each()
    one = possible(sitting, viewer, seat * each)
    two = possible(sitting, viewer, seat * each + 1)
    three = one
    if each > 2:
        three = possible(sitting, viewer, seat * each + 2)
    while True:
        first_term: i64 = drawn(one, dice)
        second_term: i64 = drawn(two, dice)
        if first_term == second_term:
            continue
        if each > 2:
            third_term: i64 = drawn(three, dice)
            if third_term == first_term or third_term == second_term:
                continue
            sitting.riddle(seat * each + 2).term = third_term
        sitting.riddle(seat * each).term = first_term
        sitting.riddle(seat * each + 1).term = second_term
        return


def deal_words(sitting: Sitting, viewer: i64, seat: i64, dice: Dice) -> None:
    """Deal a player's terms anew where they may be words beyond the table, of which nobody has a list (BR-D47).

    A term of the table is dealt where one fits; where none does, a word of one's own with the letters that were seen.
    """
    index: i64
    taken = no_terms()
    for index in range(sitting.each()):
        taken.add(sitting.riddle(seat * sitting.each() + index).term)
    for index in range(sitting.each()):
        number: i64 = seat * sitting.each() + index
        riddle = sitting.riddle(number)
        if viewer != SPECTATOR and has(riddle.solvers, viewer):
            continue
        pool = possible(sitting, viewer, number)
        taken.drop(riddle.term)
        word: i64
        for word in range(WORDS):
            pool.put(word, pool.word(word) & ~taken.word(word))
        if pool.size() > 0:
            riddle.term = drawn(pool, dice)
            riddle.word = ""
        else:
            riddle.word = invented(sitting, viewer, number)
            riddle.term = OWN_WORD
        taken.add(riddle.term)


def invented(sitting: Sitting, viewer: i64, number: i64) -> str:
    """Return a word beyond the table with the letters that a viewer has seen of a riddle's, and no other of its own."""
    places: i64 = 0
    if viewer != SPECTATOR:
        places = sitting.riddle(number).sheet(viewer).places
    marks = [(int(place), int(sitting.mark(number, place))) for place in members_of(places)]
    first: i64 = sitting.modeller(number) * sitting.each()
    others = [sitting.riddle(other).word for other in range(first, first + sitting.each()) if other != number]
    return spelling(marks, others)


def drawn(terms: Terms, dice: Dice) -> i64:
    """Return one of some terms, each as likely as the others."""
    left: i64 = dice.below(terms.size(), DEAL)
    index: i64
    for index in range(WORDS):
        members: i64 = terms.word(index)
        if left < count(members):
            return index * WIDTH + nth(members, left)
        left -= count(members)
    return NOTHING


def close_terms(term: i64, edition: i64 = TODAY) -> Terms:
    """Return the terms that are close to a term."""
    found = no_terms()
    index: i64
    for index in range(WORDS):
        found.put(index, close(term, index, edition))
    return found


def deal_sheet(sitting: Sitting, number: i64, sheet: Sheet, dice: Dice) -> None:
    """Deal the words and, where the modeller chooses, the letters that a seat has of another's riddle (BR-D10)."""
    term: i64 = sitting.riddle(number).term
    known: bool = sitting.house.hints and not sitting.house.judging
    near = close_terms(term, sitting.house.edition)
    far = no_terms()
    index: i64
    for index in range(WORDS):
        far.put(index, full(WIDTH) & ~(near.word(index) if known else 0))
    far.drop(term)
    sheet.wrong = some(far, sheet.wrong.size(), dice)
    if not known:  # what a modeller calls close may be anything
        near = far
    sheet.close = some(near, sheet.close.size(), dice)
    if sitting.house.choosing:
        places: i64 = full(length(sitting.house.language, term))
        given: i64 = count(sheet.places)
        sheet.places = 0
        while count(sheet.places) < given:
            sheet.places |= bit(nth(places, dice.below(count(places), DEAL)))


def some(pool: Terms, size: i64, dice: Dice) -> Terms:
    """Return so many terms of a pool, every choice as likely."""
    found = no_terms()
    left: i64
    for left in range(size):
        term: i64 = drawn(pool, dice)
        pool.drop(term)
        found.add(term)
    return found
