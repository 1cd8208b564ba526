"""Reviews. A review is a job that rates the decisions in a finished session."""

from __future__ import annotations

from typing import Any

from flask import Response

from games.core.texts import LANGUAGES
from service.api.auth import allow_onlooker, require
from service.api.callers import keyed
from service.api.job_submission import JobQuery, documents_job, submit_job
from service.auth.api_keys import JOBS
from service.http.blueprint import Blueprint
from service.http.context import current_context
from service.http.fields import Body, Flag, Whole, Words
from service.http.problems import Problem, invalid_body
from service.jobs import queues
from service.jobs.review import MAX_REVIEW_ITERATIONS, MIN_REVIEW_ITERATIONS, REVIEW_ITERATIONS
from service.jobs.submit import Order, packed_input
from service.sessions.decisions import PastDecision, past_decisions
from service.sessions.reading import game_of
from service.snapshots.seeds import fresh_seed
from service.store.sessions import Session
from service.wire.sessions import names_of

blp = Blueprint(
    "reviews",
    __name__,
    url_prefix="/v1/jobs",
    description="Ratings of every decision of a finished session, from the information that its seat had.",
)


class ReviewRequest(Body):
    """A finished session, and the effort per decision."""

    session = Words(1, 64, required=True)
    iterations = Whole(
        MIN_REVIEW_ITERATIONS,
        MAX_REVIEW_ITERATIONS,
        load_default=REVIEW_ITERATIONS,
        description="Search iterations per decision, shared by the move made and its alternatives.",
    )
    bots = Flag(load_default=True, allow_none=True, description="Whether decisions of bots are rated too.")
    seed = Words(1, 128, description="Seed of the review. Equal seeds have equal results; random by default.")


@blp.post("/reviews")
@keyed(JOBS)
@blp.arguments(ReviewRequest(), query=JobQuery())
@documents_job(
    blp,
    "unknown-session",
    "unauthorized",
    "forbidden",
    "session-running",
    "not-dealt",
    "session-unreadable",
    "history-cut",
    "nothing-to-review",
    "too-much-work",
)
def start_review(body: dict[str, Any], query: dict[str, Any]) -> Response:
    """Start a review.

    Rate every decision of a finished session. Reading the history and starting a review require the same access. The
    rating uses only the information that the deciding seat had. The regret is the difference in winning chances between
    the best move found and the move made. Moves without an alternative, moves made by a clock, and moves that were
    taken back are not rated. A move that contains a text or a drawing by the player is not rated, either. The ratings
    are reproducible: they depend only on the views, the moves, `iterations` and the seed. `cost` is `iterations` times
    the number of rated decisions.
    """
    iterations, limits = body["iterations"], current_context().settings.limits
    if iterations > limits.search_iterations:
        raise invalid_body("/iterations", "out-of-range", low=MIN_REVIEW_ITERATIONS, high=limits.search_iterations)
    return submit_job(query, lambda: _order(body, id=body["session"]))


@require(allow_onlooker)
def _order(body: dict[str, Any], session: Session, viewer: int) -> Order:  # noqa: ARG001 -- all see all of it by now
    services = current_context().sessions
    game = game_of(services, session)
    wanted = [decision for decision in past_decisions(services, game, session) if body["bots"] or not decision.by_bot]
    rated = [decision for decision in wanted if decision.legal > 1 and not decision.own_content]
    if not rated:
        raise Problem("nothing-to-review")
    payload = {
        "game": game.slug,
        "session": session.id,
        "seed": body.get("seed") or fresh_seed(),
        "iterations": body["iterations"],
        "names": {spoken: names_of(game, session, spoken) for spoken in LANGUAGES},
        "skipped": [_skipped(seat, wanted) for seat in range(len(session.seats))],
        "seconds": current_context().settings.limits.batch_seconds,
    }
    return Order(
        function=queues.REVIEW,
        payload=payload,
        items=len(rated),
        total=len(rated),
        cost=len(rated) * body["iterations"],
        inputs=lambda: [_input(decision) for decision in rated],
    )


def _skipped(seat: int, decisions: list[PastDecision]) -> dict[str, int]:
    own = [decision for decision in decisions if decision.seat == seat]
    forced = sum(decision.legal <= 1 for decision in own)
    return {"forced": forced, "own_content": sum(decision.own_content for decision in own if decision.legal > 1)}


def _input(decision: PastDecision) -> bytes:
    entered = {"line": decision.line, "code": decision.code, "view": decision.view}
    return packed_input(entered)
