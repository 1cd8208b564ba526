"""The visible parts of a council table, and the events of a move."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final, Literal

import msgspec
from msgspec import Meta

from games.core.game import Record, View
from games.hoher_rat.moves import Card, Colour
from games.hoher_rat.options import CouncilOptions

Faction = Literal["pro", "contra"]
Rank = Literal["follower", "speaker"]
Winner = Literal["pro", "contra", "draw"]
Count = Annotated[int, Meta(ge=0, le=60)]
Cards = Annotated[list[Card], Meta(max_length=32)]
FACTIONS: Final = ("pro", "contra")
RULESET: Final = "hoher-rat/1"


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of a view or record."""


class Piece(Part, frozen=True):
    """A follower or a speaker on the ring."""

    colour: Colour
    rank: Rank


class Arguments(Part, frozen=True):
    """Number of arguments by colour."""

    white: Count = 0
    blue: Count = 0
    green: Count = 0
    yellow: Count = 0
    red: Count = 0


class Supply(Part, frozen=True):
    """Pieces of one colour in their owner's supply (HR-12)."""

    colour: Colour
    followers: Annotated[int, Meta(ge=0, le=10)]
    speakers: Annotated[int, Meta(ge=0, le=1)]


class Pile(Part, frozen=True):
    """A faction's cards as everyone knows them.

    `elders` are cards that have been in the faction's hands since its last reshuffle (HR-D24). The faction's first
    player holds at least `elders_low` and at most `elders_high` of them. A card on its way between partners counts with
    its giver.
    """

    faction: Faction
    deck: Annotated[
        int,
        Meta(ge=0, le=32, description=("Number of cards left to draw. Their order is decided when they are drawn.")),
    ]
    discard: Cards
    elders: Cards
    elders_low: Annotated[int, Meta(ge=0, le=4)]
    elders_high: Annotated[int, Meta(ge=0, le=4)]


class Councillor(Part, frozen=True):
    """A seat as the viewer knows it."""

    seat: Annotated[int, Meta(ge=0, le=3)]
    faction: Faction
    colours: list[Colour]
    arguments: Arguments
    cards: Annotated[int, Meta(ge=0, le=4, description="Number of cards in hand.")]
    known: Annotated[
        Cards, Meta(description=("Cards of this hand that the viewer knows; all of them in the viewer's own."))
    ]


class CouncilView(View, frozen=True, tag="hoher-rat"):
    """A council as a seat or a spectator may know it."""

    own: ClassVar = frozenset(("seat", "councillors", "offered", "partner_knows"))

    options: CouncilOptions
    turn: Annotated[int, Meta(ge=0, le=3, description="Seat whose turn it is.")]
    turns: Annotated[int, Meta(ge=0, le=10**9, description="Number of finished turns.")]
    idle: Annotated[int, Meta(ge=0, le=10**9, description="Number of turns in a row without an action or convincing.")]
    acted: Annotated[bool, Meta(description="Whether the action of this turn has been taken.")]
    stirred: Annotated[bool, Meta(description="Whether anything has been done in this turn.")]
    voting: Annotated[bool, Meta(description="Whether the vote has begun (HR-56).")]
    ring: Annotated[list[Piece | None], Meta(min_length=30, max_length=30, description="Fields 1 to 30 in order.")]
    supplies: Annotated[list[Supply], Meta(min_length=4, max_length=4)]
    bank: Annotated[Arguments, Meta(description="Arguments left in the common supply.")]
    piles: Annotated[list[Pile], Meta(min_length=2, max_length=2)]
    councillors: Annotated[list[Councillor], Meta(min_length=2, max_length=4)]
    conferring: Annotated[bool, Meta(description="Whether a partner owes a card in return (HR-42).")]
    offered: Annotated[Card | None, Meta(description="The card given to the partner, for viewers who know it.")]
    partner_knows: Annotated[Cards, Meta(description="Cards in this hand that the partner knows.")]
    winner: Winner | None = None


class FactionRecord(Part, frozen=True):
    """A faction's cards in full; all others lie in the deck."""

    discard: Cards
    elders: Cards
    elders_low: Annotated[int, Meta(ge=0, le=4)]
    elders_high: Annotated[int, Meta(ge=0, le=4)]


class SeatRecord(Part, frozen=True):
    """A seat's holdings in full; `shown` are the cards its partner knows."""

    hand: Cards
    arguments: Arguments
    shown: Cards


class CouncilRecord(Record, frozen=True):
    """A council table in full."""

    ply: Annotated[int, Meta(ge=0, le=10**9)]
    options: CouncilOptions
    turn: Annotated[int, Meta(ge=0, le=3)]
    turns: Annotated[int, Meta(ge=0, le=10**9)]
    idle: Annotated[int, Meta(ge=0, le=10**9)]
    acted: bool
    stirred: bool
    voting: bool
    ring: Annotated[list[Piece | None], Meta(min_length=30, max_length=30)]
    factions: Annotated[list[FactionRecord], Meta(min_length=2, max_length=2)]
    players: Annotated[list[SeatRecord], Meta(min_length=2, max_length=4)]
    offered: Card | None
    winner: Winner | None
