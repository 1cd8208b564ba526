"""Why a move is illegal, in the words of a rule; sees no more than the seat that asks."""

from __future__ import annotations

from games.barbarossa.clay.check import fault, share, used
from games.barbarossa.clay.settle import settle
from games.barbarossa.moves import (
    ANSWERS,
    VERDICTS,
    AnswerQuestion,
    AskAbout,
    AskFreely,
    AskLetter,
    AttemptRiddle,
    CurseForLetter,
    CurseToAttempt,
    ForgoLetter,
    GiveLetter,
    HoldBack,
    JudgeAttempt,
    Kneaded,
    ModelRiddles,
    RejectQuestion,
    RollDie,
    SpendStones,
    attribute_meant,
    place_number,
    term_meant,
)
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import ALPHABET, ATTRIBUTE_COUNT, LONGEST, NO_TERM, contradicts
from games.barbarossa.table.listing import can_give, may_judge
from games.barbarossa.table.sitting import (
    ANSWERING,
    CHECKED,
    DWARF_LETTER,
    FIRST_ROUND,
    FREE,
    GIVING,
    JUDGING,
    MODELLING,
    MOVING,
    SECOND_ROUND,
    STRUCTURED,
)
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, ATTRIBUTES, TERMS
from games.barbarossa.terms.words import letters_in, normal
from games.core.bits import has
from games.core.game import Move, Refusal
from games.core.texts import LANGUAGES

Curse = CurseForLetter | CurseToAttempt


def refuse(hall: Hall, seat: int, move: Move) -> Refusal | None:
    """Return the rule that forbids a move, or None for a legal one."""
    return refuse_time(hall, seat, move) or refuse_kind(hall, seat, move)


def refuse_time(hall: Hall, seat: int, move: Move) -> Refusal | None:
    """Refuse what comes at the wrong time."""
    if not hall.actors():
        return Refusal("BR-59", "game_over")
    if hall.phase == MODELLING:
        if has(hall.modelled, seat):
            return Refusal("BR-18", "modelled_already")
        return None if isinstance(move, ModelRiddles) else Refusal("BR-11", "modelling_first")
    if isinstance(move, ModelRiddles):
        return Refusal("BR-18", "modelling_over")
    if isinstance(move, Curse):
        return refuse_curse(hall, seat)
    if hall.phase == ANSWERING:
        return refuse_owed(hall, seat, fits=isinstance(move, AnswerQuestion | RejectQuestion), reason="answer_first")
    if hall.phase == GIVING:
        return refuse_owed(hall, seat, fits=isinstance(move, GiveLetter), reason="letter_first")
    if hall.phase == JUDGING:
        return refuse_owed(hall, seat, fits=isinstance(move, JudgeAttempt), reason="verdict_first")
    if isinstance(move, AnswerQuestion | RejectQuestion | GiveLetter | JudgeAttempt):
        return Refusal("BR-29", "nothing_asked")
    if isinstance(move, HoldBack):
        return None if hall.may_hold(seat) else Refusal("BR-D17", "nothing_to_hold")
    if seat != hall.turn:
        return Refusal("BR-19", "not_your_turn")
    return refuse_in_turn(hall, move)


def refuse_in_turn(hall: Hall, move: Move) -> Refusal | None:
    """Refuse what the state of the turn does not allow (BR-20, BR-24, BR-49)."""
    if hall.phase == MOVING:
        return None if isinstance(move, RollDie | SpendStones) else Refusal("BR-20", "move_first")
    if isinstance(move, RollDie | SpendStones):
        return Refusal("BR-24", "moved_already")
    if hall.phase == DWARF_LETTER:
        return None if isinstance(move, AskLetter | ForgoLetter) else Refusal("BR-49", "letter_only")
    if isinstance(move, ForgoLetter):
        return Refusal("BR-49", "no_dwarf")
    return refuse_in_round(hall, move)


def refuse_owed(hall: Hall, seat: int, *, fits: bool, reason: str) -> Refusal | None:
    """Refuse all but what a modeller owes, from all but him (BR-29, BR-D15)."""
    if hall.modeller(hall.open_riddle) != seat or not fits:
        return Refusal("BR-D15", reason, params={"seat": hall.modeller(hall.open_riddle)})
    return None


def refuse_curse(hall: Hall, seat: int) -> Refusal | None:
    """Refuse a curse in a second round, inside another step, or without a stone (BR-56, BR-58, BR-D15, BR-D17)."""
    second = hall.phase == SECOND_ROUND or (hall.phase in {ANSWERING, GIVING, JUDGING} and hall.resume == SECOND_ROUND)
    if second:
        return Refusal("BR-56", "second_round")
    if not hall.cursing():
        return Refusal("BR-D15", "curse_later")
    if not hall.player(seat).curses:
        return Refusal("BR-58", "no_curse_stone")
    if has(hall.silent, seat):
        return Refusal("BR-D17", "held_back")
    return None


