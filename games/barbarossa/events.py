"""Events of a move; the kind of a journal's note is that of a move, or one of `table.notes`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta

from games.barbarossa import moves
from games.barbarossa.clay.form import Clay, Strokes
from games.barbarossa.options import CAVE_NAMES, Cave
from games.barbarossa.record import term_named
from games.barbarossa.table import codes, notes, phases
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import ATTRIBUTE_COUNT, letter_named
from games.barbarossa.table.riddle import Riddle
from games.barbarossa.terms.catalogue import ATTRIBUTES, TERMS
from games.core.bits import members_of, part
from games.core.game import Event, Heard
from games.core.table import EVERYONE

Reason = Literal["goal", "spears", "cap"]
REASONS: Final[tuple[Reason, ...]] = ("goal", "spears", "cap")
Letter = Annotated[str, Meta(max_length=1, description="The letter; empty if the word has none at this place.")]


class RiddlesModelled(Event, frozen=True, tag="riddles_modelled"):
    """A seat handed in its riddles. Only that seat sees them."""

    seat: int
    terms: list[moves.TermName]
    pieces: list[Clay | Strokes]


class RiddlesShown(Event, frozen=True, tag="riddles_shown"):
    """All sculptures are on show, in the order of their riddles, and a seat begins."""

    pieces: list[Clay | Strokes]
    seat: int


class DieRolled(Event, frozen=True, tag="die_rolled"):
    """A seat rolled the die, and its wizard moved to a cave."""

    seat: int
    face: int
    cave: int


class StonesSpent(Event, frozen=True, tag="stones_spent"):
    """A seat paid elf stones, and its wizard moved to a cave."""

    seat: int
    stones: int
    cave: int


class CaveEntered(Event, frozen=True, tag="cave_entered"):
    """A wizard landed on a cave of this kind."""

    seat: int
    cave: Cave


class QuestionAsked(Event, frozen=True, kw_only=True, tag="question_asked"):
    """A seat asked a question, of the list or in its own words."""

    seat: int
    riddle: moves.RiddleNumber
    question: moves.Question | None = None
    text: str | None


class QuestionAnswered(Event, frozen=True, kw_only=True, tag="question_answered"):
    """A question was answered, by the modeller or by the list."""

    seat: int
    riddle: moves.RiddleNumber
    question: moves.Question | None = None
    answer: moves.Answer


class QuestionRejected(Event, frozen=True, tag="question_rejected"):
    """A modeller rejected a question that is not allowed."""

    seat: int
    riddle: moves.RiddleNumber


class SecondRoundBegun(Event, frozen=True, tag="second_round_begun"):
    """A seat starts its second round."""

    seat: int


class AskingEnded(Event, frozen=True, tag="asking_ended"):
    """A seat ended its round of questions."""

    seat: int


class LetterForgone(Event, frozen=True, tag="letter_forgone"):
    """A seat declined the dwarf's letter."""

    seat: int


class AnswerInsisted(Event, frozen=True, tag="answer_insisted"):
    """A modeller contradicted the list, which suggests that it is wrong. Only that modeller receives this event."""

    seat: int
    riddle: moves.RiddleNumber
    question: moves.Question
    answer: moves.Answer


class AttemptWritten(Event, frozen=True, tag="attempt_written"):
    """A seat wrote down a solution, and the riddle's modeller judges it. Only these two see the word.

    `term` is the solution if it is a term of the table, else `words` is. Both are null for everyone else.
    """

    seat: int
    riddle: moves.RiddleNumber
    term: moves.TermId | None
    words: moves.Guess | None
    cursed: bool


class RiddleAttempted(Event, frozen=True, tag="riddle_attempted"):
    """A seat attempted a riddle. Only modeller and attempter see its word, `term` or `words`.

    `cursed` is true if a curse stone paid for it, unless `attempt_written` has already reported that.
    """

    seat: int
    riddle: moves.RiddleNumber
    verdict: moves.Verdict
    term: moves.TermId | None
    words: moves.Guess | None
    cursed: bool


class LetterAsked(Event, frozen=True, tag="letter_asked"):
    """A seat asked for a letter. The place is null if the modeller chooses it."""

    seat: int
    riddle: moves.RiddleNumber
    place: moves.Place | None
    cursed: bool


class LetterShown(Event, frozen=True, tag="letter_shown"):
    """A letter was shown, visible to asker and modeller only. The place is null if no letter is left."""

    seat: int
    riddle: moves.RiddleNumber
    place: moves.Place | None
    letter: Letter


class HatMoved(Event, frozen=True, tag="hat_moved"):
    """A hat moved up, or down if `steps` is negative."""

    seat: int
    steps: int
    hat: int


class PenaltyTaken(Event, frozen=True, tag="penalty_taken"):
    """A riddle that was not fully solved moved its modeller's hat back at the end."""

    seat: int
    riddle: moves.RiddleNumber
    steps: int
    hat: int


class WizardTurnBegun(Event, frozen=True, tag="wizard_turn_begun"):
    """The next seat starts its turn."""

    seat: int
    turns: int


class HallOpened(Event, frozen=True, tag="hall_opened"):
    """The modelling phase begins. This seat will have the first turn."""

    seat: int


class MasterFound(Event, frozen=True, tag="master_found"):
    """The game is over. The terms of all riddles are revealed, in order."""

    winners: list[int]
    reason: Reason
    terms: list[moves.TermName]


