"""Batches of searches: their positions, and a row for each position with its result or its problem."""

from __future__ import annotations

from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from games.core.game import Game
from service.http.json_schemas import SCHEMAS, AnyView
from service.snapshots.records import Seat
from service.validation import structs
from service.wire.fields import GamePayload
from service.wire.jobs import SearchResult, problem_document, serialize_result
from service.wire.snapshots import AnySnapshot

Name = Annotated[str, Meta(min_length=1, max_length=64, description="The caller's own, told again with the result.")]


class PositionOfView(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a seat knows that has a decision to make."""

    view: AnyView
    id: Name | UnsetType = UNSET


class PositionOfSnapshot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A seat at a snapshot; no more of it is used than that seat knows."""

    snapshot: AnySnapshot
    seat: Seat
    id: Name | UnsetType = UNSET


Position = PositionOfView | PositionOfSnapshot

POSITION: Final = {
    "oneOf": [{"$ref": f"{SCHEMAS}{part}"} for part in (PositionOfView.__name__, PositionOfSnapshot.__name__)]
}


class PositionField(GamePayload):
    """A position; what stands inside of its view or snapshot is looked at later, each by itself."""

    parts = (PositionOfView, PositionOfSnapshot)
    shape = Annotated[Any, Meta(extra_json_schema=POSITION)]

    def read(self, value: object) -> Position:
        """Read either."""
        found: Position
        seated = type(value) is dict and "snapshot" in value
        found = structs.read(value, PositionOfSnapshot if seated else PositionOfView)
        return found


class SearchedPosition(msgspec.Struct, frozen=True, kw_only=True):
    """One position of a batch, in the order asked for: what was found there, or why it could not be searched."""

    position: Annotated[int, Meta(ge=0, description="Its place in the list, from 0.")]
    id: Name | UnsetType = UNSET
    result: SearchResult | UnsetType = UNSET
    problem: Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Problem"})] | UnsetType = UNSET


def serialize_position(row: bytes, game: Game, language: str, trace_id: str) -> SearchedPosition:
    """Return the stored row of a position as the reader sees it."""
    stored: dict[str, Any] = msgspec.json.decode(row)
    if "result" in stored:
        stored["result"] = serialize_result(stored["result"], game, language)
    else:
        stored["problem"] = problem_document(stored["problem"], language, trace_id)
    return SearchedPosition(**stored)
