"""Options of a game, with named sets and the sources of the numbers."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

from msgspec import Meta

from games.barbarossa.table.constants import CAVES, NO_FLOOR
from games.barbarossa.table.player import TableOptions
from games.core.bits import nibble, nibbles
from games.core.game import Options, Provenance
from games.core.texts import LANGUAGES

Cave = Literal["dwarf", "elf", "dragon", "riddle", "ghost"]
CAVE_NAMES: Final[tuple[Cave, ...]] = ("dwarf", "elf", "dragon", "riddle", "ghost")
"""Kinds of caves by their numbers."""

Language = Literal["en", "de", "it"]
LetterChooser = Literal["asker", "modeller"]
TermSource = Literal["table", "free"]
Judging = Literal["list", "modeller"]
Asking = Literal["structured", "free", "mixed"]
ASKINGS: Final[tuple[Asking, ...]] = ("structured", "free", "mixed")
Answering = Literal["auto", "human", "human_checked"]
ANSWERINGS: Final[tuple[Answering, ...]] = ("auto", "human", "human_checked")

RING: Final[tuple[Cave, ...]] = (
    "dwarf",
    "elf",
    "dragon",
    "riddle",
    "dragon",
    "elf",
    "dwarf",
    "elf",
    "ghost",
    "riddle",
    "dragon",
    "elf",
)
"""The caves clockwise from the start (BR-D28)."""

COUNTS: Final[dict[Cave, int]] = {"dwarf": 2, "elf": 4, "dragon": 3, "riddle": 2, "ghost": 1}
"""Number of caves of each kind."""


class WizardOptions(Options, frozen=True):
    """Options of Barbarossa und die Rätselmeister."""

    ring: Annotated[
        tuple[Cave, ...],
        Meta(min_length=CAVES, max_length=CAVES, description="Caves in clockwise order from the start (BR-D28)."),
    ] = RING
    goal: Annotated[int, Meta(ge=10, le=60, description="Number of steps from START to the goal (BR-D29).")] = 30
    floor: Annotated[
        Annotated[int, Meta(ge=-20, le=0)] | None,
        Meta(description="Number of steps below START; null for no limit (BR-D24)."),
    ] = None
    simple: Annotated[bool, Meta(description="The simple variant: a letter in the second round (BR-65).")] = False
    questions: Annotated[
        Asking,
        Meta(
            description=(
                "Form of questions: from the list, free, or free with recognised questions of the list (BR-D30)."
            )
        ),
    ] = "structured"
    answers: Annotated[
        Answering,
        Meta(
            description=(
                "Source of answers to questions of the list. The modeller always answers free questions (BR-D33)."
            )
        ),
    ] = "auto"
    letter: Annotated[
        LetterChooser, Meta(description=("The seat that chooses the place of a letter (BR-D11, BR-D40)."))
    ] = "asker"
    close_hints: Annotated[bool, Meta(description="Whether close attempts are announced as close (BR-38).")] = True
    language: Annotated[Language, Meta(description="Language of spelling and of free text (BR-D14).")] = "de"
    terms: Annotated[
        TermSource,
        Meta(description="Whether riddles are terms of the table, or also words of the players' own (BR-13, BR-D47)."),
    ] = "table"
    judging: Annotated[
        Judging,
        Meta(description="The judge of wrong and close attempts and of other words (BR-37, BR-D46)."),
    ] = "list"
    question_cap: Annotated[int, Meta(ge=1, le=60, description="Maximum number of questions per round (BR-D32).")] = 40
    turn_cap: Annotated[int, Meta(ge=1, le=500, description="Maximum number of turns per game (BR-D45).")] = 300

    def __post_init__(self) -> None:
        """Refuse a ring that starts anywhere but on a dwarf or has other counts of caves (BR-9, BR-D28)."""
        if self.ring[0] != "dwarf" or any(self.ring.count(kind) != many for kind, many in COUNTS.items()):
            raise ValueError("the ring starts on a dwarf and has 2 dwarfs, 4 elves, 3 dragons, 2 riddles and a ghost")
        people = self.answers != "auto" and self.judging == "modeller" and self.letter == "asker"
        if self.terms == "free" and not people:
            raise ValueError("words of one's own need modellers who answer and judge, and askers who choose the letter")


def table_options(options: WizardOptions) -> TableOptions:
    """Return the options in the form of a table."""
    found = TableOptions()
    found.ring = sum(nibbles(CAVE_NAMES.index(cave), place) for place, cave in enumerate(options.ring))
    found.goal = options.goal
    found.floor = NO_FLOOR if options.floor is None else options.floor
    found.simple = options.simple
    found.asking = ASKINGS.index(options.questions)
    found.answering = ANSWERINGS.index(options.answers)
    found.choosing = options.letter == "modeller"
    found.hints = options.close_hints
    found.language = LANGUAGES.index(options.language)
    found.question_cap = options.question_cap
    found.turn_cap = options.turn_cap
    found.judging = options.judging == "modeller"
    found.words = options.terms == "free"
    return found


def options_of(options: TableOptions) -> WizardOptions:
    """Return the options that a table is played with, the same object each time."""
    if not isinstance(options.told, WizardOptions):
        options.told = _options_of(options)
    return options.told


def _options_of(options: TableOptions) -> WizardOptions:
    languages: tuple[Language, ...] = ("en", "de", "it")
    return WizardOptions(
        ring=tuple(CAVE_NAMES[nibble(options.ring, place)] for place in range(CAVES)),
        goal=options.goal,
        floor=None if options.floor == NO_FLOOR else options.floor,
        simple=options.simple,
        questions=ASKINGS[options.asking],
        answers=ANSWERINGS[options.answering],
        letter="modeller" if options.choosing else "asker",
        close_hints=options.hints,
        language=languages[options.language],
        terms="free" if options.words else "table",
        judging="modeller" if options.judging else "list",
        question_cap=options.question_cap,
        turn_cap=options.turn_cap,
    )


class Presets:
    """The named sets of options, and where their numbers come from."""

    named: ClassVar = {
        "standard": WizardOptions(),
        "mayfair-2005": WizardOptions(goal=26, floor=-5),
        "simple": WizardOptions(simple=True),
        "people": WizardOptions(questions="mixed", answers="human_checked", judging="modeller"),
        "own_words": WizardOptions(questions="free", answers="human", judging="modeller", terms="free"),
        "modellers_letter": WizardOptions(letter="modeller"),
    }
    sources: ClassVar = {
        "ring": Provenance(
            value="dwarf, elf, dragon, riddle, dragon, elf, dwarf, elf, ghost, riddle, dragon, elf",
            source="counts at cryer.org.uk, wikimili and es.knowledger.de, the riddles by subtraction; the order is "
            "reconstructed: symmetric, with the upper dwarf as start and the lower opposite",
            kind="reconstructed",
        ),
        "goal": Provenance(
            value="30",
            source="so that both ends come about, more of them on the stairs with three players than with four; "
            "the 2005 edition has 26, by the review at bgdf.com",
            kind="reconstructed",
        ),
        "floor": Provenance(
            value="none", source="BR-D24; the 2005 edition has five steps behind its start", kind="decision"
        ),
        "simple": Provenance(value="off", source="rulebook, variant", kind="rulebook"),
        "questions": Provenance(value="structured", source="BR-D30", kind="decision"),
        "answers": Provenance(value="auto", source="BR-D33", kind="decision"),
        "letter": Provenance(
            value="asker", source="BR-D11; the modeller chooses in the rules at gamecabinet.com", kind="decision"
        ),
        "close_hints": Provenance(value="on", source="rulebook, attempt, tip", kind="rulebook"),
        "language": Provenance(value="de", source="BR-D14", kind="decision"),
        "terms": Provenance(
            value="table", source="rulebook, modelling; own words as a later edition is played", kind="rulebook"
        ),
        "judging": Provenance(value="list", source="BR-D46; the rulebook has the modeller say it", kind="decision"),
        "question_cap": Provenance(value="40", source="BR-D32", kind="decision"),
        "turn_cap": Provenance(value="300", source="BR-D45", kind="decision"),
        "modellers_table": Provenance(
            value="-2 to +2, summing to -1", source="rulebook, printed twice", kind="rulebook"
        ),
        "table_of_terms": Provenance(
            value="360 terms by 64 attributes",
            source="own authoring; the rulebook's table of 720 terms is not public",
            kind="decision",
        ),
    }