def refuse_in_round(hall: Hall, move: Move) -> Refusal | None:
    """Refuse what a round of questions does not allow (BR-27, BR-33, BR-65)."""
    if isinstance(move, AttemptRiddle) and hall.phase == FIRST_ROUND:
        return Refusal("BR-27", "only_questions")
    if isinstance(move, AskLetter):
        if not hall.house.simple or hall.phase == FIRST_ROUND:
            return Refusal("BR-49", "no_dwarf")
        if hall.questions:
            return Refusal("BR-D44", "letter_is_first")
    if isinstance(move, AskAbout | AskFreely) and hall.questions >= hall.house.question_cap:
        return Refusal("BR-D32", "questions_used_up", params={"most": hall.house.question_cap})
    return None


def refuse_kind(hall: Hall, seat: int, move: Move) -> Refusal | None:
    """Refuse what the kind of move does not allow."""
    match move:
        case ModelRiddles():
            return refuse_modelling(hall, move)
        case SpendStones(stones=stones):
            held = hall.player(seat).stones
            reason = "stones_short" if held else "no_stones"
            return None if stones <= held else Refusal("BR-D3", reason, "/stones", {"held": held})
        case AskAbout(riddle=riddle, question=question):
            return foreign(hall, seat, riddle) or refuse_attribute(
                hall, riddle, ATTRIBUTE_NUMBERS[question], "/question"
            )
        case AskFreely():
            return foreign(hall, seat, move.riddle) or refuse_text(hall, move)
        case AnswerQuestion(answer=answer, insist=insist):
            return refuse_answer(hall, ANSWERS.index(answer), insist=insist)
        case JudgeAttempt(verdict=verdict):
            return refuse_verdict(hall, VERDICTS.index(verdict))
        case RejectQuestion():
            return None if hall.open_question == ATTRIBUTE_COUNT else Refusal("BR-31", "question_is_fair")
        case AttemptRiddle(riddle=riddle, guess=guess) | CurseToAttempt(riddle=riddle, guess=guess):
            return unsolved(hall, seat, riddle) or refuse_guess(hall, seat, riddle, guess)
        case AskLetter(riddle=riddle, place=place) | CurseForLetter(riddle=riddle, place=place):
            return unsolved(hall, seat, riddle) or refuse_place(hall, seat, riddle, place)
        case GiveLetter(place=place):
            fits = can_give(hall, place_number(place))
            return None if fits else Refusal("BR-D40", "letter_not_there", "/place", {"place": place})
    return None


def refuse_modelling(hall: Hall, move: ModelRiddles) -> Refusal | None:
    """Refuse a wrong number of riddles, a term twice, and pieces beyond the limits (BR-12, BR-15, BR-D1, BR-D42)."""
    each = hall.each()
    if len(move.riddles) != each:
        return Refusal("BR-12", "riddles_each", "/riddles", {"each": each})
    refusal = refuse_terms(hall, move)
    if refusal is not None:
        return refusal
    room = share(1) - share(each) * sum(isinstance(sketch.piece, Kneaded) for sketch in move.riddles)
    for index, sketch in enumerate(move.riddles):
        if isinstance(sketch.piece, Kneaded):
            continue
        piece = settle(sketch.piece)
        found = fault(piece, room)
        if found:
            rule = "BR-15" if found.reason == "roll_used_up" else "BR-D42"
            return Refusal(rule, found.reason, f"/riddles/{index}/piece{found.pointer}", dict(found.params))
        room -= used(piece)
    return None


def refuse_terms(hall: Hall, move: ModelRiddles) -> Refusal | None:
    """Refuse a term twice, and words beyond the table where they may not be, or cannot be (BR-13, BR-D1, BR-D47)."""
    meant: list[int | str] = []
    for index, sketch in enumerate(move.riddles):
        term, pointer, params = term_meant(hall, sketch.term), f"/riddles/{index}", {"term": sketch.term}
        same = normal(sketch.term, LANGUAGES[hall.house.language]) if term == NO_TERM else term
        if same in meant:
            return Refusal("BR-D1", "term_twice", f"{pointer}/term", params)
        meant.append(same)
        if term != NO_TERM:
            continue
        if not hall.house.words:
            return Refusal("BR-13", "term_unknown", f"{pointer}/term", params)
        name = letters_in(sketch.term)
        if not 1 < len(name) <= LONGEST or set(name) - set(ALPHABET) or not sketch.term.isprintable():
            return Refusal("BR-D47", "word_unfit", f"{pointer}/term", {"most": LONGEST})
        if isinstance(sketch.piece, Kneaded):
            return Refusal("BR-D47", "word_unkneaded", f"{pointer}/piece", params)
    return None


