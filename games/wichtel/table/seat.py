"""The possessions of one seat, and its private knowledge; compiled."""

from __future__ import annotations

from mypy_extensions import i64, mypyc_attr

from games.core.bits import first
from games.wichtel.table.cards import actions_of


@mypyc_attr(acyclic=True)
class Seat:
    """A seat's retinue and action cards as sets.

    `laid` are gnomes that it laid face down and that nobody else has seen there (HW-D23). `shown` are action cards that
    all have seen and it still holds. `bribe` is the card it has laid as a bribe, from 1, which stays among `actions`
    until it is spent (HW-23). `points` are those of the rounds before. `last` has the kinds of the last round's
    retinue, packed by 4 bits in rising order as their number plus one.
    """

    __slots__ = ("actions", "bribe", "hand", "laid", "last", "points", "shown")

    def __init__(self, hand: i64, actions: i64, points: i64) -> None:
        """Take the dealt cards and points."""
        self.hand: i64 = hand
        self.laid: i64 = 0
        self.actions: i64 = actions
        self.shown: i64 = 0
        self.bribe: i64 = 0
        self.last: i64 = 0
        self.points: i64 = points

    def clone(self) -> Seat:
        """Return a copy."""
        copy = Seat(self.hand, self.actions, self.points)
        copy.laid = self.laid
        copy.shown = self.shown
        copy.bribe = self.bribe
        copy.last = self.last
        return copy

    def holds(self, kind: i64) -> bool:
        """Return whether the seat holds an action card of a kind."""
        return self.actions & actions_of(kind) != 0

    def some(self, kind: i64) -> i64:
        """Return an action card of a kind, preferably a card seen by all, for they look alike."""
        cards: i64 = self.actions & actions_of(kind)
        if cards & self.shown:
            cards &= self.shown
        return first(cards)
