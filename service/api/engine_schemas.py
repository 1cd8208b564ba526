"""The bodies and responses of operations on snapshots."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from games.core.game import Draw, Drawn
from service.http.fields import Body, DisplayName, Flag, Payload, Query, Rows, Whole, Words
from service.http.json_schemas import Answer
from service.snapshots.records import MOST_SEATS, ReplayMove, Snapshot
from service.validation.names import NAME_CHARACTERS
from service.wire.fields import AnyOptions, MoveField, OpenSnapshotField, SnapshotField, ViewField
from service.wire.moves import (
    HeardEvent,
    Misfit,
    Outcome,
    ReplayedMove,
)


class SnapshotRequest(Body):
    """What a new table needs."""

    seat_count = Whole(1, MOST_SEATS, required=True)
    options = Payload(AnyOptions)
    seed = Words(1, 128, description="Decides all chance; drawn where none is given. Not with `sealed`.")


class SnapshotQuery(Query):
    """How the snapshot is to be made."""

    sealed = Flag(description="True for a snapshot that nobody can read, with a key for each seat.")
    fresh = Flag(
        description="With `sealed`: true for a table at which only the latest snapshot takes a move. It counts as a "
        "session does."
    )


class SeatedSnapshot(Body):
    """A snapshot and a seat at it."""

    snapshot = SnapshotField(required=True)
    seat = Whole(0, MOST_SEATS - 1, required=True)


class ViewedSnapshot(Body):
    """A snapshot and a viewer: a seat, or null for a spectator."""

    snapshot = SnapshotField(required=True)
    seat = Whole(0, MOST_SEATS - 1, required=True, allow_none=True)


class ViewGiven(Body):
    """A view as the service gave it."""

    view = ViewField(required=True)
    names = Rows(
        DisplayName(NAME_CHARACTERS, allow_none=True),
        1,
        MOST_SEATS,
        description="The players' names by seat. A seat with null keeps the name that the game gives it.",
    )


class DraftGiven(Body):
    """A move that is not made yet, with content of the player's own."""

    draft = MoveField(required=True)


class MoveAtSnapshot(Body):
    """A snapshot and a seat's move."""

    snapshot = SnapshotField(required=True)
    seat = Whole(0, MOST_SEATS - 1, required=True)
    move = MoveField(required=True)
    draws = Payload(
        list[Draw],
        description="What chance is to answer: all that the move draws, in order. At an open snapshot only; left out, "
        "its seed decides.",
    )


class MoveAndDraws(Body):
    """An open snapshot, a seat's move, and what chance has answered so far."""

    snapshot = OpenSnapshotField(required=True)
    seat = Whole(0, MOST_SEATS - 1, required=True)
    move = MoveField(required=True)
    draws = Payload(list[Draw], load_default=list, description="The draws so far, in order.")


class MoveQuery(Query):
    """How the move is to be taken."""

    validate_only = Flag(description="Check the move and change nothing.")


RULESET: Final = "The ruleset that has written this; today's where it is left out."


class Record(Body):
    """A table's record: how it began, and every move with what chance answered where that was written down."""

    seat_count = Whole(1, MOST_SEATS, required=True)
    ruleset = Words(1, 64, description=RULESET)
    options = Payload(AnyOptions)
    seed = Words(1, 128, description="Decides what the record does not tell.")
    draws = Payload(list[Draw], description="What chance answered at the set-up.")
    moves = Payload(list[ReplayMove], required=True)


class RecordFrom(Body):
    """A record that begins at a snapshot, whose seed decides what the record does not tell."""

    snapshot = OpenSnapshotField(required=True)
    ruleset = Words(1, 64, description=f"Of the moves. {RULESET}")
    moves = Payload(list[ReplayMove], required=True)


class PossibleValue(msgspec.Struct, frozen=True):
    """What chance may answer, by name, in how many of all `of` equally likely ways."""

    value: Drawn
    ways: Annotated[int, Meta(ge=1)]
    probability: Annotated[float, Meta(gt=0, le=1)]


class ChanceDraw(msgspec.Struct, frozen=True):
    """The next draw of a move: what is decided, and all that may come."""

    what: str
    of: Annotated[int, Meta(ge=1)]
    possible: Annotated[
        list[PossibleValue],
        Meta(description="Empty where `of` is above 1,000: then each whole number from 0 to `of` - 1 is as likely."),
    ]


class ChanceShown(Answer, frozen=True, kw_only=True):
    """What a move draws next; null where it draws nothing more, so that the draws given are all that it needs."""

    draw: ChanceDraw | None


class History(Answer, frozen=True, kw_only=True):
    """A table's history as far as its record fits."""

    fits: bool
    draws: Annotated[list[Draw], Meta(description="What chance answered at the set-up.")]
    events: Annotated[list[HeardEvent], Meta(description="The events of the set-up; of a snapshot, how it stands.")]
    moves: list[ReplayedMove]
    misfit: Annotated[Misfit, Meta(description="The first move that does not fit.")] | UnsetType = UNSET
    snapshot: Snapshot
    actors: list[int]
    outcome: Outcome | UnsetType = UNSET
