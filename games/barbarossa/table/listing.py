"""Every legal move of a seat; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.vecs import append, extend, vec
from mypy_extensions import i64

from games.barbarossa.table import codes, lexicon, phases
from games.barbarossa.table.codes import code, modelled
from games.barbarossa.table.constants import CHECKED, FREE, STRUCTURED
from games.barbarossa.table.riddle import HALF
from games.barbarossa.terms.answers import WIDTH, WORDS
from games.core.bits import full, has, members_of

if TYPE_CHECKING:  # the hall imports its chapters
    from games.barbarossa.table.hall import Hall

EXAMPLES: Final = 24
"""Modellings that are listed, of the many there are."""

KNEADED: Final = 16
"""Number of kneaded ones; the others have the example of an own piece."""

ROW_STEP: Final = 5
"""Rows of the table between the terms of an example."""


RIDDLES: Final = 9
"""No hall has more."""


def every(kind: i64, size: i64) -> vec[i64]:
    """Return the codes of a kind about every riddle, with all arguments below `size`, in order."""
    found = vec[i64](capacity=RIDDLES * size)
    number: i64
    what: i64
    for number in range(RIDDLES):
        for what in range(size):
            found = append(found, code(kind, number, what))
    return found


QUESTIONS: Final[vec[i64]] = every(codes.ASK, lexicon.ATTRIBUTE_COUNT)
ATTEMPTS: Final[vec[i64]] = every(codes.ATTEMPT, lexicon.TERM_COUNT)
CURSED_ATTEMPTS: Final[vec[i64]] = every(codes.CURSE_ATTEMPT, lexicon.TERM_COUNT)
LETTERS: Final[vec[i64]] = every(codes.LETTER, lexicon.PLACES)
CURSED_LETTERS: Final[vec[i64]] = every(codes.CURSE_LETTER, lexicon.PLACES)
"""Codes of the kinds with many moves, to copy from."""


def legal_moves(hall: Hall, seat: i64) -> vec[i64]:
    """Return the legal moves of a seat."""
    return moves_of(hall, seat, True)


def moves_of(hall: Hall, seat: i64, every_term: bool) -> vec[i64]:
    """Return the legal moves of a seat; of the attempts at a riddle all, or a representative one."""
    moves = vec[i64](capacity=16)
    if not has(hall.actors(), seat):
        return moves
    if hall.phase == phases.MODELLING:
        return with_modellings(hall, moves)
    if hall.phase == phases.ANSWERING:
        return with_answers(hall, moves)
    if hall.phase == phases.GIVING:
        return with_own_letters(hall, moves)
    if hall.phase == phases.JUDGING:
        return with_verdicts(hall, moves)
    moves = with_turn(hall, moves, seat, every_term) if seat == hall.turn else append(moves, code(codes.HOLD, 0, 0))
    if hall.may_curse(seat):
        moves = with_letters(hall, moves, seat, codes.CURSE_LETTER)
        moves = with_attempts(hall, moves, seat, codes.CURSE_ATTEMPT, every_term)
    return moves


def with_modellings(hall: Hall, moves: vec[i64]) -> vec[i64]:
    """Add examples of different terms: kneaded, from bare hints to whole recipes, and own pieces (BR-D1, BR-D43)."""
    example: i64
    index: i64
    for example in range(EXAMPLES):
        move: i64 = codes.MODEL
        for index in range(hall.each()):
            term: i64 = (lexicon.TERM_COUNT // EXAMPLES * example + ROW_STEP * index) % lexicon.TERM_COUNT
            explicitness: i64 = 9 + (example + index) % ROW_STEP * 2
            if example >= KNEADED:
                explicitness = codes.STOCK
                if index == 0 and hall.options.words:
                    term = lexicon.SAMPLE_WORD
            move |= modelled(index, term, explicitness)
        moves = append(moves, move)
    return moves


def with_turn(hall: Hall, moves: vec[i64], seat: i64, every_term: bool) -> vec[i64]:
    """Add the moves of the turn's owner in the state of the turn."""
    if hall.phase == phases.MOVING:
        moves = append(moves, code(codes.ROLL, 0, 0))
        stones: i64
        for stones in range(1, hall.player(seat).stones + 1):
            moves = append(moves, code(codes.SPEND, 0, stones))
        return moves
    if hall.phase == phases.DWARF_LETTER:
        return with_letters(hall, append(moves, code(codes.FORGO, 0, 0)), seat, codes.LETTER)
    moves = append(moves, code(codes.END_ROUND, 0, 0))
    moves = with_questions(hall, moves, seat)
    if hall.phase == phases.SECOND_ROUND:
        moves = with_attempts(hall, moves, seat, codes.ATTEMPT, every_term)
        if hall.options.simple and hall.questions == 0:
            moves = with_letters(hall, moves, seat, codes.LETTER)
    return moves


