"""The moves of Barbarossa for people and the wire, and the bijection with their codes."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from games.barbarossa.clay.form import Clay, Strokes
from games.barbarossa.clay.settle import settle
from games.barbarossa.content import SAMPLE_WORDS, SAMPLES, STOCK_PIECE, sculpture_of, written
from games.barbarossa.table import codes
from games.barbarossa.table.codes import code, explicitness_of, kind_of, modelled, riddle_of, term_of, what_of
from games.barbarossa.table.constants import FREE, MIXED
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import LONGEST, NO_TERM, PLACES, SAMPLE_WORD
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, ATTRIBUTES, TERM_NUMBERS, TERMS
from games.barbarossa.terms.guesses import meant
from games.barbarossa.terms.questions import asked
from games.core.game import Move
from games.core.texts import LANGUAGES

STEP: Final = 5
"""Percents between two degrees of explicitness."""

RIDDLES: Final = 9

STONES: Final = 13

TEXT: Final = 200
"""Characters of a free question."""

TermId = Annotated[
    str,
    Meta(
        pattern="^[a-x]([1-9]|1[0-5])$",
        description="A term by its coordinate in the table, a1 the excavator; the game's reference has all.",
    ),
]
RiddleNumber = Annotated[
    int, Meta(ge=0, lt=RIDDLES, description="A riddle: its modeller's seat times the riddles of each, plus its place.")
]
PLAIN: Final = r"^[^\x00-\x1f\x7f]+$"
Guess = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=80,
        pattern=PLAIN,
        description="A term, by coordinate or in words of the table's language; other words where modellers judge.",
    ),
]
TermName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=80,
        description="A term, by coordinate; where that is played, a word of the modeller's own.",
    ),
]
Question = Annotated[
    str,
    Meta(
        description="An attribute of the list; the game's reference has their sentences.",
        extra_json_schema={"enum": [item.id for item in ATTRIBUTES]},
    ),
]
Text = Annotated[str, Meta(min_length=2, max_length=TEXT, pattern=r"^\S[^\x00-\x1f\x7f]*\S$")]
Place = Annotated[
    int,
    Meta(ge=-LONGEST, le=LONGEST, description="Which letter: 1 the first, -1 the last, never 0."),
]
ANSWERS: Final = ("no", "yes", "perhaps", "unclear")
"""The four answers by their numbers (BR-30)."""

VERDICTS: Final = ("wrong", "close", "right")
"""What is said of an attempt, by number (BR-37, BR-38)."""

Verdict = Literal["right", "close", "wrong"]

Answer = Annotated[str, Meta(extra_json_schema={"enum": list(ANSWERS)})]


class Kneaded(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="format", tag="kneaded"):
    """A piece that the table kneads, as plainly as is wanted and never twice the same (BR-D43)."""

    explicitness: Annotated[
        int, Meta(ge=0, le=100, multiple_of=STEP, description="0 a bare hint, 100 the whole recipe.")
    ]


Piece = Clay | Strokes | Kneaded


class Sketch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One riddle as its modeller hands it in."""

    term: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=80,
            pattern=PLAIN,
            description="By coordinate or in words of the table's language; any word where `terms` is `free`.",
        ),
    ]
    piece: Piece


class ModelRiddles(Move, frozen=True, tag="model_riddles"):
    """Hand in all riddles, terms and pieces, for good (BR-12 to BR-15, BR-D41)."""

    riddles: Annotated[
        list[Sketch],
        Meta(min_length=1, max_length=3, description="As many as each player models; a draft may have fewer."),
    ]


class RollDie(Move, frozen=True, tag="roll_die"):
    """Move the wizard by the die (BR-22)."""


class SpendStones(Move, frozen=True, tag="spend_stones"):
    """Move the wizard by elf stones (BR-23)."""

    stones: Annotated[int, Meta(ge=1, le=STONES)]


class AskAbout(Move, frozen=True, tag="ask_about"):
    """Ask for an attribute of a riddle (BR-27, BR-D30)."""

    riddle: RiddleNumber
    question: Question


class AskFreely(Move, frozen=True, tag="ask_freely"):
    """Ask a question in one's own words (BR-D30, BR-D36)."""

    riddle: RiddleNumber
    text: Text


