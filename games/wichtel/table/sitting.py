"""How a table of gnomes lies: the caravan with the square in it, the seats, and what is remembered; compiled.

The draw pile, the square and the discard pile are one row of cells, the caravan: a march moves no card, but the
square along the row (HW-12). The square's cells are `start` to `start + seats - 1`; on either side lie the piles,
each with its top next to the square. While `onward`, the draw pile is on the right. When it is empty the march turns
round (HW-14, HW-D1). A cell nobody has looked into holds no card yet (HW-D30).
"""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from games.core.bits import at, bit, has, part
from games.core.dice import Dice
from games.core.table import Table
from games.wichtel.table.cards import ALL_ACTIONS, ALL_GNOMES, HAND
from games.wichtel.table.seat import Seat
from games.wichtel.table.trail import came, left

BEFORE: Final = 0
ACTION: Final = 1
ANSWER: Final = 2
BRIBING: Final = 3
OPENED: Final = 4
ROLLED: Final = 5
GIVING: Final = 6
LAYING: Final = 7
ENDING: Final = 8
AFTER: Final = 9
OVER: Final = 10
"""What is to be decided."""

DEALT_GNOME: Final = 0
DRAWN_GNOME: Final = 1
DEALT_ACTION: Final = 2
DIE: Final = 3
IMAGINED: Final = 4
"""What chance decides; the last is what a viewer deals anew."""

NOBODY: Final = -1

ANY_PLAYER: Final = 1
PICKS: Final = 2
SHORT: Final = 4
"""Options that are on or off, as a set of bits: who may play "No way!", "Come here!" picks, short titles."""


