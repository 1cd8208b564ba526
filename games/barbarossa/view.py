"""What may be known of a sitting of wizards, and what it is when written down in full."""

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
"""What was said to a free question, by number."""

Seat = Annotated[int, Meta(ge=0, le=3)]
Seats = Annotated[list[Seat], Meta(max_length=4)]
Questions = Annotated[list[Question], Meta(max_length=64)]
TermIds = Annotated[list[TermId], Meta(max_length=360)]
Count = Annotated[int, Meta(ge=0, le=360)]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of a view or record."""


class Wizard(Part, frozen=True):
    """A player's wizard, stones and hat, which lie open."""

    seat: Seat
    cave: Annotated[int, Meta(ge=0, le=11, description="Where the wizard stands, 0 the start.")]
    stones: Annotated[int, Meta(ge=0, le=13, description="Elf stones.")]
    curses: Annotated[int, Meta(ge=0, le=3, description="Curse stones.")]
    hat: Annotated[int, Meta(ge=-200, le=200, description="Steps from START; less than 0 behind it.")]


class Answers(Part, frozen=True):
    """Questions about a riddle by what was answered."""

    no: Questions
    yes: Questions
    perhaps: Questions
    unclear: Questions


class FreeQuestion(Part, frozen=True):
    """A question in a player's own words, and what was said to it."""

    seat: Seat
    riddle: RiddleNumber
    text: Text
    said: Said


Judged = Literal["wrong", "close", "right", "waiting"]
JUDGED: Final[tuple[Judged, ...]] = ("wrong", "close", "right", "waiting")
"""What was said of an attempt in words beyond the table, by number."""


class WordedAttempt(Part, frozen=True):
    """An attempt in words that are no term of the table, and what its modeller said (BR-D46)."""

    seat: Seat
    riddle: RiddleNumber
    words: Annotated[Guess | None, Meta(description="For attempter and modeller, and all in the end.")]
    verdict: Judged


class SeenLetter(Part, frozen=True):
    """A letter that a seat asked for; both are null where the viewer does not know them.

    `letter` is empty where the word has none there (BR-D12).
    """

    place: Place | None
    letter: Annotated[str, Meta(max_length=1)] | None


class SeatsNotes(Part, frozen=True, kw_only=True):
    """What a seat has learned of another's riddle: all of it where the viewer is that seat or the modeller."""

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
    term: Annotated[TermName | None, Meta(description="For its modeller, those who solved it, and all in the end.")]
    piece: Annotated[Clay | Strokes | None, Meta(description="Null while it is hidden (BR-17).")]
    solvers: Seats
    answers: Answers
    asked: Annotated[Questions, Meta(description="Asked in this round, and so not again (BR-D31).")]
    notes: Annotated[list[SeatsNotes], Meta(max_length=3)]


class Pending(Part, frozen=True, kw_only=True):
    """What a modeller is asked for: an answer, a letter of his choice, or a verdict."""

    asker: Seat
    riddle: RiddleNumber
    question: Annotated[Question | None, Meta(description="Null for a free question, a letter or a verdict.")] = None
    guess: Annotated[
        TermId | None,
        Meta(description="What is to be judged, for attempter and modeller; null for words beyond the table."),
    ]
    interrupted: Phase
    closing: Annotated[bool, Meta(description="Whether the letter or the verdict ends the turn.")]


class WizardView(View, frozen=True, tag="barbarossa"):
    """A sitting as one seat, or a spectator, may know it."""

    options: WizardOptions
    phase: Phase
    starter: Seat
    turn: Seat
    turns: Annotated[int, Meta(ge=0, le=500)]
    questions: Annotated[int, Meta(ge=0, le=60, description="Asked in this round.")]
    spears: Annotated[int, Meta(ge=0, le=13, description="Solutions so far.")]
    holding_back: Annotated[bool, Meta(description="Whether you hold a curse back for now; of others nobody knows.")]
    wizards: Annotated[list[Wizard], Meta(min_length=3, max_length=4)]
    riddles: Annotated[list[Exhibit], Meta(min_length=8, max_length=9)]
    free_questions: Annotated[list[FreeQuestion], Meta(max_length=65_000)]
    worded_attempts: Annotated[list[WordedAttempt], Meta(max_length=600)]
    pending: Pending | None
    winners: Seats


class SheetRecord(Part, frozen=True):
    """What a seat has learned of a riddle."""

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
