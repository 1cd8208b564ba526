"""The village: the state of a table of gnomes, and the entry to the rules; compiled.

The rules are in modules of functions that take the table. `listing.py` has the legal moves; `march.py`, `swap.py`,
`courting.py` and `rounds.py` have their effects. `recall.py` and the modules after it have a viewer's memory.

The draw pile, the square and the discard pile are one row of cells, the caravan: a march moves no card, but the square
along the row (HW-12). The square's cells are `start` to `start + seats - 1`; on either side lie the piles, each with
its top next to the square. While `onward`, the draw pile is on the right. When it is empty the march turns round
(HW-14, HW-D1). A cell nobody has looked into holds no card yet (HW-D30).
"""

from __future__ import annotations

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from games.core.bits import at, bit, has, part
from games.core.dice import Dice
from games.core.table import AFRESH, Journal, Table
from games.wichtel.table.cards import ALL_GNOMES, HAND, KINDS, kind_of, kind_of_action
from games.wichtel.table.codes import (
    BEFORE,
    BRIBE,
    BRIBING,
    CALL,
    GIVE,
    LAY,
    MARCH,
    MIN_PIPS,
    NOBODY,
    OPENED,
    OVER,
    PLAY,
    RECRUIT,
    RETURN,
    ROLLED,
    SWAP,
    UNSEEN,
    card_of,
    code,
    seat_of,
    what_of,
)
from games.wichtel.table.courting import give_gnome, judge, lay_bribe, lay_gnome, recruit
from games.wichtel.table.hidden import hidden_cards
from games.wichtel.table.listing import moves_of
from games.wichtel.table.march import march, play_movement
from games.wichtel.table.recall import recent_trail
from games.wichtel.table.redeal import redeal
from games.wichtel.table.rounds import close
from games.wichtel.table.seat import Seat
from games.wichtel.table.swap import call, offer, return_gnome
from games.wichtel.table.trail import REMEMBERED, gnome_at, length_of


