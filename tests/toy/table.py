"""The table of Pebbles."""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import bit, full, nibble, nibble_sum, nibbles
from games.core.dice import Dice
from games.core.table import EVERYONE, SPECTATOR, Journal, Table

BID: Final = 0
TAKE: Final = 8
PLAY: Final = 16
"""A code is one of these plus the amount or the card."""

BID_GIVEN: Final = 0
BIDS_OPENED: Final = 1
TAKEN: Final = 2
PLAYED: Final = 3
DRAWN: Final = 4
WON: Final = 5
"""The kinds of notes in a journal."""

CARDS: Final = full(7) - 1


class Pebbles(Table):
    """Bids are packed as amount + 1, cards as they are, 0 for none; `turn` is -1 while bids are sealed."""

    __slots__ = ("bids", "hands", "heap", "played", "turn", "winner")

    def __init__(self, seats: i64, ply: i64, heap: i64) -> None:
        """Begin with sealed bids and empty hands."""
        super().__init__(seats, ply)
        self.heap: i64 = heap
        self.hands: i64 = 0
        self.bids: i64 = 0
        self.played: i64 = 0
        self.turn: i64 = -1
        self.winner: i64 = -1

    def actors(self) -> i64:
        """Return the seats that have not bid, then the seat on turn (PB-2, PB-3)."""
        if self.winner >= 0:
            return 0
        if self.turn >= 0:
            return bit(self.turn)
        waiting: i64 = 0
        seat: i64 = 0
        for seat in range(self.seats):
            if nibble(self.bids, seat) == 0:
                waiting += bit(seat)
        return waiting

    def legal(self, seat: i64) -> vec[i64]:
        """Return the bids, or the amounts and the card (PB-2, PB-4, PB-5)."""
        found = vec[i64]()
        if self.actors() & bit(seat) == 0:
            return found
        amount: i64 = 0
        if self.turn < 0:
            for amount in range(3):
                found = append(found, BID + amount)
            return found
        for amount in range(1, 4):
            if amount <= self.heap:
                found = append(found, TAKE + amount)
        card = nibble(self.hands, seat)
        return append(found, PLAY + card) if 0 < card <= self.heap else found

    def apply(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Bid, take, or play the card (PB-2 to PB-6)."""
        self.ply += 1
        if move < TAKE:
            self.bids += nibbles(move + 1, seat)
            if journal is not None:
                journal.tell(bit(seat), BID_GIVEN, seat, move, 0)
            if self.actors() == 0:
                self.open_bids(journal)
            return
        played = move > PLAY
        amount: i64 = move - PLAY if played else move - TAKE
        if journal is not None:
            journal.tell(EVERYONE, PLAYED if played else TAKEN, seat, amount, 0)
        self.heap -= amount
        if played:
            self.played += bit(amount)
            self.hands -= nibbles(amount, seat)
            self.draw(seat, dice, journal)
        self.turn = (seat + 1) % self.seats
        if self.heap == 0:
            self.winner = seat
            if journal is not None:
                journal.tell(EVERYONE, WON, seat, 0, 0)

    def open_bids(self, journal: Journal | None) -> None:
        """Put the bids on the heap; the highest begins, of equal ones the lowest seat (PB-2, PB-3)."""
        self.heap += nibble_sum(self.bids) - self.seats
        self.turn = 0
        seat: i64 = 0
        for seat in range(self.seats):
            if nibble(self.bids, seat) > nibble(self.bids, self.turn):
                self.turn = seat
        if journal is not None:
            journal.tell(EVERYONE, BIDS_OPENED, self.bids, self.seats, self.turn)

    def draw(self, seat: i64, dice: Dice, journal: Journal | None) -> None:
        """Give a seat a card while there are any (PB-5)."""
        deck: i64 = CARDS - self.played
        other: i64 = 0
        for other in range(self.seats):
            card = nibble(self.hands, other)
            if card > 0:
                deck -= bit(card)
        if deck != 0:
            drawn = dice.member(deck, 0)
            self.hands += nibbles(drawn, seat)
            if journal is not None:
                journal.tell(bit(seat), DRAWN, seat, drawn, 0)

    def clone(self) -> Table:
        """Return a copy."""
        twin = Pebbles(self.seats, self.ply, self.heap)
        twin.hands, twin.bids, twin.played = self.hands, self.bids, self.played
        twin.turn, twin.winner = self.turn, self.winner
        return twin

    def redeal(self, seat: i64, dice: Dice) -> None:
        """Deal the other cards again, and reopen the others' sealed bids (PB-1, PB-2)."""
        held = self.hands
        self.hands = nibbles(nibble(held, seat), seat) if seat != SPECTATOR else 0
        other: i64 = 0
        for other in range(self.seats):
            if other != seat and nibble(held, other) > 0:
                self.draw(other, dice, None)
        if self.turn < 0:
            self.bids = nibbles(nibble(self.bids, seat), seat) if seat != SPECTATOR else 0
            self.ply = 1 if self.bids != 0 else 0

    def rewards(self) -> vec[float]:
        """Return 1 for the winner (PB-6)."""
        found = vec[float]()
        seat: i64 = 0
        for seat in range(self.seats):
            found = append(found, 1.0 if seat == self.winner else 0.0)
        return found