EVENTS: Final = (
    RiddlesModelled,
    RiddlesShown,
    DieRolled,
    StonesSpent,
    CaveEntered,
    QuestionAsked,
    QuestionAnswered,
    QuestionRejected,
    SecondRoundBegun,
    AskingEnded,
    LetterForgone,
    AnswerInsisted,
    AttemptWritten,
    RiddleAttempted,
    LetterAsked,
    LetterShown,
    HatMoved,
    PenaltyTaken,
    WizardTurnBegun,
    MasterFound,
    HallOpened,
)


def event(hall: Hall, kind: int, a: int, b: int, c: int) -> Event:  # noqa: C901, PLR0911, PLR0912 -- one case a kind
    """Return the event of a journal's note; `table.notes` and `table.play` explain its numbers."""
    match kind:
        case codes.MODEL:
            return _modelled(hall, a)
        case notes.SHOWN:
            return RiddlesShown(pieces=_pieces(_riddles(hall)), seat=a)
        case codes.ROLL:
            return DieRolled(seat=a, face=b, cave=c)
        case codes.SPEND:
            return StonesSpent(seat=a, stones=b, cave=c)
        case notes.FIELD:
            return CaveEntered(seat=a, cave=CAVE_NAMES[b])
        case notes.ASKED:
            question = _question(c)
            text = hall.talk[part(c, 8, 16) - 1] if question is None else None
            return QuestionAsked(seat=a, riddle=b, question=question, text=text)
        case codes.ANSWER:
            return QuestionAnswered(seat=a, riddle=b, question=_question(c), answer=moves.ANSWERS[part(c, 8, 4)])
        case codes.REJECT:
            return QuestionRejected(seat=a, riddle=b)
        case notes.SECOND_ROUND:
            return SecondRoundBegun(seat=a)
        case codes.END_ROUND:
            return AskingEnded(seat=a)
        case codes.FORGO:
            return LetterForgone(seat=a)
        case codes.ATTEMPT | codes.CURSE_ATTEMPT:
            return _attempted(hall, a, b, c, cursed=kind == codes.CURSE_ATTEMPT)
        case notes.TRIED:
            term, words = _word(hall, c)
            return AttemptWritten(seat=a, riddle=b, term=term, words=words, cursed=bool(part(c, 0, 4)))
        case notes.INSISTED:
            attribute = ATTRIBUTES[part(c, 0, 8)].id
            return AnswerInsisted(seat=a, riddle=b, question=attribute, answer=moves.ANSWERS[part(c, 8, 4)])
        case codes.LETTER | codes.CURSE_LETTER:
            return LetterAsked(seat=a, riddle=b, place=moves.place_named(c), cursed=kind == codes.CURSE_LETTER)
        case notes.LETTER:
            letter = letter_named(part(c, 8, 8))
            return LetterShown(seat=a, riddle=b, place=moves.place_named(part(c, 0, 8)), letter=letter)
        case notes.HAT:
            return HatMoved(seat=a, steps=b, hat=c)
        case notes.PENALTY:
            return PenaltyTaken(seat=hall.modeller(a), riddle=a, steps=b, hat=c)
        case notes.TURN:
            return WizardTurnBegun(seat=a, turns=b)
    return MasterFound(winners=[int(seat) for seat in members_of(a)], reason=REASONS[b], terms=_terms(_riddles(hall)))


def opening(hall: Hall) -> list[Heard]:
    """Return the starting player while riddles are modelled, later the seat on turn (BR-11, BR-D2)."""
    if hall.phase == phases.OVER:
        return []
    turn = int(hall.turn)
    modelling = hall.phase == phases.MODELLING
    begun = HallOpened(seat=turn) if modelling else WizardTurnBegun(seat=turn, turns=int(hall.turns))
    return [Heard(EVERYONE, begun)]


def _riddles(hall: Hall) -> list[Riddle]:
    return [hall.riddle(number) for number in range(hall.total())]


def _terms(riddles: Sequence[Riddle]) -> list[str]:
    return [term_named(riddle) or "" for riddle in riddles]


def _pieces(riddles: Sequence[Riddle]) -> list[Clay | Strokes]:
    return [riddle.figure.sculpture() for riddle in riddles if riddle.figure]


def _modelled(hall: Hall, seat: int) -> RiddlesModelled:
    own = [hall.riddle(number) for number in range(seat * hall.each(), (seat + 1) * hall.each())]
    return RiddlesModelled(seat=seat, terms=_terms(own), pieces=_pieces(own))


def _question(note: int) -> str | None:
    number = part(note, 0, 8)
    return None if number == ATTRIBUTE_COUNT else ATTRIBUTES[number].id


def _attempted(hall: Hall, seat: int, riddle: int, note: int, *, cursed: bool) -> RiddleAttempted:
    term, words = _word(hall, note)
    verdict: moves.Verdict = moves.VERDICTS[part(note, 0, 4)]
    return RiddleAttempted(seat=seat, riddle=riddle, verdict=verdict, term=term, words=words, cursed=cursed)


def _word(hall: Hall, note: int) -> tuple[str | None, str | None]:
    term, words = part(note, 4, 10), part(note, 14, 16)
    if words:
        return None, hall.tries[words - 1]
    return (TERMS[term - 1].id if term else None), None
