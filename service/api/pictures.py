"""Pictures of a session as the caller sees it.

A picture is sent whole, or as a delta from the client's last picture.
"""

from __future__ import annotations

import base64
import re
import zlib
from dataclasses import dataclass
from typing import Any, Final

from flask import Response
from werkzeug.http import parse_accept_header, parse_etags

from games.core.game import Game
from service.api.auth import NO_CACHE, VARY, allow_ticket, etag_of, require, revalidate_etag
from service.api.engine import PICTURE_FORMS, SVG, PictureQuery, shown_picture, sized, sized_picture, wants_png
from service.api.streams import Ticketed
from service.http.blueprint import IF_NONE_MATCH, Blueprint
from service.http.context import current_context
from service.http.fields import Whole
from service.http.problems import Problem
from service.http.request_context import current_call, language, set_language
from service.pictures.deltas import packed_delta
from service.pictures.png import drawn_text
from service.sessions.errors import HistoryCut
from service.sessions.positions import Position, positions
from service.sessions.reading import game_of, last_migrated_version
from service.sessions.tickets import PICTURE
from service.store.sessions import Session
from service.validation.faults import Fault
from service.wire.sessions import names_of

blp = Blueprint("pictures", __name__, url_prefix="/v1/sessions", description="Pictures of a session.")

MAX_VERSION: Final = 10**9

GDIFF: Final = "gdiff"
IM_USED: Final = 226
PICTURE_VARY: Final = f"Accept, A-IM, {VARY}"

A_IM: Final = {
    "in": "header",
    "name": "A-IM",
    "schema": {"type": "string"},
    "description": "`gdiff` accepts a delta from the picture in `If-None-Match` (RFC 3229); also accept gzip.",
}

_VERSION_OF_TAG: Final = re.compile(r"([0-9]{1,15})\.")


class SessionPictureQuery(Ticketed, PictureQuery):
    """Query parameters of pictures of a session."""

    version = Whole(1, MAX_VERSION, description="The caller's version to draw; the current one by default.")


@dataclass(frozen=True, slots=True)
class Look:
    """The viewer and the options of a session's picture: theme, angle, width and format."""

    game: Game
    session_id: str
    viewer: int
    theme: str
    angle: int
    width: int | None

    @property
    def part(self) -> str:
        """The options of the picture as text. The ETag of the picture contains this text."""
        options = [*([str(self.angle)] if self.angle else ()), *([f"w{self.width}"] if self.width else ())]
        return "-".join(["picture", self.theme, *options, *(["png"] * wants_png())])

    def tag(self, session: Session) -> str:
        """Return the ETag of the session's picture."""
        return etag_of(session, self.viewer, self.part)

    def draw(self, position: Position) -> str:
        """Return the picture of a position as SVG. The SVG does not state its width."""
        names = names_of(self.game, position.session, language())
        if wants_png():
            names = [drawn_text(name) for name in names]
        return self.game.picture(position.view, language(), self.theme, self.angle, names)

    def text(self, position: Position) -> bytes:
        """Return the picture of a position as SVG with the width `width`.

        Keep the picture in a cache, because a later request may ask only for the differences from this picture.
        """
        kept, tag = current_context().recent_pictures, self.tag(position.session)
        found = kept.get(self.session_id, tag)
        if found is None:
            found = sized(self.draw(position), self.width).encode()
            kept.keep(self.session_id, tag, found)
        return found


@blp.get("/<id>/picture")
@require(allow_ticket(PICTURE))
@blp.arguments(query=SessionPictureQuery(), headers=[A_IM])
@blp.alt_response(IM_USED, description="A delta in the format GDIFF from the picture with the ETag in `Delta-Base`.")
@blp.response(
    200,
    {"type": "string"},
    content_type=SVG,
    forms=PICTURE_FORMS,
    not_modified=IF_NONE_MATCH,
    problems=("drawings-busy", "too-much-work", "not-dealt", "history-cut"),
)
def draw_session(query: dict[str, Any], session: Session, viewer: int) -> Response:
    """Draw a session.

    Draw the caller's view as SVG, or as PNG if `Accept` prefers `image/png`. Browsers display the picture without
    running scripts. PNG supports Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic letters. Any other
    character is replaced by its code point. If three or more such characters are in a row, eight digits of a SHA-256
    hash replace them.
    """
    return picture_of(query, session, viewer)


