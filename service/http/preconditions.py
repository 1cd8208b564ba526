"""`If-Match` for reading operations: a problem if the caller expects another version (RFC 9110, 13.1.1).

Operations handle `If-None-Match` themselves, and writing operations check `If-Match` on their own.
"""

from __future__ import annotations

from http import HTTPStatus

from flask import Flask, Response, request
from werkzeug.http import parse_etags

from service.http.call import current_call
from service.http.error_handlers import reply_to, to_flask
from service.http.problems import Problem
from service.http.request import Request


def install(app: Flask) -> None:
    """Check every request, and every response before anything else does."""
    app.before_request(take_precondition)
    app.after_request(refuse_failed_precondition)


def check_if_match(asked: Request, tag: str) -> None:
    """Raise Problem for a reading request whose If-Match does not contain the response's ETag."""
    if "if-match" in asked.headers and asked.method in {"GET", "HEAD"}:
        wanted = parse_etags(asked.headers["if-match"])
        if not (wanted.star_tag or wanted.contains_weak(tag.removeprefix("W/").strip('"'))):
            raise Problem("precondition-failed")


def take_precondition() -> None:
    """Remove `If-Match` from a reading request; werkzeug would respond with 412 and the whole body, also for `*`."""
    if request.method in {"GET", "HEAD"}:
        request.environ.pop("HTTP_IF_MATCH", None)


def refuse_failed_precondition(response: Response) -> Response:
    """Return a response, or a problem instead if the request's If-Match does not contain its ETag."""
    tag = response.headers.get("ETag")
    if tag is not None and response.status_code in {HTTPStatus.OK, HTTPStatus.NOT_MODIFIED}:
        try:
            check_if_match(current_call().request, tag)
        except Problem as problem:
            response.close()
            return to_flask(reply_to(problem))
    return response
