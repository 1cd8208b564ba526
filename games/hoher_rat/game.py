"""Der Hohe Rat as the service and the workers know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final

from games.core.bits import first, has
from games.core.dice import Dice
from games.core.game import Event, Game, Move, Options, Provenance, Record, Refusal, View
from games.core.reference import Sheet
from games.core.rules import read_rules
from games.core.table import Table, Worth
from games.core.texts import Texts
from games.core.weights import read_weights
from games.hoher_rat.events import EVENTS, event
from games.hoher_rat.headline import headline
from games.hoher_rat.moves import MOVES, decode, encode
from games.hoher_rat.record import options, read, write
from games.hoher_rat.reference import reference
from games.hoher_rat.refuse import refuse
from games.hoher_rat.sight import from_view, view
from games.hoher_rat.speech import label, tell
from games.hoher_rat.svg import picture
from games.hoher_rat.table.codes import RETURN_CARD, code
from games.hoher_rat.table.council import Council, new_council
from games.hoher_rat.table.sitting import STARTER
from games.hoher_rat.view import CouncilOptions, CouncilRecord, CouncilView
from games.hoher_rat.worth import weighed

CARDS: Final = 32
WEIGHTS: Final = read_weights("games.hoher_rat")


class HoherRat(Game):
    """Der Hohe Rat by Volker Hesselmann."""

    slug: ClassVar = "hoher-rat"
    ruleset: ClassVar = "hoher-rat/1"
    authors: ClassVar = ("Volker Hesselmann",)
    year: ClassVar = 2007
    seat_numbers: ClassVar = (2, 4)
    phases: ClassVar = ("turn", "conferring", "vote", "over")
    purposes: ClassVar = ("starter", "pro_card", "contra_card")
    hidden: ClassVar = ("hands", "conference", "deck")
    moves: ClassVar = MOVES
    events: ClassVar = EVENTS
    view_type: ClassVar = CouncilView
    record_type: ClassVar = CouncilRecord
    record_bytes: ClassVar = 2_048
    options_type: ClassVar = CouncilOptions
    presets: ClassVar = {
        "standard": CouncilOptions(),
        "endless": CouncilOptions(turn_cap=0, idle_cap=0),
    }
    provenance: ClassVar = {
        "turn_cap": Provenance(value="300", source="HR-D30", kind="decision"),
        "idle_cap": Provenance(value="8", source="HR-D30", kind="decision"),
        "field_colours": Provenance(
            value="n mod 6: white, blue, green, yellow, red, black",
            source="paizo.com/products/btpy7yw3 lists four colours' numbers; red and black are the numbers left over",
            kind="public",
        ),
        "ring": Provenance(
            value="30 fields, closed",
            source="review keirat Stonehe2 at ftp.informatik.rwth-aachen.de; Stonehenge rockt at spielzeit.de",
            kind="public",
        ),
        "trilith_cards": Provenance(
            value="two in each deck of 32",
            source="rulebook, set-up; which four of five does not matter",
            kind="rulebook",
        ),
    }
    weights: ClassVar = WEIGHTS
    worths: ClassVar[dict[str, Worth]] = {name: weighed(weights) for name, weights in WEIGHTS.sets.items()}

    def __init__(self) -> None:
        """Read the texts and the rules."""
        self.texts = Texts("games.hoher_rat")
        self.rules = read_rules("games.hoher_rat")

    def new(self, seats: int, options: Options, dice: Dice) -> Table:
        """Set a table up (HR-1)."""
        assert isinstance(options, CouncilOptions)  # noqa: S101 -- the contract's promise, told to the type checker
        return new_council(seats, options.turn_cap, options.idle_cap, dice)

    def write(self, table: Table) -> Record:
        """Write a table down in full."""
        return write(council(table))

    def read(self, record: Record) -> Table:
        """Read a table back."""
        assert isinstance(record, CouncilRecord)  # noqa: S101
        return read(record)

    def options(self, table: Table) -> Options:
        """Return a table's options."""
        return options(council(table))

    def encode(self, table: Table, seat: int, move: Move) -> int:
        """Return a move's code."""
        return encode(move)

    def decode(self, table: Table, code: int) -> Move:
        """Return a code's move."""
        return decode(code)

    def refuse(self, table: Table, seat: int, move: Move) -> Refusal | None:
        """Return why a move is illegal."""
        return refuse(council(table), seat, move)

    def timeout_move(self, table: Table, seat: int) -> int | None:
        """Return the same card for a partner who does not answer in time (HR-D22)."""
        offered = council(table).offered
        if offered and has(table.actors(), seat):
            return code(RETURN_CARD, first(offered), 0, 0, 0, 0, 0)
        return None

    def view(self, table: Table, seat: int) -> View:
        """Return what a viewer may know."""
        return view(council(table), seat, self.ruleset)

    def from_view(self, view: View, dice: Dice) -> Table:
        """Return a table as the view's owner may imagine it."""
        assert isinstance(view, CouncilView)  # noqa: S101
        return from_view(view, self.ruleset, dice)

    def event(self, table: Table, kind: int, a: int, b: int, c: int) -> Event:
        """Return the event of a note."""
        return event(kind, a, b, c)

    def name_outcome(self, what: int, value: int) -> int | str:
        """Return a starter's seat or a card's number."""
        return value if what == STARTER else value + 1

    def read_outcome(self, what: int, name: int | str) -> int:
        """Return a seat or card from its name."""
        value = name if what == STARTER else int(name) - 1
        if isinstance(name, str) or not 0 <= int(value) < CARDS:
            raise ValueError(f"{name!r} cannot be drawn")
        return int(value)

    def reference(self, language: str) -> list[Sheet]:
        """Return an overview of a turn, and the fields of each colour."""
        return reference(self.texts, language)

    def headline(self, view: View, language: str, names: Sequence[str] | None = None) -> str:
        """Say whose decision it is, or how the game ended."""
        assert isinstance(view, CouncilView)  # noqa: S101
        return headline(view, language, self.texts.with_names(names))

    def label(self, move: Move, language: str, view: View, names: Sequence[str] | None = None) -> str:
        """Say what a move does at the table that its seat sees."""
        assert isinstance(view, CouncilView)  # noqa: S101
        return label(move, language, view, self.texts.with_names(names))

    def tell(self, event: Event, language: str, names: Sequence[str]) -> str:
        """Say what happened."""
        return tell(event, language, names, self.texts)

    def weighed(self, weights: Mapping[str, float]) -> Worth:
        """Return the evaluation with these weights."""
        return weighed(weights)

    def picture(self, view: View, language: str, theme: str, angle: int = 0, names: Sequence[str] | None = None) -> str:
        """Draw the council ring."""
        assert isinstance(view, CouncilView)  # noqa: S101
        return picture(view, language, theme, self.texts.with_names(names))

    def teams(self, seats: int) -> list[list[int]]:
        """Return the factions' seats (HR-8, HR-10, HR-11)."""
        return [list(range(0, seats, 2)), list(range(1, seats, 2))]


def council(table: Table) -> Council:
    """Return a table as what it is."""
    assert isinstance(table, Council)  # noqa: S101
    return table