def with_questions(hall: Hall, moves: vec[i64], seat: i64) -> vec[i64]:
    """Add the questions: each attribute once per riddle and round, and an example of free text (BR-D30 to BR-D32)."""
    if hall.questions >= hall.options.question_cap:
        return moves
    attribute: i64
    for number in members_of(hall.askable(seat)):
        if hall.options.asking != FREE:
            asked = hall.riddle(number).asked
            start: i64 = number * lexicon.ATTRIBUTE_COUNT
            moves = with_some(moves, QUESTIONS, start, full(HALF) & ~asked.low, HALF)
            moves = with_some(moves, QUESTIONS, start + HALF, full(HALF) & ~asked.high, HALF)
        if hall.options.asking != STRUCTURED:
            moves = append(moves, code(codes.ASK_FREELY, number, codes.SAMPLE))
        if hall.options.asking == FREE:
            for attribute in range(lexicon.ATTRIBUTE_COUNT):
                moves = append(moves, code(codes.ASK_FREELY, number, codes.WORDED + attribute))
    return moves


def with_attempts(hall: Hall, moves: vec[i64], seat: i64, kind: i64, every_term: bool) -> vec[i64]:
    """Add every attempt at a riddle that the seat has not solved (BR-33, BR-54, BR-D7 to BR-D9, BR-D13).

    Where not every term is asked for, the one with the first term stands for all attempts at a riddle.
    """
    listed = CURSED_ATTEMPTS if kind == codes.CURSE_ATTEMPT else ATTEMPTS
    word: i64
    for number in members_of(hall.unsolved(seat)):
        start: i64 = number * lexicon.TERM_COUNT
        sheet = hall.riddle(number).sheet(seat)
        if not every_term:
            if sheet.wrong.size() + sheet.close.size() < lexicon.TERM_COUNT:
                moves = append(moves, listed[start])
            continue
        if sheet.wrong.none() and sheet.close.none():
            moves = extend(moves, listed[start : start + lexicon.TERM_COUNT])
            continue
        for word in range(WORDS):
            members: i64 = full(WIDTH) & ~sheet.wrong.word(word) & ~sheet.close.word(word)
            moves = with_some(moves, listed, start + word * WIDTH, members, WIDTH)
    return moves


def with_letters(hall: Hall, moves: vec[i64], seat: i64, kind: i64) -> vec[i64]:
    """Add every letter that may be asked for (BR-49, BR-53, BR-D11, BR-D13)."""
    listed = CURSED_LETTERS if kind == codes.CURSE_LETTER else LETTERS
    for number in members_of(hall.unsolved(seat)):
        if hall.options.choosing:
            moves = append(moves, code(kind, number, codes.ANY))
            continue
        places: i64 = full(lexicon.PLACES) & ~hall.riddle(number).sheet(seat).places
        moves = with_some(moves, listed, number * lexicon.PLACES, places, lexicon.PLACES)
    return moves


def with_some(moves: vec[i64], listed: vec[i64], start: i64, places: i64, size: i64) -> vec[i64]:
    """Add those of the next `size` codes of a list whose places are in a set."""
    if places == full(size):
        return extend(moves, listed[start : start + size])
    place: i64
    for place in range(size):
        if has(places, place):
            moves = append(moves, listed[start + place])
    return moves


def with_answers(hall: Hall, moves: vec[i64]) -> vec[i64]:
    """Add the answers that the modeller may give, and the rejection of free text (BR-30, BR-D33, BR-D35)."""
    given: i64
    term: i64 = hall.riddle(hall.open_riddle).term
    free: bool = hall.open_question == lexicon.ATTRIBUTE_COUNT
    for given in range(lexicon.ANSWERS):
        held: bool = hall.options.answering == CHECKED and not free
        if held and lexicon.contradicts(term, hall.open_question, given):
            moves = append(moves, code(codes.ANSWER, 0, codes.INSIST + given))
        else:
            moves = append(moves, code(codes.ANSWER, 0, given))
    if free:
        moves = append(moves, code(codes.REJECT, 0, 0))
    return moves


def with_verdicts(hall: Hall, moves: vec[i64]) -> vec[i64]:
    """Add the verdicts that the modeller may give (BR-37, BR-38, BR-D38, BR-D46)."""
    verdict: i64
    for verdict in range(3):
        if may_judge(hall, verdict):
            moves = append(moves, code(codes.JUDGE, 0, verdict))
    return moves


def may_judge(hall: Hall, verdict: i64) -> bool:
    """Return whether a verdict may be given: close if that is played, right if words may mean the term (BR-D46)."""
    if verdict == 1:
        return hall.options.hints
    beyond: bool = hall.open_guess >= lexicon.TERM_COUNT or hall.riddle(hall.open_riddle).term == lexicon.OWN_WORD
    return verdict == 0 or beyond


def with_own_letters(hall: Hall, moves: vec[i64]) -> vec[i64]:
    """Add the letters that the modeller may give: at least one, and none that the asker has (BR-D40)."""
    place: i64
    for place in range(lexicon.MAX_LETTERS):
        if can_give(hall, place):
            moves = append(moves, code(codes.GIVE, 0, place))
    return moves


def can_give(hall: Hall, place: i64) -> bool:
    """Return whether the open riddle has a letter at a place that the asker has not been given (BR-D40)."""
    riddle = hall.riddle(hall.open_riddle)
    if has(riddle.sheet(hall.asker).places, place):
        return False
    return hall.letter(hall.open_riddle, place) > 0


def can_give_any(hall: Hall) -> bool:
    """Return whether the open riddle has any letter left for the asker (BR-D40)."""
    place: i64 = 0
    while place < lexicon.MAX_LETTERS and not can_give(hall, place):
        place += 1
    return place < lexicon.MAX_LETTERS
