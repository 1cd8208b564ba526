"""Helpers for all operations on jobs. They submit a job, wait for it, and find it by id."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Response, request

from games.core.game import Game
from service.api.auth import BEARER
from service.api.callers import KEY_BEARER_OR_NONE, caller, charge, note_playouts
from service.api.snapshot_access import SEAT_KEY_OR_NONE
from service.contract.json_schemas import SCHEMAS
from service.http.blueprint import Blueprint, answer, note
from service.http.context import current_context
from service.http.fields import Flag, Query
from service.http.flask_views import WaitingResponse
from service.http.idempotency import KEY_HEADER, documents_key, key_of_this_request, run_once
from service.http.problems import Problem, invalid_body
from service.http.request_context import language, trace_id
from service.jobs.errors import UnknownJob, readable
from service.jobs.follow import has_ended, watch
from service.jobs.refunds import refund
from service.jobs.store import ENDED, Job
from service.jobs.submit import Order, Submitter, again, cancel, describe, find, submit
from service.snapshots.seeds import fresh_seed
from service.waiting import Wait
from service.wire.jobs import IterationBudget, JobShown, TimeBudget, serialize_job

ID_PATH: Final = "/<string(minlength=16):id>"
"""The path of a job. The minimum length of the id prevents a clash with names of operations."""

PREFER: Final = {
    "in": "header",
    "name": "Prefer",
    "schema": {"type": "string"},
    "example": "wait=1",
    "description": "`wait=N` waits up to N seconds for the job to end.",
}

BEARER_OR_SEAT_KEY: Final = [*BEARER, *SEAT_KEY_OR_NONE]

VALIDATE_ONLY: Final = "validate_only"

_WAIT: Final = re.compile(r"wait *= *\"?([0-9]{1,6})\"?\Z", re.IGNORECASE)
_ID: Final = re.compile(r"[A-Za-z0-9_-]{22}\Z")


class JobQuery(Query):
    """Query parameters of every operation that starts a job."""

    validate_only = Flag(
        description=(
            "Return the job with its `cost` and an empty `id`, without starting it. `RateLimit` has the remaining "
            "playouts, and the `Idempotency-Key` stays unused."
        )
    )


def documents_job(blp: Blueprint, *problems: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that documents an operation that starts a job.

    It documents the operation's headers, credentials, responses and error responses. Some error codes are possible in
    every operation that starts a job. The decorator adds these codes itself. `problems` contains the additional error
    codes of this operation.
    """

    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        common = ("queue-full", "too-many-jobs", "unknown-ruleset", "playouts-spent", "quota-too-small")
        noted = note(documents_key(function), request_headers=[PREFER], security=BEARER_OR_SEAT_KEY)
        made: dict[str, Any] = {name: {} for name in ("Location", "Idempotency-Replayed", "Preference-Applied")}
        ended = "The finished job; with `validate_only`, the job that would be created."
        noted = blp.alt_response(200, schema={"$ref": f"{SCHEMAS}JobShown"}, description=ended, headers=made)(noted)
        applied = "Location", "Preference-Applied"
        done = blp.response(202, JobShown, problems=(*common, *problems), headers=applied)
        return done(noted)  # type: ignore[no-any-return]

    return decorator


