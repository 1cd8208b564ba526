"""Snapshots on the wire: open ones, which are the truth, and sealed ones, which tell nothing without a seat's key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from games.core.game import Draw
from service.http.json_schemas import ELSE_FALSE, SCHEMAS, Answer, Time
from service.snapshots.records import SealedSnapshot, Snapshot
from service.validation import structs
from service.wire.moves import HeardEvent, Outcome

AnySnapshot = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}{Snapshot.__name__}"})]
"""An open snapshot or a sealed one."""


class SeatKeyGiven(Answer, frozen=True, kw_only=True):
    """The key of a seat, good for every sealed snapshot of this table; it is shown here and never again."""

    seat: int
    key: str
    events: Annotated[list[HeardEvent], Meta(description="Events of the set-up that this seat receives.")]


class SnapshotShown(Answer, frozen=True, kw_only=True):
    """A snapshot and who may move."""

    snapshot: AnySnapshot
    actors: Sequence[int]
    expires_at: Annotated[Time, Meta(description="Expiry time of a sealed snapshot.")] | UnsetType = UNSET
    fresh: (
        Annotated[
            bool,
            Meta(description="True if only the table's latest snapshot accepts moves.", extra_json_schema=ELSE_FALSE),
        ]
        | UnsetType
    ) = UNSET


class SnapshotMade(SnapshotShown, frozen=True, kw_only=True):
    """A snapshot, who may move, and the events of the set-up; with a sealed one the keys of the seats.

    At an open snapshot `events` are all events with their hearers; at a sealed one they are those that spectators hear.
    """

    events: list[HeardEvent]
    seat_keys: list[SeatKeyGiven] | UnsetType = UNSET


class MoveMade(SnapshotShown, frozen=True, kw_only=True):
    """What came of a move, and the standing once it is over.

    At an open snapshot all events with their hearers, and what chance answered; at a sealed one what the seat hears.
    """

    events: list[HeardEvent]
    draws: Annotated[list[Draw], Meta(description="Draws of the move, for an open snapshot only.")] | UnsetType = UNSET
    outcome: Outcome | UnsetType = UNSET


def read_snapshot(value: object) -> Snapshot | SealedSnapshot:
    """Read the frame of a snapshot; raise UnfitError with the place where it is none."""
    found: Snapshot | SealedSnapshot
    sealed = type(value) is dict and value.get("sealed") is True
    found = structs.read(value, SealedSnapshot if sealed else Snapshot)
    return found
