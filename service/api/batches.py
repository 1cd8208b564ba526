"""Batches of searches: thousands of positions as one job, and a line for each of them as soon as it is done."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import asdict
from functools import wraps
from typing import Any, Final

import msgspec
from flask import Response, request

from games.core.game import Game, View
from service import engine
from service.api.callers import keyed
from service.api.holders import held
from service.api.jobs import Search, check_decision
from service.api.orders import amount_of, asked, game_named, made
from service.chance import fresh_seed
from service.contract import structs
from service.contract.fields import Rows
from service.contract.http import Blueprint
from service.contract.positions import Position, PositionField, PositionOfView
from service.contract.problems import Fault, Problem
from service.contract.snapshots import read_snapshot
from service.contract.trace import language
from service.house import house
from service.jobs.ask import Order
from service.jobs.cost import cost_of_search
from service.keys import JOBS
from workers import names

MOST: Final = 100_000
"""More positions than any limit allows."""

PACKING: Final = 1
"""How hard zlib works: views shrink to a third at once, and hardly further."""

blp = Blueprint(
    "batches",
    __name__,
    url_prefix="/v1/jobs",
    description="Many searches as one job, in portions that any number of workers share.",
)


class SearchBatch(Search):
    """Positions of one game, each searched with the same budget; what is drawn at each follows from the seed."""

    positions = Rows(PositionField(), 1, MOST, required=True)


def roomy(function: Callable[..., Any]) -> Callable[..., Any]:
    """Take a larger body than other operations do."""

    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        request.max_content_length = house().settings.limits.batch_bytes
        return function(*args, **kwargs)

    return wrapper


@blp.post("/searches:batch")
@keyed(JOBS)
@roomy
@blp.arguments(SearchBatch())
@asked(blp)
def start_search_batch(body: dict[str, Any]) -> Response:
    """Ask what the legal moves are worth in many positions; `results` of the job tells it line by line.

    A position that cannot be searched gets a line with its problem, and the others are searched all the same. Position
    k is searched as a search of its own with the seed `<seed>/<k>` would be, so with a budget in iterations the results
    depend neither on how many workers share the job nor on what else is in it. `/v1/limits` says how many positions,
    bytes and seconds of work a batch may have. A `Seat-Key` opens the sealed snapshots of its seat and no others.
    """
    game, limits, positions = game_named(body["game"]), house().settings.limits, body["positions"]
    if len(positions) > limits.batch_positions:
        raise Problem("invalid-body", errors=[Fault("/positions", "items", {"low": 1, "high": limits.batch_positions})])
    longest = max(1, limits.batch_seconds * 1000 // len(positions))
    iterations, milliseconds = amount_of(body["budget"], min(longest, limits.search_milliseconds))

    def order() -> Order:
        payload = {
            "game": game.slug,
            "iterations": iterations,
            "milliseconds": milliseconds,
            "level": body["level"],
            "seed": body.get("seed") or fresh_seed(),
            "top": body.get("top"),
            "seconds": limits.batch_seconds,
        }
        return Order(
            function=names.SEARCH_BATCH,
            payload=payload,
            items=len(positions),
            total=len(positions),
            cost=len(positions) * cost_of_search(iterations, milliseconds),
            inputs=[_input(game, number, position) for number, position in enumerate(positions)],
        )

    return made(order)


def _input(game: Game, number: int, position: Position) -> bytes:
    """Return what the workers get of a position: the view, or why there is no search."""
    told: dict[str, Any] = {} if position.id is msgspec.UNSET else {"id": position.id}
    try:
        view = _view(game, position)
        check_decision(game, view)
    except Problem as problem:
        errors = [asdict(fault.below(f"/positions/{number}")) for fault in problem.errors]
        told["problem"] = {"code": problem.code, "params": problem.params, "errors": errors}
    else:
        told["view"] = view
    return zlib.compress(msgspec.json.encode(told), PACKING)


def _view(game: Game, position: Position) -> View:
    """Return the view to search in; raise Problem where there is none."""
    view: View
    if isinstance(position, PositionOfView):
        try:
            view = structs.read_tagged(position.view, "game", house().views)
        except structs.UnfitError as unfit:
            raise Problem("invalid-body", errors=[unfit.fault.below("/view")]) from None
        engine.check_view(game, view, language())
        if view.seat is None:
            raise Problem("invalid-body", errors=[Fault("/view/seat", "null")])
        return view
    try:
        snapshot = read_snapshot(position.snapshot)
    except structs.UnfitError as unfit:
        raise Problem("invalid-body", errors=[unfit.fault.below("/snapshot")]) from None
    return game.view(held(game, snapshot, position.seat).table, position.seat)
