"""Schemas of snapshots. An open snapshot contains the complete state. A sealed snapshot is encrypted.

To open a sealed snapshot for a seat, a request needs the seat's key.
"""

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
    """A seat's key for all sealed snapshots of one table. It is returned only once."""

    seat: int
    key: str
    events: Annotated[list[HeardEvent], Meta(description="Events of the set-up that this seat receives.")]


class SnapshotShown(Answer, frozen=True, kw_only=True):
    """A snapshot and the seats whose turn it is."""

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
    """A new snapshot, the seats whose turn it is, and the events of the set-up."""

    # For an open snapshot, all events with their recipients. For a sealed one, the spectators' events.
    events: list[HeardEvent]
    seat_keys: list[SeatKeyGiven] | UnsetType = UNSET  # one per seat, for a sealed snapshot


class MoveMade(SnapshotShown, frozen=True, kw_only=True):
    """The result of a move. If the game is over, it contains the outcome."""

    # For an open snapshot, all events with their recipients. For a sealed one, the events that the seat receives.
    events: list[HeardEvent]
    draws: Annotated[list[Draw], Meta(description="Draws of the move, for an open snapshot only.")] | UnsetType = UNSET
    outcome: Outcome | UnsetType = UNSET


def read_snapshot(value: object) -> Snapshot | SealedSnapshot:
    """Parse a snapshot. The table in the snapshot is not parsed.

    If the snapshot is invalid, raise UnfitError with a pointer to the invalid value.
    """
    found: Snapshot | SealedSnapshot
    sealed = type(value) is dict and value.get("sealed") is True
    found = structs.read(value, SealedSnapshot if sealed else Snapshot)
    return found
