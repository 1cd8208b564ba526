"""Jobs: searches and simulations, done by the workers, asked for here and looked at until they are done."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import msgspec
from flask import Response, request
from marshmallow import fields

from games.core.dice import FastDice
from games.core.game import Game, View
from service import engine
from service.api.listeners import caller_gone
from service.api.once import HEADER as IDEMPOTENCY_KEY
from service.api.once import NAMED, REPLAYED, once, replayed
from service.api.seated import BEARER_OR_NONE, admitted, seated
from service.api.sessions import refused
from service.chance import fresh_seed
from service.contract.fields import Answer, Body, Choice, Flag, Payload, Real, Rows, Whole, Within, Words
from service.contract.http import LOCATION, Blueprint, answer
from service.contract.payloads import AnyOptions, SnapshotField, ViewField
from service.contract.problems import Fault, Problem, ProblemDocument
from service.contract.trace import language, trace_id
from service.contract.work import BotField, BudgetField, IterationBudget, Progress, Result, job_told
from service.house import house
from service.jobs.ask import KINDS, Order, again, ask, call_off, credential_of, find, wait
from service.jobs.store import ENDED, STATES, Job
from service.sessions.errors import SessionError
from service.sessions.reading import game_of, table_of
from service.store.sessions import Session
from workers import names
from workers.levels import LEVELS

SEATS: Final = 6
MOVES: Final = 10_000
LARGEST: Final = 10**9
YARDSTICK: Final = "tuned"

PREFER: Final = {
    "in": "header",
    "name": "Prefer",
    "schema": {"type": "string"},
    "example": "wait=1",
    "description": "`wait=N` asks to wait up to N seconds for the job to end.",
}
APPLIED: Final = {"description": "The wait that was granted, in seconds.", "schema": {"type": "string"}}

_WAIT: Final = re.compile(r"wait *= *\"?([0-9]{1,6})\"?\Z", re.IGNORECASE)
_ID: Final = re.compile(r"[A-Za-z0-9_-]{22}\Z")

blp = Blueprint(
    "jobs",
    __name__,
    url_prefix="/v1/jobs",
    description=(
        "Searches and simulations. A job belongs to the credential it was made with; without one, to whoever knows its "
        "id, which nobody can guess."
    ),
)

blp.register_error_handler(SessionError, refused)


class Search(Body):
    """What every search needs."""

    game = Words(1, 64, required=True)
    budget = BudgetField(required=True)
    level = Choice(
        LEVELS, load_default=YARDSTICK, metadata={"description": "The bot whose evaluation of positions is used."}
    )
    seed = Words(1, 128, metadata={"description": "Decides the worlds that are sampled; drawn where none is given."})
    top = Whole(1, MOVES, metadata={"description": "How many moves to tell, the best first; all where left out."})


class SearchOfView(Search):
    """A search in what a seat knows."""

    view = ViewField(required=True)


class SearchOfSnapshot(Search):
    """A search for a seat at a snapshot; no more of it is used than that seat knows."""

    snapshot = SnapshotField(required=True)
    seat = Whole(0, SEATS - 1, required=True)


class SearchOfSession(Search):
    """A search for the seat whose token comes with the request."""

    session = Words(1, 64, required=True)


class BotEntered(Body):
    """Who plays a seat."""

    bot = BotField(required=True)


class Simulation(Body):
    """What every simulation needs."""

    game = Words(1, 64, required=True)
    seats = Rows(Within(BotEntered()), 1, SEATS, required=True)
    options = Payload(AnyOptions)
    seed = Words(1, 128, metadata={"description": "The same seed plays the same games; drawn where none is given."})
    rotate_seats = Flag(
        load_default=True, metadata={"description": "Whether the bots change seats, each deal played from all of them."}
    )


class SimulationOfGames(Simulation):
    """So many games."""

    games = Whole(1, LARGEST, required=True)


class StopRule(Body):
    """When it is enough: every interval of a win rate is this narrow, or so many games are played."""

    half_width = Real(0.001, 0.5, required=True)
    max_games = Whole(1, LARGEST, required=True)


class SimulationUntil(Simulation):
    """As many games as it takes."""

    until = Within(StopRule(), required=True)


class JobShown(Answer):
    """A job; `result` once it succeeded, `problem` once it failed, `partial_result` while it runs."""

    id = fields.String(required=True)
    kind = Choice(list(KINDS.values()), required=True)
    game = fields.String(required=True)
    state = Choice(STATES, required=True)
    progress = Payload(Progress, required=True)
    result = Payload(Result)
    partial_result = Payload(Result)
    problem = Within(ProblemDocument())
    created_at = fields.DateTime(required=True)
    expires_at = fields.DateTime(required=True)


def asked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Document what all operations that make a job have in common."""
    noted = blp.problems("invalid-idempotency-key", "idempotency-key-reused", "operation-running", "queue-full")(
        function
    )
    noted = blp.problems("unknown-ruleset", "store-away")(noted)
    noted = blp.doc(security=BEARER_OR_NONE, parameters=[PREFER, IDEMPOTENCY_KEY])(noted)
    noted = blp.alt_response(
        200, schema=JobShown(), description="The job has ended.", headers={"Preference-Applied": APPLIED}
    )(noted)
    headers = {"Location": LOCATION, "Preference-Applied": APPLIED, "Idempotency-Replayed": REPLAYED}
    done: Callable[..., Any] = blp.response(202, JobShown(), headers=headers)(noted)
    return done


