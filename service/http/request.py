"""A request as operations read it: immutable, complete, and independent of any server."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Self
from urllib.parse import parse_qsl

import msgspec
from flask import Request as FlaskRequest
from werkzeug.datastructures import MultiDict
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge
from werkzeug.http import parse_list_header

from service.http.problems import Problem
from service.http.targets import is_plain, parse_target

MAX_NAMES: Final = 256
"""Encoded header names that are cached."""

_DIGITS: Final = re.compile(r"[0-9]{1,18}\Z", re.ASCII)
_PLAIN: Final = {"CONTENT_TYPE": "content-type", "CONTENT_LENGTH": "content-length"}


class Request(msgspec.Struct, frozen=True):
    """A request: `path` is decoded, `query` is not; `headers` are joined, by their names in lower case.

    `body` is None if it did not arrive completely. A body over its limit may be missing; `length` has its size.
    `client` is the caller's address behind the trusted proxies. A request whose path `is_odd` is Flask's to reject.
    """

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = {}
    body: bytes | None = b""
    client: str = ""
    is_odd: bool = False

    @classmethod
    def from_scope(cls, scope: Mapping[str, Any], body: bytes | None = b"", *, trusted_proxies: int = 0) -> Self:
        """Make a request from an ASGI scope and its body; raise MalformedRequest if HTTP does not allow it.

        Headers with an underscore in their names are dropped, because WSGI confuses them with others.
        """
        headers, hosts = dict[str, str](), 0
        for name, value in scope["headers"]:
            key, text = _header_name(name), value.decode("latin-1")
            hosts += key == "host"
            if key:
                headers[key] = f"{headers[key]},{text}" if key in headers else text
        client = _client((scope.get("client") or ("",))[0], headers, trusted_proxies)
        path, is_odd = scope["path"], False
        target = scope.get("raw_path", b"").decode("latin-1") or path
        if not is_plain(target):
            found = parse_target(target)
            is_odd = found.is_odd
            if found.host is not None:  # it replaces the host of the headers
                headers["host"], path = found.host, found.path.decode(errors="replace")
        request = cls(scope["method"], path, scope["query_string"].decode("latin-1"), headers, body, client, is_odd)
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
        """Make a request from Flask's, without its body, which `flask_body` reads."""
        environ = request.environ
        headers = {
            _PLAIN.get(name) or name[5:].lower().replace("_", "-"): text
            for name, text in environ.items()
            if name.startswith("HTTP_") or name in _PLAIN
        }
        query = environ.get("QUERY_STRING", "")
        client = _client(request.remote_addr or "", headers, trusted_proxies)
        return cls(request.method, request.path, query, headers, client=client)

    def replace(self, **changes: Any) -> Self:
        """Return a copy of the request with changed values."""
        return msgspec.structs.replace(self, **changes)

    @property
    def length(self) -> int:
        """Return the declared length of the body, or else the number of bytes that arrived."""
        declared = self.headers.get("content-length", "")
        return int(declared) if _DIGITS.match(declared) else len(self.body or b"")

    @property
    def arguments(self) -> MultiDict[str, str]:
        """Return the parameters of the query."""
        return parse_query(self.query)


class MalformedRequest(Problem):
    """The rejection of a request that HTTP does not allow; `request` contains the readable parts."""

    def __init__(self, request: Request) -> None:
        super().__init__("bad-request")
        self.request = request


def _client(peer: str, headers: Mapping[str, str], trusted_proxies: int) -> str:
    """Return the address seen by the outermost trusted proxy; only the peer's if fewer proxies wrote the header."""
    if not trusted_proxies or "x-forwarded-for" not in headers:
        return peer
    found = parse_list_header(headers["x-forwarded-for"])
    return (found[-trusted_proxies] if len(found) >= trusted_proxies else "") or peer


def flask_body(request: FlaskRequest, most: int) -> bytes | None:
    """Return the body of Flask's request, or a part if it is too long; None if it did not arrive."""
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


def parse_query(query: str) -> MultiDict[str, str]:
    """Return the parameters of a query, as werkzeug parses them."""
    pairs: Iterable[tuple[str, str]] = parse_qsl(
        query.encode("latin-1").decode(errors="replace"), keep_blank_values=True, errors="werkzeug.url_quote"
    )
    return MultiDict(pairs)
