"""Operations that start searches and simulations, return jobs, and cancel jobs."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from flask import Response

from games.core.game import Game, View
from games.core.levels import LEVELS
from service.api.auth import allow_seat, require
from service.api.callers import keyed
from service.api.groupings import GroupBy, read_grouping
from service.api.job_submission import (
    ID_PATH,
    JobQuery,
    amount_of,
    documents_job,
    find_job,
    reads_job,
    search_payload,
    show_job,
    stop_job,
    submit_job,
)
from service.api.players import BotEntered, Field
from service.api.snapshot_access import SEALED_PROBLEMS, OpenedSnapshot
from service.auth.api_keys import JOBS
from service.http.blueprint import TABLE_BYTES, Blueprint
from service.http.context import current_context
from service.http.fields import Body, Choice, Flag, Payload, Real, Rows, Whole, Within, Words
from service.http.problems import invalid_body
from service.http.request_context import language
from service.jobs import queues
from service.jobs.cost import cost_of_games, cost_of_search
from service.jobs.rounds import turns_of
from service.jobs.submit import Order
from service.sessions.reading import game_of, table_of
from service.snapshots import engine
from service.snapshots.records import MAX_SEATS
from service.snapshots.seeds import fresh_seed
from service.store.sessions import Session
from service.wire.fields import AnyOptions, MoveField, SnapshotField, ViewField
from service.wire.jobs import BudgetField, JobShown

MOVES: Final = 10_000
MAX_GAMES: Final = 10**9
YARDSTICK: Final = "tuned"

blp = Blueprint(
    "jobs",
    __name__,
    url_prefix="/v1/jobs",
    description=(
        "Searches and simulations. A job belongs to the credential that created it. Without one it belongs to "
        "anyone with its id, which cannot be guessed."
    ),
)


class Search(Body):
    """Fields that all search requests share."""

    game = Words(1, 64, required=True)
    budget = BudgetField(required=True)
    level = Choice(LEVELS, load_default=YARDSTICK, description="The bot whose evaluation of positions is used.")
    seed = Words(1, 128, description="Seed of the sampled worlds; random by default.")
    top = Whole(1, MOVES, description="Maximum number of moves, best first; all by default.")


class ExplainedSearch(Search):
    """A search request that may also ask for the reasons for the values of moves."""

    explain = Flag(description="Whether the three best moves and the compared one have `reasons`.")
    compare = MoveField(
        description="A legal move, searched alone with a quarter of the budget, and returned as `compared`."
    )


class SearchOfView(ExplainedSearch):
    """A search from a seat's view."""

    view = ViewField(required=True)


class SearchOfSnapshot(ExplainedSearch):
    """A search that starts at a snapshot. It evaluates the legal moves of the seat `seat`.

    The search uses only information that this seat has. A sealed snapshot requires the header `Seat-Key`.
    """

    snapshot = SnapshotField(required=True)
    seat = Whole(0, MAX_SEATS - 1, required=True)


class SearchOfSession(ExplainedSearch):
    """A search in a session. The request has a seat's token. The search evaluates the legal moves of this seat."""

    session = Words(1, 64, required=True)


class Simulation(Body):
    """Fields that all simulation requests share."""

    game = Words(1, 64, required=True)
    seats = Rows(Within(BotEntered()), 1, MAX_SEATS, required=True)
    options = Payload(AnyOptions)
    seed = Words(1, 128, description="Seed of the games. Equal seeds play equal games; random by default.")
    rotate_seats = Flag(
        load_default=True,
        allow_none=True,
        description="Whether the bots rotate seats, so that each deal is played from all of them.",
    )
    group_by = Within(GroupBy())


class SimulationOfGames(Simulation):
    """A simulation with a fixed number of games."""

    games = Whole(1, MAX_GAMES, required=True)
    games_kept = Flag(
        load_default=True, allow_none=True, description="Whether the service stores each game of the job."
    )


class StopRule(Body):
    """A stop condition. The job stops when the confidence intervals of all win rates are narrow enough.

    The half-width of an interval is half the distance between its two ends. An interval is narrow enough if its
    half-width is at most `half_width`. The job also stops when `max_games` games have been played.
    """

    half_width = Real(0.001, 0.5, required=True)
    max_games = Whole(1, MAX_GAMES, required=True)


class SimulationUntil(Simulation):
    """A simulation that runs until a stop condition is met."""

    until = Within(StopRule(), required=True)


