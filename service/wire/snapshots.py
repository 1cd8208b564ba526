"""Snapshots on the wire: open ones, which are the truth, and sealed ones, which tell nothing without a seat's key."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from service.http import structs
from service.http.structs import SCHEMAS

LARGEST: Final = 2**53 - 1
"""The largest integer that every client reads alike."""


class Snapshot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An open snapshot: the whole truth of a table, for back ends that may know it.

    `table` is the game's own record, opaque and no part of the contract; hand it back as it came. Every die of the
    next move is a function of `seed` and `ply`, so a retry rolls the same.
    """

    game: Annotated[str, Meta(max_length=64)]
    ruleset: Annotated[str, Meta(max_length=64)]
    ply: Annotated[int, Meta(ge=0, le=LARGEST)]
    sealed: Annotated[bool, Meta(description="False: the snapshot is open.", extra_json_schema={"enum": [False]})]
    seed: Annotated[str, Meta(min_length=1, max_length=128)]
    table: Annotated[Any, Meta(description="Opaque.", extra_json_schema={"type": "object"})]


class SealedSnapshot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A sealed snapshot: anybody may keep it, and nobody can read or change it; a `Seat-Key` opens one seat's view.

    Its token has the same length at every table of a game and number of seats. `ply` is what spectators know of it.
    """

    game: Annotated[str, Meta(max_length=64)]
    ruleset: Annotated[str, Meta(max_length=64)]
    ply: Annotated[int, Meta(ge=0, le=LARGEST)]
    sealed: Annotated[bool, Meta(description="True: the snapshot is sealed.", extra_json_schema={"enum": [True]})]
    token: Annotated[str, Meta(min_length=1, description="Opaque.")]


SNAPSHOT: Final = {"oneOf": [{"$ref": f"{SCHEMAS}{kind.__name__}"} for kind in (Snapshot, SealedSnapshot)]}

AnySnapshot = Annotated[Any, Meta(extra_json_schema=SNAPSHOT)]
"""An open snapshot or a sealed one."""


def read_snapshot(value: object) -> Snapshot | SealedSnapshot:
    """Read the frame of a snapshot; raise UnfitError with the place where it is none."""
    found: Snapshot | SealedSnapshot
    sealed = type(value) is dict and value.get("sealed") is True
    found = structs.read(value, SealedSnapshot if sealed else Snapshot)
    return found
