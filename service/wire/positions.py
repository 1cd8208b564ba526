"""Positions of search batches.

A position in a request is a view or a snapshot. Each position is searched. A response contains the result for each
position. If there is no result, the response contains the error instead.
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from games.core.game import Game
from service.contract.json_schemas import SCHEMAS, AnyProblem, AnyView
from service.http.fields import Payload
from service.http.json_body import Entry
from service.snapshots.records import Seat
from service.validation import strict_json, structs
from service.validation.strict_json import UnfitJsonError
from service.wire.job_results import SearchResult
from service.wire.jobs import problem_document, serialize_result
from service.wire.snapshots import AnySnapshot

Name = Annotated[
    str,
    Meta(min_length=1, max_length=64, description=("Id of the caller's choice, which is returned with the result.")),
]


class PositionOfView(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A position given as the view of a seat that has a decision to make."""

    view: AnyView
    id: Name | UnsetType = UNSET


class PositionOfSnapshot(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A position given as a snapshot and a seat. The search uses only the view of this seat."""

    snapshot: AnySnapshot
    seat: Seat
    id: Name | UnsetType = UNSET


Position = PositionOfView | PositionOfSnapshot

SMALL: Final = {"seat", "id"}
SMALL_BYTES: Final = 1_024
"""Maximum length in bytes of the JSON text of each member in SMALL. A longer text is invalid."""


class PositionEntry(Entry):
    """A position as JSON text. The view or the snapshot in it is parsed later."""

    view: msgspec.Raw = msgspec.Raw()
    snapshot: msgspec.Raw = msgspec.Raw()
    seat: msgspec.Raw = msgspec.Raw()
    id: msgspec.Raw = msgspec.Raw()


def _read_position(entry: PositionEntry) -> Position:
    given: dict[str, Any] = {name: text for name, text in msgspec.structs.asdict(entry).items() if text}
    for name in SMALL & given.keys():
        try:
            small = len(memoryview(given[name])) <= SMALL_BYTES
            given[name] = strict_json.parse(bytes(given[name]), strict_json.DEFAULT_BOUNDS) if small else None
        except UnfitJsonError:
            given[name] = None
    found: Position = structs.read(given, PositionOfSnapshot if "snapshot" in given else PositionOfView)
    return found


PositionField = partial(Payload, Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Position"})], _read_position)
"""A field that converts a `PositionEntry` to a `Position`. The view or the snapshot is parsed later."""


class SearchedPosition(msgspec.Struct, frozen=True, kw_only=True):
    """The search result of one position.

    If there is no result, `problem` describes the error. Positions are in the order of the request.
    """

    position: Annotated[int, Meta(ge=0, description="Index in the list, counted from 0.")]
    id: Name | UnsetType = UNSET
    result: SearchResult | UnsetType = UNSET
    problem: AnyProblem | UnsetType = UNSET


def serialize_position(row: bytes, game: Game, language: str, trace_id: str) -> SearchedPosition:
    """Return the stored result of a position in the given language."""
    stored: dict[str, Any] = msgspec.json.decode(row)
    if "result" in stored:
        stored["result"] = serialize_result(stored["result"], game, language)
    else:
        stored["problem"] = problem_document(stored["problem"], language, trace_id)
    return SearchedPosition(**stored)
