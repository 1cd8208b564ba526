"""What a seat or a spectator may know of a village."""

from __future__ import annotations

from typing import Annotated, Final, Literal, get_args

import msgspec
from msgspec import Meta

from games.core.game import View
from games.wichtel.moves import Action, Gnome, Place, SeatNumber
from games.wichtel.options import VillageOptions

RULESET: Final = "wichtel/1"
Phase = Literal[
    "before",
    "action",
    "answer",
    "bribing",
    "opened",
    "rolled",
    "giving",
    "laying",
    "ending",
    "after",
    "over",
]
PHASES: Final[tuple[Phase, ...]] = get_args(Phase)
Title = Literal[
    "family_council",
    "feller",
    "foreman",
    "master",
    "grey_eminence",
    "spear_thrower",
    "sergeant",
    "general",
    "lord_of_the_wood",
    "tree_chief",
    "war_chief",
    "tribal_chief",
]
TITLES: Final[tuple[Title, ...]] = get_args(Title)
"""The titles by the numbers from 1 that they have in `table.titles`."""

Way = Literal["left", "came", "came_open"]
WAYS: Final[tuple[Way, ...]] = get_args(Way)
Count = Annotated[int, Meta(ge=0, le=10**9)]
Points = Annotated[int, Meta(ge=-30_000, le=30_000)]
Seats = Annotated[list[SeatNumber], Meta(max_length=5)]
Pips = Annotated[int, Meta(ge=1, le=6)]
Index = Annotated[int, Meta(ge=0, le=1_609)]


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of a view or record."""


class Cell(Part, frozen=True, kw_only=True):
    """A cell of the caravan, the row of draw pile, square and discard pile.

    A gnome that the viewer has not seen there is null. `origin` is the crossing of the trail by which the gnome left a
    hand, null where it left none in this round.
    """

    gnome: Gnome | None = None
    origin: Index | None
    open: Annotated[bool, Meta(description="Whether everybody has seen the gnome here.")]


class Crossing(Part, frozen=True, kw_only=True):
    """A gnome that left a hand or came into one in this round, as far as the viewer knows it.

    `way` is "left", "came" (unseen by the others) or "came_open"; `origin` is, of one that came, the crossing by which
    it had left a hand, null where it had left none.
    """

    seat: SeatNumber
    way: Way
    gnome: Gnome | None = None
    origin: Index | None


class Candidate(Part, frozen=True, kw_only=True):
    """One seat as the viewer knows it."""

    seat: SeatNumber
    points: Points
    gnomes: Annotated[int, Meta(ge=0, le=4, description="How many gnomes the seat holds.")]
    known: Annotated[list[Gnome], Meta(max_length=4, description="Gnomes that are in this hand for sure.")]
    actions: Annotated[int, Meta(ge=0, le=4, description="How many action cards the seat has, its bribe among them.")]
    shown: Annotated[list[Action], Meta(max_length=4, description="Action cards that all know to be there.")]
    bribed: Annotated[bool, Meta(description="Whether the seat has a bribe on the table.")]
    bribe: Action | None = None


class Retinue(Part, frozen=True, kw_only=True):
    """What a seat scored in a round (HW-40)."""

    seat: SeatNumber
    gnomes: Annotated[list[Gnome], Meta(min_length=4, max_length=4)]
    title: Title | None = None
    result: Points
    bonus: Annotated[int, Meta(ge=0, le=20)]


class LastRound(Part, frozen=True):
    """How the last round ended."""

    ended_by: SeatNumber | None
    retinues: Annotated[list[Retinue], Meta(min_length=3, max_length=5)]


class VillageView(View, frozen=True, tag="wichtel"):
    """A village as one seat, or a spectator, may know it."""

    options: VillageOptions
    round: Count
    turn: Annotated[SeatNumber, Meta(description="The seat whose turn it is.")]
    turns: Annotated[Count, Meta(description="Turns ended in this round.")]
    phase: Phase
    asked: Annotated[Seats, Meta(description="Seats still to be asked one after the other, the actor among them.")]
    officer_free: bool
    onward: Annotated[bool, Meta(description="Whether the draw pile is at the end of the caravan, not its beginning.")]
    back: Annotated[bool, Meta(description="Whether the next march goes back (HW-32).")]
    still: Annotated[bool, Meta(description="Whether the next march does not take place (HW-33).")]
    start: Annotated[int, Meta(ge=0, le=17, description="How many cells lie before the square.")]
    caravan: Annotated[list[Cell], Meta(min_length=12, max_length=20)]
    place: Annotated[Place | None, Meta(description="The courted gnome's place on the square.")]
    roll: Annotated[Pips | None, Meta(description="The last roll of this turn.")]
    offered: Annotated[Cell | None, Meta(description="The gnome on its way in a swap.")]
    candidates: Annotated[list[Candidate], Meta(min_length=3, max_length=5)]
    actions: Annotated[list[Action], Meta(max_length=4, description="The viewer's own action cards.")]
    spent: Annotated[list[Action], Meta(max_length=20)]
    trail: Annotated[list[Crossing], Meta(max_length=1_610)]
    last_round: LastRound | None
    winners: Seats
