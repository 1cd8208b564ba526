"""Request fields with types that depend on the game, and the OpenAPI components of these types.

Moves of different games have different tags. So one union can contain the moves of all games, and all operations share
this union. Events and views have such unions, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Annotated, Any, Final

from msgspec import Meta

from games.core.admission import prefix
from games.core.checkpoint import checkpoint
from games.core.game import Game, Move, View
from service.contract.json_schemas import SCHEMAS, AnyView, component, schemas_of
from service.contract.schema_forms import merged
from service.http.context import current_context
from service.http.fields import Payload
from service.http.problems import Problem
from service.http.request_context import current_call
from service.jobs.players import RemoteBot
from service.sessions.session_events import HAPPENINGS
from service.snapshots.records import MAX_SEATS, MOVE_CODE, MoveCode, ReplayMove, SealedSnapshot, Snapshot
from service.snapshots.replay import RecordedMove
from service.validation import structs
from service.validation.faults import Fault
from service.wire.jobs import BotByLevel, IterationBudget, TimeBudget
from service.wire.positions import PositionOfSnapshot, PositionOfView
from service.wire.snapshots import AnySnapshot, read_snapshot

AnyOptions = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Options"})]
"""The options of any game, before they are parsed."""

MoveOrCode = Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}MoveOrCode"})]
"""A move, either as an object or as a numeric code."""


def parse_move(value: object) -> Move | MoveCode:
    """Parse a move, given as an object or a code.

    If it is invalid, raise UnfitError with a pointer to the invalid value.
    """
    found: Move | MoveCode
    kind = value.get("kind", MOVE_CODE if "code" in value else None) if type(value) is dict else None
    if kind == MOVE_CODE:
        found = structs.read(value, MoveCode)
    else:
        found = structs.read_tagged(value, "kind", current_context().moves, _kinds)
    return found


def _kinds() -> Iterable[str]:
    context = current_context()
    game = context.games.get(current_call().game)
    return [*(context.moves if game is None else (str(kind.__struct_config__.tag) for kind in game.moves)), MOVE_CODE]


def _read_view(value: object) -> View:
    found: View = structs.read_tagged(value, "game", current_context().views)
    return found


def _read_open_snapshot(value: object) -> Snapshot:
    found = read_snapshot(value)
    if isinstance(found, SealedSnapshot):
        raise structs.UnfitError(Fault("/sealed", "sealed"))
    return found


SEALED_TEXT: Final = "Whether the snapshot is sealed. A sealed one has a token, an open one a seed and a table."
HEARER: Final = {
    "description": "A recipient of an event: a seat, or `spectators`.",
    "oneOf": [
        {"type": "integer", "minimum": 0, "maximum": MAX_SEATS - 1},
        {"type": "string"},
    ],
}

MoveField = partial(Payload, MoveOrCode, parse_move)
"""A field for a move, given as an object or as `{code}`. It is loaded as a `Move` of any game or a `MoveCode`."""

ViewField = partial(Payload, AnyView, _read_view)
"""A field for a view of any game. It is loaded as the game's own view type."""

SnapshotField = partial(Payload, AnySnapshot, read_snapshot)
"""A field for an open or sealed snapshot. `service.api.snapshot_access` parses the table in it later."""

OpenSnapshotField = partial(Payload, AnySnapshot, _read_open_snapshot)
"""A field for an open snapshot. A sealed snapshot is rejected with a specific error."""


def read_move(value: object, pointer: str) -> Move | MoveCode:
    """Parse `value`, the move at `pointer` in the request body. Raise Problem if it is malformed."""
    try:
        return parse_move(value)
    except structs.UnfitError as unfit:
        raise Problem("invalid-body", errors=[unfit.fault.below(pointer)]) from None


