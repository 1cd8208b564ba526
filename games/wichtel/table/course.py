"""Possible courses of a round to a deal: which gnome it was each time that a gnome left a hand; compiled.

A hand is followed as the kinds that are in it for a reason, because a gnome of that kind was seen to come in. The rest
of its four gnomes are any. When a gnome of some kind leaves and a seen one of the kind is there, it may as well be that
one. If nobody knows the kind of a gnome, because it came into another hand unseen, all kinds are tried.
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, pop, vec
from mypy_extensions import i64

from games.core.bits import bit, has, nibble, nibble_sum, nibbles
from games.core.table import SPECTATOR
from games.wichtel.table.cards import AMOUNTS, HAND, KINDS, UNKNOWN
from games.wichtel.table.draft import Draft
from games.wichtel.table.recall import DEAL, LIMBO, Recall, filled
from games.wichtel.table.trail import LEFT

FIT_STEPS: Final = 4_000
FREE_STEPS: Final = 100_000
"""Maximum number of crossings for a course before it is given up, for a drawn deal and for any."""

ROW: Final = 8
"""Record of a choice: the crossing, the kinds still to be tried, five hands, and the kinds left."""


class Course:
    """One course of a round: by crossing, the kind of the seen gnome that left, or UNKNOWN for one of the others."""

    __slots__ = ("choices", "draft", "hands", "left", "places", "recall", "served", "steps", "turned")

    def __init__(self, recall: Recall, places: vec[i64], draft: Draft | None, turned: i64) -> None:
        """Look for a course to the draft, or to any deal; choices are tried from the kind `turned` on."""
        self.recall = recall
        self.places = places
        self.draft = draft
        self.turned: i64 = turned
        self.served = filled(len(recall.who), UNKNOWN)
        self.hands = filled(5, 0)
        self.left: i64 = AMOUNTS
        self.choices = vec[i64](capacity=64)
        self.steps: i64 = 0

    def find(self, steps: i64) -> bool:
        """Search for a course within a number of steps, and return whether one was found."""
        self.left = never_unseen(self.recall)
        if self.left < 0:
            return False
        index: i64 = 0
        while self.steps < steps:
            self.steps += 1
            if index == len(self.recall.who):
                if self.ends_well():
                    return True
                index = self.go_back()
            elif self.cross(index):
                index += 1
            else:
                index = self.go_back()
            if index < 0:
                return False
        return False

    def ends_well(self) -> bool:
        """Return whether the draft's hands hold all required gnomes."""
        if self.draft is None:
            return True
        seat: i64
        kind: i64
        for seat in range(self.recall.seats):
            for kind in range(KINDS):
                if nibble(self.hands[seat], kind) > nibble(self.draft.hands[seat], kind):
                    return False
        return True

    def cross(self, index: i64) -> bool:
        """Add one crossing, and return whether it is possible."""
        seat: i64 = self.recall.who[index]
        if seat == self.recall.viewer:
            return True
        kind: i64 = self.recall.kind[index]
        if self.recall.way[index] != LEFT:
            origin: i64 = self.recall.origin[index]
            if kind == UNKNOWN and origin >= 0 and self.recall.who[origin] != self.recall.viewer:
                kind = self.served[origin]
            if kind != UNKNOWN:
                self.hands[seat] += nibbles(1, kind)
            return True
        if kind != UNKNOWN:
            return self.leave(index, seat, kind, True)
        if self.draft is not None and self.places[index] <= LIMBO:
            return self.leave(index, seat, self.draft.lying[self.places[index]], False)
        return self.choose(index, seat)

    def leave(self, index: i64, seat: i64, kind: i64, seen: bool) -> bool:
        """Let a gnome of a kind leave: a seen one if there is one, else one of the others."""
        if nibble(self.hands[seat], kind):
            self.hands[seat] -= nibbles(1, kind)
            self.served[index] = kind
            return True
        if nibble_sum(self.hands[seat]) == HAND:
            return False
        self.served[index] = UNKNOWN
        if self.draft is None and seen:
            if nibble(self.left, kind) == 0:
                return False
            self.left -= nibbles(1, kind)
        return True

    def choose(self, index: i64, seat: i64) -> bool:
        """Choose what leaves unseen: one of the seen kinds, or one of the others; keep the rest for later."""
        options: i64 = 0
        kind: i64
        for kind in range(KINDS):
            if nibble(self.hands[seat], kind):
                options |= bit(kind)
        if nibble_sum(self.hands[seat]) < HAND:
            options |= bit(UNKNOWN)
        return self.try_next(index, options)

    def try_next(self, index: i64, options: i64) -> bool:
        """Take the next of some options, from the kind `turned` on, and keep the others."""
        if options == 0:
            return False
        kind: i64 = self.turned
        while not has(options, kind):
            kind += 1
            if kind > UNKNOWN:
                kind = 0
        options &= ~bit(kind)
        if options:
            self.keep(index, options)
        self.served[index] = kind
        if kind != UNKNOWN:
            self.hands[self.recall.who[index]] -= nibbles(1, kind)
        return True

    def keep(self, index: i64, options: i64) -> None:
        """Keep a choice, with the hands as they are, to come back to."""
        choices = append(append(self.choices, index), options)
        seat: i64
        for seat in range(5):
            choices = append(choices, self.hands[seat])
        self.choices = append(choices, self.left)

    def go_back(self) -> i64:
        """Go back to the last choice, take its next option, and return the crossing after it, or -1 without any."""
        size: i64 = len(self.choices)
        if size == 0:
            return -1
        index: i64 = self.choices[size - ROW]
        options: i64 = self.choices[size - ROW + 1]
        seat: i64
        for seat in range(5):
            self.hands[seat] = self.choices[size - ROW + 2 + seat]
        self.left = self.choices[size - 1]
        choices = self.choices
        for seat in range(ROW):
            choices, _ = pop(choices)
        self.choices = choices
        self.try_next(index, options)
        return index + 1


def never_unseen(recall: Recall) -> i64:
    """Return by kind how many gnomes the viewer had not seen where they came from; -1 where there are too few."""
    left: i64 = AMOUNTS
    kinds = vec[i64](capacity=32)
    kind: i64
    place: i64
    i: i64
    for i in range(len(recall.who)):
        kind = recall.kind[i]
        if recall.way[i] != LEFT and recall.origin[i] == DEAL and kind != UNKNOWN:
            kinds = append(kinds, kind)
    for place in range(LIMBO + 1):
        if recall.source[place] == DEAL:
            kinds = append(kinds, recall.lying[place])
    first_hand: i64 = first_own(recall)
    if first_hand < 0:
        return -1
    for kind in range(KINDS):
        for i in range(nibble(first_hand, kind)):
            kinds = append(kinds, kind)
    for i in range(len(kinds)):
        if kinds[i] == UNKNOWN or nibble(left, kinds[i]) == 0:
            return -1
        left -= nibbles(1, kinds[i])
    return left


def first_own(recall: Recall) -> i64:
    """Return the hand that the viewer was dealt, packed by kind; -1 where he cannot have been dealt any such."""
    hand: i64 = recall.own
    if recall.viewer == SPECTATOR:
        return 0
    i: i64 = len(recall.who) - 1
    while i >= 0:
        if recall.who[i] == recall.viewer:
            if recall.way[i] == LEFT:
                hand += nibbles(1, recall.kind[i])
            elif nibble(hand, recall.kind[i]) == 0:
                return -1
            else:
                hand -= nibbles(1, recall.kind[i])
        i -= 1
    return hand
