"""The stateless engine over HTTP. Its operations take a snapshot and a move, and return a new snapshot.

Open snapshots contain the complete state. Sealed snapshots are encrypted. A seat's key opens only that seat's view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Literal

from flask import Response, request
from msgspec import UNSET, UnsetType

from games.core.game import Draw, Game, Heard
from games.core.table import Table
from service.api.callers import keyed
from service.api.engine_schemas import (
    ChanceDraw,
    ChanceShown,
    DraftGiven,
    History,
    MoveAndDraws,
    MoveAtSnapshot,
    MoveQuery,
    PossibleValue,
    Record,
    RecordFrom,
    SeatedSnapshot,
    SnapshotQuery,
    SnapshotRequest,
    ViewedSnapshot,
    ViewGiven,
)
from service.api.errors import problem_of
from service.api.games import find_game
from service.api.snapshot_access import OpenedSnapshot, deal_open, deal_sealed, reads_snapshot
from service.auth.api_keys import PLAY_SCOPE
from service.contract.json_schemas import AnyView
from service.http.blueprint import TABLE_BYTES, Blueprint
from service.http.context import current_context
from service.http.fields import Choice, Query, Whole
from service.http.problems import Problem, invalid_body
from service.http.request_context import current_call, language, trace_id
from service.pictures.png import PNG, png
from service.snapshots import engine
from service.snapshots import replay as replays
from service.validation.faults import Fault
from service.wire.fields import read_moves
from service.wire.moves import (
    HeardEvent,
    LegalMoves,
    Misfit,
    ReplayedMove,
    serialize_log_events,
    serialize_outcome,
)
from service.wire.snapshots import MoveMade, SnapshotMade

ANGLE_STEP: Final = 15
"""Step in degrees between two viewing angles of pictures."""

MIN_WIDTH: Final = 64
MAX_WIDTH: Final = 1_200
"""Maximum width of a picture in pixels."""

SVG: Final = "image/svg+xml"
PICTURE_FORMS: Final = {PNG: {"type": "string", "format": "binary"}}
"""OpenAPI schemas of picture formats other than SVG."""

Theme = Literal["light", "dark"]
Language = Literal["en", "de", "it"]
PICTURE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

blp = Blueprint(
    "engine",
    __name__,
    url_prefix="/v1/games/<game>",
    description=(
        "Stateless rules engine: send a snapshot, receive the next one. An open snapshot contains the whole table. "
        "A sealed one reveals only the view of the seat whose `Seat-Key` is sent."
    ),
)


blp.url_value_preprocessor(find_game)


class Angle(Whole):
    """An angle in degrees. It is rounded to a multiple of ANGLE_STEP, so that requests can share cached drawings."""

    def deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        return ANGLE_STEP * round(super().deserialize(value, *args, **kwargs) / ANGLE_STEP) % 360


class ThemeQuery(Query):
    """Query parameters of pictures whose only option is the theme."""

    theme = Choice(["light", "dark"], load_default="light")


class PictureQuery(ThemeQuery):
    """Query parameters of pictures."""

    angle = Angle(
        -359,
        359,
        load_default=0,
        description="Angle of view, in degrees clockwise around the table, rounded to a multiple of 15.",
    )
    width = Whole(
        MIN_WIDTH,
        MAX_WIDTH,
        description="Width in pixels. An SVG without it fills its container. A PNG has 720 or 800 by default and at"
        " most two million pixels, so a tall picture may be narrower.",
    )


@blp.post("/snapshots")
@keyed(PLAY_SCOPE)
@blp.arguments(SnapshotRequest(), query=SnapshotQuery())
@blp.response(201, SnapshotMade, problems=("unknown-game", "sessions-spent", "store-away"))
def create_snapshot(body: dict[str, Any], query: dict[str, Any], game: Game) -> SnapshotMade:
    """Create a snapshot.

    Set up a table and return it as a snapshot, open or sealed. The service stores no snapshots. Random draws depend
    only on the table's seed and the number of moves, so equal requests produce equal tables.

    A sealed snapshot is encrypted and authenticated, but a client can go back to an earlier one. With `fresh`, the
    service remembers which snapshot of the table is the latest. It then rejects every move that starts from an earlier
    snapshot. A fresh table counts towards the quota of sessions.
    """
    fresh = query.get("fresh", False)
    if fresh and not query.get("sealed"):
        raise Problem("invalid-query", errors=[Fault("/fresh", "not-sealed", place="query")])
    return deal_sealed(game, body, fresh=fresh) if query.get("sealed") else deal_open(game, body)


@blp.post("/legal-moves")
@keyed(PLAY_SCOPE)
@blp.arguments(SeatedSnapshot(), size=TABLE_BYTES)
@blp.response(200, LegalMoves)
@reads_snapshot()
def list_legal_moves(body: dict[str, Any], game: Game) -> LegalMoves:
    """List legal moves.

    Return the legal moves of a seat at a snapshot, each as an object, as a code and as a sentence. A sealed snapshot
    requires the seat's key in `Seat-Key`.
    """
    return OpenedSnapshot(game, body["snapshot"], body["seat"]).legal_moves()


@blp.post("/moves")
@keyed(PLAY_SCOPE)
@blp.arguments(MoveAtSnapshot(), query=MoveQuery(), size=TABLE_BYTES)
@blp.response(200, MoveMade)
@reads_snapshot(
    *("not-your-turn", "game-over", "invalid-move", "illegal-move", "own-content-spent", "unfit-draw"),
    *("stale-snapshot", "store-away"),
)
def make_snapshot_move(body: dict[str, Any], query: dict[str, Any], game: Game) -> MoveMade:
    """Apply a move.

    Apply a move to a snapshot and return the snapshot after it. With an open snapshot, the response contains every
    event with its recipients. Pass each event only to its recipients, because some events are secret. With a sealed
    snapshot, the response contains only the events that the seat receives.

    `draws` fixes the results of random draws. `listPossibleDraws` returns the possible results. If the table was
    created with `fresh=true`, it accepts moves only from its latest snapshot. There is one exception: you can repeat
    the move that led to the latest snapshot. The repetition gets the same response.
    """
    opened = OpenedSnapshot(game, body["snapshot"], body["seat"])
    return opened.make_move(body["move"], body.get("draws"), validate_only=query.get("validate_only", False))


@blp.post("/chance")
@keyed(PLAY_SCOPE)
@blp.arguments(MoveAndDraws(), size=TABLE_BYTES)
@blp.response(200, ChanceShown)
@reads_snapshot("not-your-turn", "game-over", "invalid-move", "illegal-move", "unfit-draw")
def list_possible_draws(body: dict[str, Any], game: Game) -> ChanceShown:
    """List possible draws.

    Return the possible results of a move's next random draw, with their probabilities. The move starts from an open
    snapshot, which is not encrypted. A move may draw several times, and later draws depend on earlier ones. Send the
    first request without `draws`. In the response, `draw` describes the next random draw and its possible results.
    Choose one result and append it to the list `draws` of the request. Send this request again. When `draw` is null in
    the response, the move needs no further draws. Then make the move with the complete list `draws`.
    """
    draw = OpenedSnapshot(game, body["snapshot"], body["seat"]).next_draw(body["move"], body["draws"])
    if draw is None:
        return ChanceShown(draw=None)
    possible = [PossibleValue(value, ways, round(ways / draw.of, 9)) for value, ways in draw.ways.items()]
    return ChanceShown(draw=ChanceDraw(draw.what, draw.of, possible))


@blp.post("/views")
@keyed(PLAY_SCOPE)
@blp.arguments(ViewedSnapshot(), size=TABLE_BYTES)
@blp.response(200, AnyView)
@reads_snapshot()
def view_snapshot(body: dict[str, Any], game: Game) -> Any:
    """Get a view.

    Return the information that a seat or a spectator has at a snapshot. A sealed snapshot requires the seat's key in
    `Seat-Key`.
    """
    return OpenedSnapshot(game, body["snapshot"], body["seat"]).view()


@blp.post("/pictures")
@keyed(PLAY_SCOPE)
@blp.arguments(
    ViewedSnapshot(), ViewGiven(), DraftGiven(), name="PictureRequest", query=PictureQuery(), size=TABLE_BYTES
)
@blp.response(200, {"type": "string"}, content_type=SVG, forms=PICTURE_FORMS)
@reads_snapshot("broken-view", "illegal-move", "invalid-move", "drawings-busy")
def draw_picture(body: dict[str, Any], query: dict[str, Any], game: Game) -> Response:
    """Draw a picture.

    Draw a table as one viewer sees it, or draw a `draft`. For a table, the request contains either a view, or a
    snapshot and a viewer (`seat`). A `draft` is a move that the player has not made yet. The picture of a `draft` shows
    only the content that the player creates in this move, for example a figure of clay. The picture is SVG, or PNG if
    `Accept` prefers `image/png`.
    """
    look = language(), query["theme"], query["angle"]
    if "draft" in body:
        return sized_picture(lambda: engine.draw_draft(game, body["draft"], *look), query.get("width"))
    if "view" in body:
        view = body["view"]
        engine.check_view(game, view, language())
        names = _names(game, view.seats, body.get("names"))
    else:
        view, names = OpenedSnapshot(game, body["snapshot"], body["seat"]).view(), None
    return sized_picture(lambda: game.picture(view, *look, names), query.get("width"))


@blp.post("/replays")
@keyed(PLAY_SCOPE)
@blp.arguments(Record(), RecordFrom(), name="ReplayRequest", size=TABLE_BYTES)
@blp.response(200, History, problems=("unknown-game", "unknown-ruleset", "broken-snapshot", "unfit-draw"))
def replay(body: dict[str, Any], game: Game) -> History:
    """Replay a record.

    Play a record from its start and return the history of the table. If a move is invalid, return the history before
    this move, and the error. The record and each of its moves may have the field `draws`, a list of random draws. The
    record's `draws` must contain all random draws of the set-up. A move's `draws` must contain all random draws of this
    move. If `draws` is missing, the seed determines the random draws. After the end of a session, `GET
    /v1/sessions/{id}/replay` returns its record.
    """
    most = current_context().settings.limits.replay_moves
    if len(body["moves"]) > most:
        raise invalid_body("/moves", "items", low=0, high=most)
    if body.get("ruleset", game.ruleset) != game.ruleset:
        body = replays.migrate(engine.migrations_since(game, body["ruleset"], "/ruleset"), body)
    moves, start = read_moves(body["moves"]), body.get("snapshot")
    if start is None:
        options, seed = engine.read_options(game, body.get("options", {}), body["seat_count"]), body.get("seed")
        first, set_up = replays.set_up_recorded(game, body["seat_count"], options, seed, body.get("draws"))
    else:
        first, set_up, seed = OpenedSnapshot(game, start, None).table, list[Draw](), start.seed
    found = replays.replay_moves(game, first, set_up, seed, moves, language())
    over = serialize_outcome(game, found.last, language())
    misfit: Misfit | UnsetType = UNSET
    if found.misfit is not None:
        misfit = Misfit(len(found.plays), problem_of(found.misfit).document(language(), trace_id()))
    return History(
        fits=misfit is UNSET,
        draws=found.set_up,
        events=_log_events(game, found.first, game.opening(found.first)),
        moves=[_replayed_move(game, play) for play in found.plays],
        misfit=misfit,
        snapshot=engine.write_snapshot(game, found.last, seed or found.continuing_seed),
        actors=game.actors(found.last),
        outcome=over or UNSET,
    )


def _names(game: Game, seats: int, given: Sequence[str | None] | None) -> list[str] | None:
    if given is None:
        return None
    if len(given) != seats:
        raise invalid_body("/names", "items", low=seats, high=seats)
    return [name or usual for name, usual in zip(given, game.seat_names(seats, language()), strict=True)]


def picture(draw: Callable[[], str]) -> Response:
    """Wait until no other request draws a picture. Call `draw` and return a response with the SVG picture.

    The response's headers forbid browsers to run scripts in the picture. Raise DrawingsBusy if too many requests wait.
    """
    with current_context().drawing_slots.slot(current_call().gone):
        return shown_picture(draw(), f"{SVG}; charset=utf-8")


def sized_picture(draw: Callable[[], str], width: int | None) -> Response:
    """Wait until no other request draws a picture. Call `draw` and return a response with the picture as SVG.

    If the client prefers PNG, return the picture as PNG. `width` is in pixels. Raise DrawingsBusy if too many requests
    wait.
    """
    with current_context().drawing_slots.slot(current_call().gone):
        svg = draw()
        shown = (
            shown_picture(png(svg, width), PNG)
            if wants_png()
            else shown_picture(sized(svg, width), f"{SVG}; charset=utf-8")
        )
    shown.vary.add("Accept")
    return shown


def sized(svg: str, width: int | None) -> str:
    return svg if width is None else svg.replace("<svg ", f'<svg width="{width}" ', 1)


def wants_png() -> bool:
    return request.accept_mimetypes.best_match([SVG, PNG], SVG) == PNG


def shown_picture(drawn: str | bytes, media_type: str) -> Response:
    """Return a response with a picture. The response's headers forbid browsers to run scripts in the picture."""
    return Response(drawn, headers={"Content-Security-Policy": PICTURE_POLICY}, content_type=media_type)


def _replayed_move(game: Game, play: replays.Play) -> ReplayedMove:
    move, view = game.decode(play.before, play.code), game.view(play.before, play.seat)
    return ReplayedMove(
        play.before.ply,
        play.seat,
        play.code,
        move,
        game.label(move, language(), view),
        play.step.outcomes,
        _log_events(game, play.before, play.step.heard),
    )


def _log_events(game: Game, table: Table, heard: Sequence[Heard]) -> list[HeardEvent]:
    names = game.seat_names(table.seats, language())
    return serialize_log_events(table.seats, heard, lambda event: game.tell(event, language(), names))