def read_moves(moves: list[ReplayMove]) -> list[RecordedMove]:
    """Parse the moves of a recorded game. Raise Problem if one of them is malformed."""
    texts = []
    for index, move in enumerate(moves):
        checkpoint()
        texts.append(RecordedMove(move.seat, read_move(move.move, f"/moves/{index}/move"), move.draws))
    return texts


def describe(games: Iterable[Game]) -> dict[str, Any]:
    """Return the OpenAPI components of all games: their structs, and the unions Move, Event, View and Options."""
    components: dict[str, Any] = {}
    unions: dict[str, list[tuple[str, str]]] = {"Move": [], "Event": [], "View": [], "Options": []}
    for game in games:
        before = {union: len(known) for union, known in unions.items()}
        groups = {"Move": game.moves, "Event": game.events, "View": (game.view_type,), "Options": (game.options_type,)}
        types = [(union, kind) for union, kinds in groups.items() for kind in kinds]
        refs, found = schemas_of(*(kind for _, kind in types))
        own = prefix(game.slug)
        names = {name: name if name.startswith(own) else own + name for name in found}
        components |= {names[name]: _renamed(described, names) for name, described in found.items()}
        for (union, kind), ref in zip(types, refs, strict=True):
            unions[union].append((str(kind.__struct_config__.tag), _renamed(ref, names)["$ref"]))
        for union in ("Move", "Event"):
            components[own + union] = _union("kind", unions[union][before[union] :])
    refs, found = schemas_of(*HAPPENINGS)
    for kind, ref in zip(HAPPENINGS, refs, strict=True):
        unions["Event"].append((str(kind.__struct_config__.tag), ref["$ref"]))
    components |= found
    for union, tag in (("Move", "kind"), ("Event", "kind"), ("View", "game")):
        components[union] = _union(tag, unions[union])
    said = ", ".join(f"`{ref.removeprefix(SCHEMAS)}`" for _, ref in unions["Options"])
    components["Options"] = {"type": "object", "description": f"The options of the game, by game {said}."}
    _describe_forms(components)
    by_code = component(MoveCode, components)["$ref"]
    components["MoveOrCode"] = _union("kind", [*unions["Move"], (MOVE_CODE, by_code)])
    return components


def _describe_forms(components: dict[str, Any]) -> None:
    forms = {
        "Snapshot": ((Snapshot, SealedSnapshot), "A table, open or sealed. Send it back unchanged."),
        "Budget": ((IterationBudget, TimeBudget), "Limit of a search."),
        "Bot": ((BotByLevel, RemoteBot), "A bot of this service, or a remote bot at a URL."),
        "Position": ((PositionOfView, PositionOfSnapshot), "A position to search."),
    }
    for name, (kinds, said) in forms.items():
        described = schemas_of(*kinds)[1]
        components[name] = merged([described.pop(kind.__name__) for kind in kinds], said)
        for part, schema in described.items():
            components.setdefault(part, schema)
    components["Snapshot"]["properties"]["sealed"] = {"type": "boolean", "description": SEALED_TEXT}
    components["Hearer"] = HEARER


def _union(tag: str, members: list[tuple[str, str]]) -> dict[str, Any]:
    return {
        "oneOf": [{"$ref": ref} for _, ref in members],
        "discriminator": {"propertyName": tag, "mapping": dict(members)},
    }


def _renamed(schema: Any, names: Mapping[str, str]) -> Any:
    if isinstance(schema, dict):
        found = {key: _renamed(value, names) for key, value in schema.items()}
        if "prefixItems" in found:  # a tuple, whose length is given by minItems and maxItems
            parts = found.pop("prefixItems")
            kinds = [part for number, part in enumerate(parts) if part not in parts[:number]]
            found["items"] = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
        return found
    if isinstance(schema, list):
        return [_renamed(item, names) for item in schema]
    if isinstance(schema, str) and schema.removeprefix(SCHEMAS) in names and schema.startswith(SCHEMAS):
        return SCHEMAS + names[schema.removeprefix(SCHEMAS)]
    return schema
