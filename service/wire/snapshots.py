"""Snapshots on the wire. An open snapshot shows the complete state; a sealed one needs a seat's key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from msgspec import UNSET, Meta, UnsetType

from games.core.game import Draw
from service.contract.json_schemas import ELSE_FALSE, SCHEMAS, Answer, Time
from service.snapshots.records import SealedSnapshot, Snapshot
from service.validation import structs
from service.wire.moves import HeardEvent, Outcome

AnySnapshot = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}{Snapshot.__name__}"})]
"""An open or sealed snapshot."""


class SeatKeyGiven(Answer, frozen=True, kw_only=True):
    """A seat's key for all sealed snapshots of this table. It is shown only once."""

    seat: int
    key: str
    events: Annotated[list[HeardEvent], Meta(description="Events of the set-up that this seat receives.")]


class SnapshotShown(Answer, frozen=True, kw_only=True):
    """A snapshot and the seats to act."""

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
    """A snapshot, the seats to act, and the events of the set-up; a sealed one includes the keys of the seats.

    For an open snapshot `events` are all events with their recipients; for a sealed one, the spectators' events.
    """

    events: list[HeardEvent]
    seat_keys: list[SeatKeyGiven] | UnsetType = UNSET


class MoveMade(SnapshotShown, frozen=True, kw_only=True):
    """The result of a move, and the outcome once the game is over.

    For an open snapshot, it contains all events with their recipients, and the draws. For a sealed one, it contains the
    seat's events.
    """

    events: list[HeardEvent]
    draws: Annotated[list[Draw], Meta(description="Draws of the move, for an open snapshot only.")] | UnsetType = UNSET
    outcome: Outcome | UnsetType = UNSET


def read_snapshot(value: object) -> Snapshot | SealedSnapshot:
    """Parse a snapshot except for its table; raise UnfitError with the place of the fault."""
    found: Snapshot | SealedSnapshot
    sealed = type(value) is dict and value.get("sealed") is True
    found = structs.read(value, SealedSnapshot if sealed else Snapshot)
    return found
