"""The observation of a village for learners; compiled."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from games.core.bits import at, bit, count, first, full, rest
from games.core.learning import Observer
from games.core.table import Table
from games.wichtel.table.cards import UNKNOWN, kind_of, kind_of_action
from games.wichtel.table.codes import BRIBING, LAYING
from games.wichtel.table.recall import LIMBO, Recall, recalled
from games.wichtel.table.traces import HAND_OF, Traces, places_of, traces_of
from games.wichtel.table.village import Village

WIDTH: Final = 3
"""Bits for the number of cards of a kind."""

CELLS: Final = 20
POINTS: Final = 32768
"""Offset of points, which may be below 0."""

ROUNDS: Final = 16
"""Bits of the number of rounds, and of turns."""


class VillageObserver(Observer):
    """The observation of one seat of a village; cards of a kind look alike, so it has kinds and never cards."""

    __slots__ = ()

    def read(self, table: Table, seat: i64, begun: vec[i64]) -> None:
        """Put the values of all fields."""
        assert isinstance(table, Village)  # noqa: S101 -- tells the compiler the type
        recall = recalled(table, seat)
        me = table.seat(seat)
        phase: i64 = table.phase
        bribing: bool = BRIBING <= phase <= LAYING
        swapped: i64 = recall.lying[LIMBO]
        offered: i64 = bit(swapped) if table.offered and swapped != UNKNOWN else 0
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
        self.put_cells(recall)
        self.put_seats(table, recall, seat)

    def put_cells(self, recall: Recall) -> None:
        """Put the gnomes in the cells of the caravan."""
        index: i64
        lying, seen = recall.lying, recall.seen
        for index in range(CELLS):
            self.inner = index
            kind: i64 = lying[index]
            self.put(
                seen[index] + (0 if kind == UNKNOWN else bit(kind + 1)),
                "cell_{inner}: set 12, bit 0: all have seen who lies here; then the gnome, if it is known",
            )

    def put_seats(self, table: Village, recall: Recall, seat: i64) -> None:
        """Write a seat's knowledge of every seat."""
        index: i64
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
