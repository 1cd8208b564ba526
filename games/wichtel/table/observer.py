"""The observation of a village for learners; compiled."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from games.core.bits import at, bit, count, first, full, has, rest
from games.core.learning import Observer, numbers
from games.core.table import Table
from games.wichtel.table.cards import kind_of, kind_of_action
from games.wichtel.table.codes import BRIBING, LAYING
from games.wichtel.table.recall import recalled
from games.wichtel.table.traces import HAND_OF, TRANSIT, places_of, traces_of
from games.wichtel.table.village import Village

WIDTH: Final = 3
"""Bits for the number of cards of a kind."""

CELLS: Final = 20
POINTS: Final = 32768
"""Offset of points, which may be below 0."""

ROUNDS: Final = 16
"""Bits of the number of rounds, and of turns."""

SEATS: Final = 5
"""No village has more."""

KEYS: Final = 6
"""Numbers from which a viewer knows what gnomes are in others' hands, beside the trail."""


class VillageObserver(Observer):
    """The observation of one seat of a village; cards of a kind look alike, so it has kinds and never cards.

    The gnomes that a viewer knows to be in others' hands are kept with everything that they follow from.
    """

    __slots__ = ("keys", "sure", "trails")

    def __init__(self) -> None:
        """Keep nothing yet."""
        super().__init__()
        self.trails: list[bytes | None] = [None] * SEATS
        self.keys = numbers(SEATS * KEYS, 0)
        self.sure = numbers(SEATS * SEATS, 0)

    def read(self, table: Table, seat: i64, begun: vec[i64]) -> None:
        """Put the values of all fields."""
        assert isinstance(table, Village)  # noqa: S101 -- tells the compiler the type
        me = table.seat(seat)
        phase: i64 = table.phase
        bribing: bool = BRIBING <= phase <= LAYING
        known: i64 = table.open | me.laid
        offered: i64 = 0
        if table.offered:
            if seat == table.turn:
                known |= bit(table.offered - 1)
            if has(known, table.offered - 1):
                offered = bit(kind_of(table.offered - 1))
        self.put(bit(seat), "seat: one_hot {seats}, the observing seat")
        self.put(bit(table.turn), "turn: one_hot {seats}, the seat on turn")
        self.put(table.actors(), "actor: one_hot {seats}, the deciding seat")
        self.put(bit(phase), "phase: one_hot 11, the phase, in the order of the view's")
        self.put(table.queue, "asked: set {seats}, seats that still have to decide")
        self.put(
            flags_of(table), "flags: set 4, officer freed; onward; the next march goes back; it does not take place"
        )
        self.put(table.round & full(ROUNDS), "round: number 16, the round")
        self.put(table.turns & full(ROUNDS), "turns: number 16, turns ended in this round")
        self.put(table.start, "start: number 5, number of cells before the square")
        self.put(
            table.place + 1 if bribing else 0,
            "place: number 3, the courted gnome's place on the square, from 1; 0 for none",
        )
        self.put(table.roll, "roll: number 3, the last roll of this turn, 0 for none")
        self.put(gnomes(me.hand), "hand: number 33, own gnomes by kind, 3 bits each")
        self.put(actions(me.actions), "actions: number 36, own action cards by kind, 3 bits each")
        self.put(actions(table.spent), "spent: number 36, action cards spent, by kind, 3 bits each")
        self.put(offered, "offered: one_hot 11, the gnome on its way in a swap, if the seat knows it")
        self.put_cells(table, known)
        self.follow(table, seat, known)
        self.put_seats(table, seat)

    def put_cells(self, table: Village, known: i64) -> None:
        """Put the gnomes in the cells of the caravan."""
        index: i64
        filled: i64 = table.filled
        for index in range(CELLS):
            self.inner = index
            value: i64 = 0
            if has(filled, index):
                gnome: i64 = table.cell(index)
                if has(table.open, gnome):
                    value = 1
                if has(known, gnome):
                    value += bit(kind_of(gnome) + 1)
            self.put(value, "cell_{inner}: set 12, bit 0: all have seen who lies here; then the gnome, if it is known")

    def follow(self, table: Village, seat: i64, known: i64) -> None:
        """Find the gnomes that a seat knows to be in others' hands, unless nothing has changed for it."""
        keys, start = self.keys, seat * KEYS
        same: bool = self.trails[seat] is table.trail and keys[start] == known and keys[start + 1] == table.open
        same = same and keys[start + 2] == table.filled and keys[start + 3] == table.offered
        if same and keys[start + 4] == table.low and keys[start + 5] == table.high:
            return
        self.trails[seat] = table.trail
        keys[start] = known
        keys[start + 1] = table.open
        keys[start + 2] = table.filled
        keys[start + 3] = table.offered
        keys[start + 4] = table.low
        keys[start + 5] = table.high
        first_of: i64 = seat * SEATS
        other: i64
        for other in range(SEATS):
            self.sure[first_of + other] = 0
        if len(table.trail) == 0:
            return
        recall = recalled(table, seat)
        traces = traces_of(recall, places_of(recall))
        index: i64
        for index in range(len(traces.kinds)):
            places: i64 = traces.places[index]
            if places & places - 1 == 0 and HAND_OF <= first(places) < TRANSIT:
                self.sure[first_of + first(places) - HAND_OF] += at(1, WIDTH * traces.kinds[index])

    def put_seats(self, table: Village, seat: i64) -> None:
        """Write a seat's knowledge of every seat."""
        other: i64
        for other in range(table.seats):
            him = table.seat(other)
            sure: i64 = gnomes(him.hand) if other == seat else self.sure[seat * SEATS + other]
            bribe: i64 = 0
            if him.bribe:
                bribe = 1
                if other == seat or table.phase != BRIBING:
                    bribe += bit(kind_of_action(him.bribe - 1) + 1)
            self.outer = other
            self.put(him.points + POINTS, "seat_{outer}_points: number 16, points plus 32,768")
            self.put(count(him.hand), "seat_{outer}_gnomes: number 3, number of gnomes in this hand")
            self.put(sure, "seat_{outer}_known: number 33, gnomes certainly in this hand, by kind")
            self.put(count(him.actions), "seat_{outer}_cards: number 3, number of action cards of the seat")
            self.put(actions(him.shown), "seat_{outer}_shown: number 36, its public action cards, by kind")
            self.put(bribe, "seat_{outer}_bribe: set 13, its bribe: bit 0 if there is one, then its kind")


def flags_of(village: Village) -> i64:
    """Return the present flags: officer freed; onward; the next march goes back; it does not take place."""
    flags: i64 = 0
    if village.freed:
        flags += 1
    if village.onward:
        flags += 2
    if village.back:
        flags += 4
    if village.still:
        flags += 8
    return flags


def gnomes(cards: i64) -> i64:
    """Return the number of gnomes of each kind in a set."""
    found: i64 = 0
    while cards:
        found += at(1, WIDTH * kind_of(first(cards)))
        cards = rest(cards)
    return found


def actions(cards: i64) -> i64:
    """Return the number of action cards of each kind in a set."""
    found: i64 = 0
    while cards:
        found += at(1, WIDTH * kind_of_action(first(cards)))
        cards = rest(cards)
    return found
