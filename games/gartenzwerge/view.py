"""The visible parts of a club, and a club written down in full."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Final, Literal, get_args

from msgspec import Meta

from games.core.bits import members_of, nibble
from games.core.game import Record, View
from games.gartenzwerge.moves import CAPS, Amount, Partner, Seat, Worker, worker
from games.gartenzwerge.options import EVENT_NAMES, ClubOptions, EventName, Part
from games.gartenzwerge.table.caps import NO_EVENT
from games.gartenzwerge.table.constants import SCHMIEDEL
from games.gartenzwerge.table.member import PAIR

RULESET: Final = "gartenzwerge/1"

Count = Annotated[int, Meta(ge=0, le=15)]
Money = Annotated[int, Meta(ge=0, le=10**9, multiple_of=50, description="Amount in blossoms.")]
Number = Annotated[int, Meta(ge=0, le=10**9)]
Seats = Annotated[list[Seat], Meta(max_length=6)]

Job = Literal["search", "offer"]
Stage = Literal["employing", "showing", "sealing", "choosing", "naming", "clearing", "selling", "over"]
STAGES: Final[tuple[Stage, ...]] = get_args(Stage)
Ending = Literal["gold", "cash", "last", "ruin", "cap"]
ENDINGS: Final[tuple[Ending | None, ...]] = (None, *get_args(Ending))
Written = Amount | Literal["no_bid"] | None
"""A sealed amount in a record: an amount, no bid, or None for no answer."""


class DwarfRow(Part, frozen=True):
    """Number of dwarfs by cap."""

    grey: Count = 0
    brown: Count = 0
    orange: Count = 0
    red: Count = 0
    blue: Count = 0
    green: Count = 0
    gold: Count = 0


class DwarfPair(Part, frozen=True):
    """Two dwarfs in a shed: the owner's, and the mate with its owner, null for Herr Schmiedel."""

    own: Worker
    mate: Worker
    owner: Partner


class ClubMember(Part, frozen=True):
    """A seat with its money and its dwarfs, grouped by occupation."""

    seat: Seat
    blossoms: Money
    out: Annotated[bool, Meta(description="Whether the member is out of the game (GZ-D30).")]
    free: DwarfRow
    garden: DwarfRow
    lower: Annotated[DwarfRow, Meta(description="Dwarfs in the lower competition.")]
    higher: Annotated[DwarfRow, Meta(description="Dwarfs in the higher competition.")]
    lent: Annotated[DwarfRow, Meta(description="Dwarfs in the sheds of others, or in Herr Schmiedel's garden.")]
    shed: Annotated[list[DwarfPair], Meta(max_length=22, description="Pairs in the shed, oldest first.")]


class ClubDeal(Part, frozen=True):
    """An undecided search or offer of the seat on turn."""

    job: Job
    cap: Worker
    demand: Annotated[Worker, Meta(description="The lowest cap wanted; in an offer the offered cap.")]
    shown: Annotated[
        list[Worker | None],
        Meta(max_length=6, description=("Cap that each seat has shown to the seeker; null for none.")),
    ]
    schmiedel: Annotated[Number | None, Meta(description="Herr Schmiedel's amount, once all amounts are revealed.")]
    tied: Annotated[list[Partner], Meta(max_length=7, description="Partners to choose from, for the member on turn.")]


class SealedAnswer(Part, frozen=True):
    """Sealed answer of a seat; null for no bid."""

    seat: Seat
    amount: Amount | None


class ClubView(View, frozen=True, tag="gartenzwerge"):
    """A club as a seat or a spectator may know it."""

    options: ClubOptions
    round: Number
    treasurer: Seat
    stage: Stage
    turn: Annotated[Seat, Meta(description="Seat whose go it is, or was last.")]
    asking: Annotated[
        Seat | None, Meta(description="Seat with a pending decision other than an employment; null if there is none.")
    ]
    events_left: Annotated[list[EventName], Meta(max_length=18, description="Undrawn events of both stacks.")]
    highest: Annotated[Worker, Meta(description="The highest cap ever owned, green at most (GZ-D7).")]
    competitions: Annotated[
        list[Worker], Meta(min_length=2, max_length=2, description=("The lower and the higher competition."))
    ]
    begun: Annotated[Seats, Meta(description="Seats that have had a go in this round.")]
    rested: Annotated[Seats, Meta(description="Seats that have left their grey dwarfs in this round.")]
    members: Annotated[list[ClubMember], Meta(min_length=2, max_length=6)]
    deal: ClubDeal | None
    answers: Annotated[
        list[SealedAnswer],
        Meta(max_length=6, description=("Sealed answers of the seats, as far as the viewer knows them.")),
    ]
    schmiedel_lent: Annotated[DwarfRow, Meta(description="Herr Schmiedel's dwarfs in the sheds of others.")]
    due: Annotated[Money, Meta(description="Amount that the selling seat must be able to pay.")]
    winners: Seats
    event: EventName | None = None
    ending: Ending | None = None


class ClubRecord(Record, frozen=True):
    """A club in full."""

    ply: Number
    options: ClubOptions
    round: Number
    treasurer: Seat
    stage: Stage
    turn: Seat
    asking: Seat | None
    event: EventName | None
    events_left: Annotated[list[EventName], Meta(max_length=18)]
    highest: Worker
    competitions: Annotated[list[Worker], Meta(min_length=2, max_length=2)]
    begun: Seats
    rested: Seats
    members: Annotated[list[ClubMember], Meta(min_length=2, max_length=6)]
    deal: ClubDeal | None
    answers: Annotated[list[Written], Meta(max_length=6)]
    schmiedel_lent: DwarfRow
    due: Money
    winners: Seats
    ending: Ending | None


# Packed numbers of a table as parts of a view.


@lru_cache(maxsize=1024)
def row_of(row: int) -> DwarfRow:
    """Return a packed row by cap; a view has thirty, most of them empty or seen before."""
    return DwarfRow(**{cap: int(nibble(row, index)) for index, cap in enumerate(CAPS)})


def seats_of(seats: int) -> list[int]:
    """Return a set of seats as a list."""
    return [int(seat) for seat in members_of(seats)]


def pairs_of(pairs: int) -> list[DwarfPair]:
    """Return the pairs of a shed, the oldest first (GZ-D22)."""
    found = []
    while pairs:
        pairs, last = divmod(pairs, PAIR)
        owner = last // 64
        found.append(
            DwarfPair(own=worker(last % 8), mate=worker(last // 8 % 8), owner=None if owner == SCHMIEDEL else owner)
        )
    return found[::-1]


def event_of(event: int) -> EventName | None:
    """Return an event's name, or None if none was drawn."""
    return None if event == NO_EVENT else EVENT_NAMES[event]