def reads_job(*problems: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that documents the error responses and credentials of an operation on an existing job.

    Some error codes are possible in every operation on an existing job. The decorator adds these codes itself.
    `problems` contains the additional error codes of this operation.
    """
    common = ("unknown-job", "store-away")
    return lambda function: note(function, problems=(*common, *problems), security=KEY_BEARER_OR_NONE)


def amount_of(budget: IterationBudget | TimeBudget, most_milliseconds: int) -> tuple[int, int]:
    """Return a search budget as (iterations, milliseconds). One of the two is 0.

    Raise Problem if the budget exceeds `most_milliseconds` or the service's limit of iterations.
    """
    timed = isinstance(budget, TimeBudget)
    amount = budget.milliseconds if isinstance(budget, TimeBudget) else budget.iterations
    most = most_milliseconds if timed else current_context().settings.limits.search_iterations
    if amount > most:
        pointer = "/budget/milliseconds" if timed else "/budget/iterations"
        raise invalid_body(pointer, "out-of-range", low=1, high=most)
    return (0, amount) if timed else (amount, 0)


def search_payload(game: Game, body: Mapping[str, Any], amount: tuple[int, int], seconds: int) -> dict[str, Any]:
    """Return the data that a worker needs for a search, except for the view.

    If `body` has no seed, choose a random seed.
    """
    half_width = body["budget"].half_width
    return {
        "game": game.slug,
        "iterations": amount[0],
        "milliseconds": amount[1],
        **({"half_width": half_width} if half_width else {}),
        **({"explain": True} if body.get("explain") else {}),
        "level": body["level"],
        "seed": body.get("seed") or fresh_seed(),
        "top": body.get("top"),
        "seconds": seconds,
    }


def submit_job(query: Mapping[str, Any], order: Callable[[], Order]) -> Response:
    """Build a job with `order`, submit the job, and return the response.

    If the request has `Prefer: wait`, wait for the job's end before the response. If `query` has `validate_only`,
    submit nothing and return a description of the job.
    """
    if query.get(VALIDATE_ONLY):
        key_of_this_request(caller().credential)  # reject a malformed key here, too
        quoted = order()
        note_playouts()
        job = describe(current_context().settings.limits, quoted, "", caller().owner)
        return answer(show_job(job))
    owner, client, limits = caller().owner, current_context().redis, current_context().settings.limits
    most = limits.open_jobs_per_key if caller().key else limits.open_jobs_per_caller
    submitter = Submitter(caller().identity, most)

    def act(operation: str) -> Response:
        # A repeated request does not call `order`, because the position to search may no longer exist.
        job = _again(operation, owner) if KEY_HEADER in request.headers else None
        repeated = job is not None
        job = job or submit(client, limits, order(), operation, owner, submitter, charge)
        return answer(show_job(job), 202, {"Location": f"/v1/jobs/{job.id}"}, repeated=repeated)

    response = run_once(caller().credential, act)
    preferred = _preferred()
    if preferred is None:
        return response
    job = find(client, response.get_json()["id"], owner)
    kept = ("Location", "Idempotency-Replayed")
    headers = {name: response.headers[name] for name in kept if name in response.headers}
    return _wait_for_end(job, preferred, headers)


def _wait_for_end(job: Job, seconds: int, headers: dict[str, str]) -> Response:
    client, context = current_context().redis, current_context()

    def show(job: Job, granted: int) -> Response:
        applied = {"Preference-Applied": f"wait={granted}"}
        return answer(show_job(job), 200 if job.state in ENDED else 202, headers | applied)

    try:
        slot = context.wait_slots.take(("jobs", caller().identity), caller().address)
    except Problem:
        return show(job, 0)
    wait = Wait(seconds)
    forget = watch(context.job_feed, job.id, wait.end, has_ended)

    def end() -> None:
        slot.release()
        forget()

    def go_on() -> Response:
        end()
        return show(find(client, job.id, caller().owner), seconds)

    return WaitingResponse(wait, go_on, end)


def _again(job_id: str, owner: str) -> Job | None:
    try:
        return again(current_context().redis, job_id, owner)
    except UnknownJob:
        return None


def _preferred() -> int | None:
    for preference in request.headers.get("Prefer", "").split(","):
        if found := _WAIT.match(preference.strip()):
            return min(int(found[1]), current_context().settings.limits.wait_seconds)
    return None


def stop_job(job: Job) -> Job:
    """Cancel a job, refund its unused playouts, and return its final state."""
    ended, by_this = cancel(current_context().redis, job)
    if by_this:
        refund(current_context().redis, current_context().settings.limits, ended.id)
    return ended


def find_job(job_id: str) -> Job:
    """Return the caller's job with the id `job_id`. Raise Problem (404) if the caller has no such job."""
    if not _ID.match(job_id):
        raise Problem("unknown-job")
    return find(current_context().redis, job_id, caller().owner)


def show_job(job: Job) -> JobShown:
    """Return a job as its owner sees it. Raise UnknownJob if its data cannot be read."""
    with readable():
        return serialize_job(job, current_context().games[job.game], language(), trace_id())
