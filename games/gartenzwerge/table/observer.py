"""What a learner's seat sees of a club, field by field as the PettingZoo package describes them; compiled."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from games.core.bits import bit, full
from games.core.learning import Observer
from games.core.table import Table
from games.gartenzwerge.table.club import Club
from games.gartenzwerge.table.constants import NAMING, SEALING, SELLING, SHOWING
from games.gartenzwerge.table.member import Member

SHEDS: Final = 4
"""Fields of seven pairs each that tell of a shed."""

SEVEN_PAIRS: Final = 2**63
ROUNDS: Final = 16
"""Bits of the number of rounds."""


class ClubObserver(Observer):
    """What one seat sees of a club."""

    __slots__ = ("pairs",)

    def __init__(self, starts: list[int], size: i64, begun: i64) -> None:
        """Take what every observer takes."""
        super().__init__(starts, size, begun)
        self.pairs: list[int] = [0, 0, 0, 0, 0, 0]

    def read(self, table: Table, seat: i64, begun: vec[i64]) -> None:
        """Put the values of all fields."""
        assert isinstance(table, Club)  # noqa: S101 -- tells the compiler the type
        stage: i64 = table.stage
        sealing: bool = stage == SEALING
        dealing: bool = SHOWING <= stage <= NAMING
        self.put(bit(seat))
        self.put(bit(table.turn))
        self.put(bit(stage))
        self.put(bit(table.asking) if stage == SHOWING or NAMING <= stage <= SELLING else 0)
        self.put(table.sealers() if sealing else 0)
        self.put(table.round & full(ROUNDS))
        self.put(bit(table.treasurer))
        self.put(bit(table.event))
        self.put(table.events_left)
        self.put(bit(table.highest))
        self.put(bit(table.lower))
        self.put(bit(table.higher))
        self.put(table.begun)
        self.put(table.rested)
        self.put(table.out)
        if dealing:
            self.put(table.job)
            self.put(bit(table.dwarf))
            self.put(bit(table.demand))
            self.put(table.shown)
            self.put(table.tied)
            self.put(table.house)
        else:
            field: i64
            for field in range(6):
                self.put(0)
        self.put(table.lent)
        self.put(table.due)
        self.put(table.winners)
        self.put(bit(table.ending))
        other: i64
        for other in range(table.seats):
            member = table.member(other)
            self.put(member.cash)
            self.put(table.answer(other) if not sealing or other == seat else 0)
            self.put(member.owned)
            self.put(member.free)
            self.put(member.lower)
            self.put(member.higher)
            self.put(member.lent)
            self.put_pairs(other, member)

    def put_pairs(self, other: i64, member: Member) -> None:
        """Put the pairs of a shed, the youngest first."""
        pairs: int = member.pairs
        if pairs == self.pairs[other]:
            self.skip(SHEDS)
            return
        self.pairs[other] = pairs
        field: i64
        for field in range(SHEDS):
            self.put(pairs % SEVEN_PAIRS)
            pairs //= SEVEN_PAIRS
