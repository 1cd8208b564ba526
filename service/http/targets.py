"""Request targets: absolute-form is read as origin-form, and paths that are not canonical are rejected.

A proxy in front of the service may normalise a path before it applies its rules. So a path is rejected if another
program may read it differently: with an empty segment, a dot segment, a backslash, an encoded slash or backslash, or
broken percent-encoding. Servers call `read_target`; `install` rejects.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple
from urllib.parse import unquote_to_bytes

from flask import Flask, request

from service.http.problems import Problem

RAW: Final = "RAW_URI"
"""Key of the original request target in an environment, by the convention of WSGI servers."""

ODD_PATH: Final = "dorfplatz.odd-path"
"""Key in the environment of a request whose path is not canonical."""

_PLAIN: Final = re.compile(r"(?:/(?!\.{1,2}(?:[/?]|\Z))[\w.~:@!$&'()*+,;=-]+)+(?:\?|\Z)", re.ASCII)
"""The beginning of a target that needs no further check."""

_ABSOLUTE: Final = re.compile(r"https?://([^/?#@]+)(?=[/?]|\Z)", re.IGNORECASE)
_ODD: Final = re.compile(r"//|/(?:\.|%2e){1,2}(?:/|\Z)|\\|%(?:2f|5c|(?![0-9a-f]{2}))", re.ASCII | re.IGNORECASE)

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def read_target(environ: dict[str, Any], target: str) -> None:
    """Parse a request target into an environment: its path, its host, if any, and whether the path is odd.

    In absolute-form the host of the target replaces that of the headers (RFC 9112, 3.2.2).
    """
    environ[RAW] = target
    if is_plain(target):
        return
    found = parse_target(target)
    if found.host is not None:
        environ["HTTP_HOST"], environ["PATH_INFO"] = found.host, found.path.decode("latin-1")
    if found.is_odd:
        environ[ODD_PATH] = True


class RequestTarget(NamedTuple):
    """A request target: the host of the absolute-form, the decoded path, and whether the path is not canonical."""

    host: str | None
    path: bytes
    is_odd: bool


def is_plain(target: str) -> bool:
    """Return whether a target is a canonical path without encoded characters, as nearly all are."""
    return _PLAIN.match(target) is not None


def parse_target(target: str) -> RequestTarget:
    """Parse a request target."""
    absolute = _ABSOLUTE.match(target)
    path = target[absolute.end() if absolute else 0 :].partition("?")[0]
    decoded = unquote_to_bytes(path.encode("latin-1"))
    if absolute is not None:
        path, decoded = path or "/", decoded or b"/"
    is_odd = path != "*" and (not path.startswith("/") or bool(_ODD.search(path)) or not _is_utf8(decoded))
    return RequestTarget(absolute[1] if absolute else None, decoded, is_odd)


def reading_targets(application: Application) -> Application:
    """Wrap a WSGI application for servers that do not call `read_target`."""

    def read(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if RAW in environ:
            read_target(environ, environ[RAW])
        return application(environ, start_response)

    return read


def install(app: Flask) -> None:
    """Reject requests whose path is not canonical, for all operations."""

    @app.url_value_preprocessor
    def reject_odd_path(_endpoint: str | None, _values: object) -> None:
        if ODD_PATH in request.environ:
            raise Problem("invalid-path")


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
