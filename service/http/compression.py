"""Compresses answers that anybody may read, where that is asked for (docs/decisions/113).

An answer for one caller may hold a secret (a ticket, a hand) beside words that somebody else has chosen (a name, a
question). The length of such an answer, compressed, tells of the secret. So only operations without credentials are
compressed, and of these only those that are looked at: what is posted comes back as it is.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from http import HTTPStatus
from typing import Final

from flask import Flask, Response, request

from service.http.blueprint import security_of

SHORTEST: Final = 1_000
"""Bytes below which an answer stays as it is."""

LEVEL: Final = 6
KEPT: Final = 64
"""How many compressed answers are kept; each is asked for again and again."""

COMPRESSED_STATUSES: Final = frozenset({HTTPStatus.OK, HTTPStatus.NOT_MODIFIED})
"""Statuses of answers that differ by encoding."""

NOBODYS: Final[list[dict[str, list[str]]]] = [{}]
"""The credentials of an operation that takes none."""

STATIC: Final = frozenset({"docs.document", "docs.older_document", "docs.example"})
"""Endpoints that are no operations; pages of the site are compressed once, where they are made."""


def install(app: Flask) -> None:
    """Compress what anybody may read; all operations are registered before."""
    public = frozenset(
        rule.endpoint
        for rule in app.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and _is_public(app, rule.endpoint)
    )

    def compress(response: Response) -> Response:
        if request.endpoint not in public or response.status_code not in COMPRESSED_STATUSES:
            return response
        response.vary.add("Accept-Encoding")
        if response.status_code == HTTPStatus.OK and (response.is_sequence or response.direct_passthrough):
            _compress(response)
        return response

    app.after_request(compress)


def _is_public(app: Flask, endpoint: str) -> bool:
    """Tell whether everybody gets the same answer, whoever asks."""
    if endpoint in STATIC:
        return True
    function = app.view_functions[endpoint]
    return hasattr(function, "_apidoc") and security_of(function) == NOBODYS and "/<id>" not in endpoint


def _compress(response: Response) -> None:
    """Compress an answer that is long enough, where the request takes that."""
    if request.accept_encodings["gzip"] <= 0 or "Content-Encoding" in response.headers:
        return
    response.direct_passthrough = False
    text = response.get_data()
    if len(text) < SHORTEST:
        return
    response.set_data(_gzip(text))
    response.headers["Content-Encoding"] = "gzip"
    tag, _ = response.get_etag()
    if tag is not None:
        response.set_etag(tag, weak=True)  # one tag stands for both forms


@lru_cache(maxsize=KEPT)
def _gzip(text: bytes) -> bytes:
    """Return a text compressed, the same bytes each time."""
    return gzip.compress(text, LEVEL, mtime=0)