@mypyc_attr(acyclic=True)
class Village(Table):
    """One sitting of the candidates."""

    __slots__ = (
        "actor",
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
        self.worths: bytes = b""  # worths of all retinues (`titles.py`), and their gains (`gains.py`)
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
        self.actor: i64 = 0
        self.queue: i64 = 0  # seats that still decide in this phase, as a set
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
        self.ender: i64 = 0  # who ended the last round, from 1; 0 if nobody did
        self.trail: bytes = b""
        self.goal: i64 = 99
        self.best_bonus: i64 = 5
        self.worst_bonus: i64 = 1
        self.turn_cap: i64 = 0  # 0 for no limit (HW-D26)
        self.flags: i64 = 0
        self.values: i64 = 0

    def clone(self) -> Village:
        """Return a copy that shares nothing changeable."""
        copy = Village(self.seats, self.seat0.clone(), self.seat1.clone(), self.seat2.clone())
        copy.ply = self.ply
        copy.worths = self.worths
        copy.gains = self.gains
        if self.seats > 3:
            copy.seat3 = self.seat3.clone()
            if self.seats > 4:
                copy.seat4 = self.seat4.clone()
        copy.round = self.round
        copy.turn = self.turn
        copy.turns = self.turns
        copy.phase = self.phase
        copy.actor = self.actor
        copy.queue = self.queue
        copy.low = self.low
        copy.high = self.high
        copy.filled = self.filled
        copy.start = self.start
        copy.onward = self.onward
        copy.back = self.back
        copy.still = self.still
        copy.open = self.open
        copy.freed = self.freed
        copy.place = self.place
        copy.roll = self.roll
        copy.offered = self.offered
        copy.spent = self.spent
        copy.ender = self.ender
        copy.trail = self.trail
        copy.goal = self.goal
        copy.best_bonus = self.best_bonus
        copy.worst_bonus = self.worst_bonus
        copy.turn_cap = self.turn_cap
        copy.flags = self.flags
        copy.values = self.values
        return copy

    # The contract with search.

    def actors(self) -> i64:
        """Return the seat that decides now, as a set; none once there is a chief (HW-47)."""
        if self.phase == OVER:
            return 0
        return bit(self.actor)

    def legal(self, seat: i64) -> vec[i64]:
        """Return the legal moves of a seat."""
        return moves_of(self, seat)

    def apply(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Make a move."""
        self.ply += 1
        kind: i64 = what_of(move)
        if self.phase == BRIBING:
            lay_bribe(self, seat, kind, card_of(move), journal)
        elif self.phase == OPENED or self.phase == ROLLED:
            judge(self, seat, kind, seat_of(move), dice, journal)
        elif kind == MARCH:
            march(self, dice, journal)
        elif kind == PLAY:
            play_movement(self, seat, card_of(move), seat_of(move), dice, journal)
        elif kind == CALL:
            call(self, seat, card_of(move), dice, journal)
        elif kind == SWAP:
            offer(self, seat, card_of(move), seat_of(move), journal)
        elif kind == RETURN:
            return_gnome(self, seat, card_of(move), journal)
        elif kind == RECRUIT:
            recruit(self, seat, card_of(move), journal)
        elif kind == GIVE:
            give_gnome(self, seat, seat_of(move), journal)
        elif kind == LAY:
            lay_gnome(self, seat, card_of(move), journal)
        else:
            close(self, seat, kind, dice, journal)

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
            rewards = append(rewards, 1.0 / float(winners) if self.seat(seat).points == best else 0.0)
        return rewards

    def observed_move(self, viewer: i64, seat: i64, move: i64) -> i64:
        """Return a move as others see it: a bribe or a gnome laid face down without the card (HW-D23).

        The last bribe, of the recruiter's right neighbour, is opened at once (HW-22).
        """
        kind: i64 = what_of(move)
        if viewer == seat:
            return move
        hidden: bool = kind == CALL or kind == SWAP
        if kind == BRIBE:
            hidden = self.after(seat) != seat_of(move)
        elif kind == RETURN:
            hidden = viewer != seat_of(move)
        if hidden:
            return code(kind, UNSEEN, seat_of(move))
        return move

    def chance_observation(self, viewer: i64, seat: i64, move: i64) -> i64:
        """Return the gnome that came onto the square or into the own hand, or the start of a round (HW-12, HW-D23)."""
        kind: i64 = what_of(move)
        if kind == MARCH or kind == PLAY:
            last: i64 = self.cell(self.start + self.seats - 1)
            return 1 + kind_of(self.cell(self.start)) * KINDS + kind_of(last)
        if viewer == seat and kind == CALL:
            return 1 + kind_of(gnome_at(self.trail, length_of(self.trail) - 1))
        if viewer == seat and kind == RETURN:
            return 1 + kind_of(gnome_at(self.trail, length_of(self.trail) - 2))
        if self.phase == BEFORE and self.turns == 0:
            return AFRESH
        return 0

    def redeal(self, seat: i64, dice: Dice) -> None:
        """Deal all hidden cards again, consistent with everything a seat, or SPECTATOR, has seen (HW-D23, HW-D31)."""
        redeal(self, seat, dice)

    def facts(self, viewer: i64) -> vec[i64]:
        """Return the hidden cards of the others, as `hidden.py` numbers them."""
        return hidden_cards(self, viewer)

    def forget(self) -> None:
        """Forget which gnomes went from hand to hand long ago; face-down cards stay known to their giver."""
        if length_of(self.trail) > REMEMBERED:
            self.trail = recent_trail(self, REMEMBERED)

    # Seats.

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
        """Return the seat of a set that decides first: the player whose turn it is, then clockwise (HW-D14, HW-D7)."""
        seat: i64 = self.turn
        while not has(queue, seat):
            seat = self.after(seat)
        return seat

    # The caravan and the hands.

    def length(self) -> i64:
        """Return the number of cells of the caravan: all gnomes that are in no hand (HW-6, HW-7, HW-8)."""
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

    def shift(self, index: i64, end: i64) -> None:
        """Move gnomes one cell on each, from `end` towards `index`, whose gnome is overwritten; `end` becomes free."""
        step: i64 = 1
        if end < index:
            step = -1
        while index != end:
            self.put(index, self.cell(index + step))
            index += step

    def courted(self) -> i64:
        """Return the gnome on which the die stands (HW-20)."""
        return self.cell(self.start + self.place)

    def discarded(self) -> i64:
        """Return the size of the discard pile."""
        if self.onward:
            return self.start
        return self.length() - self.start - self.seats

    # Action cards and bribes.

    def spend(self, seat: i64, card: i64) -> None:
        """Lay an action card of a seat on the pile of spent ones (HW-36)."""
        me = self.seat(seat)
        me.actions &= ~bit(card)
        me.shown &= ~bit(card)
        if me.bribe == card + 1:
            me.bribe = 0
        self.spent |= bit(card)

    def bribed(self) -> i64:
        """Return the seats that have laid a bribe, as a set."""
        found: i64 = 0
        seat: i64
        for seat in range(self.seats):
            if self.seat(seat).bribe:
                found |= bit(seat)
        return found

    def highest(self) -> i64:
        """Return the seat whose bribe applies: the highest, of equal ones the last laid, or NOBODY (HW-24, HW-25)."""
        found: i64 = NOBODY
        rank: i64 = 0
        seat: i64 = self.after(self.turn)
        while seat != self.turn:
            me = self.seat(seat)
            if me.bribe and kind_of_action(me.bribe - 1) >= rank:
                rank = kind_of_action(me.bribe - 1)
                found = seat
            seat = self.after(seat)
        return found

    def price(self) -> i64:
        """Return the kind of the bribe that applies, or NOBODY where none was laid (HW-23)."""
        seat: i64 = self.highest()
        if seat == NOBODY:
            return NOBODY
        return kind_of_action(self.seat(seat).bribe - 1)

    def wanted(self) -> i64:
        """Return the number of required pips: those of the coin, or the minimum without bribes (HW-26, HW-27)."""
        return MIN_PIPS + max(self.price(), 0)
