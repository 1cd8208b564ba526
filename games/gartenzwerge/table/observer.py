"""The observation of a club for learners; compiled."""

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
    """The observation of one seat of a club."""

    __slots__ = ("pairs",)

    def __init__(self) -> None:
        """Keep no pairs yet."""
        super().__init__()
        self.pairs: list[int] = [-1, -1, -1, -1, -1, -1]

    def read(self, table: Table, seat: i64, begun: vec[i64]) -> None:
        """Put all fields."""
        assert isinstance(table, Club)  # noqa: S101 -- tells the compiler the type
        self.put_round(table, seat)
        self.put_deal(table)
        self.put(table.winners, "winners: set {seats}, the winners")
        self.put(bit(table.ending), "ending: one_hot 6, not ended, gold, cash, last, ruin, cap")
        other: i64
        for other in range(table.seats):
            self.outer = other
            self.put_member(table, table.member(other), other, seat)

    def put_round(self, table: Club, seat: i64) -> None:
        """Write the public knowledge of the round, for a seat."""
        stage: i64 = table.stage
        asking: i64 = bit(table.asking) if stage == SHOWING or NAMING <= stage <= SELLING else 0
        sealers: i64 = table.sealers() if stage == SEALING else 0
        self.put(bit(seat), "seat: one_hot {seats}, the observing seat")
        self.put(bit(table.turn), "turn: one_hot {seats}, the member on turn, or the last one")
        self.put(bit(stage), "stage: one_hot 8, the stage, in the order of the view's")
        self.put(asking, "asking: one_hot {seats}, the member with another decision than an employment")
        self.put(sealers, "sealers: set {seats}, the members that seal an amount")
        self.put(table.round & full(ROUNDS), "round: number 16, the round")
        self.put(bit(table.treasurer), "treasurer: one_hot {seats}, the treasurer")
        self.put(bit(table.event), "event: one_hot 19, the event in force; the last bit for none")
        self.put(table.events_left, "events_left: set 18, events not drawn yet, of both stacks")
        self.put(bit(table.highest), "highest: one_hot 7, the highest cap ever owned (GZ-D7)")
        self.put(bit(table.lower), "lower: one_hot 7, the cap of the lower competition")
        self.put(bit(table.higher), "higher: one_hot 7, the cap of the higher competition")
        self.put(table.begun, "begun: set {seats}, the members that have had a turn in this round")
        self.put(table.rested, "rested: set {seats}, the members that have left their grey dwarfs in this round")
        self.put(table.out, "out: set {seats}, the members out of the game")

    def put_deal(self, table: Club) -> None:
        """Write the public knowledge of the open deal; zeros without one."""
        dealing: bool = SHOWING <= table.stage <= NAMING
        job: i64 = table.job if dealing else 0
        dwarf: i64 = bit(table.dwarf) if dealing else 0
        demand: i64 = bit(table.demand) if dealing else 0
        shown: i64 = table.shown if dealing else 0
        tied: i64 = table.tied if dealing else 0
        house: i64 = table.house if dealing else 0
        self.put(job, "offer: set 1, whether the open deal is an offer, not a search")
        self.put(dwarf, "dwarf: one_hot 7, the dwarf of the open deal")
        self.put(demand, "demand: one_hot 7, the lowest wanted cap")
        self.put(shown, "shown: number 4*{seats}, the cap that each seat has shown, 4 bits each; 0 for none")
        self.put(tied, "tied: set 7, the partners that the member on turn may choose; bit 6 for Herr Schmiedel")
        self.put(house, "schmiedel: number 8, Herr Schmiedel's amount in steps of 50 plus one, once all are open")
        self.put(table.lent, "schmiedel_lent: number 28, Herr Schmiedel's dwarfs in others' sheds by cap, 4 bits each")
        self.put(table.due, "due: number 32, the amount that the selling member must be able to pay")

    def put_member(self, table: Club, member: Member, other: i64, seat: i64) -> None:
        """Write a seat's knowledge of a member."""
        known: i64 = table.answer(other) if table.stage != SEALING or other == seat else 0
        self.put(member.cash, "seat_{outer}_blossoms: number 32, money")
        self.put(
            known, "seat_{outer}_sealed: number 6, what it sealed, if known: 0 nothing, 63 no bid, else steps plus one"
        )
        self.put(member.owned, "seat_{outer}_owned: number 28, dwarfs owned by cap, 4 bits each from grey to gold")
        self.put(member.free, "seat_{outer}_free: number 28, dwarfs free by cap, 4 bits each from grey to gold")
        self.put(
            member.lower,
            "seat_{outer}_lower: number 28, dwarfs in the lower competition by cap, 4 bits each from grey to gold",
        )
        self.put(
            member.higher,
            "seat_{outer}_higher: number 28, dwarfs in the higher competition by cap, 4 bits each from grey to gold",
        )
        self.put(
            member.lent, "seat_{outer}_lent: number 28, dwarfs lent to others by cap, 4 bits each from grey to gold"
        )
        self.put_pairs(other, member)

    def put_pairs(self, other: i64, member: Member) -> None:
        """Put the pairs of a shed, the youngest first."""
        pairs: int = member.pairs
        if pairs == self.pairs[other]:
            self.skip(SHEDS)
            return
        self.pairs[other] = pairs
        part: i64
        for part in range(SHEDS):
            self.inner = part
            self.put(
                pairs % SEVEN_PAIRS,
                "seat_{outer}_shed_{inner}: number 63, seven pairs, the youngest first, 9 bits each",
            )
            pairs //= SEVEN_PAIRS