@blp.post("/searches")
@keyed(JOBS)
@blp.arguments(
    SearchOfView(), SearchOfSnapshot(), SearchOfSession(), query=JobQuery(), name="SearchRequest", size=TABLE_BYTES
)
@documents_job(
    blp,
    "broken-view",
    "broken-snapshot",
    *SEALED_PROBLEMS,
    "not-your-turn",
    "game-over",
    "invalid-move",
    "illegal-move",
    "unknown-session",
    "unauthorized",
    "forbidden",
)
def start_search(body: dict[str, Any], query: dict[str, Any]) -> Response:
    """Start a search.

    Estimate the value of each legal move of a seat. The search uses only information that the seat has. The request
    contains the seat's view, a snapshot with the seat's number, or a session's id. With a session's id, the request
    must have the seat's token. Workers receive only the seat's view, never the table. The operation creates a job;
    `Prefer: wait=N` waits for its result.
    """
    game = current_context().game_in_body(body["game"])
    limits = current_context().settings.limits
    iterations, milliseconds = amount_of(body["budget"], limits.search_milliseconds)

    def order() -> Order:
        view = _view(game, body)
        table = engine.check_decision(game, view, language())
        given = search_payload(game, body, (iterations, milliseconds), limits.search_seconds)
        if "compare" in body and view.seat is not None:
            given["compare"] = engine.validate_compared(game, table, view.seat, body["compare"], language())
        about = {"session": body["session"]} if "session" in body else {}
        payload = {"game": game.slug, "view": msgspec.to_builtins(view)} | about | given
        total, cost = iterations or milliseconds, cost_of_search(iterations, milliseconds)
        return Order(function=queues.SEARCH, payload=payload, items=1, total=total, cost=cost)

    return submit_job(query, order)


@blp.post("/simulations")
@keyed(JOBS)
@blp.arguments(SimulationOfGames(), SimulationUntil(), query=JobQuery(), name="SimulationRequest")
@documents_job(blp, "too-many-games")
def start_simulation(body: dict[str, Any], query: dict[str, Any]) -> Response:
    """Start a simulation.

    Play games between bots and count the results per bot and per seat. The operation creates a job. Game k depends only
    on the seed, on k and on the responses of remote bots. By default, `rotate_seats` is true. Every bot then changes to
    the next seat after each game, but the deal stays the same. A new deal starts when every bot has played the old deal
    from every seat. If `rotate_seats` is false, the bots keep their seats, and every game has a new deal. A bot that
    forfeits loses the game, and all others share the win.
    """
    game = current_context().game_in_body(body["game"])
    field, until = Field(game, body["seats"], "/seats"), body.get("until")
    games = body["games"] if until is None else until["max_games"]
    kept = body.get("games_kept", True)
    if not kept:
        field.check_tally(games)
    elif games > field.most_games:
        pointer = "/games" if until is None else "/until/max_games"
        raise invalid_body(pointer, "out-of-range", low=1, high=field.most_games)
    wanted = engine.simulation_options(game, body.get("options", {}))
    options = engine.read_options(game, wanted, len(body["seats"]), "/seats")
    payload = {
        "game": game.slug,
        "bots": field.payload,
        "options": msgspec.to_builtins(options),
        "seed": body.get("seed") or fresh_seed(),
        "games": games,
        "rotate_seats": body["rotate_seats"],
        "half_width": 0.0 if until is None else until["half_width"],
        "seconds": field.seconds if kept else field.tally_seconds(games),
        **read_grouping(game, len(field.players), body),
    }
    cost = cost_of_games(field.players, games)
    function = field.function(queues.SIMULATION) if kept else queues.TALLY
    items = games if kept else turns_of(games, len(field.players))
    order = Order(function=function, payload=payload, items=items, total=games, cost=cost)
    return submit_job(query, lambda: order)


@blp.get(ID_PATH)
@blp.response(200, JobShown)
@reads_job()
def get_job(id: str) -> JobShown:  # noqa: A002 -- the path parameter's name
    """Get a job.

    Return the state and the progress of a job. While the job runs, the response may contain a partial result. If the
    job has succeeded, the response contains the `result`. If the job has failed, `problem` describes the error. With
    `Prefer: wait=N`, the service waits up to N seconds for the end of the job.
    """
    return show_job(find_job(id))


@blp.delete(ID_PATH)
@blp.response(200, JobShown)
@reads_job()
def cancel_job(id: str) -> JobShown:  # noqa: A002 -- the path parameter's name
    """Cancel a job.

    Cancel a queued or running job. Finished jobs stay unchanged.
    """
    return show_job(stop_job(find_job(id)))


def _view(game: Game, body: dict[str, Any]) -> View:
    if "session" in body:
        return _session_view(game, id=body["session"])  # type: ignore[no-any-return]
    if "snapshot" in body:
        return OpenedSnapshot(game, body["snapshot"], body["seat"]).view()
    view: View = body["view"]
    return view


@require(allow_seat)
def _session_view(game: Game, session: Session, viewer: int) -> View:
    if game_of(current_context().sessions, session).slug != game.slug:
        raise invalid_body("/game", "other-game", game=session.charter.game)
    return game.view(table_of(game, session), viewer)
