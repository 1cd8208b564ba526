"""Replays. A replay is a finished session that its owner has published. Anybody with the link can view it."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Final

from flask import Response
from msgspec import UNSET, Meta, UnsetType

from games.core.table import SPECTATOR
from games.core.texts import LANGUAGES
from service.api.auth import NO_CACHE, allow_owner, etag_of, require, revalidate_etag
from service.api.engine import PICTURE_FORMS, SVG, PictureQuery, shown_picture
from service.api.pictures import A_IM, IM_USED, MAX_VERSION, picture_of
from service.contract.json_schemas import Answer, Time
from service.http.blueprint import IF_NONE_MATCH, Blueprint, answer, no_content, note
from service.http.context import current_context
from service.http.fields import Choice, Whole
from service.http.problems import Problem
from service.http.request_context import current_call, language
from service.pictures.png import PNG, drawn_text, png
from service.sessions.positions import positions
from service.sessions.published import link_of, public_lines, publish, published, withdraw
from service.sessions.reading import game_of
from service.sessions.states import current_state
from service.store.clock import rfc3339
from service.store.sessions import Session, coarse
from service.wire.agreements import coarse_time
from service.wire.moves import Outcome
from service.wire.sessions import event_text, names_of, outcome_of

blp = Blueprint(
    "replays",
    __name__,
    url_prefix="/v1",
    description="Finished sessions that their owner has published, as spectators see them.",
)

PREVIEW_PIXELS: Final = 720
"""Width in pixels of the picture in a link preview."""

_REPLAY: Final = re.compile(r"[A-Za-z0-9_-]{22}\Z")


class ReplayLink(Answer, frozen=True, kw_only=True):
    """The link of a published session."""

    id: str
    url: Annotated[str, Meta(description="URL of the replay.")]
    page: Annotated[str, Meta(description="URL of the page for people.")]
    expires_at: Annotated[
        Time, Meta(description="Time at which the link ends. `PUT` extends it to that of the session.")
    ]


class ReplayPosition(Answer, frozen=True, kw_only=True):
    """A position of a replay: the spectators' version, and the events that led to the position."""

    version: int
    at: Time
    texts: list[str]


class ReplayShown(Answer, frozen=True, kw_only=True):
    """A published session."""

    game: str
    ruleset: str
    names: list[str]
    status: str
    outcome: Outcome | UnsetType = UNSET
    positions: list[ReplayPosition]


class ReplayPictureQuery(PictureQuery):
    """Query parameters of pictures of a replay."""

    version = Whole(1, MAX_VERSION, description="Version of the position; the last one by default.")
    language = Choice(LANGUAGES, description="Language of texts. Takes precedence over `Accept-Language`.")


@blp.put("/sessions/<id>/replay-link")
@require(allow_owner)
@blp.response(200, ReplayLink, problems=("session-running", "not-dealt"))
def put_replay_link(session: Session, viewer: int) -> Response:  # noqa: ARG001 -- the owner
    """Publish a session.

    Let anybody with the returned link step through the positions of a finished session, as spectators see them. Only
    the owner may do this. A repeated request returns the same link. Each request sets the link's lifetime to the
    session's remaining lifetime.
    """
    publish(current_context().sessions, session)
    return _link(session)


@blp.get("/sessions/<id>/replay-link")
@require(allow_owner, table=False)
@blp.response(200, ReplayLink, problems=("unknown-replay",))
def get_replay_link(session: Session, viewer: int) -> Response:  # noqa: ARG001 -- the owner
    """Get the replay link.

    Return the link of a published session. The response is 404 if the session is not published.
    """
    return _link(session)


def _link(session: Session) -> Response:
    found = link_of(current_context().sessions, session)
    if found is None:
        raise Problem("unknown-replay")
    replay, expires = found
    path, page = f"/v1/replays/{replay}", f"/play/replay/{replay}"
    link = ReplayLink(id=replay, url=path, page=page, expires_at=rfc3339(coarse(expires)))
    return answer(link, headers={"Cache-Control": NO_CACHE})