@blp.post("/searches")
@blp.either(SearchOfView(), SearchOfSnapshot(), SearchOfSession())
@asked
@blp.problems("broken-view", "broken-snapshot", "sealed-not-offered", "not-your-turn", "game-over")
@blp.problems("unknown-session", "unauthorized", "forbidden")
def start_search(body: dict[str, Any]) -> Response:
    """Ask what the legal moves of a seat are worth, from what that seat knows.

    The view may be given, or be that of a seat at an open snapshot, or of the seat of a session whose token comes with
    the request. The workers get the view alone, never the table.
    """
    game = _game(body["game"])
    budget, limits = body["budget"], house().settings.limits
    timed = not isinstance(budget, IterationBudget)
    amount = budget.milliseconds if timed else budget.iterations
    most = limits.search_milliseconds if timed else limits.search_iterations
    if amount > most:
        pointer = "/budget/milliseconds" if timed else "/budget/iterations"
        raise Problem("invalid-body", errors=[Fault(pointer, "out-of-range", {"low": 1, "high": most})])

    def order() -> Order:
        view = _view(game, body)
        _check_decision(game, view)
        payload = {
            "game": game.slug,
            "view": msgspec.to_builtins(view),
            "iterations": 0 if timed else amount,
            "milliseconds": amount if timed else 0,
            "level": body["level"],
            "seed": body.get("seed") or fresh_seed(),
            "top": body.get("top"),
            "seconds": limits.search_seconds,
        }
        return Order(function=names.SEARCH, payload=payload, items=1, total=amount, cost=amount)

    return _made(order)


@blp.post("/simulations")
@blp.either(SimulationOfGames(), SimulationUntil())
@asked
def start_simulation(body: dict[str, Any]) -> Response:
    """Ask for games between bots, counted per bot and per seat.

    Game k depends on the seed and k alone. With `rotate_seats` the bots move one seat on from game to game, and a whole
    turn of seats begins with the same deal.
    """
    game = _game(body["game"])
    limits, until = house().settings.limits, body.get("until")
    games = body["games"] if until is None else until["max_games"]
    if games > limits.simulation_games:
        pointer = "/games" if until is None else "/until/max_games"
        fault = Fault(pointer, "out-of-range", {"low": 1, "high": limits.simulation_games})
        raise Problem("invalid-body", errors=[fault])
    options = engine.read_options(game, body.get("options", {}), len(body["seats"]))
    payload = {
        "game": game.slug,
        "bots": [entered["bot"] for entered in body["seats"]],
        "options": msgspec.to_builtins(options),
        "seed": body.get("seed") or fresh_seed(),
        "games": games,
        "rotate_seats": body["rotate_seats"],
        "half_width": 0.0 if until is None else until["half_width"],
        "seconds": limits.simulation_seconds,
    }
    order = Order(function=names.SIMULATION, payload=payload, items=games, total=games, cost=games)
    return _made(lambda: order)


ID_PATH: Final = "/<string(minlength=16):id>"
"""Where a job stands; long enough that no name of an operation is taken for an id."""


