"""The moves of Barbarossa for people and the wire, and the bijection with their codes."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from games.barbarossa.clay.form import Clay, Strokes
from games.barbarossa.table import codes
from games.barbarossa.table.lexicon import MAX_LETTERS
from games.barbarossa.terms.catalogue import ATTRIBUTES
from games.core.game import Move

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
        description=(
            "Coordinate of a term in the table, such as a1 for the excavator. The game's reference lists all terms."
        ),
    ),
]
RiddleNumber = Annotated[int, Meta(ge=0, lt=RIDDLES, description="Riddle number, by seat and place.")]
PLAIN: Final = r"^[^\x00-\x1f\x7f]+$"
Guess = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=80,
        pattern=PLAIN,
        description="A term, by its coordinate or in the table's language. Other words are allowed if modellers judge.",
    ),
]
TermName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=80,
        description="Coordinate of a term, or a word of the modeller's own if that is allowed.",
    ),
]
Question = Annotated[
    str,
    Meta(
        description="Key of a question.",
        extra_json_schema={"enum": [item.id for item in ATTRIBUTES]},
    ),
]
Text = Annotated[str, Meta(min_length=2, max_length=TEXT, pattern=r"^\S[^\x00-\x1f\x7f]*\S$")]
Place = Annotated[
    int,
    Meta(
        ge=-MAX_LETTERS,
        le=MAX_LETTERS,
        description="Place of the letter: 1 is the first, -1 the last. 0 is not allowed.",
    ),
]
ANSWERS: Final = ("no", "yes", "perhaps", "unclear")
"""The four answers by their numbers (BR-30)."""

VERDICTS: Final = ("wrong", "close", "right")
"""Verdicts on an attempt, by number (BR-37, BR-38)."""

Verdict = Literal["right", "close", "wrong"]

Answer = Annotated[str, Meta(extra_json_schema={"enum": list(ANSWERS)})]


class Kneaded(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="format", tag="kneaded"):
    """A sculpture that the table models, as plainly as requested and never twice the same (BR-D43)."""

    explicitness: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            multiple_of=STEP,
            description=("Plainness of the sculpture: 0 for a bare hint, 100 for the full recipe."),
        ),
    ]


Piece = Clay | Strokes | Kneaded


class Sketch(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A riddle as its modeller hands it in."""

    term: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=80,
            pattern=PLAIN,
            description="A term, by its coordinate or in the table's language; any word if `terms` is `free`.",
        ),
    ]
    piece: Piece


class ModelRiddles(Move, frozen=True, tag="model_riddles"):
    """Hand in all riddles, with terms and sculptures. This is final (BR-12 to BR-15, BR-D41)."""

    riddles: Annotated[
        list[Sketch],
        Meta(min_length=1, max_length=3, description="As many riddles as each player models. A draft may have fewer."),
    ]


class RollDie(Move, frozen=True, tag="roll_die"):
    """Move the wizard by the die (BR-22)."""


class SpendStones(Move, frozen=True, tag="spend_stones"):
    """Move the wizard with elf stones (BR-23)."""

    stones: Annotated[int, Meta(ge=1, le=STONES)]


class AskAbout(Move, frozen=True, tag="ask_about"):
    """Ask a question of the list about a riddle (BR-27, BR-D30)."""

    riddle: RiddleNumber
    question: Question


class AskFreely(Move, frozen=True, tag="ask_freely"):
    """Ask a question in your own words (BR-D30, BR-D36)."""

    riddle: RiddleNumber
    text: Text


class AnswerQuestion(Move, frozen=True, tag="answer_question"):
    """Answer a question about your own riddle (BR-29, BR-30)."""

    answer: Answer
    insist: Annotated[bool, Meta(description="Contradict the list, which must have the opposite answer (BR-D33).")] = (
        False
    )


class RejectQuestion(Move, frozen=True, tag="reject_question"):
    """Reject a question that is not allowed (BR-31, BR-D35)."""


class EndAsking(Move, frozen=True, tag="end_asking"):
    """End the round of questions (BR-D5, BR-D21)."""


class AttemptRiddle(Move, frozen=True, tag="attempt_riddle"):
    """Write down the solution of a riddle for its modeller (BR-33, BR-36)."""

    riddle: RiddleNumber
    guess: Guess


class AskLetter(Move, frozen=True, tag="ask_letter"):
    """Ask for a letter of a riddle. Omit the place if the modeller chooses it (BR-49, BR-65, BR-D11, BR-D40)."""

    riddle: RiddleNumber
    place: Place | None = None


class ForgoLetter(Move, frozen=True, tag="forgo_letter"):
    """Decline the dwarf's letter (BR-D21)."""


class GiveLetter(Move, frozen=True, tag="give_letter"):
    """Choose the letter that the asker sees (BR-D40)."""

    place: Annotated[int, Meta(ge=1, le=MAX_LETTERS)]


class HoldBack(Move, frozen=True, tag="hold_back"):
    """Decline to curse now (BR-D17)."""


class CurseForLetter(Move, frozen=True, tag="curse_for_letter"):
    """Pay a curse stone for a letter (BR-53)."""

    riddle: RiddleNumber
    place: Place | None = None


class CurseToAttempt(Move, frozen=True, tag="curse_to_attempt"):
    """Pay a curse stone for an attempt (BR-54)."""

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
    """Judge a solution written down for your own riddle (BR-37, BR-38, BR-D46)."""

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


VARYING: Final[dict[type[Move], str]] = {
    AskAbout: "question",
    AnswerQuestion: "answer",
    AttemptRiddle: "guess",
    AskLetter: "place",
    CurseForLetter: "place",
    CurseToAttempt: "guess",
}
"""The field in which moves of one group differ."""


def place_number(place: int) -> int:
    """Return the number of a place; raise ValueError for 0, which is none (BR-D11)."""
    if place == 0:
        raise ValueError("letters are counted from 1, or from -1 at the end")
    return place - 1 if place > 0 else MAX_LETTERS - 1 - place


def place_named(number: int) -> int | None:
    """Return a place by its number, None for any that the modeller chooses."""
    if number == codes.ANY:
        return None
    return number + 1 if number < MAX_LETTERS else MAX_LETTERS - 1 - number
