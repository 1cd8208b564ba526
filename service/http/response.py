"""Responses.

Only this module adds the headers that every response has. They are CORS headers, request ids, language, quotas, and
defaults for caches and browsers. `HeaderPolicy` adds them to an operation's `Reply`, and to Flask's responses.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from flask import Flask
from flask_cors.core import (
    ACL_REQUEST_HEADER_PRIVATE_NETWORK,
    CorsOptionsInput,
    get_cors_headers,
    get_cors_options,
)
from werkzeug.datastructures import Headers, MultiDict

from service.http.request import Request

if TYPE_CHECKING:
    from service.http.streaming import Stream

DEFAULTS: Final = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
"""Default response headers. They forbid caching, and forbid browsers to guess the media type."""

EXPOSED: Final = (
    "ETag",
    "Location",
    "Request-Id",
    "RateLimit",
    "RateLimit-Policy",
    "Retry-After",
    "Idempotency-Replayed",
    "IM",
    "Delta-Base",
    "Repr-Digest",
    "Preference-Applied",
    "Deprecation",
    "Sunset",
    "Link",
)

MAX_TEMPLATES: Final = 256
MAX_ORIGINS: Final = 64
"""Maximum number of origins whose CORS headers are cached."""

_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
"""Matches bytes that are not allowed in headers."""

_FIXED: Final = frozenset({"Vary", "Cache-Control", "Content-Type"})
"""Names of response headers with few different values. A `Template` contains their values instead of placeholders."""

CorsHeaders = Callable[[Headers, str], MultiDict[str, Any]]
"""A function that returns the CORS headers of a response. Its arguments are the request's headers and method."""


class Reply(NamedTuple):
    """The response of an operation. It does not yet have the headers that all responses share."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    stream: Stream | None = None


class Response(NamedTuple):
    """A complete response. `raw_headers` are in ASGI form, with lower-case names."""

    status: int
    raw_headers: Sequence[tuple[bytes, bytes]]
    body: bytes = b""
    stream: Stream | None = None

    @property
    def headers(self) -> list[tuple[str, str]]:
        return [(name.decode("latin-1"), value.decode("latin-1")) for name, value in self.raw_headers]


class Shared(NamedTuple):
    """The headers that every response has, with their values.

    `language` is None if the response is the same in all languages.
    """

    ids: Mapping[str, str]
    language: str | None = None
    limits: Mapping[str, str] = {}


class Template(NamedTuple):
    """The headers of a response, with placeholders for the values that differ between similar responses."""

    pairs: Sequence[tuple[bytes, bytes]]
    gaps: Sequence[tuple[int, bytes, str]]
    """The placeholders: index in `pairs`, encoded name, and name."""

    @classmethod
    def of(cls, headers: Headers) -> Self:
        """Create a template from headers. Each empty header value becomes a placeholder.

        Raise ValueError if a header has an invalid character.
        """
        pairs = [(name.lower().encode("latin-1"), text.encode("latin-1")) for name, text in headers]
        _check(b"".join(name + value for name, value in pairs))
        names = enumerate(headers.keys())
        return cls(pairs, [(place, pairs[place][0], name) for place, name in names if not pairs[place][1]])

    def fill(self, values: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
        """Return the headers with `values` in the placeholders.

        Raise ValueError if a value has an invalid character.
        """
        found = list(self.pairs)
        for place, name, own in self.gaps:
            found[place] = name, values[own].encode("latin-1")
        _check(b"".join([found[place][1] for place, _, _ in self.gaps]))
        return found


class HeaderPolicy:
    """Adds the headers that all responses share."""

    def __init__(self, cors: CorsHeaders) -> None:
        self._cors = cors
        self._template = lru_cache(MAX_TEMPLATES)(self._make_template)

    def add(self, headers: Headers, asked: Headers, method: str, shared: Shared) -> None:
        """Add the shared headers to the `headers` of a response. `asked` contains the request's headers."""
        headers.extend(self._cors(asked, method))
        for name, value in DEFAULTS.items():
            if name not in headers:
                headers.add(name, value)
        for name, value in shared.ids.items():
            headers.add(name, value)
        if shared.language is not None:
            headers["Content-Language"] = shared.language
            others = headers.get("Vary")
            headers["Vary"] = f"{others}, Accept-Language" if others else "Accept-Language"
        headers.update(shared.limits)

    def respond(self, reply: Reply, request: Request, shared: Shared) -> Response:
        """Return a complete response with the shared headers. Raise ValueError if a header has an invalid character."""
        template = self._template(
            reply.status,
            tuple([(name, text if name in _FIXED else "") for name, text in reply.headers.items()]),
            (request.headers.get("origin"), request.headers.get(_PRIVATE_NETWORK)),
            request.method,
            shared.language is not None,
            tuple(shared.limits),
        )
        values = {**reply.headers, **shared.ids, **shared.limits}
        if shared.language is not None:
            values["Content-Language"] = shared.language
        return Response(reply.status, template.fill(values), reply.body, reply.stream)

    def _make_template(
        self,
        status: int,
        own: Sequence[tuple[str, str]],
        origin: tuple[str | None, str | None],
        method: str,
        is_spoken: bool,  # noqa: FBT001 -- a key of a cache
        limits: Sequence[str],
    ) -> Template:
        headers, given = Headers(list(own)), zip(("Origin", ACL_REQUEST_HEADER_PRIVATE_NETWORK), origin, strict=True)
        asked = Headers([(name, text) for name, text in given if text is not None])
        shared = Shared({"Request-Id": "", "traceparent": ""}, "" if is_spoken else None, dict.fromkeys(limits, ""))
        self.add(headers, asked, method, shared)
        if status == HTTPStatus.NOT_MODIFIED:
            headers.remove("Content-Language")  # there is no content
        return Template.of(headers)


_PRIVATE_NETWORK: Final = ACL_REQUEST_HEADER_PRIVATE_NETWORK.lower()


def cors_headers(app: Flask, origins: Sequence[str]) -> CorsHeaders:
    """Return a function that computes a response's CORS headers with Flask-CORS.

    The function caches the headers by origin. It does not cache the headers of preflight requests.
    """
    options: CorsOptionsInput = {
        "origins": list(origins),
        "expose_headers": list(EXPOSED),
        "send_wildcard": True,
        "max_age": 600,
    }
    computed = get_cors_options(app, options)

    # The cache makes the function twice as fast as the hook of Flask-CORS.
    @lru_cache(MAX_ORIGINS)
    def plain(origin: str | None) -> MultiDict[str, Any]:
        return get_cors_headers(computed, Headers() if origin is None else Headers({"Origin": origin}), "GET")

    def headers(given: Headers, method: str) -> MultiDict[str, Any]:
        if method == "OPTIONS" or ACL_REQUEST_HEADER_PRIVATE_NETWORK in given:
            return get_cors_headers(computed, given, method)
        return plain(given.get("Origin"))

    return headers


def _check(text: bytes) -> None:
    if _CONTROLS.search(text):
        raise ValueError("a header has characters that cannot be sent")
