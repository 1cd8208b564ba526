"""Gartenzwerge e.V. as the service and the workers know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from games.core.dice import Dice
from games.core.game import Event, Game, Move, Options, Provenance, Record, Refusal, View
from games.core.reference import Sheet
from games.core.rules import read_rules
from games.core.table import Table, Worth
from games.core.texts import Texts
from games.core.weights import read_weights
from games.gartenzwerge.drawing.picture import picture
from games.gartenzwerge.events import EVENTS, event
from games.gartenzwerge.moves import CAPS, MOVES, decode, encode
from games.gartenzwerge.observation import from_view, view
from games.gartenzwerge.options import EVENT_NAMES, ClubOptions, Presets, options_of, set_options
from games.gartenzwerge.record import read, write
from games.gartenzwerge.reference import reference
from games.gartenzwerge.refuse import refuse
from games.gartenzwerge.speech import headline, label, tell
from games.gartenzwerge.table.caps import COPIES
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.table.constants import CHIP, COMPETITION, EVENT, STARTER, STEP
from games.gartenzwerge.table.deals import chip
from games.gartenzwerge.table.rounds import begin_game
from games.gartenzwerge.view import STAGES, ClubRecord, ClubView
from games.gartenzwerge.worth import weighed

CHIPS: Final = tuple(int(chip(face)) * STEP for face in range(3))
SEATS: Final = 6
WEIGHTS: Final = read_weights("games.gartenzwerge")


class Gartenzwerge(Game):
    """Gartenzwerge e.V. by Roman Mathar."""

    slug: ClassVar = "gartenzwerge"
    ruleset: ClassVar = "gartenzwerge/1"
    authors: ClassVar = ("Roman Mathar",)
    year: ClassVar = 2004
    seat_numbers: ClassVar = (2, 3, 4, 5, 6)
    phases: ClassVar = STAGES
    purposes: ClassVar = ("starter", "competition", "event", "young", "house_card", "chip")
    hidden: ClassVar = ("sealed", "stacks")
    moves: ClassVar = MOVES
    events: ClassVar = EVENTS
    view_type: ClassVar = ClubView
    record_type: ClassVar = ClubRecord
    record_bytes: ClassVar = 4_096
    options_type: ClassVar = ClubOptions
    presets: ClassVar[dict[str, Options]] = dict(Presets.named)
    provenance: ClassVar[dict[str, Provenance]] = dict(Presets.sources)
    weights: ClassVar = WEIGHTS
    worths: ClassVar[dict[str, Worth]] = {
        **{name: weighed(weights, weights, weights) for name, weights in WEIGHTS.sets.items()},
        "tuned": weighed(*(WEIGHTS.sets[name] for name in ("two", "three", "tuned"))),
    }

    def __init__(self) -> None:
        """Read the texts and the rules."""
        self.texts = Texts("games.gartenzwerge")
        self.rules = read_rules("games.gartenzwerge")

    def new(self, seats: int, options: Options, dice: Dice) -> Table:
        """Set a table up (GZ-1, GZ-9 to GZ-12)."""
        assert isinstance(options, ClubOptions)  # noqa: S101 -- the contract's promise, told to the type checker
        table = Club(seats)
        set_options(table, options)
        begin_game(table, dice)
        return table

    def write(self, table: Table) -> Record:
        """Write a table down in full."""
        return write(club(table))

    def read(self, record: Record) -> Table:
        """Read a table back."""
        assert isinstance(record, ClubRecord)  # noqa: S101
        return read(record)

    def options(self, table: Table) -> Options:
        """Return a table's options."""
        return options_of(club(table))

    def encode(self, table: Table, seat: int, move: Move) -> int:
        """Return a move's code."""
        return encode(move)

    def decode(self, table: Table, code: int) -> Move:
        """Return a code's move."""
        return decode(code)

    def refuse(self, table: Table, seat: int, move: Move) -> Refusal | None:
        """Return why a move is illegal."""
        return refuse(club(table), seat, move)

    def view(self, table: Table, seat: int) -> View:
        """Return what a viewer may know."""
        return view(club(table), seat, self.ruleset)

    def from_view(self, view: View, dice: Dice) -> Table:
        """Return a table as the view's owner may imagine it."""
        assert isinstance(view, ClubView)  # noqa: S101
        return from_view(view, self.ruleset, dice)

    def event(self, table: Table, kind: int, a: int, b: int, c: int) -> Event:
        """Return the event of a note."""
        return event(table.seats, kind, a, b, c)

    def name_outcome(self, what: int, value: int) -> int | str:
        """Return a seat, a cap, an event, or a chip's value."""
        if what == STARTER:
            return value
        if what == EVENT:
            return EVENT_NAMES[value % len(EVENT_NAMES)]
        if what == COMPETITION:
            return CAPS[value % len(CAPS)]
        if what == CHIP:
            return CHIPS[value // COPIES % len(CHIPS)]
        return CAPS[value // COPIES % len(CAPS)]

    def read_outcome(self, what: int, name: int | str) -> int:
        """Return what was drawn from its name; of like cards the first."""
        if what == STARTER:
            if isinstance(name, str) or not 0 <= name < SEATS:
                raise ValueError(f"{name!r} cannot be drawn")
            return name
        names: tuple[int | str, ...] = EVENT_NAMES if what == EVENT else CHIPS if what == CHIP else CAPS
        if name not in names:
            raise ValueError(f"{name!r} cannot be drawn")
        return names.index(name) * (1 if what in {EVENT, COMPETITION} else COPIES)

    def label(self, move: Move, language: str, view: View, names: Sequence[str] | None = None) -> str:
        """Say what a move does, and what it is about."""
        assert isinstance(view, ClubView)  # noqa: S101
        return label(self.texts, move, language, view, names or self.seat_names(view.seats, language))

    def tell(self, event: Event, language: str, names: Sequence[str]) -> str:
        """Say what happened."""
        return tell(self.texts, event, language, names)

    def reference(self, language: str) -> list[Sheet]:
        """Return the overview cards (GZ-64)."""
        return reference(self.texts, language)

    def headline(self, view: View, language: str, names: Sequence[str] | None = None) -> str:
        """Say whose decision it is, or how the game ended."""
        assert isinstance(view, ClubView)  # noqa: S101
        return headline(view, language, self.texts.with_names(names))

    def weighed(self, weights: Mapping[str, float]) -> Worth:
        """Return the evaluation with these weights, whatever the number of members."""
        return weighed(weights, weights, weights)

    def picture(self, view: View, language: str, theme: str, angle: int = 0, names: Sequence[str] | None = None) -> str:
        """Draw the club."""
        assert isinstance(view, ClubView)  # noqa: S101
        return picture(view, language, theme, self.texts.with_names(names))


def club(table: Table) -> Club:
    """Return a table as what it is."""
    assert isinstance(table, Club)  # noqa: S101
    return table