class AnswerQuestion(Move, frozen=True, tag="answer_question"):
    """Answer a question about an own riddle (BR-29, BR-30)."""

    answer: Answer
    insist: Annotated[bool, Meta(description="The list says the opposite, and errs; only where it does (BR-D33).")] = (
        False
    )


class RejectQuestion(Move, frozen=True, tag="reject_question"):
    """Reject a question that is not allowed (BR-31, BR-D35)."""


class EndAsking(Move, frozen=True, tag="end_asking"):
    """End the round of questions (BR-D5, BR-D21)."""


class AttemptRiddle(Move, frozen=True, tag="attempt_riddle"):
    """Write down for the modeller what a riddle is (BR-33, BR-36)."""

    riddle: RiddleNumber
    guess: Guess


class AskLetter(Move, frozen=True, tag="ask_letter"):
    """Ask for a letter of a riddle; the place is left out where the modeller chooses (BR-49, BR-65, BR-D11, BR-D40)."""

    riddle: RiddleNumber
    place: Place | None = None


class ForgoLetter(Move, frozen=True, tag="forgo_letter"):
    """Do without the dwarf's letter (BR-D21)."""


class GiveLetter(Move, frozen=True, tag="give_letter"):
    """Choose the letter that the asker gets (BR-D40)."""

    place: Annotated[int, Meta(ge=1, le=LONGEST)]


class HoldBack(Move, frozen=True, tag="hold_back"):
    """Do not curse now (BR-D17)."""


class CurseForLetter(Move, frozen=True, tag="curse_for_letter"):
    """Give a curse stone up for a letter (BR-53)."""

    riddle: RiddleNumber
    place: Place | None = None


class CurseToAttempt(Move, frozen=True, tag="curse_to_attempt"):
    """Give a curse stone up for an attempt (BR-54)."""

    riddle: RiddleNumber
    guess: Guess


WizardMove = (
    ModelRiddles
    | RollDie
    | SpendStones
    | AskAbout
    | AskFreely
    | AnswerQuestion
    | RejectQuestion
    | EndAsking
    | AttemptRiddle
    | AskLetter
    | ForgoLetter
    | GiveLetter
    | HoldBack
    | CurseForLetter
    | CurseToAttempt
)


class JudgeAttempt(Move, frozen=True, tag="judge_attempt"):
    """Say whether what was written down for an own riddle is right (BR-37, BR-38, BR-D46)."""

    verdict: Verdict


MOVES: Final = (
    ModelRiddles,
    RollDie,
    SpendStones,
    AskAbout,
    AskFreely,
    AnswerQuestion,
    RejectQuestion,
    EndAsking,
    AttemptRiddle,
    AskLetter,
    ForgoLetter,
    GiveLetter,
    HoldBack,
    CurseForLetter,
    CurseToAttempt,
    JudgeAttempt,
)
"""Every kind of move, by the number of its kind in a code."""

CODES: Final = 2**46
"""Every move code is below it."""


def encode(hall: Hall, move: Move) -> int:
    """Return a move's code, and lay the content that no code can hold beside the table.

    Raise ValueError for a move that has none: an unknown term, question or answer, a letter at place 0.
    """
    number, hall.content = code_and_content(hall, move)
    return number


def code_and_content(hall: Hall, move: Move) -> tuple[int, str]:
    """Return a move's code, and the content of the player's own that no code can hold; raise ValueError as `encode`."""
    match move:
        case ModelRiddles(riddles=riddles):
            return _encode_modelling(hall, riddles)
        case AskFreely(riddle=riddle, text=text):
            return _encode_question(hall, riddle, text)
        case AttemptRiddle(riddle=riddle, guess=guess) | CurseToAttempt(riddle=riddle, guess=guess):
            term = term_meant(hall, guess)
            return code(MOVES.index(type(move)), riddle, term), guess if term == NO_TERM else ""
    return _encode_plain(move), ""