def foreign(hall: Hall, seat: int, riddle: int) -> Refusal | None:
    """Refuse a riddle that is not there, is one's own or is full (BR-42, BR-D8)."""
    if riddle >= hall.total():
        return Refusal("BR-12", "no_such_riddle", "/riddle", {"riddle": riddle})
    if hall.modeller(riddle) == seat:
        return Refusal("BR-D8", "own_riddle", "/riddle", {"riddle": riddle})
    if not hall.riddle(riddle).open():
        return Refusal("BR-42", "riddle_full", "/riddle", {"riddle": riddle})
    return None


def unsolved(hall: Hall, seat: int, riddle: int) -> Refusal | None:
    """Refuse also a riddle that the seat has solved (BR-D9)."""
    refusal = foreign(hall, seat, riddle)
    if refusal is None and has(hall.riddle(riddle).solvers, seat):
        return Refusal("BR-D9", "solved_already", "/riddle", {"riddle": riddle})
    return refusal


def refuse_attribute(hall: Hall, riddle: int, attribute: int, pointer: str) -> Refusal | None:
    """Refuse an attribute where only free words are played, and one that was asked in this round (BR-D30, BR-D31)."""
    if hall.house.asking == FREE:
        return Refusal("BR-D30", "free_only", pointer)
    if hall.riddle(riddle).asked.has(attribute):
        return Refusal("BR-D31", "asked_already", pointer, {"question": ATTRIBUTES[attribute].id, "riddle": riddle})
    return None


def refuse_text(hall: Hall, move: AskFreely) -> Refusal | None:
    """Refuse free words where only attributes are played; in mixed mode, judge what they mean (BR-D36)."""
    if hall.house.asking == STRUCTURED:
        return Refusal("BR-D30", "structured_only", "/text")
    attribute = attribute_meant(hall, move.text)
    return None if attribute is None else refuse_attribute(hall, move.riddle, attribute, "/text")


def refuse_answer(hall: Hall, given: int, *, insist: bool) -> Refusal | None:
    """Refuse a yes or no against a firm answer of the list, where that is checked and not insisted on (BR-D33)."""
    checked = hall.open_question != ATTRIBUTE_COUNT and hall.house.answering == CHECKED
    term = hall.riddle(hall.open_riddle).term
    against = checked and contradicts(term, hall.open_question, given, hall.house.edition)
    if against and not insist:
        return Refusal("BR-D33", "answer_untrue", "/answer", {"answer": ANSWERS[given]})
    return Refusal("BR-D33", "nothing_to_insist_on", "/insist") if insist and not against else None


def refuse_verdict(hall: Hall, verdict: int) -> Refusal | None:
    """Refuse to call another term of the table right, and close where nothing is (BR-38, BR-D38, BR-D46)."""
    if may_judge(hall, verdict):
        return None
    rule = "BR-38" if VERDICTS[verdict] == "close" else "BR-D38"
    return Refusal(rule, "verdict_untrue", "/verdict", {"verdict": VERDICTS[verdict]})


def refuse_guess(hall: Hall, seat: int, riddle: int, guess: str) -> Refusal | None:
    """Refuse words that mean no term of the table, and a term that the seat has tried (BR-13, BR-D13, BR-D37)."""
    term, sheet = term_meant(hall, guess), hall.riddle(riddle).sheet(seat)
    if term == NO_TERM and not hall.house.judging:
        return Refusal("BR-D37", "no_such_term", "/guess", {"guess": guess})
    if term == NO_TERM:
        known = has_tried(hall, seat, riddle, guess)
        return Refusal("BR-D13", "guess_known", "/guess", {"guess": guess, "riddle": riddle}) if known else None
    if sheet.wrong.has(term) or sheet.close.has(term):
        return Refusal("BR-D13", "guess_known", "/guess", {"guess": TERMS[term].id, "riddle": riddle})
    return None


def has_tried(hall: Hall, seat: int, riddle: int, guess: str) -> bool:
    """Tell whether a seat has tried words beyond the table at a riddle (BR-D13)."""
    tongue = LANGUAGES[hall.house.language]
    said = [words for words, made in zip(hall.tries, hall.tried, strict=True) if made % 256 == seat + 16 * riddle]
    return normal(guess, tongue) in {normal(words, tongue) for words in said}


def refuse_place(hall: Hall, seat: int, riddle: int, place: int | None) -> Refusal | None:
    """Refuse a place where the modeller chooses, none where the asker does, and one that he knows (BR-D11, BR-D13)."""
    if hall.house.choosing:
        return None if place is None else Refusal("BR-D40", "modeller_chooses", "/place")
    if place is None:
        return Refusal("BR-D11", "place_missing", "/place")
    if has(hall.riddle(riddle).sheet(seat).places, place_number(place)):
        return Refusal("BR-D13", "letter_known", "/place", {"place": place})
    return None
