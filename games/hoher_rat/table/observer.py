"""What a learner's seat sees of a council, field by field as the PettingZoo package describes them; compiled."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from games.core.bits import bit, count
from games.core.learning import MORE, Mask, Numbers, Observer
from games.core.table import Table
from games.hoher_rat.table.codes import from_of
from games.hoher_rat.table.council import Council
from games.hoher_rat.table.faction import FIELDS, Faction

BASE: Final = 0x7FFFFF
"""The bits of a code without those of a colour's second bit and of the field that a follower comes from."""


class CouncilObserver(Observer):
    """What one seat sees of a council (HR-24, HR-D21, HR-D24)."""

    __slots__ = ()

    def read(self, table: Table, seat: i64, begun: vec[i64]) -> None:
        """Put the values of all fields."""
        assert isinstance(table, Council)  # noqa: S101 -- tells the compiler the type
        turn: i64 = table.turn
        self.put(bit(seat))
        self.put(bit(turn))
        self.put(1 if table.acted else 0)
        self.put(1 if table.stirred else 0)
        self.put(1 if table.voting else 0)
        self.put(bit(table.winner + 1))
        self.put(table.turns)
        self.put(table.idle)
        self.put(1 if table.offered else 0)
        self.put(table.offered if seat & 1 == turn & 1 else 0)
        self.put(table.player(seat).shown)
        self.put_faction(table.pro)
        self.put_faction(table.contra)
        other: i64
        for other in range(table.seats):
            player = table.player(other)
            self.put(known_hand(table, other, seat))
            self.put(count(player.hand))
            self.put(player.arguments)
        self.put_begun(begun)

    def put_faction(self, side: Faction) -> None:
        """Put what all see of a faction."""
        self.put(side.first)
        self.put(side.second)
        self.put(side.speakers)
        self.put(side.discard)
        self.put(side.elders)
        self.put(side.low)
        self.put(side.high)
        self.put(count(side.deck))


def known_hand(council: Council, seat: i64, viewer: i64) -> i64:
    """Return the cards that another seat, or the same, knows to be in a seat's hand (HR-D21, HR-D24)."""
    player = council.player(seat)
    if viewer == seat:
        return player.hand
    if viewer & 1 == seat & 1:
        return player.shown
    if council.offered and seat == council.turn:
        return 0
    side = council.side(seat)
    surely: bool = side.low == count(side.elders) if seat < 2 else side.high == 0
    return side.elders if surely else 0


class CouncilMask(Mask):
    """Every move that some table allows, then the fields that a follower comes from, which are actions of their own.

    `bases` are the codes of the moves without the field, and with a colour that is the faction's first or second.
    """

    __slots__ = ("bases", "known")

    def __init__(self, bases: list[int]) -> None:
        """Take the moves in the order of their actions."""
        super().__init__(len(bases) + FIELDS)
        self.bases = vec[i64](bases)
        self.known = Numbers(len(bases))
        action: i64
        for action in range(len(self.bases)):
            self.known.put(self.bases[action], action)

    def fill(self, table: Table, seat: i64) -> None:
        """Allow the legal moves, or the fields that a follower may come from."""
        legal = table.legal(seat)
        if len(self.begun) == 0:
            for code in legal:
                self.allow(self.known.find(base_of(code)), code if from_of(code) == 0 else MORE)
            return
        base: i64 = self.bases[self.begun[0]]
        start: i64 = len(self.bases) - 1
        for code in legal:
            if base_of(code) == base:
                self.allow(start + from_of(code), code)


def base_of(code: i64) -> i64:
    """Return a code without the field that a follower comes from, its colour as the first or second of the faction."""
    return code & BASE