@mypyc_attr(acyclic=True)
class Sitting(Table):
    """One sitting, as it lies on the table."""

    __slots__ = (
        "asked",
        "back",
        "best_bonus",
        "ender",
        "filled",
        "flags",
        "freed",
        "gains",
        "goal",
        "high",
        "low",
        "offered",
        "onward",
        "open",
        "phase",
        "place",
        "queue",
        "roll",
        "round",
        "seat0",
        "seat1",
        "seat2",
        "seat3",
        "seat4",
        "spent",
        "start",
        "still",
        "trail",
        "turn",
        "turn_cap",
        "turns",
        "values",
        "worst_bonus",
        "worths",
    )

    def __init__(self, seats: i64, first: Seat, second: Seat, third: Seat) -> None:
        """Take the number of seats and three of them; further ones are empty."""
        super().__init__(seats, 0)
        self.worths: bytes = b""  # what all retinues are worth (`titles.py`), and what each gains (`gains.py`)
        self.gains: bytes = b""
        self.seat0 = first
        self.seat1 = second
        self.seat2 = third
        self.seat3 = Seat(0, 0, 0)
        self.seat4 = Seat(0, 0, 0)
        self.round: i64 = 0
        self.turn: i64 = 0
        self.turns: i64 = 0
        self.phase: i64 = BEFORE
        self.asked: i64 = 0
        self.queue: i64 = 0  # seats still to be asked, as a set
        self.low: i64 = 0
        self.high: i64 = 0
        self.filled: i64 = 0
        self.start: i64 = 1
        self.onward: bool = True
        self.back: bool = False
        self.still: bool = False
        self.open: i64 = 0  # gnomes on the square or in a pile that all have seen there
        self.freed: bool = False
        self.place: i64 = 0  # where the die stands on the square, from 0
        self.roll: i64 = 0
        self.offered: i64 = 0  # the gnome given in a swap, from 1; 0 when nobody owes an answer
        self.spent: i64 = 0
        self.ender: i64 = 0  # who ended the last round, from 1; 0 where nobody did
        self.trail: bytes = b""
        self.goal: i64 = 99
        self.best_bonus: i64 = 5
        self.worst_bonus: i64 = 1
        self.turn_cap: i64 = 0  # 0 for no limit (HW-D26)
        self.flags: i64 = 0
        self.values: i64 = 0

    def lie_like(self, other: Sitting) -> None:
        """Take over everything but the first three seats from another table of as many seats, sharing nothing."""
        self.ply = other.ply
        self.worths = other.worths
        self.gains = other.gains
        if self.seats > 3:
            self.seat3 = other.seat3.clone()
            if self.seats > 4:
                self.seat4 = other.seat4.clone()
        self.round = other.round
        self.turn = other.turn
        self.turns = other.turns
        self.phase = other.phase
        self.asked = other.asked
        self.queue = other.queue
        self.low = other.low
        self.high = other.high
        self.filled = other.filled
        self.start = other.start
        self.onward = other.onward
        self.back = other.back
        self.still = other.still
        self.open = other.open
        self.freed = other.freed
        self.place = other.place
        self.roll = other.roll
        self.offered = other.offered
        self.spent = other.spent
        self.ender = other.ender
        self.trail = other.trail
        self.goal = other.goal
        self.best_bonus = other.best_bonus
        self.worst_bonus = other.worst_bonus
        self.turn_cap = other.turn_cap
        self.flags = other.flags
        self.values = other.values

    # Who sits where.

    def seat(self, number: i64) -> Seat:
        """Return a seat."""
        if number == 0:
            return self.seat0
        if number == 1:
            return self.seat1
        if number == 2:
            return self.seat2
        if number == 3:
            return self.seat3
        return self.seat4

    def after(self, seat: i64) -> i64:
        """Return the left neighbour (HW-16)."""
        if seat + 1 == self.seats:
            return 0
        return seat + 1

    def next_of(self, queue: i64) -> i64:
        """Return who of a set is asked first: the player whose turn it is, then clockwise (HW-D14, HW-D7)."""
        seat: i64 = self.turn
        while not has(queue, seat):
            seat = self.after(seat)
        return seat

    def actors(self) -> i64:
        """Return the one who is asked; nobody once there is a chief (HW-47)."""
        if self.phase == OVER:
            return 0
        return bit(self.asked)

    def rewards(self) -> vec[float]:
        """Return the win in equal parts for all with the highest total (HW-D21)."""
        best: i64 = self.seat0.points
        winners: i64 = 0
        seat: i64
        for seat in range(self.seats):
            best = max(best, self.seat(seat).points)
        for seat in range(self.seats):
            if self.seat(seat).points == best:
                winners += 1
        rewards = vec[float](capacity=5)
        for seat in range(self.seats):
            share: float = 0.0
            if self.seat(seat).points == best:
                share = 1.0 / float(winners)
            rewards = append(rewards, share)
        return rewards

    # The caravan.

    def length(self) -> i64:
        """Return how many cells the caravan has: all gnomes that are in no hand (HW-6, HW-7, HW-8)."""
        return 32 - HAND * self.seats

    def cell(self, index: i64) -> i64:
        """Return the gnome in a cell that holds one."""
        if index < 10:
            return part(self.low, 5 * index, 5)
        return part(self.high, 5 * index - 50, 5)

    def put(self, index: i64, gnome: i64) -> None:
        """Lay a gnome into a cell."""
        self.filled |= bit(index)
        if index < 10:
            self.low = self.low & ~at(31, 5 * index) | at(gnome, 5 * index)
        else:
            self.high = self.high & ~at(31, 5 * index - 50) | at(gnome, 5 * index - 50)

    def caravan(self) -> i64:
        """Return all gnomes in cells as a set."""
        found: i64 = 0
        index: i64
        for index in range(self.length()):
            if has(self.filled, index):
                found |= bit(self.cell(index))
        return found

    def hands(self) -> i64:
        """Return all gnomes in hands as a set, with one on its way between two."""
        found: i64 = self.seat0.hand | self.seat1.hand | self.seat2.hand | self.seat3.hand | self.seat4.hand
        if self.offered:
            found |= bit(self.offered - 1)
        return found

    def pool(self) -> i64:
        """Return the gnomes that nobody has looked at, as a set (HW-D30)."""
        return ALL_GNOMES & ~self.hands() & ~self.caravan()

    def look(self, index: i64, dice: Dice) -> i64:
        """Return the gnome in a cell, drawing it now if nobody has looked into the cell before (HW-D30)."""
        if not has(self.filled, index):
            self.put(index, dice.member(self.pool(), DRAWN_GNOME))
        return self.cell(index)

    def square(self) -> i64:
        """Return the gnomes on the square as a set (HW-7)."""
        found: i64 = 0
        index: i64
        for index in range(self.start, self.start + self.seats):
            found |= bit(self.cell(index))
        return found

    def left_of_square(self) -> i64:
        """Return how many cells lie on the left of the square."""
        return self.start

    def right_of_square(self) -> i64:
        """Return how many cells lie on the right of the square."""
        return self.length() - self.start - self.seats

    def discarded(self) -> i64:
        """Return the size of the discard pile."""
        if self.onward:
            return self.left_of_square()
        return self.right_of_square()

    def turn_round(self) -> bool:
        """Turn the march round if the draw pile is empty, and tell whether it did (HW-14, HW-D1)."""
        left_to_draw: i64 = self.left_of_square()
        if self.onward:
            left_to_draw = self.right_of_square()
        if left_to_draw:
            return False
        self.onward = not self.onward
        return True

    def walk(self, onward: bool, dice: Dice) -> None:
        """Let the gnomes walk one cell: one leaves to a pile, one comes from the other, both seen by all (HW-12)."""
        index: i64 = self.start - 1
        if onward:
            index = self.start + self.seats
            self.start += 1
        else:
            self.start -= 1
        self.show(self.look(index, dice))

    def show(self, gnome: i64) -> None:
        """Let all see a gnome where it lies (HW-D23)."""
        self.open |= bit(gnome)
        seat: i64
        for seat in range(self.seats):
            self.seat(seat).laid &= ~bit(gnome)

    def lay_down(self, gnome: i64, dice: Dice) -> i64:
        """Lay a gnome face down on the discard pile, and return the top of the draw pile (HW-17, HW-D2).

        The gnome is still in its hand, so that it cannot be drawn.
        """
        index: i64
        if self.onward:
            index = self.start + self.seats
            drawn: i64 = self.look(index, dice)
            while index > self.start:
                self.put(index, self.cell(index - 1))
                index -= 1
            self.start += 1
        else:
            index = self.start - 1
            drawn = self.look(index, dice)
            while index < self.start + self.seats - 1:
                self.put(index, self.cell(index + 1))
                index += 1
            self.start -= 1
        self.put(index, gnome)
        return drawn

    # Hands.

    def give_away(self, seat: i64, gnome: i64) -> None:
        """Take a gnome out of a hand."""
        self.seat(seat).hand &= ~bit(gnome)
        self.trail += left(seat, gnome)

    def take_in(self, seat: i64, gnome: i64) -> None:
        """Take a gnome into a hand; from then on only the hand's owner sees it (HW-D23)."""
        self.trail += came(seat, gnome, has(self.open, gnome))
        self.seat(seat).hand |= bit(gnome)
        self.open &= ~bit(gnome)
        other: i64
        for other in range(self.seats):
            self.seat(other).laid &= ~bit(gnome)

    # Bribes.

    def bribed(self) -> i64:
        """Return the seats that have laid a bribe, as a set."""
        found: i64 = 0
        seat: i64
        for seat in range(self.seats):
            if self.seat(seat).bribe:
                found |= bit(seat)
        return found

    def set_aside(self) -> i64:
        """Return the action cards that were not dealt, as a set (HW-10)."""
        cards: i64 = ALL_ACTIONS & ~self.spent
        seat: i64
        for seat in range(self.seats):
            cards &= ~self.seat(seat).actions
        return cards
