"""Request and response bodies of operations on snapshots."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from games.core.game import Draw, Drawn
from service.contract.json_schemas import Answer
from service.http.fields import Body, DisplayName, Flag, Payload, Query, Rows, Whole, Words
from service.snapshots.records import MAX_SEATS, ReplayMove, Snapshot
from service.validation.names import NAME_CHARACTERS
from service.wire.fields import AnyOptions, MoveField, OpenSnapshotField, SnapshotField, ViewField
from service.wire.moves import (
    HeardEvent,
    Misfit,
    Outcome,
    ReplayedMove,
)


class SnapshotRequest(Body):
    """A request to set up a game. The response contains the snapshot of its new table."""

    seat_count = Whole(1, MAX_SEATS, required=True)
    options = Payload(AnyOptions)
    seed = Words(1, 128, description="Seed of all random draws; random by default. Not allowed with `sealed`.")


class SnapshotQuery(Query):
    """Query parameters of the operation that creates snapshots."""

    sealed = Flag(description="Return a sealed snapshot and a key for each seat.")
    fresh = Flag(
        description="With `sealed`: accept moves only at the latest snapshot. Counts towards the quota of sessions."
    )


class SeatedSnapshot(Body):
    """A snapshot, and the seat that the request is about."""

    snapshot = SnapshotField(required=True)
    seat = Whole(0, MAX_SEATS - 1, required=True)


class ViewedSnapshot(Body):
    """A snapshot and a viewer: a seat, or null for a spectator."""

    snapshot = SnapshotField(required=True)
    seat = Whole(0, MAX_SEATS - 1, required=True, allow_none=True)


class ViewGiven(Body):
    """A view that an earlier response returned."""

    view = ViewField(required=True)
    names = Rows(
        DisplayName(NAME_CHARACTERS, allow_none=True),
        1,
        MAX_SEATS,
        description="Names of the players by seat. A seat with null keeps its name of the game.",
    )


class DraftGiven(Body):
    """An unfinished move that contains the player's own content, such as a figure of clay."""

    draft = MoveField(required=True)


class MoveAtSnapshot(Body):
    """A snapshot and a seat's move."""

    snapshot = SnapshotField(required=True)
    seat = Whole(0, MAX_SEATS - 1, required=True)
    move = MoveField(required=True)
    draws = Payload(
        list[Draw],
        description="All draws of the move, in order. Only for an open snapshot; by default its seed decides.",
    )


class MoveAndDraws(Body):
    """A snapshot that is not sealed, a seat's move, and the random draws that the move has made so far."""

    snapshot = OpenSnapshotField(required=True)
    seat = Whole(0, MAX_SEATS - 1, required=True)
    move = MoveField(required=True)
    draws = Payload(list[Draw], load_default=list, description="Draws so far, in order.")


class MoveQuery(Query):
    """Query parameters of moves at snapshots."""

    validate_only = Flag(description="Check the move without making it.")


RULESET: Final = "Ruleset of the record; the current one by default."


class Record(Body):
    """A record of a table. It consists of the table's set-up and of every move with its random draws."""

    seat_count = Whole(1, MAX_SEATS, required=True)
    ruleset = Words(1, 64, description=RULESET)
    options = Payload(AnyOptions)
    seed = Words(1, 128, description="Seed of the draws that the record does not contain.")
    draws = Payload(list[Draw], description="Draws of the set-up.")
    moves = Payload(list[ReplayMove], required=True)


class RecordFrom(Body):
    """A record that starts at a snapshot. If a move has no recorded draws, the snapshot's seed determines them."""

    snapshot = OpenSnapshotField(required=True)
    ruleset = Words(1, 64, description=f"Of the moves. {RULESET}")
    moves = Payload(list[ReplayMove], required=True)


class PossibleValue(msgspec.Struct, frozen=True):
    """A possible result of a random draw.

    A draw has a number of equally likely outcomes. Several outcomes can give the same result. The draw's field `of` is
    the number of all outcomes. `ways` is the number of outcomes that give this result. The exact probability of the
    result is the fraction `ways` / `of`.
    """

    value: Drawn
    ways: Annotated[int, Meta(ge=1)]
    probability: Annotated[float, Meta(gt=0, le=1)]


class ChanceDraw(msgspec.Struct, frozen=True):
    """The next random draw of a move: its subject and its possible results."""

    what: str
    of: Annotated[int, Meta(ge=1)]
    possible: Annotated[
        list[PossibleValue],
        Meta(
            description=(
                "Possible results. Empty if `of` is above 1,000: then each integer from 0 to `of` - 1 is equally "
                "likely."
            )
        ),
    ]


class ChanceShown(Answer, frozen=True, kw_only=True):
    """The next random draw of a move, or null if the move needs no further draws."""

    draw: ChanceDraw | None


class History(Answer, frozen=True, kw_only=True):
    """The history of a table that was replayed from a record.

    If the record contains an invalid move, the history ends before this move.
    """

    fits: bool
    draws: Annotated[list[Draw], Meta(description="Draws of the set-up.")]
    events: Annotated[list[HeardEvent], Meta(description="Events of the set-up; for a snapshot, its present state.")]
    moves: list[ReplayedMove]
    misfit: Annotated[Misfit, Meta(description="The first invalid move.")] | UnsetType = UNSET
    snapshot: Snapshot
    actors: list[int]
    outcome: Outcome | UnsetType = UNSET
