"""An immutable request, independent of the web server.

A path is odd (`is_odd`) if it has dot segments, empty segments, encoded slashes, or invalid percent-encoding. The
service rejects odd paths, because a proxy in front of the service may have interpreted them differently.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import IO, Any, Final, NamedTuple, Self
from urllib.parse import parse_qsl, unquote_to_bytes

import msgspec
from flask import Request as FlaskRequest
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge
from werkzeug.http import parse_etags, parse_list_header

from service.http.problems import Problem

REQUEST: Final = "dorfplatz.request"
"""Key in the WSGI environment under which our server stores the `Request`."""

MAX_NAMES: Final = 256
"""Maximum number of header names in each cache."""

_DIGITS: Final = re.compile(r"[0-9]{1,18}\Z", re.ASCII)
_UNPREFIXED: Final = {"CONTENT_TYPE": "content-type", "CONTENT_LENGTH": "content-length"}

_PLAIN: Final = re.compile(r"(?:/(?!\.{1,2}(?:[/?]|\Z))[\w.~:@!$&'()*+,;=-]+)+(?:\?|\Z)", re.ASCII)
"""Matches the path of an ordinary request target, which needs no further check."""

_ABSOLUTE: Final = re.compile(r"https?://([^/?#@]+)(?=[/?]|\Z)", re.IGNORECASE)
_ODD: Final = re.compile(r"//|/(?:\.|%2e){1,2}(?:/|\Z)|\\|%(?:2f|5c|(?![0-9a-f]{2}))", re.ASCII | re.IGNORECASE)


class Request(msgspec.Struct, frozen=True):
    """A request with a decoded `path` and a raw `query`.

    Header names are in lower case, and repeated headers are joined.

    * If the body exceeds the size limit, `body` contains only the beginning, or nothing, and the property `length`
      exceeds the limit. If a body within the limit arrives incompletely, `body` is None.
    * `client` is the address that the trusted proxies report.
    * `arrived_ms` is the time at which the request was complete, in milliseconds of the monotonic clock. It is 0 if the
      time is unknown.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = {}
    body: bytes | None = b""
    client: str = ""
    is_odd: bool = False
    arrived_ms: int = 0

    @classmethod
    def from_scope(cls, scope: Mapping[str, Any], body: bytes | None = b"", *, trusted_proxies: int = 0) -> Self:
        """Create a request from an ASGI scope and the body. Raise MalformedRequest if the request violates HTTP."""
        headers: dict[str, str] = {}
        hosts = 0
        for name, value in scope["headers"]:
            key, text = _header_name(name), value.decode("latin-1")
            hosts += key == "host"
            # A name with an underscore is dropped, because WSGI cannot distinguish underscores from hyphens.
            if key:
                headers[key] = f"{headers[key]},{text}" if key in headers else text
        client = _client((scope.get("client") or ("",))[0], headers, trusted_proxies)
        found = _Target.of(scope.get("raw_path", b"").decode("latin-1") or scope["path"], scope["path"])
        if found.host is not None:  # it replaces the host of the headers (RFC 9112, 3.2.2)
            headers["host"] = found.host
        query = scope["query_string"].decode("latin-1")
        request = cls(scope["method"], found.path, query, headers, body, client, found.is_odd)
        if (
            hosts > 1
            or (not hosts and scope.get("http_version", "1.1") != "1.0")
            or headers.get("transfer-encoding", "chunked").lower() != "chunked"
            or not _DIGITS.match(headers.get("content-length", "0"))
            # Servers read no body after an upgrade, so a body would be lost silently.
            or ("upgrade" in headers and ("transfer-encoding" in headers or headers.get("content-length", "0") != "0"))
        ):
            raise MalformedRequest(request)
        return request

    @classmethod
    def from_flask(cls, request: FlaskRequest, *, trusted_proxies: int = 0) -> Self:
        """Convert Flask's request to a `Request` without a body.

        If our web server has stored a `Request` in the WSGI environment, return the stored `Request`.
        """
        environ = request.environ
        if REQUEST in environ:
            found: Self = environ[REQUEST]
            return found
        headers = {
            _UNPREFIXED.get(name) or name[5:].lower().replace("_", "-"): text
            for name, text in environ.items()
            if name.startswith("HTTP_") or name in _UNPREFIXED
        }
        query = environ.get("QUERY_STRING", "")
        client = _client(request.remote_addr or "", headers, trusted_proxies)
        is_odd = _Target.of(environ.get("RAW_URI") or request.path, request.path).is_odd
        return cls(request.method, request.path, query, headers, client=client, is_odd=is_odd)

    def to_environ(self, scope: Mapping[str, Any], body: IO[bytes]) -> dict[str, Any]:
        """Return the WSGI environment of this request.

        It also contains this `Request` itself, under the key REQUEST. `scope` is the ASGI scope.
        """
        server, client = scope.get("server") or ("", 0), scope.get("client") or ("", 0)
        return {_environ_name(name): text for name, text in self.headers.items()} | {
            "REQUEST_METHOD": self.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": self.path.encode().decode("latin-1"),
            "QUERY_STRING": self.query,
            REQUEST: self,
            "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
            "SERVER_NAME": server[0],
            "SERVER_PORT": str(server[1]),
            "REMOTE_ADDR": client[0],
            "REMOTE_PORT": str(client[1]),
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": scope["scheme"],
            "wsgi.input": body,
            "wsgi.errors": sys.stderr,
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
        }

    def replace(self, **changes: Any) -> Self:
        return msgspec.structs.replace(self, **changes)

    def with_length(self, size: int) -> Self:
        if "transfer-encoding" not in self.headers:
            return self
        headers = {name: text for name, text in self.headers.items() if name != "transfer-encoding"}
        return self.replace(headers={**headers, "content-length": str(size)})

    @property
    def waited_ms(self) -> int:
        """The milliseconds since the request arrived completely. It is 0 if the arrival time is unknown."""
        return time.monotonic_ns() // 1_000_000 - self.arrived_ms if self.arrived_ms else 0

    @property
    def length(self) -> int:
        """The declared length of the body in bytes. If no length is declared, it is the number of bytes received."""
        declared = self.headers.get("content-length", "")
        return int(declared) if _DIGITS.match(declared) else len(self.body or b"")

    @property
    def arguments(self) -> MultiDict[str, str]:
        return parse_query(self.query)

    def check_if_match(self, tag: str) -> None:
        """Check the header If-Match of a GET or HEAD request (RFC 9110, 13.1.1). Ignore requests with other methods.

        Raise Problem if the request has this header, and the header contains neither the ETag `tag` nor `*`.
        """
        if "if-match" in self.headers and self.method in {"GET", "HEAD"}:
            wanted = parse_etags(self.headers["if-match"])
            if not (wanted.star_tag or wanted.contains_weak(tag.removeprefix("W/").strip('"'))):
                raise Problem("precondition-failed")