def picture_of(query: dict[str, Any], session: Session, viewer: int) -> Response:
    """Return a session's picture for a viewer. The picture is whole, or a delta from the client's last picture.

    `query` contains the validated query parameters.
    """
    set_language(query.get("language"))
    game, now = game_of(current_context().sessions, session), session.versions[viewer]
    look = Look(game, session.id, viewer, query["theme"], query["angle"], query.get("width"))
    version = query.get("version", now)
    if version == now:
        revalidate_etag(look.tag(session), vary=PICTURE_VARY)
    base_tag, base_version = _base(now)
    found = _positions(game, session, viewer, version, base_version)
    at, base = found[version], found.get(base_version)
    headers = revalidate_etag(look.tag(at.session), vary=PICTURE_VARY)
    if base is not None and look.tag(base.session) != base_tag:
        base = None
    drawn = sized_picture(lambda: look.draw(at), look.width) if wants_png() else _svg(look, at, base)
    cache = drawn.headers.get("Cache-Control", headers["Cache-Control"])
    drawn.headers.update({**headers, "Cache-Control": cache, "Referrer-Policy": "no-referrer"})
    return drawn


def _svg(look: Look, at: Position, base: Position | None) -> Response:
    with current_context().drawing_slots.slot(current_call().gone):
        text = look.text(at)
        delta = None if base is None else packed_delta(look.text(base), text)
    drawn = shown_picture(text if delta is None else delta, f"{SVG}; charset=utf-8")
    if delta is not None and base is not None:
        drawn.status_code = IM_USED
        drawn.headers["Content-Encoding"] = "gzip"
        drawn.headers["IM"] = GDIFF
        drawn.headers["Delta-Base"] = look.tag(base.session)
        # Pages without TLS have no stronger checksum.
        checksum = base64.b64encode(zlib.adler32(text).to_bytes(4, "big")).decode()
        drawn.headers["Repr-Digest"] = f"adler=:{checksum}:"
        drawn.headers["Cache-Control"] = NO_CACHE
        del drawn.headers["Content-Security-Policy"]  # nothing shows a delta
    return drawn


def _base(now: int) -> tuple[str, int]:
    headers = current_call().request.headers
    accepts_delta = parse_accept_header(headers.get("a-im", ""))[GDIFF] > 0
    # A delta is padded in its gzip header.
    accepts_gzip = parse_accept_header(headers.get("accept-encoding", ""))["gzip"] > 0
    if wants_png() or not (accepts_delta and accepts_gzip):
        return "", 0
    tags = parse_etags(headers.get("if-none-match")).as_set(include_weak=True)
    numbered = [(int(match[1]), tag) for tag in tags if (match := _VERSION_OF_TAG.match(tag))]
    version, tag = max((each for each in numbered if 0 < each[0] <= now), default=(0, ""))
    return f'"{tag}"', version


def _positions(game: Game, session: Session, viewer: int, version: int, base: int) -> dict[int, Position]:
    services, now = current_context().sessions, session.versions[viewer]
    if version > now:
        raise Problem("invalid-query", errors=[Fault("/version", "out-of-range", {"low": 1, "high": now}, "query")])
    if session.charter.first_ruleset is not None:
        base = 0  # pictures of an earlier ruleset looked different
        if version != now and version <= last_migrated_version(services, game, session, viewer):
            raise HistoryCut
    found = positions(services, game, session, viewer, {version, base} - {0})
    if version not in found:
        raise HistoryCut
    return found
