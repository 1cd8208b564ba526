"""Positions of the council, written as short as a sentence, with their queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from games.core.game import Move, Step
from games.core.table import Table
from games.hoher_rat import GAME
from games.hoher_rat.options import CouncilOptions
from games.hoher_rat.view import (
    Arguments,
    CouncilRecord,
    CouncilView,
    FactionRecord,
    Piece,
    SeatRecord,
    Winner,
)
from tests.games.queries import Queries

QUERIES: Final = Queries(GAME)
legal, legal_of, allows, refusal = QUERIES.legal, QUERIES.legal_of, QUERIES.allows, QUERIES.refusal

ALL_CARDS: Final = range(1, 33)
STANDARD: Final = CouncilOptions()
FIRST_DRAW: Final = 1
"""The purpose of a draw from Pro's pile; Contra's comes after it."""


@dataclass(frozen=True, slots=True)
class Known:
    """Public knowledge of a faction's hands since its last reshuffle."""

    elders: Sequence[int] = ()
    low: int = 0
    high: int = 0


@dataclass(frozen=True, slots=True)
class Position:
    """A description of a table with the parts that matter to a test; the rest is harmless.

    `pieces` holds a colour, or a colour with "speaker", by field; `hands`, `arguments` and `shown` go by seat and
    `discards` by faction. Unspecified hands get high cards that nobody else has.
    """

    seats: int = 2
    pieces: Mapping[int, str] = field(default_factory=dict)
    hands: Mapping[int, Sequence[int]] = field(default_factory=dict)
    arguments: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    shown: Mapping[int, Sequence[int]] = field(default_factory=dict)
    discards: Mapping[int, Sequence[int]] = field(default_factory=dict)
    known: Mapping[int, Known] = field(default_factory=dict)
    turn: int = 0
    turns: int = 0
    idle: int = 0
    acted: bool = False
    voting: bool = False
    offered: int | None = None
    winner: Winner | None = None
    options: CouncilOptions = STANDARD

    def record(self) -> CouncilRecord:
        hands = self.all_hands()
        return CouncilRecord(
            ply=0,
            options=self.options,
            turn=self.turn,
            turns=self.turns,
            idle=self.idle,
            acted=self.acted,
            stirred=self.acted,
            voting=self.voting,
            ring=[piece(self.pieces.get(number)) for number in range(1, 31)],
            factions=[faction(self.discards.get(side, ()), self.known.get(side, Known())) for side in range(2)],
            players=[
                SeatRecord(
                    hand=hands[seat],
                    arguments=Arguments(**self.arguments.get(seat, {})),
                    shown=sorted(self.shown.get(seat, ())),
                )
                for seat in range(self.seats)
            ],
            offered=self.offered,
            winner=self.winner,
        )

    def all_hands(self) -> list[list[int]]:
        """Return every seat's cards; unspecified ones are chosen from the end of the numbers."""
        hands: list[list[int]] = []
        for seat in range(self.seats):
            held = self.hands.get(seat)
            if held is None:
                mates = [card for mate in range(seat % 2, self.seats, 2) for card in self.hands.get(mate, ())]
                dealt = [card for mate in range(seat % 2, seat, 2) for card in hands[mate]]
                taken = {*mates, *dealt, *self.discards.get(seat % 2, ())}
                held = [card for card in range(30, 0, -1) if card not in taken][:3]
            hands.append(sorted(held))
        return hands

    def table(self) -> Table:
        """Return the table, which is read as it stands."""
        record = self.record()
        table = GAME.read(record)
        assert GAME.write(table) == record
        return table


def position(**changes: Any) -> Table:
    return Position(**changes).table()


def piece(said: str | None) -> Piece | None:
    if said is None:
        return None
    colour, _, rank = said.partition(" ")
    return msgspec.convert({"colour": colour, "rank": rank or "follower"}, Piece)


def faction(discard: Sequence[int], known: Known) -> FactionRecord:
    return FactionRecord(
        discard=sorted(discard), elders=sorted(known.elders), elders_low=known.low, elders_high=known.high
    )


def on(said: str, *fields: int) -> dict[int, str]:
    return dict.fromkeys(fields, said)


# Queries.


def record_of(table: Table) -> CouncilRecord:
    written = GAME.write(table)
    assert isinstance(written, CouncilRecord)
    return written


def view_of(table: Table, seat: int) -> CouncilView:
    seen = GAME.view(table, seat)
    assert isinstance(seen, CouncilView)
    return seen


def play(table: Table, seat: int, move: Move, *drawn: int) -> Step:
    """Make a legal move; where draws are given, chance answers with exactly these cards."""
    return QUERIES.play(table, seat, move, [(FIRST_DRAW + seat % 2, card - 1) for card in drawn])


def after(table: Table, seat: int, move: Move, *drawn: int) -> Table:
    return play(table, seat, move, *drawn).table


def standing(table: Table, number: int) -> str | None:
    found = record_of(table).ring[number - 1]
    if found is None:
        return None
    return found.colour if found.rank == "follower" else f"{found.colour} speaker"


def hand(table: Table, seat: int) -> list[int]:
    return record_of(table).players[seat].hand


def owned(table: Table, seat: int) -> dict[str, int]:
    held: dict[str, int] = msgspec.structs.asdict(record_of(table).players[seat].arguments)
    return {colour: number for colour, number in held.items() if number}


def bank(table: Table) -> dict[str, int]:
    """Return the arguments of the common supply by colour."""
    held: dict[str, int] = msgspec.structs.asdict(view_of(table, 0).bank)
    return held


def supply(table: Table, colour: str) -> tuple[int, int]:
    found = next(supply for supply in view_of(table, 0).supplies if supply.colour == colour)
    return found.followers, found.speakers


def discard(table: Table, side: int) -> list[int]:
    return record_of(table).factions[side].discard


def winner(table: Table) -> Winner | None:
    return record_of(table).winner
