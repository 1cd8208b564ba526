"""A deal drawn by lot that has every traced gnome at a place of its own, each as likely as another; compiled."""

from __future__ import annotations

from mypy_extensions import i64

from games.core.bits import bit, count, first, has, nibble, nibbles, rest
from games.core.dice import Dice
from games.wichtel.table.cards import KINDS, UNKNOWN, gnomes_of, kind_of
from games.wichtel.table.codes import IMAGINED
from games.wichtel.table.recall import LIMBO, Recall, filled
from games.wichtel.table.traces import CELLS, HAND_OF, Traces


class Draft:
    """Hands packed by kind, the number of gnomes in each, and the kinds at hidden places; `left` is a set."""

    __slots__ = ("hands", "left", "lying", "recall", "sizes", "sure", "traces")

    def __init__(self, recall: Recall, traces: Traces) -> None:
        """Begin with empty hands."""
        self.recall = recall
        self.traces = traces
        self.hands = filled(5, 0)
        self.sizes = filled(5, 0)
        self.sure = filled(5, 0)
        self.lying = filled(LIMBO + 1, UNKNOWN)
        self.left: i64 = recall.unseen()

    def draw(self, dice: Dice) -> bool:
        """Deal; return whether the deal may count, or must be drawn again."""
        return (
            self.place_sure() and self.place_others(dice) and self.fill(dice) and dice.below(self.ways(), IMAGINED) == 0
        )

    def take(self, kind: i64) -> bool:
        """Take a gnome of a kind from those left; return whether there was one."""
        some: i64 = self.left & gnomes_of(kind)
        self.left &= ~(some & -some)
        return some != 0

    def hold(self, seat: i64, kind: i64) -> None:
        """Put a gnome into a hand."""
        self.hands[seat] += nibbles(1, kind)
        self.sizes[seat] += 1

    def place_sure(self) -> bool:
        """Put gnomes where they are for sure; return whether that is possible."""
        i: i64
        for i in range(len(self.traces.kinds)):
            if self.traces.sure(i):
                seat: i64 = first(self.traces.places[i]) - HAND_OF
                self.hold(seat, self.traces.kinds[i])
                self.sure[seat] += 1
                if self.sizes[seat] > self.recall.hand_size(seat) or not self.take(self.traces.kinds[i]):
                    return False
        return True

    def place_others(self, dice: Dice) -> bool:
        """Put every other traced gnome at a place of its, each card's room as likely; return whether all found one.

        A hand offers as much room as it had after the sure ones, and the lot is void where that room is taken.
        """
        i: i64
        for i in range(len(self.traces.kinds)):
            if self.traces.sure(i):
                continue
            place: i64 = self.lot(self.traces.places[i], dice)
            kind: i64 = self.traces.kinds[i]
            if place < 0 or not self.take(kind):
                return False
            if place < HAND_OF:
                if self.lying[place] != UNKNOWN:
                    return False
                self.lying[place] = kind
            else:
                seat: i64 = place - HAND_OF
                room: i64 = self.recall.hand_size(seat) - self.sizes[seat]
                if dice.below(self.recall.hand_size(seat) - self.sure[seat], IMAGINED) >= room:
                    return False
                self.hold(seat, kind)
        return True

    def lot(self, places: i64, dice: Dice) -> i64:
        """Draw one of some places, a hand as often as it has room beside the sure gnomes; none is -1."""
        cells: i64 = places & CELLS
        total: i64 = count(cells)
        seat: i64
        for seat in range(self.recall.seats):
            if has(places, HAND_OF + seat):
                total += self.recall.hand_size(seat) - self.sure[seat]
        if total == 0:
            return -1
        drawn: i64 = dice.below(total, IMAGINED)
        if drawn < count(cells):
            while drawn > 0:
                cells = rest(cells)
                drawn -= 1
            return first(cells)
        drawn -= count(cells)
        for seat in range(self.recall.seats):
            if has(places, HAND_OF + seat):
                drawn -= self.recall.hand_size(seat) - self.sure[seat]
                if drawn < 0:
                    return HAND_OF + seat
        return -1

    def fill(self, dice: Dice) -> bool:
        """Deal all other hidden places from the gnomes left, as a shuffle would; return whether there were enough."""
        place: i64
        for place in range(LIMBO + 1):
            if self.lying[place] == UNKNOWN and self.recall.hidden(place):
                if self.left == 0:
                    return False
                self.lying[place] = self.draw_one(dice)
        seat: i64
        for seat in range(self.recall.seats):
            if seat != self.recall.viewer:
                while self.sizes[seat] < self.recall.hand_size(seat):
                    if self.left == 0:
                        return False
                    self.hold(seat, self.draw_one(dice))
        return True

    def draw_one(self, dice: Dice) -> i64:
        """Draw one of the gnomes left and return its kind."""
        gnome: i64 = dice.member(self.left, IMAGINED)
        self.left &= ~bit(gnome)
        return kind_of(gnome)

    # The number of ways in which the lots may have led to this deal: it counts once, however many there are.

    def ways(self) -> i64:
        """Return the number of ways to find the traced gnomes in this deal, without the factor that all deals share."""
        found: i64 = 1
        kind: i64
        for kind in range(KINDS):
            found *= self.ways_of(kind)
        return found

    def ways_of(self, kind: i64) -> i64:
        """Return the ways for the gnomes of one kind: first those in a hand for sure, then the others."""
        found: i64 = 1
        room: i64 = 0
        seat: i64
        i: i64
        for seat in range(self.recall.seats):
            sure: i64 = 0
            for i in range(len(self.traces.kinds)):
                if self.traces.kinds[i] == kind and self.traces.places[i] == bit(HAND_OF + seat):
                    sure += 1
            held: i64 = nibble(self.hands[seat], kind)
            found *= choose(held, sure)
            room += nibbles(held - sure, seat)
        cells: i64 = 0
        place: i64
        for place in range(LIMBO + 1):
            if self.lying[place] == kind:
                cells |= bit(place)
        return found * self.placings(kind, 0, cells, room)

    def placings(self, kind: i64, start: i64, cells: i64, room: i64) -> i64:
        """Return the number of ways in which the uncertain traces of a kind from `start` on find such gnomes."""
        index: i64 = self.next_trace(kind, start)
        if index < 0:
            return 1
        places: i64 = self.traces.places[index]
        alike: i64 = 1
        other: i64 = self.next_trace(kind, index + 1)
        while other >= 0:
            alike += 1
            if self.traces.places[other] != places:
                break
            other = self.next_trace(kind, other + 1)
        here: i64 = count(cells & places)
        seat: i64
        if other < 0:
            for seat in range(self.recall.seats):
                if has(places, HAND_OF + seat):
                    here += nibble(room, seat)
            return choose(here, alike)
        found: i64 = 0
        left: i64 = cells & places
        while left:
            found += self.placings(kind, index + 1, cells & ~(left & -left), room)
            left = rest(left)
        for seat in range(self.recall.seats):
            if has(places, HAND_OF + seat) and nibble(room, seat) > 0:
                found += nibble(room, seat) * self.placings(kind, index + 1, cells, room - nibbles(1, seat))
        return found

    def next_trace(self, kind: i64, start: i64) -> i64:
        """Return the next uncertain trace of a kind, or -1."""
        i: i64
        for i in range(start, len(self.traces.kinds)):
            if self.traces.kinds[i] == kind and not self.traces.sure(i):
                return i
        return -1


def choose(number: i64, some: i64) -> i64:
    """Return the number of ways to choose some of a small number."""
    found: i64 = 1
    i: i64
    for i in range(some):
        found = found * (number - i) // (i + 1)
    return found
