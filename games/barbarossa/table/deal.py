"""A seat's possible worlds, and deals of hidden terms and words that fit them; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from mypy_extensions import i64

from games.barbarossa.content import UNHEARD, spelling
from games.barbarossa.table import lexicon, phases
from games.barbarossa.table.constants import AUTOMATIC
from games.barbarossa.table.riddle import NOTHING, Riddle, Sheet, Terms, every_term, no_terms
from games.barbarossa.terms.answers import WIDTH, WORDS
from games.core.bits import bit, count, full, has, members_of, nth, part
from games.core.dice import Dice
from games.core.table import SPECTATOR

if TYPE_CHECKING:  # the hall imports its chapters
    from games.barbarossa.table.hall import Hall

DEAL: Final = 3
"""The purpose of a new deal, which is none of the game's own."""


def candidates_of(hall: Hall, viewer: i64, number: i64) -> Terms:
    """Return the terms that a riddle may be for a viewer, from his knowledge of it alone.

    Its own riddles and the solved ones are known (BR-37). The piece is no proof of anything (BR-16).
    """
    riddle = hall.riddle(number)
    if viewer == hall.modeller(number) or (viewer != SPECTATOR and has(riddle.solvers, viewer)):
        own = no_terms()
        own.add(riddle.term)
        return own
    found = every_term()
    keep_answers(hall, riddle, found)
    if viewer != SPECTATOR:
        sheet = riddle.sheet(viewer)
        keep_attempts(hall, sheet, found)
        keep_letters(hall, number, sheet.places, found)
    if hall.phase == phases.JUDGING and number == hall.open_riddle and viewer == hall.asker:
        found.drop(hall.open_guess)  # what is right needs no verdict (BR-D46)
    return found


def keep_answers(hall: Hall, riddle: Riddle, found: Terms) -> None:
    """Leave the terms that fit what was answered (BR-29, BR-D33).

    The list's own answers prove what they say; people's prove nothing, for a person may insist.
    """
    if hall.options.answering != AUTOMATIC:
        return
    given: i64
    word: i64
    for given in range(lexicon.ANSWERS):
        asked = riddle.answered(given)
        if asked.none():
            continue
        for attribute in asked.members():
            for word in range(WORDS):
                found.put(word, found.word(word) & lexicon.holders(attribute, given, word))


def keep_attempts(hall: Hall, sheet: Sheet, found: Terms) -> None:
    """Keep the terms that fit a seat's failed attempts (BR-37, BR-38, BR-D39).

    A verdict "close" proves nothing (BR-D46).
    """
    if sheet.wrong.none() and sheet.close.none():
        return
    index: i64
    word: i64
    for word in range(WORDS):
        found.put(word, found.word(word) & ~sheet.wrong.word(word) & ~sheet.close.word(word))
    if hall.options.judging:
        return
    for word in range(WORDS):
        if hall.options.hints:
            for member in members_of(sheet.wrong.word(word)):
                for index in range(WORDS):
                    found.put(index, found.word(index) & ~lexicon.close(word * WIDTH + member, index))
        for member in members_of(sheet.close.word(word)):
            for index in range(WORDS):
                found.put(index, found.word(index) & lexicon.close(word * WIDTH + member, index))


def keep_letters(hall: Hall, number: i64, places: i64, found: Terms) -> None:
    """Leave the terms that have the same letters at the places seen (BR-50, BR-D12)."""
    language: i64 = hall.options.language
    word: i64
    for place in members_of(places):
        letter: i64 = hall.letter(number, place)
        for word in range(WORDS):
            for member in members_of(found.word(word)):
                if lexicon.spelled(language, word * WIDTH + member, place) != letter:
                    found.drop(word * WIDTH + member)


