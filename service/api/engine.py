"""The stateless engine over HTTP: a snapshot and a move in, a snapshot out.

Snapshots are open: the whole truth, for back ends that may know it. So events come all, each with its hearers.
"""

from __future__ import annotations

from typing import Any, Final

from flask import Response
from marshmallow import fields

from games.core.game import Game, Outcome
from games.core.table import SPECTATOR
from service import engine, replays
from service.chance import fresh_seed
from service.contract.fields import Answer, Body, Choice, Flag, Payload, Query, Whole, Words
from service.contract.http import Blueprint
from service.contract.payloads import AnyOptions, MoveField, Snapshot, SnapshotField, ViewField
from service.contract.problems import Fault, Problem
from service.contract.shapes import (
    HeardEvent,
    ListedMove,
    Misfit,
    ReplayedMove,
    ReplayMove,
    Standing,
    heard,
    legal_moves,
    listed,
    standing,
)
from service.contract.structs import AnyView
from service.contract.trace import language, trace_id
from service.house import house

SEATS: Final = 6
PICTURE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

blp = Blueprint(
    "engine",
    __name__,
    url_prefix="/v1/games/<game>",
    description="The rules without a memory: snapshots go in and come out. An open snapshot is the truth of a table.",
)


@blp.url_value_preprocessor
def find_game(_endpoint: str | None, values: dict[str, Any] | None) -> None:
    """Put the game in the place of its slug, or fail with 404."""
    if values is not None:
        values["game"] = house().game(values["game"])


class NewSnapshot(Body):
    """What a new table needs."""

    seats = Whole(1, SEATS, required=True)
    options = Payload(AnyOptions)
    seed = Words(1, 128, metadata={"description": "Decides all chance; drawn where none is given."})


class SnapshotQuery(Query):
    """How the snapshot is to be made."""

    sealed = Flag(metadata={"description": "True is refused: this service makes open snapshots only."})


class SnapshotMade(Answer):
    """A snapshot and who may move."""

    snapshot = Payload(Snapshot, required=True)
    actors = Payload(list[int], required=True)


class SeatedSnapshot(Body):
    """A snapshot and a seat at it."""

    snapshot = SnapshotField(required=True)
    seat = Whole(0, SEATS - 1, required=True)


class ViewedSnapshot(Body):
    """A snapshot and a viewer: a seat, or null for a spectator."""

    snapshot = SnapshotField(required=True)
    seat = Whole(0, SEATS - 1, required=True, allow_none=True)


class ViewGiven(Body):
    """A view as the service gave it."""

    view = ViewField(required=True)


class MoveAtSnapshot(Body):
    """A snapshot and a seat's move."""

    snapshot = SnapshotField(required=True)
    seat = Whole(0, SEATS - 1, required=True)
    move = MoveField(required=True)


class MoveQuery(Query):
    """How the move is to be taken."""

    validate_only = Flag(metadata={"description": "Check the move and change nothing."})


class MoveMade(Answer):
    """What came of a move: all events with their hearers, what chance answered, and the standing once it is over."""

    snapshot = Payload(Snapshot, required=True)
    events = Payload(list[HeardEvent], required=True)
    outcomes = Payload(list[Outcome], required=True)
    actors = Payload(list[int], required=True)
    outcome = Payload(Standing)


class LegalMoves(Answer):
    """What a seat may do now; none for a seat that has nothing to decide."""

    seat = fields.Integer(required=True)
    mode = Choice(
        ["list", "schema"], required=True, metadata={"description": "`schema`: more than the listed is allowed."}
    )
    count = fields.Integer(required=True)
    moves = Payload(list[ListedMove], required=True)


class PictureQuery(Query):
    """How the picture is to look."""

    theme = Choice(["light", "dark"], load_default="light")


RULESET: Final = "The ruleset that has written this; today's where it is left out."


