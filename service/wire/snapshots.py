"""Snapshots on the wire: open ones, which are the truth, and sealed ones, which tell nothing without a seat's key."""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import Meta

from service.http.json_schemas import SCHEMAS
from service.snapshots.records import SealedSnapshot, Snapshot
from service.validation import structs

SNAPSHOT: Final = {"oneOf": [{"$ref": f"{SCHEMAS}{kind.__name__}"} for kind in (Snapshot, SealedSnapshot)]}

AnySnapshot = Annotated[Any, Meta(extra_json_schema=SNAPSHOT)]
"""An open snapshot or a sealed one."""


def read_snapshot(value: object) -> Snapshot | SealedSnapshot:
    """Read the frame of a snapshot; raise UnfitError with the place where it is none."""
    found: Snapshot | SealedSnapshot
    sealed = type(value) is dict and value.get("sealed") is True
    found = structs.read(value, SealedSnapshot if sealed else Snapshot)
    return found
