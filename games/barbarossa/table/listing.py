"""What may be done: every legal move of a seat; compiled."""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.barbarossa.table.codes import (
    ANSWER,
    ANY,
    ASK,
    ASK_FREELY,
    ATTEMPT,
    CURSE_ATTEMPT,
    CURSE_LETTER,
    END_ROUND,
    FORGO,
    GIVE,
    HOLD,
    INSIST,
    JUDGE,
    LETTER,
    MODEL,
    REJECT,
    ROLL,
    SAMPLE,
    SPEND,
    STOCK,
    WORDED,
    code,
    modelled,
)
from games.barbarossa.table.lexicon import (
    ANSWERS,
    ATTRIBUTE_COUNT,
    LONGEST,
    OWN_WORD,
    PLACES,
    SAMPLE_WORD,
    TERM_COUNT,
    contradicts,
)
from games.barbarossa.table.sitting import (
    ANSWERING,
    CHECKED,
    DWARF_LETTER,
    FREE,
    GIVING,
    JUDGING,
    MODELLING,
    MOVING,
    SECOND_ROUND,
    STRUCTURED,
    Sitting,
)
from games.barbarossa.terms.answers import WIDTH, WORDS
from games.core.bits import full, has, members_of

EXAMPLES: Final = 24
"""Modellings that are listed, of the many there are."""

KNEADED: Final = 16
"""So many of them are kneaded, the others have the example of an own piece."""

BETWEEN: Final = 5
"""Rows of the table between the terms of an example."""


def moves_of(sitting: Sitting, seat: i64) -> vec[i64]:
    """Return the legal moves of a seat."""
    moves = vec[i64](capacity=16)
    if not has(sitting.actors(), seat):
        return moves
    if sitting.phase == MODELLING:
        return with_modellings(sitting, moves)
    if sitting.phase == ANSWERING:
        return with_answers(sitting, moves)
    if sitting.phase == GIVING:
        return with_own_letters(sitting, moves)
    if sitting.phase == JUDGING:
        return with_verdicts(sitting, moves)
    moves = with_turn(sitting, moves, seat) if seat == sitting.turn else append(moves, code(HOLD, 0, 0))
    if sitting.may_curse(seat):
        moves = with_letters(sitting, moves, seat, CURSE_LETTER)
        moves = with_attempts(sitting, moves, seat, CURSE_ATTEMPT)
    return moves


