"""Positions of the village, written as short as a sentence, with their queries."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from games.core.dice import FastDice
from games.core.game import Game, Move, Step
from games.core.table import Table
from games.wichtel.game import Wichtel
from games.wichtel.moves import GNOMES, Action, EndRound, FreeOfficer, Gnome
from games.wichtel.options import VillageOptions
from games.wichtel.record import ACTION_NAMES, GNOME_NAMES, CrossingRecord, SeatRecord, VillageRecord
from games.wichtel.table.village import Village
from games.wichtel.view import Phase, VillageView
from tests.games.queries import Queries

GAME: Final[Game] = Wichtel()
QUERIES: Final = Queries(GAME)
legal, legal_of, allows, refusal = QUERIES.legal, QUERIES.legal_of, QUERIES.allows, QUERIES.refusal

DEALT_GNOME, DRAWN_GNOME, DEALT_ACTION, DIE = range(4)
SHORT: Final = dict(zip(["FA", "HS", "KS", "HF", "SW", "VA", "WW", "ME", "GE", "HW", "HD"], GNOMES, strict=True))
"""The rulebook's own names of the gnomes."""

STANDARD: Final = VillageOptions()


def village(table: Table) -> Village:
    assert isinstance(table, Village)
    return table


def kinds(said: str) -> list[Gnome]:
    return [SHORT[name] for name in said.split()]


@dataclass(frozen=True, slots=True)
class Position:
    """A description of a table with the parts that matter to a test; the rest is harmless.

    Hands and the square are short names. `left` and `right` are the piles outwards from the square, where "-" is a
    gnome nobody has looked at. A seat with fewer than four given action cards has spent the others.
    """

    seats: int = 3
    hands: Mapping[int, str] = field(default_factory=dict)
    square: str | None = None
    left: str = "-"
    right: str | None = None
    actions: Mapping[int, Sequence[Action]] = field(default_factory=dict)
    spent: Sequence[Action] = ()
    points: Mapping[int, int] = field(default_factory=dict)
    phase: Phase = "action"
    turn: int = 0
    actor: int | None = None
    asked: Sequence[int] = ()
    officer_free: bool = False
    onward: bool = True
    back: bool = False
    still: bool = False
    turns: int = 0
    options: VillageOptions = STANDARD

    def table(self) -> Table:
        return GAME.read(self.record())

    def record(self) -> VillageRecord:
        gnomes = Deck(GNOME_NAMES)
        hands = {seat: gnomes.take(kinds(said)) for seat, said in self.hands.items()}
        square = gnomes.take(kinds(self.square)) if self.square else []
        length = 32 - 4 * self.seats
        left = self.left.split()
        right = ["-"] * (length - self.seats - len(left)) if self.right is None else self.right.split()
        piles = [[None if name == "-" else gnomes.take([SHORT[name]])[0] for name in pile] for pile in (left, right)]
        square = square or gnomes.any(self.seats)
        cards = Deck(ACTION_NAMES)
        spent = cards.take(list(self.spent))
        held = {seat: cards.take(list(names)) for seat, names in self.actions.items()}
        held |= {seat: cards.any(4) for seat in range(self.seats) if seat not in held}
        spent += cards.any(4 * self.seats - len(spent) - sum(map(len, held.values())))
        caravan = [*reversed(piles[0]), *square, *piles[1]]
        return VillageRecord(
            ply=0,
            options=self.options,
            round=2 if self.points else 1,
            turn=self.turn,
            turns=self.turns,
            phase=self.phase,
            actor=self.turn if self.actor is None else self.actor,
            asked=list(self.asked),
            officer_free=self.officer_free,
            onward=self.onward,
            back=self.back,
            still=self.still,
            start=len(left),
            caravan=caravan,
            open=sorted((name for name in caravan if name), key=GNOME_NAMES.index),
            place=None,
            roll=None,
            offered=None,
            seats=[
                SeatRecord(
                    points=self.points.get(seat, 0),
                    hand=sorted(hands.get(seat) or gnomes.any(4), key=GNOME_NAMES.index),
                    laid=[],
                    actions=sorted(held[seat], key=ACTION_NAMES.index),
                    shown=[],
                    bribe=None,
                    last=LAST[seat] if self.points else [],
                )
                for seat in range(self.seats)
            ],
            spent=sorted(spent, key=ACTION_NAMES.index),
            trail=NO_TRAIL,
            ended_by=None,
        )


