"""Search batches. A search batch is a job that searches many positions.

The result of a position can be read before the job ends.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

import msgspec
from flask import Response

from games.core.checkpoint import checkpoint
from games.core.game import Game, View
from service.api.callers import keyed
from service.api.errors import problem_of
from service.api.job_submission import JobQuery, amount_of, documents_job, search_payload, submit_job
from service.api.jobs import Search
from service.api.snapshot_access import OpenedSnapshot
from service.auth.api_keys import JOBS
from service.http import json_body
from service.http.blueprint import BATCH_BYTES, Blueprint
from service.http.context import current_context
from service.http.fields import Entries
from service.http.problems import Problem, invalid_body
from service.http.request_context import language
from service.jobs import queues
from service.jobs.cost import cost_of_search
from service.jobs.submit import Order, packed_input
from service.snapshots.errors import SnapshotError
from service.validation import strict_json, structs
from service.validation.strict_json import UnfitJsonError
from service.wire.positions import Position, PositionEntry, PositionField, PositionOfSnapshot, PositionOfView
from service.wire.snapshots import read_snapshot

MAX_POSITIONS: Final = 100_000
"""Upper bound of the configurable limit on positions per batch."""

blp = Blueprint(
    "batches",
    __name__,
    url_prefix="/v1/jobs",
    description="Many searches in one job, shared by any number of workers.",
)


class SearchBatch(Search):
    """Positions of one game, each searched with the same budget. The seed determines all random draws."""

    positions = Entries(PositionField(), PositionEntry, MAX_POSITIONS, bound="batch_positions", required=True)


@blp.post("/searches:batch")
@keyed(JOBS)
@blp.arguments(SearchBatch(), query=JobQuery(), size=BATCH_BYTES)
@documents_job(blp)
def start_search_batch(body: dict[str, Any], query: dict[str, Any]) -> Response:
    """Start a search batch.

    Search many positions in one job. The job's `results` has one line per position. If a position cannot be searched,
    its line contains the error. The search of position k uses the seed `<seed>/<k>`. If the budget is in iterations,
    each result equals the result of a single search with the same seed. Such a result depends neither on the number of
    workers nor on other positions. `/v1/limits` has the maximum numbers of positions, snapshots, bytes and seconds. A
    `Seat-Key` opens only the sealed snapshots of its seat.
    """
    game, positions = current_context().game_in_body(body["game"]), body["positions"]
    limits = current_context().settings.limits
    if sum(isinstance(position, PositionOfSnapshot) for position in positions) > limits.batch_snapshots:
        raise invalid_body("/positions", "snapshots", high=limits.batch_snapshots)
    longest = max(1, limits.batch_seconds * 1000 // len(positions))
    iterations, milliseconds = amount_of(body["budget"], min(longest, limits.search_milliseconds))

    def order() -> Order:
        return Order(
            function=queues.SEARCH_BATCH,
            payload=search_payload(game, body, (iterations, milliseconds), limits.batch_seconds)
            | {"language": language(), "bounds": json_body.bounds_of(limits)},
            items=len(positions),
            total=len(positions),
            cost=len(positions) * cost_of_search(iterations, milliseconds),
            inputs=lambda: [_input(game, number, position) for number, position in enumerate(positions)],
        )

    return submit_job(query, order)


def _input(game: Game, number: int, position: Position) -> bytes:
    checkpoint()
    told: dict[str, Any] = {} if position.id is msgspec.UNSET else {"id": position.id}
    try:
        told["view"] = position.view if isinstance(position, PositionOfView) else _view(game, position)
    except (Problem, SnapshotError) as error:
        problem = problem_of(error)
        errors = [asdict(fault.below(f"/positions/{number}")) for fault in problem.errors]
        told["problem"] = {"code": problem.code, "params": problem.params, "errors": errors}
    return packed_input(told)


def _view(game: Game, position: PositionOfSnapshot) -> View:
    """Return the view of the position's seat.

    Raise Problem or SnapshotError if the position is invalid. The batch stores this error as the position's result.
    """
    bounds = json_body.bounds_of(current_context().settings.limits)
    try:
        snapshot = read_snapshot(strict_json.parse(bytes(position.snapshot), bounds))
    except UnfitJsonError as unfit:
        raise json_body.problem_of(unfit.below("/snapshot")) from None
    except structs.UnfitError as unfit:
        raise Problem("invalid-body", errors=[unfit.fault.below("/snapshot")]) from None
    return OpenedSnapshot(game, snapshot, position.seat).view()
