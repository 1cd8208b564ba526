"""Serves the OpenAPI document, the start page, the browser client and the documentation site."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
from flask import Blueprint, Response, current_app, redirect, request
from werkzeug.wrappers import Response as Answer

from games.core.texts import LANGUAGES
from service.api.replays import session_of
from service.contract import examples
from service.contract.document import DOCS_URL, VERSION
from service.contract.served_forms import Document
from service.http.blueprint import answer
from service.http.context import current_context
from service.http.problems import Problem
from service.http.request import forwarded_scheme
from service.http.request_context import current_call, language, set_language
from service.sessions.reading import game_of
from service.sessions.states import current_state
from service.wire.sessions import names_of, outcome_of

if TYPE_CHECKING:
    from service.docs.resources import Resource
    from service.docs.site import Site

blp: Final = Blueprint("docs", __name__)

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
    "manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_PICTURE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
_DOCS_URL: Final = msgspec.json.encode(DOCS_URL)
_IMMUTABLE_DIRECTIVES: Final = "public, max-age=31536000, immutable"
_WORKER: Final = "generated/worker.js"
"""Path of the browser client's service worker, which may serve the page `/play` from its cache."""
_ENTRANCE: Final = {
    "name": "Dorfplatz",
    "version": VERSION,
    "openapi": "/openapi.json",
    "docs": "/docs",
    "play": "/play",
    "games": "/v1/games",
    "problems": "/v1/problems",
    "limits": "/v1/limits",
}


@blp.get("/openapi.json")
def document() -> Response:
    return _served(_document().text())


@blp.get("/openapi-3.0.json")
def older_document() -> Response:
    """Return the OpenAPI document for tools that support only version 3.0."""
    return _served(_document().older_text())


@blp.get("/openapi/examples/<operation>/<name>")
def example(operation: str, name: str) -> Response:
    """Return a recorded example that is too long for the OpenAPI document."""
    found = examples.example(operation, name)
    if found is None:
        raise Problem("not-found")
    value, media_type = found
    text = value if isinstance(value, str) else current_app.json.dumps(value)
    headers = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": _PICTURE_POLICY}
    return Response(text, headers=headers, content_type=media_type)


def _served(text: bytes) -> Response:
    # A relative address is not a URI, which OpenAPI requires.
    own = msgspec.json.encode(f"{_root()}docs")
    response = Response(text.replace(_DOCS_URL, own, 1), content_type="application/json")
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


def _root() -> str:
    scheme = forwarded_scheme(current_call().request.headers, current_context().settings.trusted_proxies)
    return request.host_url if scheme is None else f"{scheme}://{request.host}/"


def _document() -> Document:
    found: Document = current_app.extensions["openapi"]
    return found


@blp.get("/")
def entrance() -> Response:
    """Return the start page if the client is a browser. Otherwise, return an index of links."""
    if wants_page():
        asked = request.args.get("language")
        set_language(asked if asked in LANGUAGES else None)
        response = _sent(_site().home(language()))
    else:
        response = answer(_ENTRANCE)
    response.vary.add("Accept")
    return response


@blp.get("/play")
def play() -> Response:
    return _sent(_site().play())


@blp.get("/play/replay/<replay>")
def play_replay(replay: str) -> Response:
    """Return the browser client's page for a replay. The page has Open Graph tags for link previews in chat apps."""
    session, host = session_of(replay), _root()
    game, spoken = game_of(current_context().sessions, session), language()
    outcome = outcome_of(game, session, current_state(game, session).dealt, spoken)
    names = ", ".join(names_of(game, session, spoken))
    preview = {
        "description": names if outcome is None else f"{names}. {outcome.headline}",
        "url": f"{host}play/replay/{replay}",
        "image": f"{host}v1/replays/{replay}/preview",
    }
    title = game.texts.sections[spoken]["names"]["title"]
    return _sent(_site().replay(f"{title} · Dorfplatz", preview))


@blp.get("/docs")
def front() -> Response:
    """Return the front page of the documentation."""
    found = _site().resource("")
    if found is None:
        raise Problem("not-found")
    return _sent(found)


@blp.get("/llms.txt")
def llms() -> Response:
    """Return `llms.txt`, which lists the absolute URLs of all pages' Markdown copies."""
    return _sent(_site().llms(_root()))


@blp.get("/docs/search")
def search() -> Response:
    """Return the HTML page with the results of a search."""
    response = Response(_site().search(request.args.get("q", "")), content_type="text/html; charset=utf-8")
    response.headers["Content-Security-Policy"] = _POLICY
    return response


@blp.get("/docs/<path:path>")
def page(path: str) -> Answer:
    """Return a page, a picture or another file of the documentation."""
    site = _site()
    found = site.resource(path)
    if found is not None:
        response = _sent(found)
        if path == _WORKER:
            response.headers["Service-Worker-Allowed"] = "/play"
        return response
    moved = site.moved(path, language())
    if moved is None:
        raise Problem("not-found")
    return redirect(moved)


def wants_page() -> bool:
    """Return whether the client prefers HTML to JSON, as browsers do."""
    best = request.accept_mimetypes.best_match(["application/json", "text/html"])
    return best == "text/html"


def _site() -> Site:
    kept = current_app.extensions
    if "site" not in kept:
        from service.docs.site import Site

        kept["site"] = Site(_document().spec(), current_context().games)
    site: Site = kept["site"]
    return site


def _sent(found: Resource) -> Response:
    pressed = found.pressed is not None and request.accept_encodings.quality("gzip") > 0
    response = Response(found.pressed if pressed else found.body, content_type=found.content_type)
    if found.pressed is not None:
        response.vary.add("Accept-Encoding")
    if pressed:
        response.headers["Content-Encoding"] = "gzip"
    response.set_etag(f"{found.tag}-gzip" if pressed else found.tag)
    kept_for_ever = request.args.get("v") == found.version
    response.headers["Cache-Control"] = _IMMUTABLE_DIRECTIVES if kept_for_ever else "no-cache"
    is_picture = found.content_type.startswith("image/")
    response.headers["Content-Security-Policy"] = _PICTURE_POLICY if is_picture else _POLICY
    response.make_conditional(request)
    return response
