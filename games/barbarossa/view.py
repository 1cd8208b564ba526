"""The visible parts of a sitting of wizards, and the whole sitting written down in full."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from games.barbarossa.clay.form import Clay, Strokes
from games.barbarossa.moves import Guess, Place, Question, RiddleNumber, TermId, TermName, Text
from games.barbarossa.options import WizardOptions
from games.core.game import Record, View

Phase = Literal[
    "modelling", "moving", "first_round", "second_round", "dwarf_letter", "answering", "giving", "over", "judging"
]
PHASES: Final[tuple[Phase, ...]] = (
    "modelling",
    "moving",
    "first_round",
    "second_round",
    "dwarf_letter",
    "answering",
    "giving",
    "over",
    "judging",
)
"""The phases by their numbers."""

Said = Literal["no", "yes", "perhaps", "unclear", "waiting", "rejected"]
SAID: Final[tuple[Said, ...]] = ("no", "yes", "perhaps", "unclear", "waiting", "rejected")
"""Answers to a free question, by number."""

Seat = Annotated[int, Meta(ge=0, le=3)]
Seats = Annotated[list[Seat], Meta(max_length=4)]
Questions = Annotated[list[Question], Meta(max_length=64)]
TermIds = Annotated[list[TermId], Meta(max_length=360)]
Count = Annotated[int, Meta(ge=0, le=360)]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of a view or record."""


class Wizard(Part, frozen=True):
    """A player's wizard, stones and hat, which are public."""

    seat: Seat
    cave: Annotated[int, Meta(ge=0, le=11, description="Position of the wizard; 0 is the start.")]
    stones: Annotated[int, Meta(ge=0, le=13, description="Number of elf stones.")]
    curses: Annotated[int, Meta(ge=0, le=3, description="Number of curse stones.")]
    hat: Annotated[int, Meta(ge=-200, le=200, description="Steps above START; negative below it.")]


class Answers(Part, frozen=True):
    """Questions about a riddle, grouped by answer."""

    no: Questions
    yes: Questions
    perhaps: Questions
    unclear: Questions


class FreeQuestion(Part, frozen=True):
    """A question in a player's own words, with its answer."""

    seat: Seat
    riddle: RiddleNumber
    text: Text
    said: Said


Judged = Literal["wrong", "close", "right", "waiting"]
JUDGED: Final[tuple[Judged, ...]] = ("wrong", "close", "right", "waiting")
"""Verdicts on an attempt in words beyond the table, by number."""


class WordedAttempt(Part, frozen=True):
    """An attempt in words that are not in the table, and the modeller's verdict (BR-D46)."""

    seat: Seat
    riddle: RiddleNumber
    words: Annotated[
        Guess | None, Meta(description=("The words, for attempter and modeller, and for everyone after the end."))
    ]
    verdict: Judged


class SeenLetter(Part, frozen=True):
    """A letter that a seat asked for. Both fields are null if the viewer does not know them.

    `letter` is empty if the word has none at this place (BR-D12).
    """

    place: Place | None
    letter: Annotated[str, Meta(max_length=1)] | None


class SeatsNotes(Part, frozen=True, kw_only=True):
    """A seat's knowledge of another's riddle. Complete for that seat and the modeller."""

    seat: Seat
    letters: Annotated[list[SeenLetter], Meta(max_length=48)]
    wrong: Count
    close: Count
    wrong_terms: TermIds | None = None
    close_terms: TermIds | None = None


class Exhibit(Part, frozen=True):
    """A riddle as the viewer knows it."""

    riddle: RiddleNumber
    modeller: Seat
    term: Annotated[
        TermName | None,
        Meta(
            description=("The term, for its modeller and its solvers, and for everyone after the end; otherwise null.")
        ),
    ]
    piece: Annotated[Clay | Strokes | None, Meta(description="The sculpture; null while it is hidden (BR-17).")]
    solvers: Seats
    answers: Answers
    asked: Annotated[Questions, Meta(description="Questions of this round, which may not be repeated (BR-D31).")]
    notes: Annotated[list[SeatsNotes], Meta(max_length=3)]


class Pending(Part, frozen=True, kw_only=True):
    """A pending task of a modeller: an answer, a letter or a verdict."""

    asker: Seat
    riddle: RiddleNumber
    question: Annotated[
        Question | None, Meta(description=("Key of the question; null for a free question, a letter or a verdict."))
    ] = None
    guess: Annotated[
        TermId | None,
        Meta(description="The term to judge, for attempter and modeller; null for words that are not in the table."),
    ]
    interrupted: Phase
    closing: Annotated[bool, Meta(description="Whether the letter or the verdict ends the turn.")]


class WizardView(View, frozen=True, tag="barbarossa"):
    """A table of Barbarossa as a seat or a spectator may know it."""

    options: WizardOptions
    phase: Phase
    starter: Seat
    turn: Seat
    turns: Annotated[int, Meta(ge=0, le=500)]
    questions: Annotated[int, Meta(ge=0, le=60, description="Number of questions asked in this round.")]
    spears: Annotated[int, Meta(ge=0, le=13, description="Number of solutions so far.")]
    holding_back: Annotated[
        bool, Meta(description=("Whether the viewer has declined to curse for now. For other seats this is hidden."))
    ]
    wizards: Annotated[list[Wizard], Meta(min_length=3, max_length=4)]
    riddles: Annotated[list[Exhibit], Meta(min_length=8, max_length=9)]
    free_questions: Annotated[list[FreeQuestion], Meta(max_length=65_000)]
    worded_attempts: Annotated[list[WordedAttempt], Meta(max_length=600)]
    pending: Pending | None
    winners: Seats


class SheetRecord(Part, frozen=True):
    """A seat's knowledge of a riddle."""

    seat: Seat
    places: Annotated[list[Place], Meta(max_length=48)]
    wrong: TermIds
    close: TermIds


class RiddleRecord(Part, frozen=True):
    """A riddle in full."""

    term: TermName | None
    piece: Clay | Strokes | None
    solvers: Seats
    answers: Answers
    asked: Questions
    sheets: Annotated[list[SheetRecord], Meta(max_length=3)]


class WizardRecord(Record, frozen=True):
    """A sitting in full."""

    ply: Annotated[int, Meta(ge=0, le=10**9)]
    options: WizardOptions
    phase: Phase
    starter: Seat
    turn: Seat
    turns: Annotated[int, Meta(ge=0, le=500)]
    questions: Annotated[int, Meta(ge=0, le=60)]
    silent: Seats
    wizards: Annotated[list[Wizard], Meta(min_length=3, max_length=4)]
    riddles: Annotated[list[RiddleRecord], Meta(min_length=8, max_length=9)]
    free_questions: Annotated[list[FreeQuestion], Meta(max_length=65_000)]
    worded_attempts: Annotated[list[WordedAttempt], Meta(max_length=600)]
    pending: Pending | None
    winners: Seats