class MalformedRequest(Problem):
    """A request that violates HTTP. `request` contains the parts that could be parsed."""

    def __init__(self, request: Request) -> None:
        super().__init__("bad-request")
        self.request = request


class _Target(NamedTuple):
    host: str | None
    path: str
    is_odd: bool

    @classmethod
    def of(cls, target: str, path: str) -> Self:
        """Parse a request target. `path` is the path that the server has decoded from the target."""
        if _PLAIN.match(target):
            return cls(None, path, is_odd=False)
        absolute = _ABSOLUTE.match(target)
        sent = target[absolute.end() if absolute else 0 :].partition("?")[0]
        decoded = unquote_to_bytes(sent.encode("latin-1"))
        is_utf8 = decoded.decode(errors="ignore").encode() == decoded
        if absolute is not None:
            sent, path = sent or "/", decoded.decode(errors="replace") or "/"
        is_odd = sent != "*" and (not sent.startswith("/") or bool(_ODD.search(sent)) or not is_utf8)
        return cls(absolute[1] if absolute else None, path, is_odd)


def _client(peer: str, headers: Mapping[str, str], trusted_proxies: int) -> str:
    """Return the client's address. The client cannot forge it.

    Each trusted proxy appends the address of its own client to the header X-Forwarded-For. The result is the address
    that the trusted proxy nearest to the client has appended. If there is no trusted proxy, or if the header has too
    few addresses, the result is `peer`, the address of the connection.
    """
    if not trusted_proxies or "x-forwarded-for" not in headers:
        return peer
    found = parse_list_header(headers["x-forwarded-for"])
    # If there are fewer addresses than trusted proxies, the client may have forged the header.
    return (found[-trusted_proxies] if len(found) >= trusted_proxies else "") or peer


def forwarded_scheme(headers: Mapping[str, str], trusted_proxies: int) -> str | None:
    """Return the scheme of the client's request from the header X-Forwarded-Proto.

    Return None if there is no trusted proxy or the header has no known scheme.
    """
    found = (
        parse_list_header(headers.get("x-forwarded-proto", "").lower())[-trusted_proxies:] if trusted_proxies else []
    )
    return found[0] if found and found[0] in {"http", "https"} else None


def flask_body(request: FlaskRequest, most: int) -> bytes | None:
    """Return the body of a Flask request. Return None if the connection fails before the end of the body.

    `most` is the maximum length in bytes. If the body is longer and chunked, return only its first `most` + 1 bytes. If
    the body is longer and not chunked, return b"".
    """
    is_chunked = request.content_length is None
    request.max_content_length = most + is_chunked  # werkzeug cuts a chunked body at its limit without an error
    try:
        body: bytes = request.get_data()
    except RequestEntityTooLarge:
        return b""  # `length` shows that it is too long
    except (ClientDisconnected, OSError):
        return None
    finally:
        request.max_content_length = most
    return body


@lru_cache(MAX_NAMES)
def _header_name(name: bytes) -> str:
    return "" if b"_" in name else name.decode("latin-1").lower()


@lru_cache(MAX_NAMES)
def _environ_name(name: str) -> str:
    key = name.upper().replace("-", "_")
    return key if key in _UNPREFIXED else f"HTTP_{key}"


def parse_query(query: str) -> MultiDict[str, str]:
    """Parse a query string in the same way as werkzeug."""
    pairs: Iterable[tuple[str, str]] = parse_qsl(
        query.encode("latin-1").decode(errors="replace"), keep_blank_values=True, errors="werkzeug.url_quote"
    )
    return MultiDict(pairs)
