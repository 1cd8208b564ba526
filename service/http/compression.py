"""Compresses public responses and pictures for clients that accept gzip (docs/decisions/113).

A response for one caller may hold a secret (a ticket, a hand) beside words that somebody else has chosen (a name, a
question). The length of such a response, compressed, reveals parts of the secret (BREACH). Therefore only two kinds are
compressed: responses of `GET` operations without credentials, and pictures. A compressed picture is padded to one of a
few sizes, so its length reveals neither a hand nor a match between a hand and somebody's words.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus
from typing import Final

from flask import Flask, Response, request

from service.http.blueprint import security_of
from service.http.png import PNG

SHORTEST: Final = 1_000
"""Bytes below which an answer stays as it is."""

LEVEL: Final = 6
KEPT: Final = 64
"""How many compressed answers are kept; each is asked for again and again."""

COMPRESSED_STATUSES: Final = frozenset({HTTPStatus.OK, HTTPStatus.NOT_MODIFIED})
"""Statuses of answers that differ by encoding."""

NOBODYS: Final[list[dict[str, list[str]]]] = [{}]
"""The credentials of an operation that takes none."""

PICTURES: Final = frozenset({"pictures.draw_session", "engine.draw_picture"})
"""Endpoints whose SVG is compressed and padded."""

MIN_PADDED_BYTES: Final = 7 * 1024
"""The smallest size of a compressed picture. All pictures of three games fit; figures of clay need more."""

MAX_PADDING_STEP: Final = 56 * 1024
"""The largest distance between two sizes; the gzip header has room for that much padding."""

_HEADER: Final = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff"
"""A gzip header with an extra field and without a time (RFC 1952, 2.3)."""

_PADDING_ID: Final = b"PD"

STATIC: Final = frozenset({"docs.document", "docs.older_document", "docs.example"})
"""Endpoints that are no operations; pages of the site are compressed once, where they are made."""


def install(app: Flask) -> None:
    """Compress public responses and pictures; all operations are registered before."""
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
    """Compress a response that is long enough and not an image of pixels, if the client accepts gzip."""
    if request.accept_encodings["gzip"] <= 0 or "Content-Encoding" in response.headers:
        return
    if response.mimetype == PNG:
        return
    response.direct_passthrough = False
    text = response.get_data()
    if len(text) < SHORTEST:
        return
    response.set_data(press(text))
    response.headers["Content-Encoding"] = "gzip"
    tag, _ = response.get_etag()
    if tag is not None:
        response.set_etag(tag, weak=True)  # one tag stands for both forms


@lru_cache(maxsize=KEPT)
def _gzip(text: bytes) -> bytes:
    return gzip.compress(text, LEVEL, mtime=0)


def padded_size(length: int) -> int:
    """Return the size to which a compressed text of this length is padded."""
    size = MIN_PADDED_BYTES
    while size < length:
        size += min(size, MAX_PADDING_STEP)
    return size


def padded_gzip(text: bytes) -> bytes:
    """Compress a text and pad it in the extra field of the gzip header, which every reader skips."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = packer.compress(text) + packer.flush()
    body += zlib.crc32(text).to_bytes(4, "little") + (len(text) & 0xFFFF_FFFF).to_bytes(4, "little")
    own = len(_HEADER) + 2 + len(_PADDING_ID) + 2
    padding = padded_size(own + len(body)) - own - len(body)
    extra = _PADDING_ID + padding.to_bytes(2, "little") + bytes(padding)
    return _HEADER + len(extra).to_bytes(2, "little") + extra + body
