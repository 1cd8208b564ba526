"""Possible places of gnomes that a viewer has seen go into another's hand; compiled.

A trace is a gnome of known kind with the set of places that may hold it: cells, LIMBO, and hands (HAND_OF + seat). When
a hand lays a card down unseen, a gnome seen to go into it may be here or there. When the hand shows one of its kind,
one trace ends (docs/decisions/004). Every deal that fits has the gnomes of all traces at places of theirs, each at
another one.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import bit, first, full, has
from games.wichtel.table.cards import UNKNOWN
from games.wichtel.table.recall import LIMBO, Recall, filled
from games.wichtel.table.trail import LEFT

HAND_OF: Final = 21
"""The place of seat 0's hand, and those of the others after it."""

TRANSIT: Final = 26
"""The first of the places of gnomes that left one hand unseen and came into another since."""

CELLS: Final = 0x1FFFFF
"""All cells and LIMBO as a set of places."""


class Traces:
    """Kinds and sets of places, side by side."""

    __slots__ = ("kinds", "places")

    def __init__(self) -> None:
        """Begin without any."""
        self.kinds = vec[i64](capacity=16)
        self.places = vec[i64](capacity=16)

    def add(self, kind: i64, seat: i64) -> None:
        """Begin a trace in a hand."""
        self.kinds = append(self.kinds, kind)
        self.places = append(self.places, bit(HAND_OF + seat))

    def spread(self, source: i64, target: i64) -> None:
        """Let whatever may be at one place be at another too."""
        i: i64
        for i in range(len(self.places)):
            if has(self.places[i], source):
                self.places[i] |= bit(target)

    def move(self, source: i64, target: i64) -> None:
        """Let whatever may be at one place be at another instead."""
        i: i64
        for i in range(len(self.places)):
            if has(self.places[i], source):
                self.places[i] = self.places[i] & ~bit(source) | bit(target)

    def end(self, kind: i64, seat: i64) -> None:
        """End one trace of a kind that may be in a hand, because the hand has shown one of the kind.

        A sure trace ends first. Any of several possible ones may have been it, so the others may be wherever any of
        them may.
        """
        all_places: i64 = 0
        found: i64 = -1
        i: i64
        for i in range(len(self.kinds)):
            if self.kinds[i] == kind and has(self.places[i], HAND_OF + seat):
                found = i
                all_places |= self.places[i]
                if self.places[i] == bit(HAND_OF + seat):
                    self.drop(i)
                    return
        if found < 0:
            return
        for i in range(len(self.kinds)):
            if self.kinds[i] == kind and has(self.places[i], HAND_OF + seat):
                self.places[i] = all_places
        self.drop(found)

    def drop(self, index: i64) -> None:
        """Take a trace out."""
        kinds = vec[i64](capacity=16)
        places = vec[i64](capacity=16)
        i: i64
        for i in range(len(self.kinds)):
            if i != index:
                kinds = append(kinds, self.kinds[i])
                places = append(places, self.places[i])
        self.kinds = kinds
        self.places = places

    def sure(self, index: i64) -> bool:
        """Return whether a trace is in one hand for sure."""
        places: i64 = self.places[index]
        return places & CELLS == 0 and places & places - 1 == 0


def places_of(recall: Recall) -> vec[i64]:
    """Return by crossing where the gnome that left is now: a cell, LIMBO, or a place in TRANSIT to another hand."""
    places = filled(len(recall.who), -1)
    place: i64
    for place in range(LIMBO + 1):
        if recall.source[place] >= 0:
            places[recall.source[place]] = place
    taken: i64 = 0
    i: i64
    for i in range(len(places)):
        if recall.way[i] == LEFT:
            if places[i] < 0:
                free: i64 = first(full(32) & ~taken)
                taken |= bit(free)
                places[i] = TRANSIT + free
        elif recall.origin[i] >= 0:
            taken &= ~bit(places[recall.origin[i]] - TRANSIT)
    return places


def traces_of(recall: Recall, places: vec[i64]) -> Traces:
    """Follow all gnomes that the viewer has seen go into others' hands."""
    traces = Traces()
    i: i64
    for i in range(len(recall.who)):
        seat: i64 = recall.who[i]
        kind: i64 = recall.kind[i]
        if seat == recall.viewer:
            continue
        if recall.way[i] == LEFT:
            if kind == UNKNOWN:
                traces.spread(HAND_OF + seat, places[i])
            else:
                traces.end(kind, seat)
        elif kind != UNKNOWN:
            traces.add(kind, seat)
        elif recall.origin[i] >= 0:
            traces.move(places[recall.origin[i]], HAND_OF + seat)
    return traces


def sure_in(traces: Traces, seat: i64) -> vec[i64]:
    """Return the kinds that are in a hand for sure."""
    kinds = vec[i64](capacity=4)
    i: i64
    for i in range(len(traces.kinds)):
        if traces.places[i] == bit(HAND_OF + seat):
            kinds = append(kinds, traces.kinds[i])
    return kinds