def _encode_plain(move: Move) -> int:
    """Return the code of a move that holds all of it."""
    match move:
        case SpendStones(stones=stones):
            return code(codes.SPEND, 0, stones)
        case AskAbout(riddle=riddle, question=question):
            if question not in ATTRIBUTE_NUMBERS:
                raise ValueError("nobody can ask that")
            return code(codes.ASK, riddle, ATTRIBUTE_NUMBERS[question])
        case AnswerQuestion(answer=answer, insist=insist):
            return code(codes.ANSWER, 0, ANSWERS.index(answer) + codes.INSIST * insist)
        case JudgeAttempt(verdict=verdict):
            return code(codes.JUDGE, 0, VERDICTS.index(verdict))
        case AskLetter(riddle=riddle, place=place) | CurseForLetter(riddle=riddle, place=place):
            return code(MOVES.index(type(move)), riddle, codes.ANY if place is None else place_number(place))
        case GiveLetter(place=place):
            return code(codes.GIVE, 0, place_number(place))
    return code(MOVES.index(type(move)), 0, 0)


def _encode_modelling(hall: Hall, riddles: list[Sketch]) -> tuple[int, str]:
    """Return the code of riddles, and their own words and pieces."""
    number = codes.MODEL
    content = []
    for index, sketch in enumerate(riddles):
        term = term_meant(hall, sketch.term)
        if sketch.term == SAMPLE_WORDS[LANGUAGES[hall.options.language]]:
            term = SAMPLE_WORD
        elif term == NO_TERM:
            content.append(msgspec.json.encode(sketch.term).decode())
        if isinstance(sketch.piece, Kneaded):
            explicitness = sketch.piece.explicitness // STEP + 1
        elif settle(sketch.piece) == STOCK_PIECE:
            explicitness = codes.STOCK
        else:
            explicitness = codes.OWN
            content.append(written(sketch.piece))
        number |= modelled(index, term, explicitness)
    return number, "\n".join(content)


def _encode_question(hall: Hall, riddle: int, text: str) -> tuple[int, str]:
    """Return the code of a free question: of the attribute it means, where both are played (BR-D36); else its text."""
    language = LANGUAGES[hall.options.language]
    if text == SAMPLES[language]:
        return code(codes.ASK_FREELY, riddle, codes.SAMPLE), ""
    attribute = attribute_meant(hall, text)
    if attribute is not None:
        return code(codes.ASK, riddle, attribute), ""
    if hall.options.asking == FREE and text in worded(language):
        return code(codes.ASK_FREELY, riddle, codes.WORDED + worded(language)[text]), ""
    return code(codes.ASK_FREELY, riddle, len(hall.talk)), text


def attribute_meant(hall: Hall, text: str) -> int | None:
    """Return the attribute that is asked for in free words, where that is played (BR-D36)."""
    return asked(text, LANGUAGES[hall.options.language]) if hall.options.asking == MIXED else None


@cache
def worded(language: str) -> dict[str, int]:
    """Return the attributes by the words that the list asks for them with (BR-D49)."""
    return {attribute.question[language]: number for number, attribute in enumerate(ATTRIBUTES)}


def term_meant(hall: Hall, guess: str) -> int:
    """Return the term that a guess names, or NO_TERM (BR-D37, BR-D38)."""
    if guess in TERM_NUMBERS:
        return TERM_NUMBERS[guess]
    found = meant(guess, LANGUAGES[hall.options.language])
    return NO_TERM if found is None else found


def place_number(place: int) -> int:
    """Return the number of a place; raise ValueError for 0, which is none (BR-D11)."""
    if place == 0:
        raise ValueError("letters are counted from 1, or from -1 at the end")
    return place - 1 if place > 0 else LONGEST - 1 - place


def place_named(number: int) -> int | None:
    """Return a place by its number, None for any that the modeller chooses."""
    if number == codes.ANY:
        return None
    return number + 1 if number < LONGEST else LONGEST - 1 - number


def decode(hall: Hall, number: int) -> Move:
    """Return the move of a code; raise ValueError for a number that is no move's code at this table."""
    if not 0 <= number < CODES or kind_of(number) >= len(MOVES):
        raise ValueError("no move has this code")
    if kind_of(number) == codes.ASK_FREELY:
        return _decode_question(hall, number)
    if kind_of(number) in {codes.ATTEMPT, codes.CURSE_ATTEMPT} and what_of(number) == NO_TERM:
        return _decode_words(hall, number)
    if kind_of(number) != codes.MODEL:
        return _plain(number)
    move = _decode_modelling(hall, number)
    if code_and_content(hall, move)[0] != number:
        raise ValueError("no move has this code")
    return move


