"""A viewer's memory of a round: the trail and the table as he has seen them; compiled.

See docs/decisions/004. Everything is by kinds, for cards of a kind look alike. Anybody can follow a card face
down. So a crossing into a hand refers to its origin, the crossing by which that gnome had left a hand before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import bit, count, first, has, nibble, nibbles, rest
from games.core.table import SPECTATOR
from games.wichtel.table.cards import ALL_GNOMES, HAND, KINDS, UNKNOWN, gnomes_of, kind_of
from games.wichtel.table.codes import NOBODY
from games.wichtel.table.trail import CAME, CAME_OPEN, LEFT, WIDTH, came, gnome_at, left, length_of, seat_at, way_at

if TYPE_CHECKING:
    from games.wichtel.table.village import Village

DEAL: Final = -1
"""The origin of a gnome that has left no hand in this round."""

EMPTY: Final = -2
"""The origin of a cell that nobody has looked into."""

LIMBO: Final = 20
"""The place, after the cells, of a gnome on its way between two hands."""


def filled(size: i64, value: i64) -> vec[i64]:
    """Return a list of one number, repeated."""
    found = vec[i64](capacity=size)
    i: i64
    for i in range(size):
        found = append(found, value)
    return found


GNOMES: Final = 32
ALL_UNKNOWN: Final[vec[i64]] = filled(LIMBO + 1, UNKNOWN)
ALL_EMPTY: Final[vec[i64]] = filled(LIMBO + 1, EMPTY)
NONE_SEEN: Final[vec[i64]] = filled(LIMBO + 1, 0)
ALL_DEALT: Final[vec[i64]] = filled(GNOMES, DEAL)
"""The start of every recall, to be copied."""


class Recall:
    """The round as a viewer remembers it.

    By crossing: `who`, `way` (as in `trail.py`), `kind` (or UNKNOWN) and `origin`. By place, the cells and LIMBO:
    `lying` (a kind or UNKNOWN), `source` (an origin, DEAL or EMPTY) and `seen` (1 where all have seen it there).
    `own` is the viewer's hand and all packed numbers are by kind.
    """

    __slots__ = ("kind", "length", "lying", "origin", "own", "seats", "seen", "source", "turn", "viewer", "way", "who")

    def __init__(self, seats: i64, viewer: i64, turn: i64, own: i64) -> None:
        """Remember nothing yet."""
        self.seats: i64 = seats
        self.viewer: i64 = viewer
        self.turn: i64 = turn
        self.own: i64 = own
        self.length: i64 = 32 - HAND * seats
        self.who = vec[i64]()
        self.way = vec[i64]()
        self.kind = vec[i64]()
        self.origin = vec[i64]()
        self.lying = ALL_UNKNOWN[0 : LIMBO + 1]
        self.source = ALL_EMPTY[0 : LIMBO + 1]
        self.seen = NONE_SEEN[0 : LIMBO + 1]

    def remember(self, who: i64, way: i64, kind: i64, origin: i64) -> None:
        """Remember one more crossing."""
        self.who = append(self.who, who)
        self.way = append(self.way, way)
        self.kind = append(self.kind, kind)
        self.origin = append(self.origin, origin)

    def hand_size(self, seat: i64) -> i64:
        """Return the number of gnomes of a seat: four, without a gnome on its way to another."""
        if seat == self.turn and self.source[LIMBO] != EMPTY:
            return HAND - 1
        return HAND

    def hidden(self, place: i64) -> bool:
        """Return whether a gnome lies at a place that the viewer has not seen there, out of a hand."""
        return self.source[place] >= 0 and self.lying[place] == UNKNOWN

    def unseen(self) -> i64:
        """Return the set of gnomes whose place the viewer is not shown."""
        found: i64 = ALL_GNOMES
        kind: i64
        for kind in range(KINDS):
            amount: i64 = nibble(self.own, kind)
            while amount > 0:
                found = without(found, kind)
                amount -= 1
        place: i64
        for place in range(LIMBO + 1):
            if self.lying[place] != UNKNOWN:
                found = without(found, self.lying[place])
        return found


def without(gnomes: i64, kind: i64) -> i64:
    """Return a set without one gnome of a kind, or the same set if it has none."""
    some: i64 = gnomes & gnomes_of(kind)
    return gnomes & ~(some & -some)


def counted(gnomes: i64) -> i64:
    """Return the number of gnomes of each kind in a set, packed by kind."""
    found: i64 = 0
    while gnomes:
        found += nibbles(1, kind_of(first(gnomes)))
        gnomes = rest(gnomes)
    return found


def recalled(table: Village, viewer: i64) -> Recall:
    """Return the memory of a viewer, or SPECTATOR, at a table (HW-D23)."""
    known: i64 = table.open
    own: i64 = 0
    if viewer != SPECTATOR:
        me = table.seat(viewer)
        known |= me.laid
        own = counted(me.hand)
        if table.offered and viewer == table.turn:
            known |= bit(table.offered - 1)
    recall = Recall(table.seats, viewer, table.turn, own)
    last = ALL_DEALT[0:GNOMES]
    recall_trail(recall, table.trail, last)
    index: i64
    for index in range(recall.length):
        if has(table.filled, index):
            remember_place(recall, index, table.cell(index), last, known, table.open)
    if table.offered:
        remember_place(recall, LIMBO, table.offered - 1, last, known, 0)
    return recall


def remember_place(recall: Recall, place: i64, gnome: i64, last: vec[i64], known: i64, open_: i64) -> None:
    """Remember a gnome at a place, and by the way that it left a hand."""
    origin: i64 = last[gnome]
    recall.source[place] = origin
    if has(open_, gnome):
        recall.seen[place] = 1
    if has(known, gnome):
        recall.lying[place] = kind_of(gnome)
        if origin >= 0:
            recall.kind[origin] = kind_of(gnome)


def recall_trail(recall: Recall, trail: bytes, last: vec[i64]) -> None:
    """Remember the crossings; `last` becomes by gnome the crossing by which it left a hand it is not back in."""
    index: i64
    for index in range(length_of(trail)):
        gnome: i64 = gnome_at(trail, index)
        seat: i64 = seat_at(trail, index)
        how: i64 = way_at(trail, index)
        origin: i64 = DEAL
        kind: i64 = UNKNOWN
        if seat == recall.viewer or how == CAME_OPEN:
            kind = kind_of(gnome)
        if how == LEFT:
            last[gnome] = index
        else:
            origin = last[gnome]
            last[gnome] = DEAL
            if origin >= 0:
                if recall.who[origin] == recall.viewer:
                    kind = kind_of(gnome)
                elif kind != UNKNOWN:
                    recall.kind[origin] = kind
        recall.remember(seat, how, kind, origin)


def shortest_trail(table: Village) -> bytes:
    """Return the shortest trail that makes every face-down gnome known to its giver (HW-D26)."""
    return recent_trail(table, 0)


def recent_trail(table: Village, crossings: i64) -> bytes:
    """Return a trail that ends with this number of the table's crossings, or a few less if a swap was under way.

    It begins as if each seat had just laid its gnomes that lay unseen then. First come the gnomes that have come into a
    hand since, in that order. Then come the others, in the order of the cells; everyone can see
    either. The seat drew one after the other, and at last a gnome of its hand.
    """
    cut: i64 = max(length_of(table.trail) - crossings, 0)
    hands = hands_at(table, cut)
    while not whole(table, hands):
        step(hands, table.trail, cut)
        cut += 1
    layers = filled(GNOMES, NOBODY)
    index: i64
    for index in range(cut):
        if way_at(table.trail, index) == LEFT:
            layers[gnome_at(table.trail, index)] = seat_at(table.trail, index)
        else:
            layers[gnome_at(table.trail, index)] = NOBODY
    gnomes = laid_before(table, layers, cut)
    trail: bytes = b""
    seat: i64
    for seat in range(table.seats):
        began: bool = False
        for index in range(len(gnomes)):
            if layers[gnomes[index]] == seat:
                if began:
                    trail += came(seat, gnomes[index], False)
                trail += left(seat, gnomes[index])
                began = True
        if began:
            trail += came(seat, first(hands[seat]), False)
    return trail + table.trail[WIDTH * cut :]


def hands_at(table: Village, cut: i64) -> vec[i64]:
    """Return the hands of all seats before a crossing."""
    hands = filled(table.seats, 0)
    seat: i64
    for seat in range(table.seats):
        hands[seat] = table.seat(seat).hand
    index: i64 = length_of(table.trail) - 1
    while index >= cut:
        step(hands, table.trail, index)
        index -= 1
    return hands


def step(hands: vec[i64], trail: bytes, index: i64) -> None:
    """Take a crossing back, or make it: the gnome is either in the hand before or after it."""
    seat: i64 = seat_at(trail, index)
    hands[seat] = hands[seat] ^ bit(gnome_at(trail, index))


def whole(table: Village, hands: vec[i64]) -> bool:
    """Return whether every hand has all its gnomes."""
    seat: i64
    for seat in range(table.seats):  # noqa: SIM110 -- all() over a generator leaves native code
        if count(hands[seat]) != HAND:
            return False
    return True


def laid_before(table: Village, layers: vec[i64], cut: i64) -> vec[i64]:
    """Return the gnomes that lay face down at a crossing and have come into a hand unseen since, or lie there still."""
    found = vec[i64](capacity=20)
    known: i64 = 0
    index: i64
    for index in range(cut, length_of(table.trail)):
        gnome: i64 = gnome_at(table.trail, index)
        if way_at(table.trail, index) == CAME and layers[gnome] != NOBODY and not has(known, gnome):
            found = append(found, gnome)
        known |= bit(gnome)
    for index in range(table.length()):
        if has(table.filled, index):
            gnome = table.cell(index)
            if not has(known, gnome) and not has(table.open, gnome) and layers[gnome] != NOBODY:
                found = append(found, gnome)
    return found