def with_modellings(sitting: Sitting, moves: vec[i64]) -> vec[i64]:
    """Add examples of different terms: kneaded, from bare hints to whole recipes, and own pieces (BR-D1, BR-D43)."""
    example: i64
    index: i64
    for example in range(EXAMPLES):
        move: i64 = MODEL
        for index in range(sitting.each()):
            term: i64 = (TERM_COUNT // EXAMPLES * example + BETWEEN * index) % TERM_COUNT
            explicitness: i64 = 9 + (example + index) % BETWEEN * 2
            if example >= KNEADED:
                explicitness = STOCK
                if index == 0 and sitting.house.words:
                    term = SAMPLE_WORD
            move |= modelled(index, term, explicitness)
        moves = append(moves, move)
    return moves


def with_turn(sitting: Sitting, moves: vec[i64], seat: i64) -> vec[i64]:
    """Add what the state of the turn lets its owner do."""
    if sitting.phase == MOVING:
        moves = append(moves, code(ROLL, 0, 0))
        stones: i64
        for stones in range(1, sitting.player(seat).stones + 1):
            moves = append(moves, code(SPEND, 0, stones))
        return moves
    if sitting.phase == DWARF_LETTER:
        return with_letters(sitting, append(moves, code(FORGO, 0, 0)), seat, LETTER)
    moves = append(moves, code(END_ROUND, 0, 0))
    moves = with_questions(sitting, moves, seat)
    if sitting.phase == SECOND_ROUND:
        moves = with_attempts(sitting, moves, seat, ATTEMPT)
        if sitting.house.simple and sitting.questions == 0:
            moves = with_letters(sitting, moves, seat, LETTER)
    return moves


def with_questions(sitting: Sitting, moves: vec[i64], seat: i64) -> vec[i64]:
    """Add the questions: each attribute once per riddle and round, and an example of free text (BR-D30 to BR-D32)."""
    if sitting.questions >= sitting.house.question_cap:
        return moves
    attribute: i64
    for number in members_of(sitting.askable(seat)):
        if sitting.house.asking != FREE:
            asked = sitting.riddle(number).asked
            for attribute in range(ATTRIBUTE_COUNT):
                if not asked.has(attribute):
                    moves = append(moves, code(ASK, number, attribute))
        if sitting.house.asking != STRUCTURED:
            moves = append(moves, code(ASK_FREELY, number, SAMPLE))
        if sitting.house.asking == FREE:
            for attribute in range(ATTRIBUTE_COUNT):
                moves = append(moves, code(ASK_FREELY, number, WORDED + attribute))
    return moves


def with_attempts(sitting: Sitting, moves: vec[i64], seat: i64, kind: i64) -> vec[i64]:
    """Add every attempt at a riddle that the seat has not solved (BR-33, BR-54, BR-D7 to BR-D9, BR-D13)."""
    word: i64
    for number in members_of(sitting.unsolved(seat)):
        sheet = sitting.riddle(number).sheet(seat)
        for word in range(WORDS):
            for member in members_of(full(WIDTH) & ~sheet.wrong.word(word) & ~sheet.close.word(word)):
                moves = append(moves, code(kind, number, word * WIDTH + member))
    return moves


def with_letters(sitting: Sitting, moves: vec[i64], seat: i64, kind: i64) -> vec[i64]:
    """Add every letter that may be asked for (BR-49, BR-53, BR-D11, BR-D13)."""
    place: i64
    for number in members_of(sitting.unsolved(seat)):
        if sitting.house.choosing:
            moves = append(moves, code(kind, number, ANY))
            continue
        places: i64 = sitting.riddle(number).sheet(seat).places
        for place in range(PLACES):
            if not has(places, place):
                moves = append(moves, code(kind, number, place))
    return moves


def with_answers(sitting: Sitting, moves: vec[i64]) -> vec[i64]:
    """Add the answers that the modeller may give, and the rejection of free text (BR-30, BR-D33, BR-D35)."""
    given: i64
    term: i64 = sitting.riddle(sitting.open_riddle).term
    free: bool = sitting.open_question == ATTRIBUTE_COUNT
    for given in range(ANSWERS):
        held: bool = sitting.house.answering == CHECKED and not free
        if held and contradicts(term, sitting.open_question, given, sitting.house.edition):
            moves = append(moves, code(ANSWER, 0, INSIST + given))
        else:
            moves = append(moves, code(ANSWER, 0, given))
    if free:
        moves = append(moves, code(REJECT, 0, 0))
    return moves


def with_verdicts(sitting: Sitting, moves: vec[i64]) -> vec[i64]:
    """Add the verdicts that the modeller may give (BR-37, BR-38, BR-D38, BR-D46)."""
    verdict: i64
    for verdict in range(3):
        if may_judge(sitting, verdict):
            moves = append(moves, code(JUDGE, 0, verdict))
    return moves


def may_judge(sitting: Sitting, verdict: i64) -> bool:
    """Tell whether a verdict may be given: close where that is played, right where words may mean the term (BR-D46)."""
    if verdict == 1:
        return sitting.house.hints
    beyond: bool = sitting.open_guess >= TERM_COUNT or sitting.riddle(sitting.open_riddle).term == OWN_WORD
    return verdict == 0 or beyond


def with_own_letters(sitting: Sitting, moves: vec[i64]) -> vec[i64]:
    """Add the letters that the modeller may give: those that the asker has not, one at least (BR-D40)."""
    place: i64
    for place in range(LONGEST):
        if can_give(sitting, place):
            moves = append(moves, code(GIVE, 0, place))
    return moves


def can_give(sitting: Sitting, place: i64) -> bool:
    """Tell whether the open riddle has a letter at a place that the asker has not been given (BR-D40)."""
    riddle = sitting.riddle(sitting.open_riddle)
    if has(riddle.sheet(sitting.asker).places, place):
        return False
    return sitting.mark(sitting.open_riddle, place) > 0


def can_give_any(sitting: Sitting) -> bool:
    """Tell whether the open riddle has any letter left for the asker (BR-D40)."""
    place: i64 = 0
    while place < LONGEST and not can_give(sitting, place):
        place += 1
    return place < LONGEST
