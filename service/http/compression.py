"""Gzip compression of pictures, and of `GET` responses without credentials (docs/decisions/113).

Other responses are not compressed, because their compressed length could reveal secrets (the BREACH attack). Pictures
are padded to one of a few sizes.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import lru_cache, partial
from http import HTTPStatus
from typing import Final

from flask import Flask, Response, request

from service.http.blueprint import security_of
from service.pictures.padding import LEVEL, padded_gzip
from service.pictures.png import PNG

MIN_BYTES: Final = 1_000
"""Responses shorter than this number of bytes are not compressed."""

MAX_RESPONSES: Final = 64
"""Maximum number of compressed responses in the cache."""

COMPRESSED_STATUSES: Final = frozenset({HTTPStatus.OK, HTTPStatus.NOT_MODIFIED})
"""Statuses of responses that get `Vary: Accept-Encoding`."""

NOBODYS: Final[list[dict[str, list[str]]]] = [{}]
"""The OpenAPI security requirement of an operation that needs no credentials."""

PICTURES: Final = frozenset({"pictures.draw_session", "engine.draw_picture"})
"""Endpoints whose SVG responses are compressed and padded."""

STATIC: Final = frozenset({"docs.document", "docs.older_document", "docs.example"})
"""Endpoints of files rather than operations. Pages of the site are not listed: the site compresses them itself."""


def install(app: Flask) -> None:
    """Register the compression of public responses and pictures. Call this after all operations are registered."""
    public = frozenset(
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and _is_public(app, rule.endpoint)
    )

    def compress(response: Response) -> Response:
        is_picture = request.endpoint in PICTURES
        if not (is_picture or request.endpoint in public) or response.status_code not in COMPRESSED_STATUSES:
            return response
        response.vary.add("Accept-Encoding")
        if response.status_code == HTTPStatus.OK and (response.is_sequence or response.direct_passthrough):
            _compress(response, padded_gzip if is_picture else _gzip)
        return response

    app.after_request(compress)


def _is_public(app: Flask, endpoint: str) -> bool:
    if endpoint in STATIC:
        return True
    function = app.view_functions[endpoint]
    return hasattr(function, "_apidoc") and security_of(function) == NOBODYS and "/<id>" not in endpoint


def _compress(response: Response, press: Callable[[bytes], bytes]) -> None:
    """Compress a response if the client accepts gzip.

    Short responses and PNGs would not shrink. They stay unchanged.
    """
    if request.accept_encodings["gzip"] <= 0 or "Content-Encoding" in response.headers:
        return
    if response.mimetype == PNG:
        return
    response.direct_passthrough = False
    text = response.get_data()
    if len(text) < MIN_BYTES:
        return
    response.set_data(press(text))
    response.headers["Content-Encoding"] = "gzip"
    tag, _ = response.get_etag()
    if tag is not None:
        response.set_etag(tag, weak=True)  # one tag covers both encodings


_gzip: Final = lru_cache(MAX_RESPONSES)(partial(gzip.compress, compresslevel=LEVEL, mtime=0))
