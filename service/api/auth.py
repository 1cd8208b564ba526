"""Permissions of operations on sessions, and ETags of sessions.

An operation first checks the session (404), then the credential (401 or 403), and then the body. The number in an ETag
is the session's version for one viewer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, Final, TypeVar

import msgspec
from flask import Response, abort
from werkzeug.http import parse_etags

from games.core.table import SPECTATOR
from service.api.callers import caller
from service.api.diagnosis import diagnosed
from service.auth.api_keys import PLAY_SCOPE
from service.http.admission import API_KEY_HEADER
from service.http.blueprint import note
from service.http.context import current_context
from service.http.problems import Problem
from service.http.request_context import current_call, language
from service.sessions.reading import load
from service.sessions.services import SessionServices
from service.sessions.tickets import EVENTS, BadTicket, ExpiredTicket, OtherPurpose
from service.sessions.tokens import OWNER, bearer, hashed
from service.store.sessions import Session
from service.validation.faults import Fault

IF_MATCH: Final = {
    "in": "header",
    "name": "If-Match",
    "required": True,
    "schema": {"type": "string"},
    "description": (
        "ETag of the caller's latest state, or its version in quotes. Language, `expand` and `W/` are ignored. The "
        "ETag of another audience causes 412; `*` matches anything."
    ),
}
BEARER: Final[list[dict[str, list[str]]]] = [{"bearer": []}]
BEARER_OR_TICKET: Final[list[dict[str, list[str]]]] = [{"bearer": []}, {"ticket": []}, {"key": []}, {}]
BEARER_OR_KEY: Final[list[dict[str, list[str]]]] = [{"bearer": []}, {"key": []}]
BEARER_OR_KEY_OR_NONE: Final[list[dict[str, list[str]]]] = [*BEARER_OR_KEY, {}]

TICKET: Final = "ticket"
VIEW: Final = "view"
NO_CACHE: Final = "private, no-store"
"""Cache-Control of responses that no cache may store: they contain tickets, or data for one seat only."""

_SESSION_ID: Final = re.compile(r"[0-9a-f]{32}\Z")
_BEARER: Final = re.compile(r"bearer +([A-Za-z0-9._~+/-]+=*) *\Z", re.IGNORECASE)
_TAG: Final = r"([0-9]{1,15})(?:\.[^~@\"]*)?(?:@([a-z0-9]{1,16}))?(?:~([0-9a-f]{1,16}))?"
_VERSION: Final = re.compile(rf"{_TAG}\Z")
_SINGLE_TAG_PATTERN: Final = re.compile(rf'(?:W/)?"{_TAG}"\Z')
"""Matches a header with a single ETag. The groups are its version, audience and history mark."""

_MARKED_CURSOR: Final = re.compile(r"[1-9][0-9]{0,14}~[0-9a-f]{12}\Z")
"""Matches an event id with a mark, `<version>~<mark>`. Only recipients of the event can know the mark."""

_ENTITY_TAGS: Final = re.compile(r' *(?:W/)?"[^"\x00-\x20\x7f]*"(?: *, *(?:W/)?"[^"\x00-\x20\x7f]*")* *\Z')
_NO_VERSION: Final = 0
"""A version that no session has."""

VARY: Final = "Authorization, Api-Key"
"""The request headers on which a response depends."""

T = TypeVar("T")

Allow = Callable[[Session, int | None], int]
"""A function that checks a permission. It returns the viewer (a seat's number, SPECTATOR or OWNER) or raises Problem.

Its arguments are the session and the holder of the token: a seat's number, OWNER, or None without a token.
"""


def require(allow: Allow, *, table: bool = True) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that passes the session and the caller's role to an operation.

    The response is 404 if the session is unknown, and 401 if the token is invalid. It is 403 if the caller has no
    permission. `table` is true if the operation reads the table.
    """
    problems = ["unknown-session", "unauthorized", "store-away"]
    problems += [] if allow is allow_anybody else ["forbidden"]
    # Without a token, the API key that created the session gives the owner's rights.
    problems += ["unknown-key"] if _takes_key(allow) else []
    problems += ["unknown-ruleset", "session-unreadable"] if table else []

    def decorator(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def wrapper(*args: Any, id: str, **kwargs: Any) -> Any:  # noqa: A002 -- the path parameter's name
            if not _SESSION_ID.match(id):
                raise Problem("unknown-session")
            with diagnosed(id):
                session = load(current_context().sessions, id)
                viewer = viewer_of(session, allow)
                session = msgspec.structs.replace(session, held=current_call().token)
                return function(*args, session=session, viewer=viewer, **kwargs)

        return note(wrapper, problems=problems, security=_SECURITY.get(allow, BEARER_OR_TICKET))

    return decorator


def viewer_of(session: Session, allow: Allow) -> int:
    """Return the caller's role in a session. The role is a seat's number, SPECTATOR or OWNER.

    Raise Problem (401 or 403) if `allow` rejects the caller.
    """
    call = current_call()
    call.game = session.charter.game
    holder = holder_of(session, call.request.headers.get("authorization"))
    if holder is None and _takes_key(allow) and _comes_from_founder(session):
        holder = OWNER
    return allow(session, holder)


def _takes_key(allow: Allow) -> bool:
    return allow not in {allow_seat, allow_anybody}


def seat_token(session: Session, viewer: int) -> str | None:
    """Return the hash of the seat token in the request. `viewer` is the caller's seat.

    If the request contains no seat token, return the hash of the token that is stored for the seat `viewer`. Return
    None if no token is stored for this seat.
    """
    return current_call().token or session.seats[viewer].token


def allow_onlooker(session: Session, holder: int | None) -> int:
    """Return the caller's seat. Return SPECTATOR if the caller has no seat.

    Raise Problem if the caller has no seat and the session allows no spectators.
    """
    if holder is not None and holder != OWNER:
        return holder
    if session.charter.spectators == "live":
        return SPECTATOR
    raise denied(holder)


def allow_founder(session: Session, holder: int | None) -> int:
    """Return the caller's seat. Return SPECTATOR if the caller has no seat.

    If the session allows no spectators, raise Problem for a caller without a seat. The owner is always accepted.
    """
    return SPECTATOR if holder == OWNER else allow_onlooker(session, holder)


def check_own_seat(viewer: int, number: int) -> None:
    """Raise Problem if the seat number in the path is not the caller's seat."""
    if viewer != number:
        raise Problem("forbidden")


def allow_ticket(purpose: str) -> Allow:
    """Return a permission check that accepts a ticket for `purpose`. The check returns the viewer in the ticket.

    If the request has no ticket, or also has a token, the check returns the result of `allow_onlooker` instead.
    """

    def allow(session: Session, holder: int | None) -> int:
        asked = current_call().request
        if holder is not None or TICKET not in (query := asked.arguments):
            return allow_onlooker(session, holder)
        try:
            viewer, current_call().token = current_context().tickets.holder(
                query[TICKET], session, purpose, current_context().sessions.now()
            )
        except ExpiredTicket as expired:
            # An EventSource reconnects with its original ticket. To resume a stream, it must prove its last event: only
            # recipients of an event know the event's history mark. The stream checks the mark's value.
            if purpose != EVENTS or not _MARKED_CURSOR.match(asked.headers.get("last-event-id", "")):
                raise denied(None) from None
            viewer, current_call().token = expired.viewer, expired.token
        except BadTicket:
            raise denied(None) from None
        except OtherPurpose:
            raise Problem("forbidden") from None
        return viewer

    return allow


def ticketed_urls(session: Session, viewer: int, *purposes: str) -> list[str]:
    """Return one URL for each of `purposes`. The path of the URL ends with the purpose, such as `events`.

    Each URL contains the language of the request and a ticket for the viewer.
    """
    context, spoken = current_context(), language()
    now, token = context.sessions.now(), None if viewer == SPECTATOR else seat_token(session, viewer)
    tickets = [(purpose, context.tickets.issue(session, viewer, token, purpose, now)) for purpose in purposes]
    return [f"/v1/sessions/{session.id}/{purpose}?language={spoken}&{TICKET}={ticket}" for purpose, ticket in tickets]


def allow_anybody(_session: Session, holder: int | None) -> int:
    """Return the seat of the request's token, or OWNER for the owner's token. Return SPECTATOR if there is no token.

    The operation must check the credential in the body, such as an invite code.
    """
    return SPECTATOR if holder is None else holder


def allow_seat(_session: Session, holder: int | None) -> int:
    """Return the caller's seat. Raise Problem if the caller is the owner or has sent no token."""
    if holder is None or holder == OWNER:
        raise denied(holder)
    return holder


def allow_assigner(_session: Session, holder: int | None) -> int:
    """Return the caller's seat or OWNER. Raise Problem if the caller has no seat and is not the owner."""
    if holder is None:
        raise denied(holder)
    return holder


def allow_owner(_session: Session, holder: int | None) -> int:
    """Return OWNER. Raise Problem if the caller is not the owner."""
    if holder != OWNER:
        raise denied(holder)
    return holder


_SECURITY: Final[dict[Allow, list[dict[str, list[str]]]]] = {
    allow_onlooker: BEARER_OR_KEY_OR_NONE,
    allow_founder: BEARER_OR_KEY_OR_NONE,
    allow_anybody: [{}],
    allow_seat: BEARER,
    allow_owner: BEARER_OR_KEY,
    allow_assigner: BEARER_OR_KEY,
}
"""Documented credentials, by permission. Permissions that are missing here have BEARER_OR_TICKET."""


def etag_of(session: Session, viewer: int, part: str, spoken: str | None = None) -> str:
    """Return the ETag of a part of a session for a viewer.

    `spoken` is the language of the part. If it is None, the language of the request is used.
    """
    # At the same version, a new ruleset can change the response, and two seats can have different views. After a backup
    # was restored, the same version can occur in two histories. Only the mark differs then.
    charter, mark = session.charter, session.mark(viewer)
    ruled = part if charter.first_ruleset is None else f"{part}.{charter.ruleset}"
    return f'"{session.versions[viewer]}.{spoken or language()}.{ruled}@{audience_of(viewer)}{mark and "~"}{mark}"'


def audience_of(viewer: int) -> str:
    return "all" if viewer == SPECTATOR else str(viewer)


def revalidate(
    session: Session, viewer: int, part: str, cache: str = "private, no-cache", vary: str = VARY
) -> dict[str, str]:
    """Return the response headers for a part of a session.

    If the client's copy of this part is current, abort the request with a 304.
    """
    return revalidate_etag(etag_of(session, viewer, part), cache, vary)


def revalidate_etag(tag: str, cache: str = "private, no-cache", vary: str = VARY) -> dict[str, str]:
    """Return the response headers for an ETag. If the client already has this ETag, abort the request with a 304."""
    headers = cache_headers(tag, cache, vary)
    if matches(current_call().request.headers, tag):
        abort(Response(status=304, headers=headers))
    return headers


def cache_headers(tag: str, cache: str, vary: str = VARY) -> dict[str, str]:
    return {"ETag": tag, "Cache-Control": cache, "Vary": vary}


def matches(headers: Mapping[str, str], tag: str) -> bool:
    """Return whether the header If-None-Match contains the ETag `tag`."""
    given = headers.get("if-none-match")
    if given is None or given == tag:  # the case of nearly all requests; parsing is expensive
        return given is not None
    known = parse_etags(given)
    return known.contains_weak(tag.strip('"')) or known.star_tag


def require_version(session: Session, viewer: int) -> int:
    """Return the version in the header If-Match.

    Usually, the header contains one version. It may also list several versions. If one of them is the viewer's current
    version, return this one. If none of them is current, return any of them. If the header is `*`, return the viewer's
    current version.

    Raise Problem (428) if the header is missing. Raise Problem (400) if the header is invalid.
    """
    given, current = current_call().request.headers.get("if-match", ""), session.versions[viewer]
    if not given.strip():
        raise Problem("precondition-required")
    mark = session.mark(viewer) if "~" in given else ""
    audience = audience_of(viewer)
    tags: Sequence[re.Match[str] | None] = [_SINGLE_TAG_PATTERN.match(given)]
    if tags[0] is None:  # rare, and werkzeug parses every form of the header
        listed = parse_etags(given)
        if listed.star_tag:
            return current
        # werkzeug parses the empty tag as None.
        tags = [_VERSION.match(tag or "") for tag in listed.as_set(include_weak=True)]
    named = [(int(tag[1]), tag[2] in {None, audience} and tag[3] in {None, mark}) for tag in tags if tag]
    # A current version with another audience or history becomes _NO_VERSION, so the use case rejects the request.
    versions = {_NO_VERSION if version == current and not is_own else version for version, is_own in named}
    if not versions and _ENTITY_TAGS.match(given):
        return _NO_VERSION
    if not versions:
        raise Problem("invalid-precondition", errors=[Fault("/If-Match", "pattern", place="header")])
    return current if current in versions else versions.pop()


def with_version(change: Callable[..., T]) -> Callable[[SessionServices, Session, int, str], T]:
    """Return a function that calls the use case `change`.

    The function reads the version from the header If-Match, and passes this version to `change`.
    """
    return lambda services, session, seat, operation: change(
        services, session, seat, require_version(session, seat), operation
    )


def holder_of(session: Session, header: str | None) -> int | None:
    """Return the seat whose bearer token is in an Authorization header. For the owner's token, return OWNER.

    Return None if `header` is None. Raise Problem (401) if the token is unknown.
    """
    if header is None:
        return None
    found = _BEARER.match(header)
    holder = bearer(session, found[1]) if found else None
    if found is None or holder is None:
        raise denied(None)
    if holder != OWNER:
        current_call().token = hashed(found[1])
    return holder


def _comes_from_founder(session: Session) -> bool:
    asked = current_call().request
    if session.charter.founder is None or API_KEY_HEADER.lower() not in asked.headers or TICKET in asked.arguments:
        return False
    key = caller().key
    return key is not None and key.id == session.charter.founder and PLAY_SCOPE in key.scopes


def denied(holder: int | None) -> Problem:
    """Return the problem for a caller without permission.

    If `holder` is None, the caller has no valid token, and the status is 401. Otherwise, the status is 403.
    """
    if holder is None:
        return Problem("unauthorized", headers={"WWW-Authenticate": 'Bearer realm="session"'})
    return Problem("forbidden")