@cache
def _plain(number: int) -> Move:
    """Return the move of a code that holds all of it; there are some 8,000, made once each."""
    kind, riddle, what = MOVES[kind_of(number)], riddle_of(number), what_of(number)
    fields = set(kind.__struct_fields__)
    found = _fields(kind, riddle, what)
    said = code(kind_of(number), riddle if "riddle" in fields else 0, what if fields - {"riddle"} else 0)
    if set(found) != fields or said != number:
        raise ValueError("no move has this code")
    return kind(**found)


def _decode_modelling(hall: Hall, number: int) -> ModelRiddles:
    """Return the riddles of a code, with the pieces that lie beside the table."""
    lines = iter(hall.content.split("\n"))
    sketches = []
    for index in range(3):
        explicitness, term = explicitness_of(number, index), term_of(number, index)
        if explicitness == 0:
            continue
        if len(TERMS) <= term < SAMPLE_WORD or codes.EXACT < explicitness < codes.STOCK:
            raise ValueError("no move has this code")
        if term == NO_TERM:
            name = _own_word(next(lines, ""))
        else:
            name = SAMPLE_WORDS[LANGUAGES[hall.options.language]] if term == SAMPLE_WORD else TERMS[term].id
        piece: Clay | Strokes | Kneaded = Kneaded(explicitness=min(explicitness - 1, codes.EXACT - 1) * STEP)
        if explicitness == codes.STOCK:
            piece = STOCK_PIECE
        elif explicitness == codes.OWN:
            line = next(lines, "")
            if not line:
                raise ValueError("no piece lies beside the table")
            piece = sculpture_of(line)
        sketches.append(Sketch(term=name, piece=piece))
    return ModelRiddles(riddles=sketches)


def _own_word(line: str) -> str:
    """Return a word beyond the table from the line that it stands on; raise ValueError where none does."""
    if not line.startswith('"'):
        raise ValueError("no word lies beside the table")
    return msgspec.json.decode(line, type=str)


def _decode_words(hall: Hall, number: int) -> Move:
    """Return the attempt of a code, with the words that lie beside the table, whatever the table takes them for."""
    kind, riddle = MOVES[kind_of(number)], riddle_of(number)
    if code(kind_of(number), riddle, NO_TERM) != number or not hall.content:
        raise ValueError("no words lie beside the table")
    return msgspec.convert({"kind": str(kind.__struct_config__.tag), "riddle": riddle, "guess": hall.content}, kind)


def _decode_question(hall: Hall, number: int) -> AskFreely:
    """Return the free question of a code, with its text, whatever the list of today takes that for."""
    riddle, index = riddle_of(number), what_of(number)
    if code(codes.ASK_FREELY, riddle, index) != number:
        raise ValueError("no move has this code")
    told = {"kind": "ask_freely", "riddle": riddle, "text": _text(hall, index)}
    return msgspec.convert(told, AskFreely)


def _fields(kind: type[Move], riddle: int, what: int) -> dict[str, Any]:
    """Return those fields of a move that its code's parts can mean."""
    fields = kind.__struct_fields__
    found: dict[str, Any] = {}
    if "riddle" in fields and riddle < RIDDLES:
        found["riddle"] = riddle
    if "stones" in fields and 1 <= what <= STONES:
        found["stones"] = what
    if "question" in fields and what < len(ATTRIBUTES):
        found["question"] = ATTRIBUTES[what].id
    if "answer" in fields and what < codes.INSIST + len(ANSWERS):
        found["answer"] = ANSWERS[what % codes.INSIST]
        found["insist"] = what >= codes.INSIST
    if "verdict" in fields and what < len(VERDICTS):
        found["verdict"] = VERDICTS[what]
    if "guess" in fields and what < len(TERMS):
        found["guess"] = TERMS[what].id
    if "place" in fields and (what < LONGEST or (kind is not GiveLetter and (what < PLACES or what == codes.ANY))):
        found["place"] = place_named(what)
    return found


def _text(hall: Hall, index: int) -> str:
    """Return the free question of a code: the example, or the one that lies beside the table."""
    if index == codes.SAMPLE:
        return SAMPLES[LANGUAGES[hall.options.language]]
    if hall.options.asking == FREE and codes.WORDED <= index < codes.WORDED + len(ATTRIBUTES):
        return ATTRIBUTES[index - codes.WORDED].question[LANGUAGES[hall.options.language]]
    if index == len(hall.talk) and hall.content:
        return hall.content
    raise ValueError("no question lies beside the table")