@blp.get(ID_PATH)
@blp.response(200, JobShown())
@blp.problems("unknown-job", "store-away")
@blp.doc(security=BEARER_OR_NONE)
def get_job(id: str) -> Response:  # noqa: A002 -- the path parameter's name
    """Show a job: how far it is, what it found so far, and its result once it has one."""
    return answer(_told(_found(id)), headers={"Cache-Control": "no-store"})


@blp.delete(ID_PATH)
@blp.response(200, JobShown())
@blp.problems("unknown-job", "store-away")
@blp.doc(security=BEARER_OR_NONE)
def cancel_job(id: str) -> Response:  # noqa: A002 -- the path parameter's name
    """Call a job off, also a running one; a job that has ended stays as it is."""
    return answer(_told(call_off(house().redis, _found(id))), headers={"Cache-Control": "no-store"})


def _game(slug: str) -> Game:
    """Return the game that a body names."""
    game = house().games.get(slug)
    if game is None:
        raise Problem("invalid-body", errors=[Fault("/game", "choice", {"choices": ", ".join(house().games)})])
    return game


def _view(game: Game, body: dict[str, Any]) -> View:
    """Return the view to search in, from what the body has."""
    if "session" in body:
        return _session_view(game, id=body["session"])  # type: ignore[no-any-return]
    if "snapshot" in body:
        table = engine.read_table(game, body["snapshot"], language())
        engine.check_seat(table, body["seat"])
        return game.view(table, body["seat"])
    view: View = body["view"]
    engine.check_view(game, view, language())
    if view.seat is None:
        raise Problem("invalid-body", errors=[Fault("/view/seat", "null")])
    return view


@admitted(seated)
def _session_view(game: Game, session: Session, viewer: int) -> View:
    """Return what the seat of the request's token knows of its session."""
    if game_of(house().sessions, session).slug != game.slug:
        raise Problem("invalid-body", errors=[Fault("/game", "other-game", {"game": session.charter.game})])
    return game.view(table_of(game, session), viewer)


def _check_decision(game: Game, view: View) -> None:
    """Raise Problem where the view's seat has nothing to decide; no more than the view is looked at."""
    table = game.from_view(view, FastDice(0))
    if not view.actors:
        raise Problem("game-over")
    if view.seat is None or not game.legal(table, view.seat):
        raise Problem("not-your-turn", seat=view.seat)


def _made(order: Callable[[], Order]) -> Response:
    """Ask for a job, wait for it if the caller prefers, and answer with it.

    What the workers get is made where the job is new; a repetition gets its job, whatever has become of the position.
    """
    credential = request.headers.get("Authorization")
    owner, client = credential_of(credential), house().redis

    def act(operation: str) -> Response:
        job = _again(operation, owner) if NAMED in request.headers else None
        headers = {} if job is None else replayed({})
        job = job or ask(client, house().settings.limits, order(), operation, owner)
        headers |= {"Location": f"/v1/jobs/{job.id}", "Cache-Control": "no-store"}
        return answer(_told(job), 202, headers)

    response = once(credential, act)
    preferred = _preferred()
    if preferred is None:
        return response
    with house().waiting.place(("jobs", owner)) as free:
        granted = preferred if free else 0
        job = wait(client, find(client, response.get_json()["id"], owner), granted, caller_gone())
    headers = {"Location": response.headers["Location"], "Preference-Applied": f"wait={granted}"}
    if "Idempotency-Replayed" in response.headers:
        headers["Idempotency-Replayed"] = "true"
    return answer(_told(job), 200 if job.state in ENDED else 202, {**headers, "Cache-Control": "no-store"})


def _again(job: str, owner: str) -> Job | None:
    """Return the job that an operation made before, or None."""
    try:
        return again(house().redis, job, owner)
    except Problem:
        return None


def _preferred() -> int | None:
    """Return how many seconds the caller prefers to wait, as far as is allowed; None where it does not say."""
    for preference in request.headers.get("Prefer", "").split(","):
        if found := _WAIT.match(preference.strip()):
            return min(int(found[1]), house().settings.limits.wait_seconds)
    return None


def _found(job: str) -> Job:
    """Return a job of the caller's, or fail with 404."""
    if not _ID.match(job):
        raise Problem("unknown-job")
    return find(house().redis, job, credential_of(request.headers.get("Authorization")))


def _told(job: Job) -> dict[str, Any]:
    """Return a job as the caller sees it."""
    return job_told(job, house().games[job.game], language(), trace_id())
