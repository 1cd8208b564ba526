"""The observation of a council for learners, and the mask of their actions; compiled."""

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
    """The observation of one seat of a council (HR-24, HR-D21, HR-D24)."""

    __slots__ = ()

    def read(self, table: Table, seat: i64, begun: vec[i64]) -> None:
        """Put the values of all fields."""
        assert isinstance(table, Council)  # noqa: S101 -- tells the compiler the type
        turn, seats = table.turn, table.seats
        offered: i64 = table.offered if seat & 1 == turn & 1 else 0
        self.put(bit(seat), "seat: one_hot {seats}, the observing seat")
        self.put(bit(turn), "turn: one_hot {seats}, the seat on turn")
        self.put(1 if table.acted else 0, "acted: set 1, whether the action of this turn is taken")
        self.put(1 if table.stirred else 0, "stirred: set 1, whether anything was done in this turn")
        self.put(1 if table.voting else 0, "voting: set 1, whether the vote has begun (HR-56)")
        self.put(bit(table.winner + 1), "winner: one_hot 4, nobody yet, Pro, Contra, a draw")
        self.put(table.turns, "turns: number 32, turns ended so far")
        self.put(table.idle, "idle: number 32, turns in a row without action or convincing")
        self.put(1 if table.offered else 0, "conferring: set 1, whether a partner owes a card (HR-42)")
        self.put(offered, "offered: set 32, the card given to the partner, if the seat knows it")
        self.put(table.player(seat).shown, "partner_knows: set 32, own cards that the partner knows")
        self.put_faction(table.pro, "pro")
        self.put_faction(table.contra, "contra")
        other: i64
        for other in range(seats):
            self.outer = other
            player = table.player(other)
            known: i64 = known_hand(table, other, seat)
            self.put(known, "seat_{outer}_known: set 32, cards known to be in this hand; all of one's own")
            self.put(count(player.hand), "seat_{outer}_cards: number 3, number of cards in this hand")
            self.put(
                player.arguments,
                "seat_{outer}_arguments: number 20, arguments by colour, 4 bits each: white, blue, green, yellow, red",
            )
        self.put_begun(begun, 1)

    def put_faction(self, side: Faction, name: str) -> None:
        """Write the public knowledge of a faction."""
        self.word = name
        self.put(side.first, "{word}_first: set 30, fields with a piece of the first colour, white or red")
        self.put(side.second, "{word}_second: set 30, fields with a piece of the second colour, yellow or blue")
        self.put(side.speakers, "{word}_speakers: set 30, fields with a speaker")
        self.put(
            side.discard, "{word}_discard: set 32, cards played since the last reshuffle; 30 and 31 are the triliths"
        )
        self.put(side.elders, "{word}_elders: set 32, cards in the faction's hands since its last reshuffle (HR-D24)")
        self.put(side.low, "{word}_elders_low: number 3, minimum number of elders of the first player")
        self.put(side.high, "{word}_elders_high: number 3, maximum number of elders of the first player")
        self.put(count(side.deck), "{word}_deck: number 6, cards left to draw")


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

    def __init__(self, bases: vec[i64], known: Numbers) -> None:
        """Take the moves in the order of their actions, and the actions by move, which masks may share."""
        super().__init__(len(bases) + FIELDS)
        self.bases = bases
        self.known = known

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


def numbered(bases: vec[i64]) -> Numbers:
    """Return the actions of moves in the order of their actions."""
    known = Numbers(len(bases))
    action: i64
    for action in range(len(bases)):
        known.put(bases[action], action)
    return known


def base_of(code: i64) -> i64:
    """Return a code without the field that a follower comes from, its colour as the first or second of the faction."""
    return code & BASE
