"""The published contract: the OpenAPI document, and a page that renders it with assets of our own server."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from flask import Blueprint, Response, current_app, redirect, request, send_from_directory
from werkzeug.wrappers import Response as Answer

blp: Final = Blueprint("docs", __name__)

_ASSETS: Final = str(files("flask_swagger_ui") / "dist")
_OURS: Final = str(files("service") / "docs")
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@blp.get("/openapi.json")
def document() -> Response:
    """Return the OpenAPI document."""
    response = Response(_document(), content_type="application/json")
    response.headers["Cache-Control"] = "no-cache"
    response.add_etag()
    response.make_conditional(request)
    return response


def _document() -> bytes:
    """Return the document as it is sent; one text serves all who read it, however slowly."""
    kept = current_app.extensions
    if "openapi_text" not in kept:
        kept["openapi_text"] = current_app.json.dumps(kept["openapi"]).encode()
    text: bytes = kept["openapi_text"]
    return text


@blp.get("/")
def entrance() -> Answer:
    """Lead whoever opens the bare address to the page."""
    return redirect("/docs")


@blp.get("/docs")
def page() -> Response:
    """Return the page."""
    response = send_from_directory(_OURS, "index.html")
    response.headers["Content-Security-Policy"] = _POLICY
    return response


@blp.get("/docs/<any('page.js', 'page.css', 'swagger-ui.LICENSE.txt', 'swagger-ui-bundle.js.LICENSE.txt'):name>")
def own_asset(name: str) -> Response:
    """Return what the page itself loads, or a licence of what it loads."""
    return send_from_directory(_OURS, name)


@blp.get("/docs/<any('swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'):name>")
def asset(name: str) -> Response:
    """Return a file of Swagger UI."""
    return send_from_directory(_ASSETS, name)
