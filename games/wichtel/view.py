"""The knowledge of a seat or a spectator about a village."""

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
    """A cell of the caravan, which runs from the draw pile over the square to the discard pile.

    `gnome` is null if the viewer has not seen it. `origin` is the crossing of the trail by which the gnome left a hand;
    null if it left none in this round.
    """

    gnome: Gnome | None = None
    origin: Index | None
    open: Annotated[bool, Meta(description="Whether everyone has seen the gnome here.")]


class Crossing(Part, frozen=True, kw_only=True):
    """A gnome that left or entered a hand in this round, as far as the viewer knows it.

    `way` is "left", "came" (unseen by the others) or "came_open". For a gnome that came, `origin` is the crossing by
    which it had left a hand; null if it had left none.
    """

    seat: SeatNumber
    way: Way
    gnome: Gnome | None = None
    origin: Index | None


class Candidate(Part, frozen=True, kw_only=True):
    """A seat as the viewer knows it."""

    seat: SeatNumber
    points: Points
    gnomes: Annotated[int, Meta(ge=0, le=4, description="Number of gnomes in hand.")]
    known: Annotated[list[Gnome], Meta(max_length=4, description="Gnomes that are certainly in this hand.")]
    actions: Annotated[int, Meta(ge=0, le=4, description="Number of action cards of the seat, including its bribe.")]
    shown: Annotated[list[Action], Meta(max_length=4, description="Action cards that everyone knows of.")]
    bribed: Annotated[bool, Meta(description="Whether the seat has a bribe on the table.")]
    bribe: Action | None = None


class Retinue(Part, frozen=True, kw_only=True):
    """Score of a seat in a round (HW-40)."""

    seat: SeatNumber
    gnomes: Annotated[list[Gnome], Meta(min_length=4, max_length=4)]
    title: Title | None = None
    result: Points
    bonus: Annotated[int, Meta(ge=0, le=20)]


class LastRound(Part, frozen=True):
    """The end of the last round."""

    ended_by: SeatNumber | None
    retinues: Annotated[list[Retinue], Meta(min_length=3, max_length=5)]


class VillageView(View, frozen=True, tag="wichtel"):
    """A village as a seat or a spectator may know it."""

    options: VillageOptions
    round: Count
    turn: Annotated[SeatNumber, Meta(description="Seat whose turn it is.")]
    turns: Annotated[Count, Meta(description="Number of finished turns in this round.")]
    phase: Phase
    asked: Annotated[Seats, Meta(description="Seats still to decide, one after the other, including the actor.")]
    officer_free: bool
    onward: Annotated[
        bool, Meta(description=("Whether the draw pile is at the end of the caravan instead of its beginning."))
    ]
    back: Annotated[bool, Meta(description="Whether the next march goes back (HW-32).")]
    still: Annotated[bool, Meta(description="Whether the next march is skipped (HW-33).")]
    start: Annotated[int, Meta(ge=0, le=17, description="Number of cells before the square.")]
    caravan: Annotated[list[Cell], Meta(min_length=12, max_length=20)]
    place: Annotated[Place | None, Meta(description="The courted gnome's place on the square.")]
    roll: Annotated[Pips | None, Meta(description="The last roll of this turn.")]
    offered: Annotated[Cell | None, Meta(description="The gnome offered in a swap.")]
    candidates: Annotated[list[Candidate], Meta(min_length=3, max_length=5)]
    actions: Annotated[list[Action], Meta(max_length=4, description="The viewer's own action cards.")]
    spent: Annotated[list[Action], Meta(max_length=20)]
    trail: Annotated[list[Crossing], Meta(max_length=1_610)]
    last_round: LastRound | None
    winners: Seats