@blp.delete("/sessions/<id>/replay-link")
@require(allow_owner, table=False)
@blp.response(204)
def delete_replay_link(session: Session, viewer: int) -> Response:  # noqa: ARG001 -- the owner
    """Withdraw a published session.

    End the link at once. A session that is published again gets another link.
    """
    withdraw(current_context().sessions, session)
    return no_content()


def of_replay(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate an operation so that it receives the session of a replay instead of the replay's id.

    The response is 404 if there is no replay with this id.
    """

    @wraps(function)
    def wrapper(*args: Any, replay: str, **kwargs: Any) -> Any:
        return function(*args, session=session_of(replay), **kwargs)

    return note(wrapper, problems=("unknown-replay", "unknown-ruleset", "session-unreadable", "store-away"))


def session_of(replay: str) -> Session:
    """Return the published session of the replay with the id `replay`.

    Raise Problem (404) if there is no such replay.
    """
    session = published(current_context().sessions, replay) if _REPLAY.match(replay) else None
    if session is None:
        raise Problem("unknown-replay")
    current_call().game = session.charter.game
    return session


@blp.get("/replays/<replay>")
@of_replay
@blp.response(200, ReplayShown, problems=("history-cut", "too-much-work"))
def get_replay(session: Session) -> Response:
    """Get a replay.

    Return the players, the outcome and all positions of a published session, each with the events that led to it.
    """
    services = current_context().sessions
    game = game_of(services, session)
    names, spoken = names_of(game, session, language()), language()
    lines = [
        ReplayPosition(
            version=line.version,
            at=coarse_time(session, line.at),
            texts=[event_text(game, event, spoken, names) for event in line.events],
        )
        for line in public_lines(services, game, session)
    ]
    shown = ReplayShown(
        game=game.slug,
        ruleset=game.ruleset,
        names=names,
        status=session.status,
        outcome=outcome_of(game, session, current_state(game, session).dealt, spoken) or UNSET,
        positions=lines,
    )
    return answer(shown, headers={"Cache-Control": "no-cache"})


@blp.get("/replays/<replay>/picture")
@of_replay
@blp.arguments(query=ReplayPictureQuery(), headers=[A_IM])
@blp.alt_response(IM_USED, description="A delta in the format GDIFF from the picture with the ETag in `Delta-Base`.")
@blp.response(
    200,
    {"type": "string"},
    content_type=SVG,
    forms=PICTURE_FORMS,
    not_modified=IF_NONE_MATCH,
    problems=("drawings-busy", "too-much-work", "history-cut"),
)
def draw_replay(query: dict[str, Any], session: Session) -> Response:
    """Draw a replay.

    Draw a position of a published session as spectators see it. Formats and deltas work as in `drawSession`.
    """
    return picture_of(query, session, SPECTATOR)


@blp.get("/replays/<replay>/preview")
@of_replay
@blp.response(
    200,
    {"type": "string", "format": "binary"},
    content_type=PNG,
    not_modified=IF_NONE_MATCH,
    problems=("drawings-busy", "too-much-work"),
)
def draw_replay_preview(session: Session) -> Response:
    """Draw a preview.

    Draw the last position of a published session as PNG, for previews of links in chats.
    """
    game = game_of(current_context().sessions, session)
    headers = revalidate_etag(etag_of(session, SPECTATOR, "preview"), "no-cache", "Accept-Language")
    now = session.versions[SPECTATOR]
    at = positions(current_context().sessions, game, session, SPECTATOR, {now})[now]
    names = [drawn_text(name) for name in names_of(game, session, language())]
    with current_context().drawing_slots.slot(current_call().gone):
        svg = game.picture(at.view, language(), "light", 0, names)
        drawn = shown_picture(png(svg, PREVIEW_PIXELS), PNG)
    drawn.headers.update(headers)
    return drawn
