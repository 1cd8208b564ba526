"""Schemas of budgets, bots and jobs, and functions that build responses from stored jobs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from games.core.dice import FastDice
from games.core.game import Game, Move
from games.core.levels import LEVELS, LEVELS_TEXT
from service.contract.json_schemas import SCHEMAS, Answer, AnyProblem, Time
from service.http.fields import Payload
from service.http.problems import Problem
from service.jobs.players import RemoteBot
from service.jobs.store import JOB_STATES, Job
from service.jobs.submit import JOB_KINDS
from service.store.clock import rfc3339
from service.validation import structs
from service.validation.faults import Fault
from service.wire.job_results import JobResult
from service.wire.simulation_results import Count

JobKind = Annotated[str, Meta(extra_json_schema={"enum": list(dict.fromkeys(JOB_KINDS.values()))})]
JobState = Annotated[str, Meta(extra_json_schema={"enum": list(JOB_STATES)})]
BotLevel = Annotated[str, Meta(description=LEVELS_TEXT, extra_json_schema={"enum": list(LEVELS)})]


class JobProgress(msgspec.Struct, frozen=True):
    """Progress of a job, in the unit of the request: iterations, milliseconds, positions, decisions or games."""

    done: Count
    total: Count


class Cost(msgspec.Struct, frozen=True):
    """Maximum cost of a job in playouts.

    One search iteration costs one playout. A search with a time limit costs as many playouts as the usual number of
    iterations in this time. A game between bots costs one playout. If the bots search, the usual number of their
    iterations in a game is added.
    """

    playouts: Annotated[int, Meta(ge=0)]


HalfWidth = Annotated[
    float,
    Meta(
        gt=0,
        lt=0.5,
        description=(
            "End the search early once the interval of the first listed move reaches no farther than this from its "
            "value. Checked every hundred iterations."
        ),
    ),
]


class IterationBudget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A search budget as a number of iterations. With a seed, the result is reproducible."""

    iterations: Annotated[int, Meta(ge=1)]
    half_width: HalfWidth | UnsetType = UNSET


