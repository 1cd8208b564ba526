"""Gzip compression of public responses and pictures (docs/decisions/113).

A response for one caller may contain a secret (a ticket, a hand) beside words of another person (a name, a question).
The compressed length of such a response reveals parts of the secret (BREACH). Therefore only two kinds are compressed:
responses of `GET` operations without credentials, and pictures. A compressed picture is padded to one of a few sizes.
So its length reveals neither a hand nor a match between a hand and another person's words.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from functools import lru_cache, partial
from http import HTTPStatus
from typing import Final

from flask import Flask, Response, request

from service.http.blueprint import security_of
from service.http.png import PNG

MIN_BYTES: Final = 1_000
"""Minimum size in bytes of compressed responses."""

LEVEL: Final = 6
MAX_RESPONSES: Final = 64
"""Maximum number of cached compressed responses, each of which is requested repeatedly."""

COMPRESSED_STATUSES: Final = frozenset({HTTPStatus.OK, HTTPStatus.NOT_MODIFIED})
"""Statuses of responses that differ by encoding."""

NOBODYS: Final[list[dict[str, list[str]]]] = [{}]
"""The credentials of a public operation."""

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
"""Endpoints that are not operations; pages of the site are compressed once, when they are built."""


def install(app: Flask) -> None:
    """Register the compression of public responses and pictures. All operations must be registered before."""
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
    """Compress a response if the client accepts gzip, but not a short one or a PNG, because it would not shrink."""
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


def padded_size(length: int, smallest: int = MIN_PADDED_BYTES) -> int:
    """Return the padded size of a compressed text of this length. It is a multiple of `smallest`."""
    size = smallest
    while size < length:
        size += min(size, MAX_PADDING_STEP)
    return size


def padded_gzip(text: bytes, smallest: int = MIN_PADDED_BYTES) -> bytes:
    """Compress a text and pad it in the extra field of the gzip header, which every reader skips."""
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = packer.compress(text) + packer.flush()
    body += zlib.crc32(text).to_bytes(4, "little") + (len(text) & 0xFFFF_FFFF).to_bytes(4, "little")
    own = len(_HEADER) + 2 + len(_PADDING_ID) + 2
    padding = padded_size(own + len(body), smallest) - own - len(body)
    extra = _PADDING_ID + padding.to_bytes(2, "little") + bytes(padding)
    return _HEADER + len(extra).to_bytes(2, "little") + extra + body
