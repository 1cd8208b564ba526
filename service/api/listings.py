"""Lists of sessions and jobs, newest first, in pages.

An API key lists its own sessions and jobs. Everybody can list the public sessions with open seats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from flask import request
from msgspec import UNSET, UnsetType

from games.core.texts import LANGUAGES
from service.api.callers import caller, keyed
from service.api.session_replies import links, overview
from service.auth.api_keys import JOBS, PLAY_SCOPE
from service.http.blueprint import Blueprint
from service.http.context import current_context
from service.http.fields import Choice, Flag, Moment, Query, Whole, Words
from service.http.pages import next_page_url
from service.http.problems import Problem
from service.jobs.store import JOB_STATES, Job, JobStore
from service.sessions.errors import OtherRuleset
from service.sessions.evolution import migrate
from service.sessions.reading import game_of
from service.store.clock import rfc3339
from service.store.sessions import ABORTED, FINISHED, FORFEITED, RUNNING, WAITING, Session
from service.validation.faults import Fault
from service.wire.jobs import JobList, serialize_listed_job
from service.wire.session_responses import OpenSession, SessionList
from service.wire.sessions import serialize_open_session

MAX_PAGE_ITEMS: Final = 100
"""Maximum number of items on a page. It is also the number of entries that are read from Redis at once."""

MAX_ROWS: Final = 1_000
"""Maximum number of entries read for one page. If few of them match a filter, the page is shorter."""

CURSOR: Final = r"[0-9a-f]{12}[A-Za-z0-9_-]{22,32}"

T = TypeVar("T")

blp = Blueprint(
    "listings",
    __name__,
    url_prefix="/v1",
    description=("Sessions and jobs of an API key, and listed sessions with open seats."),
)


class Listing(Query):
    """Query parameters that all lists share."""

    game = Words(1, 64)
    since = Moment(description="Only resources created at or after this time.")
    after = Words(1, 64, pattern=CURSOR, description="Cursor of the page, as in `next`.")
    limit = Whole(1, MAX_PAGE_ITEMS, load_default=20)


class SessionListing(Listing):
    """Query parameters of lists of sessions."""

    status = Choice((WAITING, RUNNING, FINISHED, FORFEITED, ABORTED), description="Only sessions with this status.")
    language = Choice(LANGUAGES, description="Only sessions in this language.")
    open = Flag(description="List open sessions of all owners instead of the key's own sessions.")


class JobListing(Listing):
    """Query parameters of lists of jobs."""

    state = Choice(JOB_STATES)


@blp.get("/sessions")
@keyed(PLAY_SCOPE, always=True, unless=lambda: request.args.get("open") == "true")
@blp.arguments(query=SessionListing())
@blp.response(200, SessionList, problems=("store-away",))
def list_sessions(query: dict[str, Any]) -> SessionList:
    """List sessions.

    Return the sessions that the API key has created, newest first, as an overview without hidden information. A page
    has at most `limit` sessions. If the request has a filter that excludes many sessions, a page can be shorter, or
    even empty. If the response has `next`, this is the URL of the next page.

    With `open`, return the public sessions that wait for players. A session is public if it was created with `listed`.
    Its open seats can be claimed without a code. The list of public sessions requires no API key.
    """
    services, language = current_context().sessions, query.get("language")
    if query.get("open"):
        return _list_open_sessions(query)

    def read(before: str, since: int) -> list[tuple[str, Session | None]]:
        return services.store.founded(caller().key_id or "", before, since, MAX_PAGE_ITEMS, services.now())

    def fits(session: Session) -> bool:
        if language not in {None, session.charter.language}:
            return False
        return query.get("game") in {None, session.charter.game} and query.get("status") in {None, session.status}

    found, following = _page(blp.url_prefix + "/sessions", query, read, fits)
    return SessionList(sessions=[overview(session) for session in found], next=following)


def _list_open_sessions(query: Mapping[str, Any]) -> SessionList:
    services, language = current_context().sessions, query.get("language")

    def read(before: str, since: int) -> list[tuple[str, OpenSession | None]]:
        rows = services.store.listed(before, since, MAX_PAGE_ITEMS)
        return [(entry, None if session is None else _open_session(session)) for entry, session in rows]

    def fits(session: OpenSession) -> bool:
        return (
            query.get("status") in {None, WAITING}
            and query.get("game") in {None, session.game}
            and language in {None, session.language}
        )

    found, following = _page(blp.url_prefix + "/sessions", query, read, fits)
    return SessionList(sessions=[*found], next=following)


def _open_session(session: Session) -> OpenSession | None:
    """Return the public data of a session with open seats.

    Return None if this service cannot run the session's ruleset.
    """
    services = current_context().sessions
    session = migrate(services.games, session, with_record=False)
    try:
        game_of(services, session)
    except OtherRuleset:
        return None
    return serialize_open_session(session, links(session))


@blp.get("/jobs")
@keyed(JOBS, always=True)
@blp.arguments(query=JobListing())
@blp.response(200, JobList, problems=("store-away",))
def list_jobs(query: dict[str, Any]) -> JobList:
    """List jobs.

    Return the jobs that the API key has created, newest first, without their results. A page has at most `limit` jobs.
    If the request has a filter that excludes many jobs, a page can be shorter, or even empty. If the response has
    `next`, this is the URL of the next page.
    """
    store, now = JobStore(current_context().redis), current_context().sessions.now()

    def read(before: str, since: int) -> list[tuple[str, Job | None]]:
        return store.listed(caller().owner, before, since, MAX_PAGE_ITEMS, now)

    def fits(job: Job) -> bool:
        return query.get("game") in {None, job.game} and query.get("state") in {None, job.state}

    found, following = _page(blp.url_prefix + "/jobs", query, read, fits)
    return JobList(jobs=[serialize_listed_job(job) for job in found], next=following)


def _page(
    path: str,
    query: Mapping[str, Any],
    read: Callable[[str, int], list[tuple[str, T | None]]],
    fits: Callable[[T], bool],
) -> tuple[list[T], str | UnsetType]:
    """Return the items of a page, and the URL of the next page. If there is no next page, return UNSET as the URL.

    The next page may be empty. `read(before, since)` returns pairs of a cursor and an item, newest first. All items are
    older than the item with the cursor `before`, and were created at the time `since` or later. Skip each item that is
    None or for which `fits` returns False.
    """
    if "game" in query and query["game"] not in current_context().games:
        choices = {"choices": ", ".join(current_context().games)}
        raise Problem("invalid-query", errors=[Fault("/game", "choice", choices, place="query")])
    found, last, was_read = list[T](), query.get("after", ""), 0
    while was_read < MAX_ROWS:
        rows = read(last, query.get("since", 0))
        for last, member in rows:
            was_read += 1
            if member is not None and fits(member):
                found.append(member)
                if len(found) == query["limit"]:
                    return found, _next(path, query, last)
        # There are no older items.
        if len(rows) < MAX_PAGE_ITEMS:
            return found, UNSET
    return found, _next(path, query, last)


def _next(path: str, query: Mapping[str, Any], last: str) -> str:
    since = {"since": rfc3339(query["since"])} if "since" in query else {}
    return next_page_url(path, {**query, **since}, after=last)
