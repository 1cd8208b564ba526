"""`If-Match` at operations that only read: a problem where the caller expects another version (RFC 9110, 13.1.1).

`If-None-Match` is answered by the operations themselves, and operations that write look at `If-Match` on their own.
"""

from __future__ import annotations

from http import HTTPStatus

from flask import Flask, Response, g, request
from werkzeug.http import parse_etags

from service.http.error_handlers import to_response
from service.http.problems import Problem


def install(app: Flask) -> None:
    """Look at every request, and at every answer before anything else does."""
    app.before_request(take_precondition)
    app.after_request(refuse_failed_precondition)


def take_precondition() -> None:
    """Take `If-Match` out of a request that reads; werkzeug would refuse with a 412 and the whole body, and `*` too."""
    if request.method in {"GET", "HEAD"} and "HTTP_IF_MATCH" in request.environ:
        g.if_match = parse_etags(request.environ.pop("HTTP_IF_MATCH"))


def refuse_failed_precondition(response: Response) -> Response:
    """Return an answer, or a problem in its place where the request names no version of what would be sent."""
    if not _fails(response):
        return response
    response.close()
    return to_response(Problem("precondition-failed"))


def _fails(response: Response) -> bool:
    """Return whether an answer does not fulfil a precondition of its request."""
    tag, _ = response.get_etag()
    if "if_match" not in g or tag is None or response.status_code not in {HTTPStatus.OK, HTTPStatus.NOT_MODIFIED}:
        return False
    return not (g.if_match.star_tag or g.if_match.contains_weak(tag))