def deal_anew(hall: Hall, viewer: i64, dice: Dice) -> None:
    """Deal the unknown parts of a viewer; all choices of a player's different terms are as likely (BR-D1)."""
    hall.content = ""
    hall.silent &= bit(viewer) if viewer != SPECTATOR else 0
    if hall.phase == phases.OVER:
        return
    if hall.phase == phases.MODELLING:
        unmodel(hall, viewer)
        return
    seat: i64
    for seat in range(hall.seats):
        if seat != viewer and hall.options.words:
            deal_words(hall, viewer, seat, dice)
        elif seat != viewer:
            deal_terms(hall, viewer, seat, dice)
    number: i64
    for number in range(hall.total()):
        if hall.modeller(number) == viewer:
            continue
        for seat in range(hall.seats):
            if seat != viewer and seat != hall.modeller(number):
                deal_sheet(hall, number, seat, dice)
    forget_tries(hall, viewer)
    if hall.phase == phases.JUDGING and viewer != hall.asker and viewer != hall.modeller(hall.open_riddle):
        deal_guess(hall, dice)


def forget_tries(hall: Hall, viewer: i64) -> None:
    """Forget the words of attempts that a viewer has neither made nor judged (BR-36, BR-D10)."""
    index: i64
    for index in range(len(hall.tries)):
        seat: i64 = part(hall.tried[index], 0, 4)
        if viewer != seat and viewer != hall.modeller(part(hall.tried[index], 4, 4)):
            hall.tries = (*hall.tries[:index], UNHEARD, *hall.tries[index + 1 :])


def deal_guess(hall: Hall, dice: Dice) -> None:
    """Deal the term that waits for a verdict: none that is right, or known to be wrong (BR-36, BR-D46)."""
    if hall.open_guess == lexicon.NO_TERM:
        return
    sheet = hall.riddle(hall.open_riddle).sheet(hall.asker)
    pool = no_terms()
    index: i64
    for index in range(WORDS):
        pool.put(index, full(WIDTH) & ~sheet.wrong.word(index) & ~sheet.close.word(index))
    pool.drop(hall.riddle(hall.open_riddle).term)
    hall.open_guess = draw_term(pool, dice)


def unmodel(hall: Hall, viewer: i64) -> None:
    """Forget what others have handed in, which nobody knows of before all have (BR-D41)."""
    hall.modelled &= bit(viewer) if viewer != SPECTATOR else 0
    hall.ply = count(hall.modelled)
    number: i64
    for number in range(hall.total()):
        if not has(hall.modelled, hall.modeller(number)):
            riddle = hall.renew(number)
            riddle.term = NOTHING
            riddle.word = ""
            riddle.figure = None


def possible(hall: Hall, viewer: i64, number: i64) -> Terms:
    """Return the terms that a riddle may be dealt: candidates that leave room for the knowledge of others."""
    found = candidates_of(hall, viewer, number)
    near: i64 = 0
    given: i64 = 0
    seat: i64
    for seat in range(hall.seats):
        if seat != viewer and seat != hall.modeller(number):
            sheet = hall.riddle(number).sheet(seat)
            if not hall.options.judging:
                near = max(near, sheet.close.size())
            given = max(given, count(sheet.places))
    if hall.phase == phases.GIVING and number == hall.open_riddle:  # so there is one more to give (BR-D40)
        given = max(given, count(hall.riddle(number).sheet(hall.asker).places) + 1)
    if not hall.options.choosing:
        given = 0
    if near == 0 and given == 0:
        return found
    index: i64
    for index in range(WORDS):
        for member in members_of(found.word(index)):
            term: i64 = index * WIDTH + member
            if close_terms(term).size() < near or lexicon.length(hall.options.language, term) < given:
                found.drop(term)
    return found


def deal_terms(hall: Hall, viewer: i64, seat: i64, dice: Dice) -> None:
    """Deal a player's terms; deals with a term twice are thrown away, which keeps all fits as likely."""
    each: i64 = hall.each()
    one = possible(hall, viewer, seat * each)
    two = possible(hall, viewer, seat * each + 1)
    three = one
    if each > 2:
        three = possible(hall, viewer, seat * each + 2)
    while True:
        first_term: i64 = draw_term(one, dice)
        second_term: i64 = draw_term(two, dice)
        if first_term == second_term:
            continue
        if each > 2:
            third_term: i64 = draw_term(three, dice)
            if third_term == first_term or third_term == second_term:
                continue
            hall.renew(seat * each + 2).term = third_term
        hall.renew(seat * each).term = first_term
        hall.renew(seat * each + 1).term = second_term
        return


