"""Pebbles as it might become: ruleset 2, of which at most two pebbles may be taken, and which reads ruleset 1.

All written forms have changed: options, records, codes, results of chance, events.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Final

from librt.vecs import append, vec
from msgspec import Meta
from mypy_extensions import i64

from games.core.dice import Dice
from games.core.evolution import Migration
from games.core.game import Event, Game, Move, Options, Record, Refusal, View
from games.core.table import Journal, Table
from tests.toy.game import (
    BidGiven,
    BidsOpened,
    CardDrawn,
    CardPlayed,
    PebbleOptions,
    PebbleRecord,
    PebblesTaken,
    PebbleView,
    Seat,
    TakePebbles,
    Toy,
)
from tests.toy.table import BID, TAKE, Pebbles

SHIFT: Final = 32
"""Offset of the codes of taking pebbles from those of ruleset 1."""

Most = Annotated[int, Meta(ge=1, le=3)]


class Won(Event, frozen=True, tag="pebbles_won"):
    """The last pebble was taken, with the maximum number; null if the table comes from ruleset 1."""

    seat: Seat
    most: Most | None


class Options2(PebbleOptions, frozen=True):
    """The options of ruleset 1, with its implicit ones."""

    most: Annotated[Most, Meta(description="How many pebbles may be taken at once.")] = 2


class Record2(PebbleRecord, frozen=True):
    """A table in full."""

    most: Most


class View2(PebbleView, frozen=True, tag="pebbles"):
    """The knowledge of a viewer."""

    most: Most


class Pebbles2(Pebbles):
    """A table with a bound that is its own."""

    __slots__ = ("most",)

    def __init__(self, seats: int, ply: int, heap: int, most: int) -> None:
        super().__init__(seats, ply, heap)
        self.most = most

    @classmethod
    def of(cls, table: Pebbles, most: int) -> Pebbles2:
        twin = cls(table.seats, table.ply, table.heap, most)
        twin.hands, twin.bids, twin.played = table.hands, table.bids, table.played
        twin.turn, twin.winner = table.turn, table.winner
        return twin

    def legal(self, seat: i64) -> vec[i64]:
        found = vec[i64]()
        for code in super().legal(seat):
            taking = TAKE < code <= TAKE + 3
            if not taking or code - TAKE <= self.most:
                found = append(found, code + SHIFT if taking else code)
        return found

    def apply(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Bid, take, or play the card."""
        super().apply(seat, move - SHIFT if move > SHIFT else move, dice, journal)

    def clone(self) -> Table:
        return Pebbles2.of(self, self.most)


class Toy2(Toy):
    """Pebbles by ruleset 2."""

    ruleset: ClassVar = "pebbles/2"
    events: ClassVar[Any] = (BidGiven, BidsOpened, PebblesTaken, CardPlayed, CardDrawn, Won)
    view_type: ClassVar[Any] = View2
    record_type: ClassVar[Any] = Record2
    options_type: ClassVar = Options2
    presets: ClassVar = {"standard": Options2()}
    migrations: ClassVar[tuple[Migration, ...]] = (
        Migration(
            earlier="pebbles/1",
            later="pebbles/2",
            options=lambda tree: {**tree, "most": 3},
            record=lambda tree: {**tree, "most": 3},
            code=lambda code: code + SHIFT if TAKE < code <= TAKE + 3 else code,
            outcome=lambda tree: {**tree, "value": f"card {tree['value']:d}"},
            event=lambda tree: {**tree, "most": None} if tree["kind"] == "pebbles_won" else tree,
        ),
    )

    def new(self, seats: int, options: Options, dice: Dice) -> Table:
        assert isinstance(options, Options2)
        table = super().new(seats, options, dice)
        assert isinstance(table, Pebbles)
        return Pebbles2.of(table, options.most)

    def write(self, table: Table) -> Record:
        return Record2(**fields(super().write(table)), most=bound(table))

    def read(self, record: Record) -> Table:
        table = super().read(record)
        assert isinstance(record, Record2)
        assert isinstance(table, Pebbles)
        return Pebbles2.of(table, record.most)

    def options(self, table: Table) -> Options:
        return Options2(most=bound(table))

    def encode(self, table: Table, seat: int, move: Move) -> int:
        code = super().encode(table, seat, move)
        return code + SHIFT if isinstance(move, TakePebbles) else code

    def decode(self, table: Table, code: int) -> Move:
        if TAKE < code <= TAKE + 3:
            raise ValueError("a code of ruleset 1")
        return super().decode(table, code - SHIFT if code > SHIFT else code)

    def objection(self, table: Table, seat: int, move: Move) -> Refusal | None:
        if isinstance(move, TakePebbles) and move.amount > bound(table):
            return Refusal("PB-4", "amount", "/amount", {"heap": bound(table)})
        return super().objection(table, seat, move)

    def timeout_move(self, table: Table, seat: int) -> int | None:
        """Take the last pebble for a player out of time."""
        code = super().timeout_move(table, seat)
        return None if code is None else code + SHIFT

    def answer(self, table: Table, seat: int, name: str) -> int | None:
        code = super().answer(table, seat, name)
        return code if code in {None, BID} else SHIFT + TAKE + 1

    def view(self, table: Table, seat: int) -> View:
        return View2(**fields(super().view(table, seat)), most=bound(table))

    def from_view(self, view: View, dice: Dice) -> Table:
        assert isinstance(view, View2)
        known = {name: value for name, value in fields(view).items() if name != "most"}
        table = Toy.from_view(_ONE, PebbleView(**{**known, "ruleset": _ONE.ruleset}), dice)
        assert isinstance(table, Pebbles)
        return Pebbles2.of(table, view.most)

    def event(self, table: Table, kind: int, a: int, b: int, c: int) -> Event:
        return Won(seat=a, most=bound(table)) if kind == 5 else super().event(table, kind, a, b, c)

    def name_outcome(self, what: int, value: int) -> int | str:
        return f"card {value}"

    def read_outcome(self, what: int, name: int | str) -> int:
        if not isinstance(name, str) or not name.startswith("card "):
            raise ValueError(f"{name!r} cannot be drawn")
        return super().read_outcome(what, int(name.removeprefix("card ")))


def bound(table: Table) -> int:
    assert isinstance(table, Pebbles2)
    return table.most


def fields(struct: Any) -> dict[str, Any]:
    return {name: getattr(struct, name) for name in struct.__struct_fields__}


_ONE: Final = Toy()
GAME: Final[Game] = Toy2()