class Record(Body):
    """A table's record: how it began, and every move with what chance answered where that was written down."""

    seats = Whole(1, SEATS, required=True)
    ruleset = Words(1, 64, metadata={"description": RULESET})
    options = Payload(AnyOptions)
    seed = Words(1, 128, metadata={"description": "Decides what the record does not tell."})
    outcomes = Payload(list[Outcome], metadata={"description": "What chance answered at the set-up."})
    moves = Payload(list[ReplayMove], required=True)


class RecordFrom(Body):
    """A record that begins at a snapshot, whose seed decides what the record does not tell."""

    snapshot = SnapshotField(required=True)
    ruleset = Words(1, 64, metadata={"description": f"Of the moves. {RULESET}"})
    moves = Payload(list[ReplayMove], required=True)


class History(Answer):
    """A table's history as far as its record fits."""

    fits = fields.Boolean(required=True)
    outcomes = Payload(list[Outcome], required=True, metadata={"description": "What chance answered at the set-up."})
    moves = Payload(list[ReplayedMove], required=True)
    misfit = Payload(Misfit, metadata={"description": "The first move that does not fit."})
    snapshot = Payload(Snapshot, required=True)
    actors = Payload(list[int], required=True)
    outcome = Payload(Standing)


@blp.post("/snapshots")
@blp.arguments(NewSnapshot())
@blp.arguments(SnapshotQuery(), location="query")
@blp.response(201, SnapshotMade())
@blp.problems("unknown-game", "sealed-not-offered")
def create_snapshot(body: dict[str, Any], query: dict[str, Any], game: Game) -> dict[str, Any]:
    """Set up a table and hand it out as an open snapshot.

    Every die is a function of the snapshot's seed and ply, so the same request rolls the same. A holder of a snapshot
    can look ahead and go back; competitive play belongs in sessions.
    """
    if query.get("sealed"):
        raise Problem("sealed-not-offered", errors=[Fault("/sealed", "sealed", place="query")])
    options = engine.read_options(game, body.get("options", {}), body["seats"])
    seed = body.get("seed") or fresh_seed()
    table = engine.deal(game, body["seats"], options, seed)
    return {"snapshot": engine.written(game, table, seed), "actors": game.actors(table)}


@blp.post("/legal-moves")
@blp.arguments(SeatedSnapshot())
@blp.response(200, LegalMoves())
@blp.problems("unknown-game", "unknown-ruleset", "broken-snapshot", "sealed-not-offered")
def list_legal_moves(body: dict[str, Any], game: Game) -> dict[str, Any]:
    """List what a seat may do at a snapshot, each move as an object, as a code and as a sentence."""
    table = engine.read_table(game, body["snapshot"], language())
    engine.check_seat(table, body["seat"])
    return legal_moves(game, body["seat"], listed(game, table, body["seat"], language()))


@blp.post("/moves")
@blp.arguments(MoveAtSnapshot())
@blp.arguments(MoveQuery(), location="query")
@blp.response(200, MoveMade())
@blp.problems(
    "unknown-game",
    "unknown-ruleset",
    "broken-snapshot",
    "sealed-not-offered",
    "not-your-turn",
    "game-over",
    "invalid-move",
    "illegal-move",
)
def make_snapshot_move(body: dict[str, Any], query: dict[str, Any], game: Game) -> dict[str, Any]:
    """Make a move at a snapshot and return the snapshot after it.

    The events are all there are, each with those who hear it: whoever holds an open snapshot may know everything, and
    passes on to each player only what that player hears.
    """
    snapshot: Snapshot = body["snapshot"]
    table = engine.read_table(game, snapshot, language())
    engine.check_seat(table, body["seat"])
    code = engine.understood(game, table, body["seat"], body["move"], language())
    if query.get("validate_only"):
        return {"snapshot": snapshot, "events": [], "outcomes": [], "actors": game.actors(table)}
    step = engine.made(game, table, body["seat"], code, snapshot.seed)
    over = standing(game, step.table, language())
    return {
        "snapshot": engine.written(game, step.table, snapshot.seed),
        "events": heard(game, step.table, step.heard, language()),
        "outcomes": step.outcomes,
        "actors": game.actors(step.table),
        **({} if over is None else {"outcome": over}),
    }