def deal_words(hall: Hall, viewer: i64, seat: i64, dice: Dice) -> None:
    """Deal a player's terms if they may be words beyond the table, of which nobody has a list (BR-D47).

    A term of the table is dealt if one fits; otherwise, a word of one's own with the seen letters.
    """
    index: i64
    taken = no_terms()
    for index in range(hall.each()):
        taken.add(hall.riddle(seat * hall.each() + index).term)
    for index in range(hall.each()):
        number: i64 = seat * hall.each() + index
        if viewer != SPECTATOR and has(hall.riddle(number).solvers, viewer):
            continue
        riddle = hall.renew(number)
        pool = possible(hall, viewer, number)
        taken.drop(riddle.term)
        word: i64
        for word in range(WORDS):
            pool.put(word, pool.word(word) & ~taken.word(word))
        if pool.size() > 0:
            riddle.term = draw_term(pool, dice)
            riddle.word = ""
        else:
            riddle.word = invented(hall, viewer, number)
            riddle.term = lexicon.OWN_WORD
        taken.add(riddle.term)


def invented(hall: Hall, viewer: i64, number: i64) -> str:
    """Return a word beyond the table with the letters that a viewer has seen of a riddle's, and no other of its own."""
    places: i64 = 0
    if viewer != SPECTATOR:
        places = hall.riddle(number).sheet(viewer).places
    seen = [(int(place), int(hall.letter(number, place))) for place in members_of(places)]
    first: i64 = hall.modeller(number) * hall.each()
    others = [hall.riddle(other).word for other in range(first, first + hall.each()) if other != number]
    return spelling(seen, others)


def draw_term(terms: Terms, dice: Dice) -> i64:
    """Return one of some terms, each as likely as the others."""
    left: i64 = dice.below(terms.size(), DEAL)
    index: i64
    for index in range(WORDS):
        members: i64 = terms.word(index)
        if left < count(members):
            return index * WIDTH + nth(members, left)
        left -= count(members)
    return NOTHING


def close_terms(term: i64) -> Terms:
    """Return the terms that are close to a term."""
    found = no_terms()
    index: i64
    for index in range(WORDS):
        found.put(index, lexicon.close(term, index))
    return found


def deal_sheet(hall: Hall, number: i64, seat: i64, dice: Dice) -> None:
    """Deal the words and, where the modeller chooses, the letters that a seat has of another's riddle (BR-D10)."""
    sheet = hall.riddle(number).sheet(seat)
    places: i64 = sheet.places
    failed: i64 = sheet.wrong.size() + sheet.close.size()
    if failed == 0 and not (hall.options.choosing and places):
        return
    term: i64 = hall.riddle(number).term
    known: bool = hall.options.hints and not hall.options.judging
    near = close_terms(term)
    far = no_terms()
    index: i64
    for index in range(WORDS):
        far.put(index, full(WIDTH) & ~(near.word(index) if known else 0))
    far.drop(term)
    wrong = draw_terms(far, sheet.wrong.size(), dice)
    if not known:  # what a modeller calls close may be anything
        near = far
    close = draw_terms(near, sheet.close.size(), dice)
    if hall.options.choosing:
        room: i64 = full(lexicon.length(hall.options.language, term))
        given: i64 = count(places)
        places = 0
        while count(places) < given:
            places |= bit(nth(room, dice.below(count(room), DEAL)))
    hall.renew(number).put_sheet(seat, Sheet(places, wrong, close))


def draw_terms(pool: Terms, size: i64, dice: Dice) -> Terms:
    """Return a number of terms of a pool, every choice as likely."""
    found = no_terms()
    left: i64
    for left in range(size):
        term: i64 = draw_term(pool, dice)
        pool.drop(term)
        found.add(term)
    return found
