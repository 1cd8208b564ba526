"""Explanations of illegal moves, in the words of a rule; they see no more than the seat of the move.

`Hall.legal` alone decides. The rest explains, and assumes that the move is illegal.
"""

from __future__ import annotations

from typing import Final

from games.barbarossa import codec, moves
from games.barbarossa.clay.check import fault, share, used
from games.barbarossa.clay.form import Clay, Strokes
from games.barbarossa.clay.settle import settle
from games.barbarossa.table import phases
from games.barbarossa.table.codes import ASK_FREELY, kind_of, riddle_of, what_of
from games.barbarossa.table.constants import FREE
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import ALPHABET, MAX_LETTERS, NO_TERM
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, ATTRIBUTES, TERMS
from games.barbarossa.terms.words import letters_in, normal
from games.core.bits import has
from games.core.game import Move, Refusal
from games.core.texts import LANGUAGES, hides

OWED: Final[dict[int, tuple[type[Move] | tuple[type[Move], ...], str]]] = {
    phases.ANSWERING: ((moves.AnswerQuestion, moves.RejectQuestion), "answer_first"),
    phases.GIVING: (moves.GiveLetter, "letter_first"),
    phases.JUDGING: (moves.JudgeAttempt, "verdict_first"),
}
"""A modeller's duty in a phase, and the reason why nothing else may come first (BR-29, BR-D15)."""


def refuse(hall: Hall, seat: int, move: Move) -> Refusal | None:
    """Return the rule that forbids a move, or None for a legal one."""
    if is_listed(hall, seat, move) and refuse_content(hall, seat, move) is None:
        return None
    return explain_time(hall, seat, move) or refuse_hidden(move) or explain_kind(hall, seat, move)


def is_listed(hall: Hall, seat: int, move: Move) -> bool:
    """Return whether `legal` lists a move; of content of the player's own, an example of it about the same riddle."""
    listed = hall.legal(seat)
    if isinstance(move, moves.ModelRiddles) or not listed:
        return hall.phase == phases.MODELLING and len(listed) > 0
    code, _ = codec.code_and_content(hall, move)
    if kind_of(code) == ASK_FREELY or (
        isinstance(move, moves.AttemptRiddle | moves.CurseToAttempt) and what_of(code) == NO_TERM
    ):
        return any(kind_of(one) == kind_of(code) and riddle_of(one) == riddle_of(code) for one in listed)
    return code in listed


def refuse_hidden(move: Move) -> Refusal | None:
    """Refuse words in which something is hidden (BR-D54)."""
    match move:
        case moves.AskFreely(text=words) if hides(words):
            return Refusal("BR-D54", "words_hidden", "/text")
        case moves.AttemptRiddle(guess=words) | moves.CurseToAttempt(guess=words) if hides(words):
            return Refusal("BR-D54", "words_hidden", "/guess")
        case moves.ModelRiddles(riddles=riddles):
            hidden = (index for index, sketch in enumerate(riddles) if hides(sketch.term))
            return next((Refusal("BR-D54", "words_hidden", f"/riddles/{index}/term") for index in hidden), None)
    return None


def refuse_content(hall: Hall, seat: int, move: Move) -> Refusal | None:
    """Refuse content of the player's own, of which `legal` has examples only."""
    if found := refuse_hidden(move):
        return found
    if isinstance(move, moves.ModelRiddles):
        return refuse_modelling(hall, move)
    if isinstance(move, moves.AttemptRiddle | moves.CurseToAttempt) and codec.term_meant(hall, move.guess) == NO_TERM:
        return refuse_words(hall, seat, move.riddle, move.guess)
    return None


def explain_time(hall: Hall, seat: int, move: Move) -> Refusal | None:
    """Explain what comes at the wrong time."""
    if not hall.actors():
        return Refusal("BR-59", "game_over")
    if hall.phase == phases.MODELLING:
        if has(hall.modelled, seat):
            return Refusal("BR-18", "modelled_already")
        return None if isinstance(move, moves.ModelRiddles) else Refusal("BR-11", "modelling_first")
    if isinstance(move, moves.ModelRiddles):
        return Refusal("BR-18", "modelling_over")
    if isinstance(move, moves.CurseForLetter | moves.CurseToAttempt):
        return explain_curse(hall, seat)
    if hall.phase in OWED:
        kinds, reason = OWED[hall.phase]
        modeller = hall.modeller(hall.open_riddle)
        fits = seat == modeller and isinstance(move, kinds)
        return None if fits else Refusal("BR-D15", reason, params={"seat": modeller})
    if isinstance(move, moves.AnswerQuestion | moves.RejectQuestion | moves.GiveLetter | moves.JudgeAttempt):
        return Refusal("BR-29", "nothing_asked")
    if isinstance(move, moves.HoldBack):
        return Refusal("BR-D17", "nothing_to_hold")
    if seat != hall.turn:
        return Refusal("BR-19", "not_your_turn")
    return explain_turn(hall, move)