class TimeBudget(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A search budget in milliseconds. To reproduce a result, search with the `seed` and `iterations` of the result."""

    milliseconds: Annotated[int, Meta(ge=1)]
    half_width: HalfWidth | UnsetType = UNSET


def _read_budget(value: object) -> IterationBudget | TimeBudget:
    timed = type(value) is dict and "milliseconds" in value
    found: IterationBudget | TimeBudget = structs.read(value, TimeBudget if timed else IterationBudget)
    return found


BudgetField = partial(Payload, Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Budget"})], _read_budget)
"""A field for the budget of a search, in iterations or milliseconds."""


class BotByLevel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A built-in bot, given by its level. The levels are the same in jobs and in sessions."""

    level: BotLevel


def _read_bot(value: object) -> str | RemoteBot:
    if type(value) is dict and "url" in value:
        remote: RemoteBot = structs.read(value, RemoteBot)
        return remote
    level: str = structs.read(value, BotByLevel).level
    if level not in LEVELS:
        raise structs.UnfitError(Fault("/level", "choice", {"choices": ", ".join(LEVELS)}))
    return level


BotField = partial(Payload, Annotated[Any, Meta(extra_json_schema={"$ref": f"{SCHEMAS}Bot"})], _read_bot)
"""A field for a bot. A built-in bot is parsed to the name of its level, and a remote bot to a `RemoteBot`."""


class JobListed(Answer, frozen=True, kw_only=True):
    """A job in a list, without its results."""

    id: str
    kind: JobKind
    game: str
    state: JobState
    progress: JobProgress
    cost: Cost
    created_at: Time
    expires_at: Time


class JobList(Answer, frozen=True, kw_only=True):
    """Jobs of an API key, newest first."""

    jobs: list[JobListed]
    next: Annotated[str, Meta(description="URL of the next page, if there may be one.")] | UnsetType = UNSET


class JobShown(JobListed, frozen=True, kw_only=True):
    """A job. It contains a `result` if it has succeeded, or a `problem` if it has failed.

    A running job may have a `partial_result`.
    """

    result: JobResult | UnsetType = UNSET
    partial_result: JobResult | UnsetType = UNSET
    problem: AnyProblem | UnsetType = UNSET


def serialize_listed_job(job: Job) -> JobListed:
    return JobListed(
        id=job.id,
        kind=JOB_KINDS[job.function],
        game=job.game,
        state=job.state,
        progress=JobProgress(job.done, job.total),
        cost=Cost(job.cost),
        created_at=rfc3339(job.made),
        expires_at=rfc3339(job.expires),
    )


def serialize_job(job: Job, game: Game, language: str, trace_id: str) -> JobShown:
    """Return a job as the job's owner sees it."""
    found = {"result": job.result, "partial_result": job.partial}
    results: dict[str, Any] = {
        name: serialize_result(result, game, language) for name, result in found.items() if result is not None
    }
    return JobShown(
        **msgspec.structs.asdict(serialize_listed_job(job)),
        **results,
        problem=UNSET if job.problem is None else problem_document(job.problem, language, trace_id),
    )


def problem_document(stored: dict[str, Any], language: str, trace_id: str) -> dict[str, Any]:
    """Return the problem document for a problem that a worker or an operation has stored."""
    errors = [Fault(**error) for error in stored.get("errors", ())]
    return Problem(stored["code"], errors=errors, **stored["params"]).document(language, trace_id)


def serialize_result(found: Mapping[str, Any], game: Game, language: str) -> JobResult:
    """Return the result of a job for clients, with texts in `language`.

    `found` is the stored result. The stored result of a search also contains the view that was searched. The returned
    result omits this view.
    """
    shown = dict(found)
    if "moves" in shown:
        view = shown.pop("view", None)
        shown["moves"] = _searched_moves(shown["moves"], game, language, view)
        if "compared" in shown:
            [shown["compared"]] = _searched_moves([shown["compared"]], game, language, view)
    if "decisions" in shown:
        shown["decisions"] = [_reviewed_decision(row, language) for row in shown["decisions"]]
    if "groups" in shown:
        shown["groups"] = {**shown["groups"], "rows": _grouped_rows(shown["groups"]["rows"], game)}
    told: JobResult = msgspec.convert(shown, JobResult)
    return told


def _grouped_rows(rows: list[dict[str, Any]], game: Game) -> list[dict[str, Any]]:
    table = game.new(game.seat_numbers[0], game.options_type(), FastDice(0))

    def move(code: int) -> dict[str, Any]:
        with suppress(ValueError):  # the row does not have the content of the player's own
            return {"move": msgspec.to_builtins(game.decode(table, code))}
        return {}

    return [
        {**row, "opening": [{**made, **move(made["code"])} for made in row["opening"]]} if "opening" in row else row
        for row in rows
    ]


def _searched_moves(rows: list[dict[str, Any]], game: Game, language: str, seen: Any) -> list[dict[str, Any]]:
    kinds = {str(kind.__struct_config__.tag): kind for kind in game.moves}
    view = None if seen is None else msgspec.convert(seen, game.view_type)

    def label(row: dict[str, Any]) -> str:
        move: Move = structs.read_tagged(row["move"], "kind", kinds)
        # a worker of an earlier version did not store the view
        return msgspec.json.encode(move).decode() if view is None else game.label(move, language, view)

    return [{**row, "label": label(row), **reasons_in(row, language)} for row in rows]


def reasons_in(row: dict[str, Any], language: str) -> dict[str, Any]:
    """Return a dict with only the key `reasons`, or an empty dict if the row has no reasons.

    The texts of the reasons are in `language`.
    """
    if "reasons" not in row:
        return {}
    found = dict(row["reasons"])
    found["confidence"] = {**found["confidence"], "text": found["confidence"]["texts"][language]}
    for name in ("gains", "risks"):
        found[name] = [{**each, "text": each["texts"][language]} for each in found[name]]
    for risk in found["risks"]:
        risk["params"] = {name: str(part) for name, part in risk["params"].items()}
    found["line"] = [{**each, "label": each["labels"][language]} for each in found["line"]]
    return {"reasons": found}


def _reviewed_decision(row: dict[str, Any], language: str) -> dict[str, Any]:
    labelled = {name: {**row[name], "label": row[name]["labels"][language]} for name in ("played", "best")}
    return {**row, **labelled, **reasons_in(row, language)}
