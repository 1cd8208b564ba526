"""The caller's view of a session as a picture."""

from __future__ import annotations

from typing import Any

from flask import Response

from service.api.auth import VARY, allow_ticket, require, revalidate
from service.api.engine import PICTURE_FORMS, SVG, PictureQuery, sized_picture, wants_png
from service.api.streams import Ticketed
from service.http.blueprint import IF_NONE_MATCH, Blueprint
from service.http.context import current_context
from service.http.png import drawn_text
from service.http.request_context import language, set_language
from service.sessions.reading import game_of, table_of
from service.sessions.tickets import PICTURE
from service.store.sessions import Session
from service.wire.sessions import names_of

blp = Blueprint("pictures", __name__, url_prefix="/v1/sessions", description="Pictures of a session.")


class SessionPictureQuery(Ticketed, PictureQuery):
    """Query of pictures of a session, with the language of their texts."""


@blp.get("/<id>/picture")
@require(allow_ticket(PICTURE))
@blp.arguments(query=SessionPictureQuery())
@blp.response(
    200,
    {"type": "string"},
    content_type=SVG,
    forms=PICTURE_FORMS,
    not_modified=IF_NONE_MATCH,
    problems=("drawings-busy", "too-much-work", "not-dealt"),
)
def draw_session(query: dict[str, Any], session: Session, viewer: int) -> Response:
    """Draw a session.

    Draw the caller's view as SVG, or as PNG if `Accept` prefers `image/png`. Browsers display the picture without
    running scripts. PNG supports Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew and Arabic letters. Other
    characters appear as code points, long runs as eight digits of their SHA-256.
    """
    set_language(query.get("language"))
    theme, angle, width = query["theme"], query["angle"], query.get("width")
    part = "-".join(
        [
            "picture",
            theme,
            *([str(angle)] if angle else ()),
            *([f"w{width}"] if width else ()),
            *(["png"] * wants_png()),
        ]
    )
    headers = revalidate(session, viewer, part, vary=f"Accept, {VARY}")
    game = game_of(current_context().sessions, session)
    view, names = game.view(table_of(game, session), viewer), names_of(game, session, language())
    if wants_png():
        names = [drawn_text(name) for name in names]
    drawn = sized_picture(lambda: game.picture(view, language(), theme, angle, names), width)
    drawn.headers.update(headers)
    drawn.headers["Referrer-Policy"] = "no-referrer"
    return drawn
