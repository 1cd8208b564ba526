"""The table of Pebbles."""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from games.core.bits import bit, full, nibble, nibble_sum, nibbles
from games.core.dice import Dice
from games.core.table import EVERYONE, SPECTATOR, Journal, Table

BID, TAKE, PLAY = 0, 8, 16  # a code is one of these plus the amount or the card
BID_GIVEN, BIDS_OPENED, TAKEN, PLAYED, DRAWN, WON = range(6)
CARDS: Final = full(7) - 1


class Pebbles(Table):
    """Bids are packed as amount + 1, cards as they are, 0 for none; `turn` is -1 while bids are sealed."""

    __slots__ = ("bids", "hands", "heap", "played", "turn", "winner")

    def __init__(self, seats: int, ply: int, heap: int) -> None:
        """Begin with sealed bids and empty hands."""
        super().__init__(seats, ply)
        self.heap, self.hands, self.bids, self.played, self.turn, self.winner = heap, 0, 0, 0, -1, -1

    def actors(self) -> i64:
        """Return who has not bid, then whose turn it is (PB-2, PB-3)."""
        if self.winner >= 0:
            return 0
        return bit(self.turn) if self.turn >= 0 else sum(bit(s) for s in range(self.seats) if not nibble(self.bids, s))

    def legal(self, seat: i64) -> vec[i64]:
        """Return the bids, or the amounts and the card (PB-2, PB-4, PB-5)."""
        found = vec[i64]()
        if not self.actors() & bit(seat):
            return found
        for amount in range(3) if self.turn < 0 else range(1, min(3, self.heap) + 1):
            found = append(found, amount + (BID if self.turn < 0 else TAKE))
        card = nibble(self.hands, seat)
        return append(found, PLAY + card) if self.turn >= 0 and 0 < card <= self.heap else found

    def apply(self, seat: i64, move: i64, dice: Dice, journal: Journal | None) -> None:
        """Bid, take, or play the card."""
        journal = journal or Journal()
        self.ply += 1
        if move < TAKE:
            self.bids += nibbles(move + 1, seat)
            journal.tell(bit(seat), BID_GIVEN, seat, move, 0)
            if not self.actors():
                self.heap += nibble_sum(self.bids) - self.seats
                self.turn = max(range(self.seats), key=lambda other: (nibble(self.bids, other), -other))
                journal.tell(EVERYONE, BIDS_OPENED, self.bids, self.seats, self.turn)
            return
        amount = move - TAKE if move < PLAY else move - PLAY
        journal.tell(EVERYONE, TAKEN if move < PLAY else PLAYED, seat, amount, 0)
        self.heap -= amount
        if move > PLAY:
            self.played += bit(amount)
            self.hands -= nibbles(amount, seat)
            self.draw(seat, dice, journal)
        self.turn = (seat + 1) % self.seats
        if not self.heap:
            self.winner = seat
            journal.tell(EVERYONE, WON, seat, 0, 0)

    def draw(self, seat: i64, dice: Dice, journal: Journal | None) -> None:
        """Give a seat a card while there are any (PB-5)."""
        deck = CARDS - self.played - sum(bit(nibble(self.hands, s)) for s in range(6) if nibble(self.hands, s))
        if deck:
            card = dice.member(deck, 0)
            self.hands += nibbles(card, seat)
            if journal:
                journal.tell(bit(seat), DRAWN, seat, card, 0)

    def clone(self) -> Table:
        """Return a copy."""
        twin = Pebbles(self.seats, self.ply, self.heap)
        twin.hands, twin.bids, twin.played = self.hands, self.bids, self.played
        twin.turn, twin.winner = self.turn, self.winner
        return twin

    def redeal(self, seat: i64, dice: Dice) -> None:
        """Deal the other cards anew, and open the question of the others' sealed bids (PB-1, PB-2)."""
        own = nibbles(nibble(self.hands, seat), seat) if seat != SPECTATOR else 0
        others = [s for s in range(self.seats) if s != seat and nibble(self.hands, s)]
        self.hands = own
        for other in others:
            self.draw(other, dice, None)
        if self.turn < 0:
            self.bids = nibbles(nibble(self.bids, seat), seat) if seat != SPECTATOR else 0
            self.ply = 1 if self.bids else 0

    def rewards(self) -> vec[float]:
        """Return 1 for the winner (PB-6)."""
        found = vec[float]()
        for seat in range(self.seats):
            found = append(found, 1.0 if seat == self.winner else 0.0)
        return found