NO_TRAIL: Final[list[CrossingRecord]] = []
LAST: Final = [kinds("FA FA HS KS")] * 3 + [kinds("HS HS HS HF")] * 2


class Deck:
    """Cards by name, to be taken by kind."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = list(names)

    def take(self, kinds: Sequence[str]) -> list[str]:
        taken = []
        for kind in kinds:
            name = next(name for name in self.names if name.rpartition(" ")[0] == kind)
            self.names.remove(name)
            taken.append(name)
        return taken

    def any(self, number: int) -> list[str]:
        """Take a number of the cards that come first."""
        taken, self.names = self.names[:number], self.names[number:]
        return taken


def position(**changes: Any) -> Table:
    return Position(**changes).table()


# Queries.


def record_of(table: Table) -> VillageRecord:
    written = GAME.write(table)
    assert isinstance(written, VillageRecord)
    return written


def view_of(table: Table, seat: int) -> VillageView:
    seen = GAME.view(table, seat)
    assert isinstance(seen, VillageView)
    return seen


def play(table: Table, seat: int, move: Move, *, roll: int = 0, drawn: str = "") -> Step:
    """Make a legal move; where a roll or a drawn gnome is given, chance answers with exactly that."""
    script = [(DIE, roll - 1)] if roll else []
    return QUERIES.play(table, seat, move, script + [(DRAWN_GNOME, card_of(table, kind)) for kind in kinds(drawn)])


def card_of(table: Table, kind: str) -> int:
    written = record_of(table)
    out = {*(name for name in written.caravan if name), *(name for seat in written.seats for name in seat.hand)}
    out |= {written.offered} if written.offered else set()
    return next(card for card, name in enumerate(GNOME_NAMES) if name not in out and name.rpartition(" ")[0] == kind)


def after(table: Table, seat: int, move: Move, *, roll: int = 0, drawn: str = "") -> Table:
    return play(table, seat, move, roll=roll, drawn=drawn).table


def play_moves(table: Table, *moves: Move) -> Table:
    for move in moves:
        table = after(table, GAME.actors(table)[0], move)
    return table


@cache
def dragged(seats: int, turns: int, seed: int) -> Village:
    """Return a village after a number of turns of one round, in which players do anything except end it."""
    dice = FastDice(seed)
    table = GAME.new(seats, GAME.options_type(), dice)
    while village(table).turns < turns:
        seat = GAME.actors(table)[0]
        moves = [move for move in legal(table, seat) if not isinstance(move, (FreeOfficer, EndRound))]
        table.apply(seat, GAME.encode(table, seat, moves[dice.below(len(moves), 0)]), dice, None)
    return village(table)


def names_to_kinds(names: Sequence[str]) -> list[str]:
    return [name.rpartition(" ")[0] for name in names]


def hand(table: Table, seat: int) -> list[str]:
    return names_to_kinds(record_of(table).seats[seat].hand)


def actions(table: Table, seat: int) -> list[str]:
    return names_to_kinds(record_of(table).seats[seat].actions)


def square(table: Table) -> list[str]:
    written = record_of(table)
    return names_to_kinds([str(name) for name in written.caravan[written.start : written.start + len(written.seats)]])


def piles(table: Table) -> tuple[list[str], list[str]]:
    """Return both piles by kind, outwards from the square, "" for unseen gnomes."""
    written = record_of(table)
    names = [name.rpartition(" ")[0] if name else "" for name in written.caravan]
    return names[: written.start][::-1], names[written.start + len(written.seats) :]