def explain_turn(hall: Hall, move: Move) -> Refusal | None:
    """Explain what the state of the turn does not allow (BR-20, BR-24, BR-49)."""
    if hall.phase == phases.MOVING:
        return None if isinstance(move, moves.RollDie | moves.SpendStones) else Refusal("BR-20", "move_first")
    if isinstance(move, moves.RollDie | moves.SpendStones):
        return Refusal("BR-24", "moved_already")
    if hall.phase == phases.DWARF_LETTER:
        return None if isinstance(move, moves.AskLetter | moves.ForgoLetter) else Refusal("BR-49", "letter_only")
    if isinstance(move, moves.ForgoLetter):
        return Refusal("BR-49", "no_dwarf")
    return explain_round(hall, move)


def explain_curse(hall: Hall, seat: int) -> Refusal | None:
    """Explain a curse in a second round, inside another step, or without a stone (BR-56, BR-58, BR-D15, BR-D17)."""
    if phases.SECOND_ROUND in {hall.phase, hall.resume if hall.phase in OWED else hall.phase}:
        return Refusal("BR-56", "second_round")
    if not hall.cursing():
        return Refusal("BR-D15", "curse_later")
    if not hall.player(seat).curses:
        return Refusal("BR-58", "no_curse_stone")
    return Refusal("BR-D17", "held_back") if has(hall.silent, seat) else None


def explain_round(hall: Hall, move: Move) -> Refusal | None:
    """Explain what a round of questions does not allow (BR-27, BR-33, BR-65)."""
    if isinstance(move, moves.AttemptRiddle) and hall.phase == phases.FIRST_ROUND:
        return Refusal("BR-27", "only_questions")
    if isinstance(move, moves.AskLetter):
        if not hall.options.simple or hall.phase == phases.FIRST_ROUND:
            return Refusal("BR-49", "no_dwarf")
        if hall.questions:
            return Refusal("BR-D44", "letter_is_first")
    if isinstance(move, moves.AskAbout | moves.AskFreely) and hall.questions >= hall.options.question_cap:
        return Refusal("BR-D32", "questions_used_up", params={"most": hall.options.question_cap})
    return None


def explain_kind(hall: Hall, seat: int, move: Move) -> Refusal | None:
    """Explain what the kind of move does not allow."""
    match move:
        case moves.ModelRiddles():
            return refuse_modelling(hall, move)
        case moves.SpendStones():
            held = hall.player(seat).stones
            return Refusal("BR-D3", "stones_short" if held else "no_stones", "/stones", {"held": held})
        case moves.AskAbout() | moves.AskFreely():
            return explain_riddle(hall, seat, move.riddle) or explain_question(hall, move)
        case moves.AnswerQuestion(insist=True):  # the list says nothing else (BR-D33)
            return Refusal("BR-D33", "nothing_to_insist_on", "/insist")
        case moves.AnswerQuestion(answer=answer):  # the list is firm (BR-D33)
            return Refusal("BR-D33", "answer_untrue", "/answer", {"answer": answer})
        case moves.JudgeAttempt(verdict=verdict):  # right is another term of the table, or close is not played
            return Refusal(
                "BR-38" if verdict == "close" else "BR-D38", "verdict_untrue", "/verdict", {"verdict": verdict}
            )
        case moves.RejectQuestion():
            return Refusal("BR-31", "question_is_fair")  # only free words can be forbidden ones (BR-70)
        case moves.AttemptRiddle() | moves.CurseToAttempt():
            return explain_unsolved(hall, seat, move.riddle) or explain_guess(hall, seat, move.riddle, move.guess)
        case moves.AskLetter() | moves.CurseForLetter():
            return explain_unsolved(hall, seat, move.riddle) or explain_place(hall, move.place)
        case moves.GiveLetter(place=place):
            return Refusal("BR-D40", "letter_not_there", "/place", {"place": place})
    return None


def refuse_modelling(hall: Hall, move: moves.ModelRiddles) -> Refusal | None:
    """Refuse a wrong number of riddles, a term twice, and pieces beyond the limits (BR-12, BR-15, BR-D1, BR-D42)."""
    each = hall.each()
    if len(move.riddles) != each:
        return Refusal("BR-12", "riddles_each", "/riddles", {"each": each})
    return refuse_terms(hall, move) or refuse_pieces(move, each)


def refuse_pieces(move: moves.ModelRiddles, each: int) -> Refusal | None:
    """Refuse pieces that take more clay than an equal part of the roll leaves, or stand ill (BR-15, BR-D42)."""
    room = share(1) - share(each) * sum(isinstance(sketch.piece, moves.Kneaded) for sketch in move.riddles)
    for index, sketch in enumerate(move.riddles):
        if isinstance(sketch.piece, moves.Kneaded):
            continue
        piece = settle(sketch.piece)
        refusal = refuse_piece(piece, index, room)
        if refusal is not None:
            return refusal
        room -= used(piece)
    return None


