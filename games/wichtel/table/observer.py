"""What a learner's seat sees of a village, field by field as the PettingZoo package describes them; compiled."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from games.core.bits import at, bit, count, first, full, rest
from games.core.learning import Observer
from games.core.table import Table
from games.wichtel.table.cards import UNKNOWN, kind_of, kind_of_action
from games.wichtel.table.codes import BRIBING, LAYING
from games.wichtel.table.recall import LIMBO, recalled
from games.wichtel.table.traces import HAND_OF, Traces, places_of, traces_of
from games.wichtel.table.village import Village

WIDTH: Final = 3
"""Bits for the number of cards of a kind."""

CELLS: Final = 20
POINTS: Final = 32768
"""What is added to points, which may be below 0."""

ROUNDS: Final = 16
"""Bits of the number of rounds, and of turns."""


class VillageObserver(Observer):
    """What one seat sees of a village; cards of a kind look alike, so kinds are told and never cards."""

    __slots__ = ()

    def read(self, table: Table, seat: i64, begun: vec[i64]) -> None:
        """Put the values of all fields."""
        assert isinstance(table, Village)  # noqa: S101 -- tells the compiler the type
        recall = recalled(table, seat)
        me = table.seat(seat)
        phase: i64 = table.phase
        self.put(bit(seat))
        self.put(bit(table.turn))
        self.put(table.actors())
        self.put(bit(phase))
        self.put(table.queue)
        self.put(flags_of(table))
        self.put(table.round & full(ROUNDS))
        self.put(table.turns & full(ROUNDS))
        self.put(table.start)
        self.put(table.place + 1 if BRIBING <= phase <= LAYING else 0)
        self.put(table.roll)
        self.put(gnomes(me.hand))
        self.put(actions(me.actions))
        self.put(actions(table.spent))
        swapped: i64 = recall.lying[LIMBO]
        self.put(bit(swapped) if table.offered and swapped != UNKNOWN else 0)
        index: i64
        lying, seen = recall.lying, recall.seen
        for index in range(CELLS):
            kind: i64 = lying[index]
            self.put(seen[index] + (0 if kind == UNKNOWN else bit(kind + 1)))
        traces = Traces()
        if len(recall.who):
            traces = traces_of(recall, places_of(recall))
        other: i64
        for other in range(table.seats):
            him = table.seat(other)
            sure: i64 = gnomes(him.hand) if other == seat else 0
            if other != seat:
                for index in range(len(traces.kinds)):
                    if traces.places[index] == bit(HAND_OF + other):
                        sure += at(1, WIDTH * traces.kinds[index])
            bribe: i64 = 0
            if him.bribe:
                bribe = 1
                if other == seat or phase != BRIBING:
                    bribe += bit(kind_of_action(him.bribe - 1) + 1)
            self.put(him.points + POINTS)
            self.put(count(him.hand))
            self.put(sure)
            self.put(count(him.actions))
            self.put(actions(him.shown))
            self.put(bribe)


def flags_of(village: Village) -> i64:
    """Return what is so now: officer freed; onward; the next march goes back; it does not take place."""
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
    """Return how many gnomes of each kind are in a set."""
    found: i64 = 0
    while cards:
        found += at(1, WIDTH * kind_of(first(cards)))
        cards = rest(cards)
    return found


def actions(cards: i64) -> i64:
    """Return how many action cards of each kind are in a set."""
    found: i64 = 0
    while cards:
        found += at(1, WIDTH * kind_of_action(first(cards)))
        cards = rest(cards)
    return found