@blp.post("/views")
@blp.arguments(ViewedSnapshot())
@blp.returns(200, AnyView)
@blp.problems("unknown-game", "unknown-ruleset", "broken-snapshot", "sealed-not-offered")
def view_snapshot(body: dict[str, Any], game: Game) -> Any:
    """Return what a seat, or a spectator, may know of a snapshot."""
    table = engine.read_table(game, body["snapshot"], language())
    return game.view(table, _viewer(table, body["seat"]))


@blp.post("/pictures")
@blp.either(ViewedSnapshot(), ViewGiven())
@blp.arguments(PictureQuery(), location="query")
@blp.response(200, {"type": "string"}, content_type="image/svg+xml")
@blp.problems("unknown-game", "unknown-ruleset", "broken-snapshot", "sealed-not-offered", "broken-view")
def draw_picture(body: dict[str, Any], query: dict[str, Any], game: Game) -> Response:
    """Draw what a viewer may know as an SVG picture, from a snapshot and a seat or from a view."""
    if "view" in body:
        view = body["view"]
        engine.check_view(game, view, language())
    else:
        table = engine.read_table(game, body["snapshot"], language())
        view = game.view(table, _viewer(table, body["seat"]))
    return picture(game.picture(view, language(), query["theme"]))


@blp.post("/replays")
@blp.either(Record(), RecordFrom())
@blp.response(200, History())
@blp.problems("unknown-game", "unknown-ruleset", "broken-snapshot", "sealed-not-offered", "unfit-outcome")
def replay(body: dict[str, Any], game: Game) -> dict[str, Any]:
    """Play a record again and return the table's history, or as much of it as fits with the first move that does not.

    Recorded outcomes win over the seed: where a move (or the set-up) has outcomes, they must be all that it draws.
    `GET /v1/sessions/{id}/replay` gives such a record of a session that is over.
    """
    most = house().settings.limits.replay_moves
    if len(body["moves"]) > most:
        raise Problem("invalid-body", errors=[Fault("/moves", "items", {"low": 0, "high": most})])
    if body.get("ruleset", game.ruleset) != game.ruleset:
        body = replays.modern(engine.since(game, body["ruleset"], "/ruleset"), body)
    moves, start = replays.read_moves(body["moves"]), body.get("snapshot")
    if start is None:
        options, seed = engine.read_options(game, body.get("options", {}), body["seats"]), body.get("seed")
        first, set_up = replays.begun(game, body["seats"], options, seed, body.get("outcomes"))
    else:
        first, set_up, seed = engine.read_table(game, start, language()), list[Outcome](), start.seed
    found = replays.replayed(game, first, set_up, seed, moves, language())
    over = standing(game, found.last, language())
    misfit = None
    if found.misfit is not None:
        misfit = Misfit(len(found.plays), found.misfit.document(language(), trace_id()))
    return {
        "fits": misfit is None,
        "outcomes": found.set_up,
        "moves": [_told(game, play) for play in found.plays],
        **({} if misfit is None else {"misfit": misfit}),
        "snapshot": engine.written(game, found.last, seed or found.continuing_seed),
        "actors": game.actors(found.last),
        **({} if over is None else {"outcome": over}),
    }


def picture(drawn: str) -> Response:
    """Return an SVG answer that a browser shows but never runs."""
    headers = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": PICTURE_POLICY}
    return Response(drawn, headers=headers, content_type="image/svg+xml; charset=utf-8")


def _viewer(table: Any, seat: int | None) -> int:
    """Return a viewer as the games count them."""
    if seat is None:
        return SPECTATOR
    engine.check_seat(table, seat)
    return seat


def _told(game: Game, play: replays.Play) -> ReplayedMove:
    """Return a play as a line of a history."""
    move = game.decode(play.before, play.code)
    return ReplayedMove(
        play.before.ply,
        play.seat,
        play.code,
        move,
        game.label(move, language()),
        play.step.outcomes,
        heard(game, play.step.table, play.step.heard, language()),
    )
