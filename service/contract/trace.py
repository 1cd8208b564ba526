"""What every request carries besides its content: an id, a trace, and the reader's language."""

from __future__ import annotations

import hashlib
import re
import time
import uuid
from typing import Final

from flask import g, request

from games.core.texts import LANGUAGES

_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")
_TRACEPARENT: Final = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?\Z"
)


def begin(_endpoint: str | None, _values: object) -> None:
    """Note when the request began; the application calls it before anything that can fail."""
    g.began = time.perf_counter()


def seconds() -> float:
    """Return how long the request has taken so far."""
    return time.perf_counter() - float(g.began)


def language() -> str:
    """Return the language that Accept-Language likes best (de-AT is de), the first of ours where it names none."""
    if "language" not in g:
        liked = (tag.partition("-")[0].lower() for tag, quality in request.accept_languages if quality > 0)
        g.language = next((tag for tag in liked if tag in LANGUAGES), LANGUAGES[0])
    found: str = g.language
    return found


def speak(chosen: str | None) -> None:
    """Answer in a language that the request names elsewhere, where it does."""
    if chosen is not None:
        g.language = chosen


def request_id() -> str:
    """Return the request's id: the caller's own where it is well-formed, else a new one."""
    if "request_id" not in g:
        given = request.headers.get("Request-Id", "")
        g.request_id = given if _REQUEST_ID.match(given) else uuid.uuid4().hex
    found: str = g.request_id
    return found


def trace_id() -> str:
    """Return the trace the request belongs to: that of a W3C traceparent, else a new one."""
    if "trace_id" not in g:
        given = _TRACEPARENT.match(request.headers.get("traceparent", ""))
        g.trace_id = given[1] if given else uuid.uuid4().hex
    found: str = g.trace_id
    return found


def traceparent() -> str:
    """Return the trace context of this request, for the answer and for what it sets off."""
    span = hashlib.sha256(f"{trace_id()}/{request_id()}".encode()).hexdigest()[:16]
    return f"00-{trace_id()}-{span}-01"
