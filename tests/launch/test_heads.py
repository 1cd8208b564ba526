"""Requests are parsed as gunicorn parses them, whoever splits their heads; they have the environment of ASGI."""

from __future__ import annotations

import io
import os
from typing import Any, Final

import pytest
from a2wsgi.wsgi import build_environ
from gunicorn.asgi.parser import CallbackRequest, PythonProtocol
from gunicorn.asgi.protocol import ASGIProtocol
from gunicorn.config import Config
from gunicorn.glogging import Logger
from hypothesis import example, given
from hypothesis import strategies as st

from service.launch.environ import environ_of_line, environ_of_request
from service.launch.heads import RequestParser
from service.launch.web_worker import WebWorker

LIMITS: Final = {"limit_request_line": 60, "limit_request_fields": 4, "limit_request_field_size": 160}
START: Final = b"GET /v1/games HTTP/1.1\r\nHost: x\r\n"
END: Final = b"\r\n\r\n"

ODD: Final = [
    pytest.param(START + END[2:], id="plain"),
    pytest.param(START + b"A:b" + END, id="no space"),
    pytest.param(START + b"A: \t b \t" + END, id="much space"),
    pytest.param(START + b"A:" + END, id="no value"),
    pytest.param(START + b"A: \xff\x80" + END, id="beyond ASCII"),
    pytest.param(START + b"A : b" + END, id="a space before the colon"),
    pytest.param(START + b"A: b\r\n c" + END, id="a folded line"),
    pytest.param(START + b"A: b\nB: c" + END, id="a bare line feed"),
    pytest.param(START + b"A: b\rB: c" + END, id="a bare carriage return"),
    pytest.param(START + b"A: b\r\r\n" + END, id="a carriage return too many"),
    pytest.param(START + b"A: \x00" + END, id="a zero"),
    pytest.param(START + b"A: \x7f" + END, id="a delete"),
    pytest.param(START + b": b" + END, id="no name"),
    pytest.param(START + b"A" + END, id="no colon"),
    pytest.param(START + b"A_b: c" + END, id="an underscore"),
    pytest.param(START + b"A@: c" + END, id="no token"),
    pytest.param(START + b"A: b\r\nB: c\r\nC: d\r\nD: e" + END, id="too many headers"),
    pytest.param(START + b"A: b\r\nB: c\r\nC: d" + END, id="as many headers as may be"),
    pytest.param(START + b"A: " + b"b" * 170 + END, id="a long header"),
    pytest.param(b"GET /" + b"a" * 46 + b" HTTP/1.1\r\nHost: x" + END, id="as long a line as may be"),
    pytest.param(b"GET /" + b"a" * 47 + b" HTTP/1.1\r\nHost: x" + END, id="too long a line"),
    pytest.param(b"GET  /x HTTP/1.1\r\nHost: x" + END, id="two spaces"),
    pytest.param(b"GET /x  HTTP/1.1\r\nHost: x" + END, id="two spaces behind"),
    pytest.param(b"\r\n" + START + END[2:], id="an empty line before"),
    pytest.param(b"\r\n\r\n" + START + END[2:], id="two empty lines before"),
    pytest.param(b"get /x HTTP/1.1\r\nHost: x" + END, id="a small method"),
    pytest.param(b"BREW /x HTTP/1.1\r\nHost: x" + END, id="a method of its own"),
    pytest.param(b"GET /x HTTP/1.0\r\nHost: x" + END, id="1.0"),
    pytest.param(b"GET /x HTTP/2.0\r\nHost: x" + END, id="2.0"),
    pytest.param(b"GET /x\r\nHost: x" + END, id="0.9"),
    pytest.param(b"GET http://x/x HTTP/1.1\r\nHost: x" + END, id="a whole address"),
    pytest.param(b"OPTIONS * HTTP/1.1\r\nHost: x" + END, id="a star"),
    pytest.param(b"CONNECT x:1 HTTP/1.1\r\nHost: x" + END, id="connect"),
    pytest.param(b"GET /\xc3\xa4?b=%41#c HTTP/1.1\r\nHost: x" + END, id="no URI"),
    pytest.param(b"GET /%C3%A4?b=%41&c HTTP/1.1\r\nHost: x" + END, id="escapes"),
    pytest.param(START + b"Host: y" + END, id="two hosts"),
    pytest.param(START + b"Connection: close" + END, id="close"),
    pytest.param(START + b"Connection: keep-alive, Upgrade\r\nUpgrade: websocket" + END, id="upgrade"),
    pytest.param(START + b"Content-Length: 3" + END + b"abc", id="a body"),
    pytest.param(START + b"Content-Length: 3" + END + b"ab", id="half a body"),
    pytest.param(START + b"Content-Length: 3" + END + b"abc" + START + END[2:], id="a body and a request"),
    pytest.param(START + b"Content-Length: +3" + END + b"abc", id="a sign"),
    pytest.param(START + b"Content-Length: 3\r\nContent-Length: 3" + END + b"abc", id="two lengths"),
    pytest.param(START + b"Content-Length: 99999999999999999999" + END, id="a length beyond 64 bits"),
    pytest.param(START + b"Transfer-Encoding: chunked" + END + b"3\r\nabc\r\n0" + END, id="chunks"),
    pytest.param(START + b"Transfer-Encoding: chunked\r\nContent-Length: 3" + END + b"abc", id="chunks and a length"),
    pytest.param(START + b"Transfer-Encoding: gzip" + END, id="a coding"),
    pytest.param(START + b"Transfer-Encoding: x, chunked" + END, id="an unknown coding"),
]


