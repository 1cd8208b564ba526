"""Data that clients send: snapshots, moves as integer codes, and recorded moves with their random draws."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from games.core.game import Draw
from games.core.registry import registered

MAX_SEATS: Final = max(max(game.seat_numbers) for game in registered().values())
"""The largest number of seats of any game."""

MAX_INTEGER: Final = 2**53 - 1
"""The largest integer that all clients can represent exactly."""

Seat = Annotated[int, Meta(ge=0, le=MAX_SEATS - 1, description="Seat, from 0.")]


class Snapshot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An open snapshot. It contains the complete state of a table.

    All random draws of the next move depend only on `seed` and `ply` (the number of moves so far).
    """

    game: Annotated[str, Meta(max_length=64)]
    ruleset: Annotated[str, Meta(max_length=64)]
    ply: Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
    sealed: Annotated[bool, Meta(description="False: the snapshot is open.", extra_json_schema={"enum": [False]})]
    seed: Annotated[str, Meta(min_length=1, max_length=128)]
    table: Annotated[Any, Meta(description="The table. Treat it as opaque.", extra_json_schema={"type": "object"})]


class SealedSnapshot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A sealed snapshot. Clients can store it but cannot read or change it.

    `ply` is the number of moves so far. It does not count moves that are still hidden from spectators.
    """

    game: Annotated[str, Meta(max_length=64)]
    ruleset: Annotated[str, Meta(max_length=64)]
    ply: Annotated[int, Meta(ge=0, le=MAX_INTEGER)]
    sealed: Annotated[bool, Meta(description="True: the snapshot is sealed.", extra_json_schema={"enum": [True]})]
    token: Annotated[str, Meta(min_length=1, description="The table. Treat it as opaque.")]


MOVE_CODE: Final = "code"
"""Value of `kind` in a move that is given by its code. No game has a move of this kind."""


class MoveCode(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="kind", tag=MOVE_CODE):
    """A move as an integer code.

    The same code may have another meaning in another ruleset.
    """

    code: Annotated[int, Meta(ge=0, le=MAX_INTEGER)]


class ReplayMove(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A move of a record, with its draws if they were recorded."""

    seat: Seat
    move: Annotated[Any, Meta(extra_json_schema={"$ref": "#/components/schemas/MoveOrCode"})]
    draws: list[Draw] | None = None
