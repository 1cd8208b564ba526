"""Barbarossa und die Rätselmeister as the service and the workers know it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from msgspec import UNSET, UnsetType

from games.barbarossa.bots.adviser import Adviser, hunches
from games.barbarossa.bots.skills import EXPERT, SKILLS
from games.barbarossa.drawing.draft import draft
from games.barbarossa.drawing.picture import picture
from games.barbarossa.drawing.style import Look
from games.barbarossa.events import EVENTS, event
from games.barbarossa.migrations import MIGRATIONS
from games.barbarossa.moves import MOVES, AskFreely, AttemptRiddle, CurseToAttempt, ModelRiddles, decode, encode
from games.barbarossa.observation import from_view, listing, view
from games.barbarossa.options import Presets, WizardOptions, options_of, table_options
from games.barbarossa.record import read, write
from games.barbarossa.reference import reference
from games.barbarossa.refuse import refuse
from games.barbarossa.speech import headline, label, spoken_texts, tell
from games.barbarossa.standing import answer, curse_named, timeout_move
from games.barbarossa.table.codes import CURSE_ATTEMPT, CURSE_LETTER, HOLD, kind_of
from games.barbarossa.table.constants import FACE, FACES, FINGERS, HAND
from games.barbarossa.table.hall import Hall, new_hall
from games.barbarossa.terms.catalogue import TERM_NUMBERS
from games.barbarossa.view import PHASES, WizardRecord, WizardView
from games.barbarossa.worth import WizardWorth
from games.core.advice import Advisor, Hypothesis
from games.core.dice import Dice
from games.core.game import Event, Game, Move, Options, Provenance, Record, Refusal, View
from games.core.reference import Sheet
from games.core.rules import read_rules
from games.core.table import Table, Worth


class Barbarossa(Game):
    """Barbarossa und die Rätselmeister by Klaus Teuber."""

    slug: ClassVar = "barbarossa"
    ruleset: ClassVar = "barbarossa/2"
    migrations: ClassVar = MIGRATIONS
    authors: ClassVar = ("Klaus Teuber",)
    year: ClassVar = 1988
    seat_numbers: ClassVar = (3, 4)
    phases: ClassVar = (*PHASES[:-2], "judging", "over")
    purposes: ClassVar = ("starter", "die", "fingers")
    hidden: ClassVar = ("terms", "letters", "words", "drafts", "curses")
    moves: ClassVar = MOVES
    open_moves: ClassVar = (ModelRiddles, AskFreely, AttemptRiddle, CurseToAttempt)
    events: ClassVar = EVENTS
    view_type: ClassVar = WizardView
    record_type: ClassVar = WizardRecord
    record_bytes: ClassVar = (
        32_768  # nine kneaded pieces, all attributes asked of each, an attempt in each of 500 turns
    )
    options_type: ClassVar = WizardOptions
    presets: ClassVar[dict[str, Options]] = dict(Presets.named)
    provenance: ClassVar[dict[str, Provenance]] = dict(Presets.sources)
    advised: ClassVar = frozenset(SKILLS)
    pace_ms: ClassVar = 3_000  # time to curse in a bot's turn (BR-52)
    worths: ClassVar[dict[str, Worth]] = {"greedy": WizardWorth(6.0, 0.0), "tuned": WizardWorth(6.0, 0.1)}

    def __init__(self) -> None:
        """Read the texts and the rules."""
        self.texts = spoken_texts()
        self.rules = read_rules("games.barbarossa")

    def new(self, seats: int, options: Options, dice: Dice) -> Table:
        """Set a table up (BR-1)."""
        assert isinstance(options, WizardOptions)  # noqa: S101 -- the contract's promise, told to the type checker
        return new_hall(seats, table_options(options), dice)

    def write(self, table: Table) -> Record:
        """Write a table down in full."""
        return write(hall(table))

    def read(self, record: Record) -> Table:
        """Read a table back."""
        assert isinstance(record, WizardRecord)  # noqa: S101
        return read(record)

    def options(self, table: Table) -> Options:
        """Return a table's options."""
        return options_of(hall(table).options)

    def encode(self, table: Table, seat: int, move: Move) -> int:
        """Return a move's code, and lay its pieces or its free question beside the table."""
        return encode(hall(table), move)

    def decode(self, table: Table, code: int) -> Move:
        """Return a code's move."""
        return decode(hall(table), code)

    def content(self, table: Table) -> str | UnsetType:
        """Return the pieces or the free question that lie beside a table."""
        return hall(table).content or UNSET

    def brings_content(self, move: Move) -> bool:
        """Tell whether a move has content of its own; an attempt by coordinate has none (BR-D37)."""
        by_coordinate = isinstance(move, AttemptRiddle | CurseToAttempt) and move.guess in TERM_NUMBERS
        return super().brings_content(move) and not by_coordinate

    def lay(self, table: Table, content: str | UnsetType) -> None:
        """Lay pieces or a free question beside a table."""
        hall(table).content = content or ""

    def refuse(self, table: Table, seat: int, move: Move) -> Refusal | None:
        """Return why a move is illegal."""
        return refuse(hall(table), seat, move)

    def timeout_move(self, table: Table, seat: int) -> int | None:
        """Return what is done for a seat that does not answer in time."""
        return timeout_move(hall(table), seat)

    def stands(self, name: str) -> bool:
        """Tell whether a name says a curse that a seat wants to speak as soon as it may."""
        return curse_named(name) is not None

    def answer(self, table: Table, seat: int, name: str) -> int | None:
        """Return the curse of a standing answer, once it may be spoken (BR-52)."""
        return answer(hall(table), seat, name)

    def gives_way(self, table: Table, seat: int, code: int) -> bool:
        """Tell whether a move is no word out of turn: the turn goes on where no curse interrupts it (BR-52, BR-D19)."""
        return hall(table).cursing() and kind_of(code) not in {HOLD, CURSE_LETTER, CURSE_ATTEMPT}

    def view(self, table: Table, seat: int) -> View:
        """Return what a viewer may know."""
        return view(hall(table), seat, self.ruleset)

    def from_view(self, view: View, dice: Dice) -> Table:
        """Return a table as the view's owner may imagine it."""
        assert isinstance(view, WizardView)  # noqa: S101
        return from_view(view, self.ruleset, dice)

    def event(self, table: Table, kind: int, a: int, b: int, c: int) -> Event:
        """Return the event of a note."""
        return event(hall(table), kind, a, b, c)

    def name_outcome(self, what: int, value: int) -> int | str:
        """Return a seat, a die's face, or how the fingers knead."""
        return value + 1 if what == FACE else value

    def read_outcome(self, what: int, name: int | str) -> int:
        """Return what was drawn from its name."""
        low, most = (1, FACES) if what == FACE else (0, FINGERS if what == HAND else max(self.seat_numbers))
        if not isinstance(name, int) or not low <= name < low + most:
            raise ValueError(f"{name!r} cannot be drawn")
        return name - low

    def label(self, move: Move, language: str, view: View, names: Sequence[str] | None = None) -> str:
        """Say what a move does."""
        assert isinstance(view, WizardView)  # noqa: S101
        return label(self.texts, move, language, view, names or self.seat_names(view.seats, language))

    def tell(self, event: Event, language: str, names: Sequence[str]) -> str:
        """Say what happened."""
        return tell(self.texts, event, language, names)

    def advisor(self, view: View, seed: int, level: str | None = None) -> Advisor | None:
        """Return a player of the level, without one the best."""
        assert isinstance(view, WizardView)  # noqa: S101
        return Adviser(view, SKILLS.get(level or "", EXPERT), seed)

    def hypotheses(self, view: View) -> list[Hypothesis]:
        """Return the likeliest terms of the riddles that the seat of a view may still solve."""
        assert isinstance(view, WizardView)  # noqa: S101
        return hunches(view)

    def listing(self, table: Table, seat: int) -> list[int]:
        """Return what a seat is shown of its moves: of attempts and letters examples."""
        return listing(hall(table), seat)

    def draft(self, move: Move, language: str, theme: str, angle: int = 0) -> str | Refusal | None:
        """Draw the figures of a modelling before it is handed in."""
        return draft(move, language, Look(theme, angle % 360), self.texts) if isinstance(move, ModelRiddles) else None

    def reference(self, language: str) -> list[Sheet]:
        """Return the terms that can be modelled, and the questions that can be asked (BR-13)."""
        return reference(self.texts, language)

    def headline(self, view: View, language: str, names: Sequence[str] | None = None) -> str:
        """Say whose decision it is, or how the game ended."""
        assert isinstance(view, WizardView)  # noqa: S101
        return headline(view, language, self.texts.with_names(names))

    def picture(self, view: View, language: str, theme: str, angle: int = 0, names: Sequence[str] | None = None) -> str:
        """Draw hall, ring and stairs, and the clay as it is seen from an angle."""
        assert isinstance(view, WizardView)  # noqa: S101
        return picture(view, language, theme, self.texts.with_names(names), angle)


def hall(table: Table) -> Hall:
    """Return a table as what it is."""
    assert isinstance(table, Hall)  # noqa: S101
    return table
