"""Results of jobs: progress as a stream, games or positions as JSON lines, and a chart."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any, Final, NamedTuple

from flask import Response
from msgspec import UNSET
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from games.core.game import Game
from service.api.callers import caller
from service.api.engine import ThemeQuery, picture
from service.api.job_submission import ID_PATH, find_job, reads_job
from service.api.subscribers import beat_seconds, stream_type
from service.http.blueprint import Blueprint
from service.http.context import current_context
from service.http.fields import Flag, Query, Whole
from service.http.json_lines import json_line, on_one_line
from service.http.problems import Problem
from service.http.request_context import current_call, language, trace_id
from service.http.streaming import streaming_response
from service.jobs import queues
from service.jobs.charts import drawn
from service.jobs.errors import readable
from service.jobs.follow import lines, states
from service.jobs.store import ENDED, Job, JobStore
from service.jobs.submit import JOB_KINDS
from service.subscription import StreamHeartbeat, Subscription
from service.wire.game_table import PARQUET, GroupColumns, can_write_parquet, parquet_file
from service.wire.job_events import (
    Advance,
    JobEndMessage,
    JobMessage,
    JobServerSentEvent,
    JobStreamMessage,
    ProgressMessage,
)
from service.wire.jobs import JobProgress, serialize_job, serialize_result
from service.wire.positions import SearchedPosition, serialize_position
from service.wire.session_events import FORMATS, NDJSON, SSE, beginning, heartbeat
from service.wire.simulation_results import GameLine

LAST_ITEM: Final = 10**9

OF_GAMES: Final = (queues.SIMULATION, queues.TOURNAMENT, queues.REMOTE_SIMULATION, queues.REMOTE_TOURNAMENT)
"""Worker tasks of jobs that play games and store a row for each game."""

blp = Blueprint(
    "results",
    __name__,
    url_prefix="/v1/jobs",
    description="Progress and results of a job: events, games or positions, and a chart.",
)


class Reader(NamedTuple):
    """The game, language and trace id of a request. The response stream needs them after the request has ended."""

    game: Game
    language: str
    trace: str


class LinesQuery(Query):
    """Query parameters of operations that return JSON lines."""

    first = Whole(0, LAST_ITEM, load_default=0, description="First item to return, counted from 0.")
    follow = Flag(load_default=True, description="Keep the response open until the job ends.")


@blp.get(f"{ID_PATH}/events")
@blp.response(200, streams={SSE: JobServerSentEvent, NDJSON: JobStreamMessage})
@reads_job("streams-busy", "too-many-streams")
def stream_job_events(id: str) -> Response:  # noqa: A002 -- the path parameter's name
    """Stream job events.

    Stream the progress of a job as server-sent events, or as JSON lines if `Accept` prefers them. The first message has
    the name `job`. It contains the same data as the response of `GET /v1/jobs/{id}`. Each message `progress` contains
    the progress. It also contains the partial result if that has changed. The last message has the name `end`. It
    contains the job with its result. After this message, close the `EventSource`. Otherwise, the `EventSource`
    reconnects after an hour. Heartbeats arrive at the interval in `/v1/limits`.
    """
    job = find_job(id)
    reader = Reader(current_context().games[job.game], language(), trace_id())
    write = FORMATS[stream_type()][1]
    messages = _messages(_states(job, heartbeat(stream_type(), beat_seconds())), reader)
    chunks = (part if isinstance(part, Subscription) else write(part) for part in messages)
    return _stream(beginning(stream_type(), chunks), stream_type())


@blp.get(f"{ID_PATH}/games")
@blp.arguments(query=LinesQuery())
@blp.response(200, streams={NDJSON: GameLine}, forms={PARQUET: {"type": "string", "format": "binary"}})
@reads_job("no-such-part", "games-not-kept", "format-unavailable", "streams-busy", "too-many-streams")
def list_simulated_games(query: dict[str, Any], id: str) -> Response:  # noqa: A002 -- the path parameter's name
    """List played games.

    Return the games of a simulation or tournament as JSON lines, in order. A line is sent when its game and all earlier
    games are finished. If the response breaks off, send a new request. In this request, set `first` to the number of
    the first missing game, counted from 0. A complete response has one line for each game in the result. The server
    sends an empty line from time to time while no game is ready.

    With `Accept: application/vnd.apache.parquet`, return the games finished so far as a Parquet file. Each field of a
    line is a column. If the job has `group_by`, each outcome field in `group_by` also has a column, such as
    `group.winners`.
    """
    job = find_job(id)
    if job.function == queues.TALLY:
        raise Problem("games-not-kept")
    _only(job, "games", *OF_GAMES)
    if _games_type() == NDJSON:
        return _stream(_lines(job, query), NDJSON)
    found = lines(JobStore(current_context().redis), iter([job]), query["first"])
    rows = (line for line in found if not isinstance(line, Subscription))
    return _stream(parquet_file(rows, _group_columns(job)), PARQUET)


@blp.get(f"{ID_PATH}/results")
@blp.arguments(query=LinesQuery())
@blp.response(200, streams={NDJSON: SearchedPosition})
@reads_job("no-such-part", "streams-busy", "too-many-streams")
def list_searched_positions(query: dict[str, Any], id: str) -> Response:  # noqa: A002 -- the path parameter's name
    """List searched positions.

    Return the positions of a search batch as JSON lines, in order. A line is sent when its position and all earlier
    positions are searched. If the response breaks off, send a new request. In this request, set `first` to the number
    of the first missing position, counted from 0. A complete response has one line for each position of the batch. The
    server sends an empty line from time to time while no position is ready.
    """
    job = find_job(id)
    _only(job, "results", queues.SEARCH_BATCH)
    reader = Reader(current_context().games[job.game], language(), trace_id())
    raw = _lines(job, query)

    chunks = (line if isinstance(line, Subscription) else json_line(serialize_position(line, *reader)) for line in raw)
    return _stream(chunks, NDJSON)


@blp.get(f"{ID_PATH}/chart")
@blp.arguments(query=ThemeQuery())
@blp.response(200, {"type": "string"}, content_type="image/svg+xml")
@reads_job("no-such-part", "nothing-counted", "drawings-busy")
def draw_chart(query: dict[str, Any], id: str) -> Response:  # noqa: A002 -- the path parameter's name
    """Draw a chart.

    Draw the counts of a job as SVG. The job may still be running. Browsers display the picture without running scripts.
    The chart of a simulation shows the win rate of each bot, in total and by seat. Each win rate has a confidence
    interval. A line marks the win rate that each bot would have if all bots were equally strong. The chart of a
    tournament shows ratings and pairwise scores. Both charts also show the distribution of game lengths. The chart of a
    review shows the accuracy of each seat and the regret of each decision.
    """
    job = find_job(id)
    _only(job, "chart", *OF_GAMES, queues.TALLY, queues.REVIEW)
    counted = job.result or job.partial
    if counted is None:
        raise Problem("nothing-counted", headers={"Retry-After": "1"})
    with readable():
        game = current_context().games[job.game]
        serialize_result(counted, game, language())
        return picture(lambda: drawn(counted, game, language(), query["theme"]))


def _games_type() -> str:
    accept = parse_accept_header(current_call().request.headers.get("accept", ""), MIMEAccept)
    if accept.best_match([NDJSON, PARQUET], NDJSON) == NDJSON:
        return NDJSON
    if can_write_parquet():
        return PARQUET
    if accept.quality(NDJSON):
        return NDJSON
    raise Problem("format-unavailable", wanted=PARQUET, offered=NDJSON)


def _group_columns(job: Job) -> GroupColumns:
    groups = (job.result or job.partial or {}).get("groups")
    return GroupColumns(groups["outcome"], "opening" in groups) if groups else GroupColumns()


def _only(job: Job, part: str, *functions: str) -> None:
    if job.function not in functions:
        with readable():
            kind = JOB_KINDS[job.function]
        raise Problem("no-such-part", kind=kind, part=part)


def _stream(chunks: Iterator[bytes | Subscription], kind: str) -> Response:
    return streaming_response(chunks, kind, ("jobs", caller().identity), caller().address)


def _states(job: Job, heartbeat: StreamHeartbeat) -> Iterator[Job | Subscription]:
    found = states(JobStore(current_context().redis), current_context().job_feed, job.id, heartbeat)
    key_id, keys = caller().key_id, current_context().keys
    return found if key_id is None else takewhile(lambda _: keys.by_id(key_id) is not None, found)


def _lines(job: Job, query: dict[str, Any]) -> Iterator[bytes | Subscription]:
    store = JobStore(current_context().redis)
    seen = _states(job, StreamHeartbeat(b"\n", beat_seconds())) if query["follow"] else iter([job])
    found = lines(store, seen, query["first"])
    return (line if isinstance(line, Subscription) else on_one_line(line) + b"\n" for line in found)


def _messages(states: Iterator[Job | Subscription], reader: Reader) -> Iterator[JobStreamMessage | Subscription]:
    before: Job | None = None
    for job in states:
        if isinstance(job, Subscription):
            yield job
            continue
        if before is None:
            yield JobMessage(data=serialize_job(job, *reader))
        elif job.state not in ENDED:
            yield ProgressMessage(data=_advance(job, before, reader))
        if job.state in ENDED:
            yield JobEndMessage(data=serialize_job(job, *reader))
        before = job


def _advance(job: Job, before: Job, reader: Reader) -> Advance:
    fresh = job.partial if job.partial != before.partial else None
    partial = UNSET if fresh is None else serialize_result(fresh, reader.game, reader.language)
    state: Any = job.state
    return Advance(state=state, progress=JobProgress(job.done, job.total), partial_result=partial)
