"""Roles: a course of the round played with a gnome for every card; compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from librt.strings import BytesWriter
from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import bit, first, nibble, nibbles
from games.core.dice import Dice
from games.wichtel.table.cards import ALL_GNOMES, HAND, KINDS, UNKNOWN, gnomes_of
from games.wichtel.table.codes import IMAGINED
from games.wichtel.table.course import Course, first_own
from games.wichtel.table.recall import DEAL, EMPTY, LIMBO, filled
from games.wichtel.table.trail import CAME_OPEN, LEFT, came, left

if TYPE_CHECKING:
    from games.wichtel.table.village import Village

NONE: Final = -1


class Cast:
    """Roles, each a card that somebody has held or seen: by role its kind and in the end its gnome.

    `hands` are the roles in each seat's hand, four slots a seat, `lying` at places, `crossing` those of crossings.
    """

    __slots__ = ("course", "crossing", "gnomes", "hands", "kinds", "lying", "recall", "spare")

    def __init__(self, course: Course) -> None:
        """Begin without roles."""
        self.course = course
        self.recall = course.recall
        self.kinds = vec[i64](capacity=32)
        self.gnomes = vec[i64](capacity=32)
        self.hands = filled(HAND * 5, NONE)
        self.lying = filled(LIMBO + 1, NONE)
        self.crossing = vec[i64](capacity=64)
        self.spare: i64 = ALL_GNOMES

    def role(self, kind: i64) -> i64:
        """Add a role and return it."""
        self.kinds = append(self.kinds, kind)
        return len(self.kinds) - 1

    def fill_roles(self, dice: Dice) -> bool:
        """Play the course and give every role a gnome; return whether there are enough of every kind."""
        self.open_hands()
        i: i64
        for i in range(len(self.recall.who)):
            if self.recall.way[i] == LEFT:
                self.crossing = append(self.crossing, self.leave(i))
            else:
                self.crossing = append(self.crossing, self.come(i))
        self.lay_out()
        return self.name_hands() and self.give_gnomes(dice)

    def open_hands(self) -> None:
        """Deal: the viewer's own hand by its kinds, the others unseen."""
        seat: i64
        slot: i64
        for seat in range(self.recall.seats):
            if seat != self.recall.viewer:
                for slot in range(HAND):
                    self.hands[HAND * seat + slot] = self.role(UNKNOWN)
        if self.recall.viewer >= 0:
            hand: i64 = first_own(self.recall)
            slot = HAND * self.recall.viewer
            kind: i64
            for kind in range(KINDS):
                for seat in range(nibble(hand, kind)):
                    self.hands[slot] = self.role(kind)
                    slot += 1

    def leave(self, index: i64) -> i64:
        """Let the role leave that the course says, and return it."""
        seat: i64 = self.recall.who[index]
        kind: i64 = self.recall.kind[index]
        wanted: i64 = self.course.served[index]
        if seat == self.recall.viewer:
            wanted = kind
        slot: i64 = HAND * seat
        while self.hands[slot] == NONE or self.kinds[self.hands[slot]] != wanted:
            slot += 1
        role: i64 = self.hands[slot]
        self.hands[slot] = NONE
        place: i64 = self.course.places[index]
        if kind == UNKNOWN and place <= LIMBO and self.course.draft is not None:
            kind = self.course.draft.lying[place]
        if kind != UNKNOWN:
            self.kinds[role] = kind
        return role

    def come(self, index: i64) -> i64:
        """Let a role come into a hand, and return it."""
        slot: i64 = HAND * self.recall.who[index]
        while self.hands[slot] != NONE:
            slot += 1
        origin: i64 = self.recall.origin[index]
        if origin == DEAL:
            role: i64 = self.role(self.recall.kind[index])
        else:
            role = self.crossing[origin]
        self.hands[slot] = role
        return role

    def lay_out(self) -> None:
        """Put roles where gnomes lie."""
        place: i64
        for place in range(LIMBO + 1):
            source: i64 = self.recall.source[place]
            if source >= 0:
                self.lying[place] = self.crossing[source]
            elif source != EMPTY:
                self.lying[place] = self.role(self.recall.lying[place])

    def name_hands(self) -> bool:
        """Give the unseen roles in others' hands the kinds that the draft has for them.

        Return whether the draft has enough kinds for all roles. It has too few if no table leads to the viewer's
        recall.
        """
        draft = self.course.draft
        if draft is None:
            return True
        seat: i64
        slot: i64
        for seat in range(self.recall.seats):
            if seat == self.recall.viewer:
                continue
            hand: i64 = draft.hands[seat]
            for slot in range(HAND * seat, HAND * seat + HAND):
                if self.hands[slot] != NONE and self.kinds[self.hands[slot]] != UNKNOWN:
                    hand -= nibbles(1, self.kinds[self.hands[slot]])
            kind: i64 = 0
            for slot in range(HAND * seat, HAND * seat + HAND):
                if self.hands[slot] != NONE and self.kinds[self.hands[slot]] == UNKNOWN:
                    while kind < KINDS and nibble(hand, kind) == 0:
                        kind += 1
                    if kind == KINDS:
                        return False
                    hand -= nibbles(1, kind)
                    self.kinds[self.hands[slot]] = kind
        return True

    def give_gnomes(self, dice: Dice) -> bool:
        """Give each role a gnome of its kind, and those without a kind any that is left, by lot."""
        self.gnomes = filled(len(self.kinds), NONE)
        i: i64
        for i in range(len(self.kinds)):
            if self.kinds[i] != UNKNOWN:
                some: i64 = self.spare & gnomes_of(self.kinds[i])
                if some == 0:
                    return False
                self.gnomes[i] = first(some)
                self.spare &= ~bit(self.gnomes[i])
        for i in range(len(self.kinds)):
            if self.kinds[i] == UNKNOWN:
                if self.spare == 0:
                    return False
                self.gnomes[i] = dice.member(self.spare, IMAGINED)
                self.spare &= ~bit(self.gnomes[i])
        return True

    def put_on(self, table: Village) -> None:
        """Lay all gnomes out on a table, and write its trail."""
        seat: i64
        slot: i64
        for seat in range(table.seats):
            me = table.seat(seat)
            me.laid = 0
            me.hand = 0
            for slot in range(HAND * seat, HAND * seat + HAND):
                if self.hands[slot] != NONE:
                    me.hand |= bit(self.gnomes[self.hands[slot]])
        table.open = 0
        table.filled = 0
        place: i64
        for place in range(self.recall.length):
            if self.lying[place] != NONE:
                self.put_in(table, place, self.gnomes[self.lying[place]])
        table.offered = 0
        if self.lying[LIMBO] != NONE:
            table.offered = self.gnomes[self.lying[LIMBO]] + 1
        table.trail = self.trail()

    def put_in(self, table: Village, place: i64, gnome: i64) -> None:
        """Lay a gnome into a cell, seen by all or known to its giver."""
        table.put(place, gnome)
        if self.recall.seen[place]:
            table.open |= bit(gnome)
        else:
            table.seat(self.recall.who[self.recall.source[place]]).laid |= bit(gnome)

    def trail(self) -> bytes:
        """Return the trail with the gnomes that were given."""
        writer = BytesWriter()
        i: i64
        for i in range(len(self.recall.who)):
            gnome: i64 = self.gnomes[self.crossing[i]]
            if self.recall.way[i] == LEFT:
                writer.write(left(self.recall.who[i], gnome))
            else:
                writer.write(came(self.recall.who[i], gnome, self.recall.way[i] == CAME_OPEN))
        return writer.getvalue()
