"""The codec of the moves of Barbarossa, with the content of the player's own that no code can hold."""

from __future__ import annotations

from functools import cache
from typing import Final

import msgspec

from games.barbarossa.clay.form import Clay, Strokes
from games.barbarossa.clay.settle import settle
from games.barbarossa.content import SAMPLE_WORDS, SAMPLES, STOCK_PIECE, sculpture_of, written
from games.barbarossa.moves import (
    ANSWERS,
    MOVES,
    RIDDLES,
    STEP,
    STONES,
    VERDICTS,
    AskFreely,
    AttemptRiddle,
    CurseToAttempt,
    Kneaded,
    ModelRiddles,
    Sketch,
    place_number,
)
from games.barbarossa.table import codes
from games.barbarossa.table.codes import code, explicitness_of, kind_of, modelled, riddle_of, term_of, what_of
from games.barbarossa.table.constants import FREE, MIXED
from games.barbarossa.table.hall import Hall
from games.barbarossa.table.lexicon import MAX_LETTERS, NO_TERM, SAMPLE_WORD
from games.barbarossa.terms.catalogue import ATTRIBUTE_NUMBERS, ATTRIBUTES, TERM_NUMBERS, TERMS
from games.barbarossa.terms.guesses import meant
from games.barbarossa.terms.questions import attribute_of
from games.core.codec import Codec, Part, numbered
from games.core.game import Move
from games.core.texts import LANGUAGES

CODES: Final = 2**46
"""Every move code is below it."""


def _answer_of(number: int) -> int:
    return what_of(number) % codes.INSIST


def _insist_of(number: int) -> int:
    return what_of(number) // codes.INSIST


CODEC: Final = Codec(
    MOVES,
    kind_of,
    {
        "riddle": Part(riddle_of, numbered(range(RIDDLES))),
        "stones": Part(what_of, numbered(range(1, STONES + 1), 1)),
        "question": Part(what_of, ATTRIBUTE_NUMBERS),
        "answer": Part(_answer_of, numbered(ANSWERS)),
        "insist": Part(_insist_of, numbered((False, True))),
        "verdict": Part(what_of, numbered(VERDICTS)),
        "guess": Part(what_of, TERM_NUMBERS),
        "place": Part(
            what_of,
            {
                None: codes.ANY,
                **{place: place_number(place) for place in range(-MAX_LETTERS, MAX_LETTERS + 1) if place},
            },
        ),
    },
    without=(ModelRiddles, AskFreely),
)
"""Positions of the fields of moves without content in codes."""


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
    return CODEC.encode(move), ""


def _encode_modelling(hall: Hall, riddles: list[Sketch]) -> tuple[int, str]:
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
    """Return the attribute that is asked for in free words, if that is played (BR-D36)."""
    return attribute_of(text, LANGUAGES[hall.options.language]) if hall.options.asking == MIXED else None


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
    move: Move = CODEC.decode(number)
    return move


def _decode_modelling(hall: Hall, number: int) -> ModelRiddles:
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
    if not line.startswith('"'):
        raise ValueError("no word lies beside the table")
    return msgspec.json.decode(line, type=str)


def _decode_words(hall: Hall, number: int) -> Move:
    kind, riddle = MOVES[kind_of(number)], riddle_of(number)
    if code(kind_of(number), riddle, NO_TERM) != number or not hall.content:
        raise ValueError("no words lie beside the table")
    return msgspec.convert({"kind": str(kind.__struct_config__.tag), "riddle": riddle, "guess": hall.content}, kind)


def _decode_question(hall: Hall, number: int) -> AskFreely:
    riddle, index = riddle_of(number), what_of(number)
    if code(codes.ASK_FREELY, riddle, index) != number:
        raise ValueError("no move has this code")
    told = {"kind": "ask_freely", "riddle": riddle, "text": _text(hall, index)}
    return msgspec.convert(told, AskFreely)


def _text(hall: Hall, index: int) -> str:
    if index == codes.SAMPLE:
        return SAMPLES[LANGUAGES[hall.options.language]]
    if hall.options.asking == FREE and codes.WORDED <= index < codes.WORDED + len(ATTRIBUTES):
        return ATTRIBUTES[index - codes.WORDED].question[LANGUAGES[hall.options.language]]
    if index == len(hall.talk) and hall.content:
        return hall.content
    raise ValueError("no question lies beside the table")
