"""Barbarossa und die Rätselmeister as the service and the workers use it."""

from __future__ import annotations

from typing import ClassVar

from msgspec import UNSET, UnsetType

from games.barbarossa import speech
from games.barbarossa.bots.adviser import Adviser, hypotheses
from games.barbarossa.bots.skills import EXPERT, SKILLS
from games.barbarossa.codec import CODES, decode, encode
from games.barbarossa.drawing.draft import draft
from games.barbarossa.drawing.picture import picture
from games.barbarossa.drawing.style import Look
from games.barbarossa.events import EVENTS, event, opening
from games.barbarossa.moves import MOVES, VARYING, AskFreely, AttemptRiddle, CurseToAttempt, ModelRiddles
from games.barbarossa.observation import from_view, listing, view
from games.barbarossa.options import Presets, WizardOptions, options_of, table_options
from games.barbarossa.record import read, write
from games.barbarossa.reference import reference
from games.barbarossa.refs import refs
from games.barbarossa.refuse import refuse
from games.barbarossa.speech import spoken_texts
from games.barbarossa.standing import answer, curse_named, timeout_move
from games.barbarossa.table.codes import CURSE_ATTEMPT, CURSE_LETTER, HOLD, kind_of
from games.barbarossa.table.constants import FACE, FACES, FINGERS, HAND
from games.barbarossa.table.hall import Hall, new_hall
from games.barbarossa.terms.catalogue import TERM_NUMBERS
from games.barbarossa.view import PHASES, WizardRecord, WizardView
from games.barbarossa.worth import WizardWorth
from games.core.advice import Advisor
from games.core.dice import Dice
from games.core.game import Game, Move, Options, Provenance, Refusal
from games.core.reference import Sheet
from games.core.rules import read_rules
from games.core.table import Worth


class Barbarossa(Game[Hall, WizardView, WizardRecord, WizardOptions]):
    """Barbarossa und die Rätselmeister by Klaus Teuber."""

    slug: ClassVar = "barbarossa"
    ruleset: ClassVar = "barbarossa/2"
    authors: ClassVar = ("Klaus Teuber",)
    year: ClassVar = 1988
    minutes: ClassVar = (45, 60)
    difficulty: ClassVar = 1
    seat_numbers: ClassVar = (3, 4)
    phases: ClassVar = (*PHASES[:-2], "judging", "over")
    touched: ClassVar = ("cave", "curses", "headline", "riddle", "wizard")
    scored: ClassVar = "steps"
    purposes: ClassVar = ("starter", "die", "fingers")
    hidden: ClassVar = ("terms", "letters", "words", "drafts", "curses")
    moves: ClassVar = MOVES
    varying: ClassVar = VARYING
    amounts: ClassVar = frozenset(("stones",))
    sheets: ClassVar = {"question": "questions", "guess": "terms"}
    code_limit: ClassVar = CODES
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

    def points(self, table: Hall, /) -> list[int]:
        """Return the hat's steps from START."""
        return [int(table.player(seat).hat) for seat in range(table.seats)]

    def __init__(self) -> None:
        """Read the texts and the rules."""
        self.texts = spoken_texts()
        self.rules = read_rules("games.barbarossa")

    write = staticmethod(write)
    read = staticmethod(read)
    decode = staticmethod(decode)
    refuse = staticmethod(refuse)
    timeout_move = staticmethod(timeout_move)
    answer = staticmethod(answer)
    event = staticmethod(event)
    opening = staticmethod(opening)
    hypotheses = staticmethod(hypotheses)
    say_headline = staticmethod(speech.headline)
    say_prompt = staticmethod(speech.prompt)
    say_move = staticmethod(speech.label)
    say_control = staticmethod(speech.control)
    refs = staticmethod(refs)
    say_event = staticmethod(speech.tell)
    say_fact = staticmethod(speech.say_fact)
    draw = staticmethod(picture)
    listing = staticmethod(listing)

    def new(self, seats: int, options: WizardOptions, dice: Dice, /) -> Hall:
        """Set a table up (BR-1)."""
        return new_hall(seats, table_options(options), dice)

    def options(self, table: Hall, /) -> WizardOptions:
        """Return a table's options."""
        return options_of(table.options)

    def encode(self, table: Hall, seat: int, move: Move, /) -> int:
        """Return a move's code, and lay its pieces or its free question beside the table."""
        return encode(table, move)

    def content(self, table: Hall, /) -> str | UnsetType:
        """Return the pieces or the free question that lie beside a table."""
        return table.content or UNSET

    def brings_content(self, move: Move) -> bool:
        """Return whether a move has content of its own; an attempt by coordinate has none (BR-D37)."""
        by_coordinate = isinstance(move, AttemptRiddle | CurseToAttempt) and move.guess in TERM_NUMBERS
        return super().brings_content(move) and not by_coordinate

    def lay(self, table: Hall, content: str | UnsetType, /) -> None:
        """Lay pieces or a free question beside a table."""
        table.content = content or ""

    def stands(self, name: str, /) -> bool:
        """Return whether a name is that of a curse that a seat wants to cast as soon as it may."""
        return curse_named(name) is not None

    def gives_way(self, table: Hall, seat: int, code: int, /) -> bool:
        """Return whether a move is no word out of turn: the turn goes on if no curse interrupts it (BR-52, BR-D19)."""
        return table.cursing() and kind_of(code) not in {HOLD, CURSE_LETTER, CURSE_ATTEMPT}

    def view(self, table: Hall, seat: int, /) -> WizardView:
        """Return the view of a viewer."""
        return view(table, seat, self.ruleset)

    def from_view(self, view: WizardView, dice: Dice, /) -> Hall:
        """Return a table as the view's owner may imagine it."""
        return from_view(view, self.ruleset, dice)

    def phase(self, view: WizardView, /) -> str:
        """Return the phase that a view shows."""
        return view.phase

    def name_outcome(self, what: int, value: int, /) -> int | str:
        """Return a seat, a die's face, or how the fingers knead."""
        return value + 1 if what == FACE else value

    def read_outcome(self, what: int, name: int | str, /) -> int:
        """Return a drawn value from its name."""
        low, most = (1, FACES) if what == FACE else (0, FINGERS if what == HAND else max(self.seat_numbers))
        if not isinstance(name, int) or not low <= name < low + most:
            raise ValueError(f"{name!r} cannot be drawn")
        return name - low

    def advisor(self, view: WizardView, seed: int, level: str | None = None) -> Advisor | None:
        """Return a player of the level, without one the best."""
        return Adviser(view, SKILLS.get(level or "", EXPERT), seed)

    def draft(self, move: Move, language: str, theme: str, angle: int = 0) -> str | Refusal | None:
        """Draw the figures of a modelling before it is handed in."""
        return draft(move, language, Look(theme, angle % 360), self.texts) if isinstance(move, ModelRiddles) else None

    def reference(self, language: str, /) -> list[Sheet]:
        """Return the terms that can be modelled, and the questions that can be asked (BR-13)."""
        return reference(self.texts, language)