def refuse_piece(piece: Clay | Strokes, index: int, room: int) -> Refusal | None:
    """Refuse a riddle's piece that takes more clay than there is room for, or stands ill (BR-15, BR-D42)."""
    found = fault(piece, room)
    if not found:
        return None
    rule = "BR-15" if found.reason == "roll_used_up" else "BR-D42"
    return Refusal(rule, found.reason, f"/riddles/{index}/piece{found.pointer}", dict(found.params))


def refuse_terms(hall: Hall, move: moves.ModelRiddles) -> Refusal | None:
    """Refuse a repeated term, and words beyond the table if they are forbidden or impossible (BR-13, BR-D1, BR-D47)."""
    meant: list[int | str] = []
    for index, sketch in enumerate(move.riddles):
        term, pointer, params = codec.term_meant(hall, sketch.term), f"/riddles/{index}", {"term": sketch.term}
        same = normal(sketch.term, LANGUAGES[hall.options.language]) if term == NO_TERM else term
        if same in meant:
            return Refusal("BR-D1", "term_twice", f"{pointer}/term", params)
        meant.append(same)
        if term != NO_TERM:
            continue
        if not hall.options.words:
            return Refusal("BR-13", "term_unknown", f"{pointer}/term", params)
        name = letters_in(sketch.term)
        if not 1 < len(name) <= MAX_LETTERS or set(name) - set(ALPHABET) or not sketch.term.isprintable():
            return Refusal("BR-D47", "word_unfit", f"{pointer}/term", {"most": MAX_LETTERS})
        if isinstance(sketch.piece, moves.Kneaded):
            return Refusal("BR-D47", "word_unkneaded", f"{pointer}/piece", params)
    return None


def refuse_words(hall: Hall, seat: int, riddle: int, guess: str) -> Refusal | None:
    """Refuse words that mean no term if nobody judges them, and words that a seat has tried (BR-D13, BR-D37)."""
    if not hall.options.judging:
        return Refusal("BR-D37", "no_such_term", "/guess", {"guess": guess})
    tongue = LANGUAGES[hall.options.language]
    said = [words for words, made in zip(hall.tries, hall.tried, strict=True) if made % 256 == seat + 16 * riddle]
    if normal(guess, tongue) in {normal(words, tongue) for words in said}:
        return Refusal("BR-D13", "guess_known", "/guess", {"guess": guess, "riddle": riddle})
    return None


def explain_riddle(hall: Hall, seat: int, riddle: int) -> Refusal | None:
    """Explain a riddle that is not there, is one's own or is full (BR-42, BR-D8)."""
    if riddle >= hall.total():
        return Refusal("BR-12", "no_such_riddle", "/riddle", {"riddle": riddle})
    if hall.modeller(riddle) == seat:
        return Refusal("BR-D8", "own_riddle", "/riddle", {"riddle": riddle})
    if not hall.riddle(riddle).open():
        return Refusal("BR-42", "riddle_full", "/riddle", {"riddle": riddle})
    return None


def explain_unsolved(hall: Hall, seat: int, riddle: int) -> Refusal | None:
    """Explain also a riddle that the seat has solved (BR-D9)."""
    refusal = explain_riddle(hall, seat, riddle)
    if refusal is None and has(hall.riddle(riddle).solvers, seat):
        return Refusal("BR-D9", "solved_already", "/riddle", {"riddle": riddle})
    return refusal


def explain_question(hall: Hall, move: moves.AskAbout | moves.AskFreely) -> Refusal:
    """Explain the other way to ask, and an attribute that was asked in this round (BR-D30, BR-D31, BR-D36)."""
    pointer = "/question" if isinstance(move, moves.AskAbout) else "/text"
    attribute = (
        ATTRIBUTE_NUMBERS[move.question] if isinstance(move, moves.AskAbout) else codec.attribute_meant(hall, move.text)
    )
    if attribute is None:
        return Refusal("BR-D30", "structured_only", pointer)
    if hall.options.asking == FREE:
        return Refusal("BR-D30", "free_only", pointer)
    return Refusal("BR-D31", "asked_already", pointer, {"question": ATTRIBUTES[attribute].id, "riddle": move.riddle})


def explain_guess(hall: Hall, seat: int, riddle: int, guess: str) -> Refusal:
    """Explain words that mean no term of the table, and a term that the seat has tried (BR-13, BR-D13, BR-D37)."""
    term = codec.term_meant(hall, guess)
    unfit = refuse_words(hall, seat, riddle, guess) if term == NO_TERM else None
    named = guess if term == NO_TERM else TERMS[term].id
    return unfit or Refusal("BR-D13", "guess_known", "/guess", {"guess": named, "riddle": riddle})


def explain_place(hall: Hall, place: int | None) -> Refusal:
    """Explain a wrong place: the modeller chooses, the asker must choose, or he knows the letter (BR-D11, BR-D13)."""
    if hall.options.choosing:
        return Refusal("BR-D40", "modeller_chooses", "/place")
    if place is None:
        return Refusal("BR-D11", "place_missing", "/place")
    return Refusal("BR-D13", "letter_known", "/place", {"place": place})
