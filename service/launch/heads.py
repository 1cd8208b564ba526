"""gunicorn's parser of requests, whose heads httptools splits where they are whole and plain.

gunicorn splits a head in Python, byte by byte, which takes a third of a short request's time. Whatever is not plain is
left to it, and so is all that follows: which body a head announces, and whether it is refused.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

import httptools
from gunicorn.asgi.parser import DEFAULT_MAX_FIELD_LINE, MAX_UNLIMITED_REQUEST_LINE, PythonProtocol

_END: Final = b"\r\n\r\n"
_ODD: Final = re.compile(rb"[^\t\r\n\x20-\x7e\x80-\xff]")
"""What no plain head has anywhere."""

_VERSION: Final = b" HTTP/1.1\r\n"


class Head(NamedTuple):
    """A head of HTTP/1.1: its method, its target, and its headers with their names in lower case."""

    method: bytes
    target: bytes
    headers: list[tuple[bytes, bytes]]


class _Splitter:
    """Splits heads by one parser, as long as that stands at the beginning of a message."""

    def __init__(self) -> None:
        """Begin."""
        self._target, self._headers, self._whole = b"", list[tuple[bytes, bytes]](), False
        self._parser: httptools.HttpRequestParser | None = None

    def split(self, text: bytes) -> Head | None:
        """Return a head that is whole, or None where it is not plain."""
        if _ODD.search(text):
            return None
        self._target, self._headers, self._whole = b"", [], False
        parser, self._parser = self._parser or httptools.HttpRequestParser(self), None
        try:
            parser.feed_data(text)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade):
            return None
        if self._whole and parser.should_keep_alive():
            self._parser = parser
        head = Head(parser.get_method(), self._target, self._headers)
        # A parser may forgive what another reads in another way; where nothing was forgiven, nothing is lost.
        is_plain = text.startswith(b"%b %b%b" % (head.method, head.target, _VERSION)) and head.target.startswith(b"/")
        return head if is_plain and text.count(b"\r\n") == len(head.headers) + 2 else None

    # What follows is called by httptools.

    def on_url(self, url: bytes) -> None:
        """Take the target."""
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header."""
        self._headers.append((name.lower(), value.strip(b" \t")))

    def on_message_complete(self) -> None:
        """Note that no body follows."""
        self._whole = True


_splitter: Final = _Splitter()


class RequestParser(PythonProtocol):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn's parser, with heads split as above."""

    __slots__ = ()

    def feed(self, data: bytes) -> None:
        """Take what has come; raise ParseError where it is no request."""
        if self._state == "request_line" and not self._buffer and self._take_head(data):
            return
        super().feed(data)

    def repeat(self: Any) -> None:
        """Stand behind a request without a body that was parsed before, on a line on which nothing else has come."""
        self._state, self.is_complete = "complete", True

    def _take_head(self: Any, data: bytes) -> bool:
        """Take what has come, if it begins with a plain head that is whole; tell whether it does."""
        end = data.find(_END) + len(_END)
        if not len(_END) < end <= (self._limit_request_field_size or DEFAULT_MAX_FIELD_LINE):
            return False
        head = _splitter.split(data[:end])
        if head is None or not self._is_within_limits(head):
            return False
        self._state, self.http_version = "headers", (1, 1)
        self.method, self.path, self._headers_list = head
        self._header_count = len(head.headers)
        self._buffer.extend(data[end:])
        self._finalize_headers()
        self.feed(b"")
        return True

    def _is_within_limits(self, head: Head) -> bool:
        """Tell whether the request line is short enough, and the headers are few enough."""
        line = len(head.method) + len(head.target) + len(_VERSION) - 1
        return line <= (self._limit_request_line or MAX_UNLIMITED_REQUEST_LINE) and (
            len(head.headers) <= (self._limit_request_fields or len(head.headers))
        )