def heard(kind: type[PythonProtocol], *pieces: bytes) -> list[Any]:
    """Return all that a parser says of what comes in pieces; it is made ready again after each whole request."""
    said = list[Any]()

    def on_head() -> bool:
        fields = ("method", "path", "http_version", "headers", "content_length", "is_chunked", "should_keep_alive")
        said.append({name: getattr(parser, name) for name in fields})
        return False

    parser = kind(
        on_headers_complete=on_head,
        on_body=said.append,
        on_message_complete=lambda: said.append("whole"),
        **LIMITS,
    )
    try:
        for piece in pieces:
            parser.feed(piece)
            while parser.is_complete:
                tail = parser.remaining()
                parser.reset()
                if tail:
                    parser.feed(tail)
    except Exception as problem:  # noqa: BLE001 -- whatever it is
        said.append((type(problem), str(problem)))
    said.append((parser.is_complete, parser._state, bytes(parser._buffer)))
    return said


@pytest.mark.parametrize("text", ODD)
def test_a_request_is_parsed_as_gunicorn_parses_it(text: bytes) -> None:
    for cut in (0, 9, len(text) // 2, len(text) - 1):
        pieces = text[:cut], text[cut:], START + END[2:]
        assert heard(RequestParser, *pieces) == heard(PythonProtocol, *pieces)


PARTS: Final = [b"GET ", b"POST ", b"/", b"x", b" HTTP/1.1", b"\r\n", b"\r", b"\n", b": ", b":", b" ", b"\t", b"\x80"]
FIELDS: Final = [b"Host: x\r\n", b"Content-Length: 1\r\n", b"Transfer-Encoding: chunked\r\n", b"Expect: y\r\n", b"\x01"]


@given(st.lists(st.sampled_from([*PARTS, *FIELDS, START, END])))
@example([START, END])
def test_whatever_comes_is_parsed_as_gunicorn_parses_it(parts: list[bytes]) -> None:
    text = b"".join(parts)
    for whole in (text, START + text + END, START + text):
        assert heard(RequestParser, whole, START + END[2:]) == heard(PythonProtocol, whole, START + END[2:])


def test_a_plain_head_is_split_by_httptools(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(PythonProtocol, "_parse_headers")
    assert heard(RequestParser, START + b"Content-Length: 1" + END + b"a")[1:3] == [b"a", "whole"]


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(START, id="plain"),
        pytest.param(b"GET /%C3%A4b%3F?c=%20&d HTTP/1.1\r\nHost: x\r\n", id="escapes"),
        pytest.param(START + b"Accept: a\r\naccept: \xe4\r\nX-Forwarded-For: 1.2.3.4\r\n", id="twice"),
        pytest.param(START + b"X-Forwarded-Proto: https\r\n", id="behind a proxy"),
        pytest.param(START + b'Some_Name: a\r\nIf-None-Match: "b"\r\n', id="a name that is dropped"),
        pytest.param(START + b"Content-Type: text/plain\r\nContent-Length: 3\r\n", id="a body"),
    ],
)
def test_a_request_has_the_environment_that_it_has_by_asgi(head: bytes) -> None:
    worker = WebWorker(1, os.getpid(), [], None, 30, Config(), Logger(Config()))
    worker.asgi = None
    found = list[Any]()

    class Both(ASGIProtocol):  # type: ignore[misc]  # gunicorn has no types
        """Makes both environments of a request."""

        def _on_message_complete(self) -> None:
            addresses = ("127.0.0.1", 8000), ("127.0.0.2", 4000)
            request: CallbackRequest = self._current_request
            scope = self._build_http_scope(request, *addresses)
            body = b"".join(self._body_receiver._chunks)
            found.append({**build_environ(scope, io.BytesIO(body))})  # type: ignore[arg-type]  # any file will do
            found.append(environ_of_request(environ_of_line(*addresses), request, body))

    line = Both(worker)
    line.transport = Peer()
    line._setup_callback_parser()
    line._feed_callback_parser(head + b"\r\n" + b"abc" * (b"Length" in head))
    worker.tmp.close()
    by_asgi, ours = found
    del by_asgi["asgi.scope"]
    assert ours.pop("RAW_URI") == head.split()[1].decode()
    assert by_asgi.pop("wsgi.input").read() == ours.pop("wsgi.input").read()
    assert by_asgi == ours


class Peer:
    """A client on this machine, whom gunicorn trusts as a proxy."""

    def get_extra_info(self, name: str) -> object:
        """Return its address."""
        return ("127.0.0.1", 4000) if name == "peername" else None
