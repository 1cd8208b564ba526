"""Requests that are answered together have the answers that they have by ASGI, in their order, and lines end alike."""

from __future__ import annotations

import asyncio
import os
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any, Final

import pytest
import uvloop
from flask import Request as FlaskRequest
from gunicorn.config import Config
from gunicorn.glogging import Logger
from werkzeug.datastructures import Headers

from service.http.pipeline import Pending
from service.http.request import Request
from service.http.response import Response, Template
from service.launch.bridge import PIECE_BYTES, Bridge, Queues
from service.launch.gathering import Gathering
from service.launch.heads import RequestParser
from service.launch.stream_line import Wakeups
from service.launch.web_worker import Line, WebWorker
from service.waiting import Wait

feed: Final = RequestParser.feed
HEADERS: Final = Template.of(Headers([("ETag", ""), ("Content-Length", ""), ("Odd", "100 % sure"), ("Last", "y")]))
LONG: Final = PIECE_BYTES + 1
SECONDS: Final = 10
SOON: Final = 0.02
BUFFER: Final = 65_536


class Waiting(Pending):
    """A request that waits."""

    def __init__(self, request: Request, wait: Wait) -> None:
        self.request, self.wait = request, wait


class Answers:
    """Answers `/fast` in batches with what the query and the body say.

    `/wait` is answered likewise after a wait, whose seconds a header has, or which is over already.
    """

    def __init__(self) -> None:
        """Begin with nothing asked."""
        self.asked = 0
        self.waits = list[Wait]()

    def takes(self, request: Request) -> bool:
        """Take what begins so."""
        return request.path in {"/fast", "/wait"}

    def is_slow(self, request: Request) -> bool:
        """Return whether the query is long."""
        return len(request.query) > 4

    def queues(self) -> Queues:
        """Return the queues of this operation."""
        usual, slow = (Gathering(self.answer, ThreadPoolExecutor(1)) for _ in range(2))
        operation: Any = self
        return Queues(operation, usual, slow)

    def answer(self, requests: Sequence[Request | Pending]) -> list[Response | Pending]:
        """Answer some requests."""
        self.asked += len(requests)
        return [self._answer(each) for each in requests]

    def _answer(self, asked: Request | Pending) -> Response | Pending:
        """Answer a request, or have it wait."""
        if isinstance(asked, Waiting):
            return reply_to(asked.request)
        assert isinstance(asked, Request)
        if asked.path != "/wait":
            return reply_to(asked)
        wait = Wait(float(asked.headers["seconds"]))
        if not wait.left:
            wait.end()
        self.waits.append(wait)
        return Waiting(asked, wait)


def reply_to(asked: Request) -> Response:
    """Return the response to a request: 304, or a body as often as its query says."""
    times = int(asked.query or 0)
    body = times * (asked.body or b"x")
    status = HTTPStatus.OK if times else HTTPStatus.NOT_MODIFIED
    values = {"ETag": asked.headers["tag"], "Content-Length": str(len(body))}
    return Response(status, HEADERS.fill(values), body)


def application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    """Answer a request alone."""
    body = environ["wsgi.input"].read()
    reply = reply_to(Request.from_flask(FlaskRequest(environ)).replace(body=body))
    start(f"{reply.status} {HTTPStatus(reply.status).phrase}", reply.headers)
    return [reply.body]


def request(path: str, tag: str = "a", body: bytes = b"", **headers: str) -> bytes:
    """Return a request."""
    named = {"Host": "x", "Tag": tag, **headers, **({"Content-Length": str(len(body))} if body else {})}
    head = "".join(f"{name}: {text}\r\n" for name, text in named.items())
    return f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\n{head}\r\n".encode() + body


async def until(happened: Callable[[], object]) -> None:
    """Wait until something has happened."""
    while not happened():  # noqa: ASYNC110 -- nobody tells
        await asyncio.sleep(0.001)


Talk = Callable[[WebWorker, socket.socket], Awaitable[bytes]]


def told(talk: Talk, *, together: bool = True, **settings: Any) -> tuple[bytes, int]:
    """Return what a client was told, but for dates, and how many of its requests were answered together."""
    config = Config()
    for name, value in {"keepalive": SECONDS, **settings}.items():
        config.set(name, value)
    worker, answers = WebWorker(1, os.getpid(), [], None, 30, config, Logger(config)), Answers()
    worker.bridge = Bridge(application, threads=2, longest=lambda _: 2 * LONG, patience=1, before=[answers.queues()])
    worker.asgi = worker.bridge
    worker.answers = answers

    async def serve() -> bytes:
        worker.loop = loop = asyncio.get_running_loop()
        worker.wakeups = Wakeups(loop)
        with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as client:
            client.settimeout(0)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER)
            worker.public_ports = frozenset({listener.getsockname()[1]} if together else ())
            server = await loop.create_server(lambda: Line(worker), sock=listener)
            await loop.sock_connect(client, listener.getsockname())
            await asyncio.sleep(SOON)  # gunicorn's task of the line waits for a request
            try:
                async with asyncio.timeout(SECONDS):
                    text = await talk(worker, client)
            finally:
                client.close()
                server.close()
            await until(lambda: not worker.lines)
            return text

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        text = runner.run(serve())
    worker.tmp.close()
    return re.sub(rb"Date: [^\r]*", b"Date", text), answers.asked


def sends(*pieces: bytes, answers: int) -> Talk:
    """Return a client that sends pieces, and reads to the end of so many answers, or of the line."""

    async def talk(_worker: WebWorker, client: socket.socket) -> bytes:
        loop, text = asyncio.get_running_loop(), b""
        for piece in pieces:
            await loop.sock_sendall(client, piece)
            await asyncio.sleep(SOON)
        while len(re.findall(rb"HTTP/1.1 ", text)) < answers or not whole(text):
            part = await loop.sock_recv(client, 1_000_000)
            text += part
            if not part:
                return text + b"END"
        return text

    return talk


def whole(text: bytes) -> bool:
    """Tell whether the last answer of some is whole."""
    head, end, body = b"HTTP/1.1 ".join(text.split(b"HTTP/1.1 ")[-1:]).partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    return bool(end) and (length is None or len(body) >= int(length[1]))


ALIKE: Final = {
    "a head": sends(request("/fast"), answers=1),
    "one after the other": sends(request("/fast"), request("/fast", "b"), request("/fast"), answers=3),
    "at once": sends(request("/fast") + request("/fast?3", "b") + request("/fast", "c"), answers=3),
    "the same at once": sends(request("/fast", "b") * 3, request("/fast", "b") * 2, answers=5),
    "a head and a half": sends(request("/fast") + request("/fast")[:9], request("/fast")[9:], answers=2),
    "again and again": sends(*[request("/fast", "b")] * 3, request("/fast"), request("/fast", "b"), answers=5),
    "again behind another": sends(request("/fast") * 2, request("/fast") * 2, request("/fast"), answers=5),
    "an end of one again": sends(request("/fast")[:9], request("/fast")[9:], request("/fast")[9:], answers=9),
    "again, and half of another": sends(*[request("/fast")] * 2, request("/fast")[:9], request("/fast")[9:], answers=3),
    "a long answer again": sends(*[request(f"/fast?{LONG}")] * 3, answers=3),
    "a body again": sends(*[request("/fast?2", "a", b"abc")] * 3, answers=3),
    "again behind one by ASGI": sends(request("/fast"), request("/other"), request("/fast"), answers=3),
    "a body": sends(request("/fast?2", "a", b"abc"), request("/fast?1"), answers=2),
    "a body later": sends(request("/fast?2", "a", b"abc")[:-3], b"abc" + request("/fast?1"), answers=2),
    "of no path": sends(request("/other?2", "a", b"abc") + request("/other"), request("/fast"), answers=3),
    "a long answer": sends(request(f"/fast?{LONG}"), request("/fast"), answers=2),
    "an answer of one piece": sends(request(f"/fast?{PIECE_BYTES}"), request("/fast"), answers=2),
    "a line that closes": sends(request("/fast?2", Connection="close"), answers=2),
    "one that is refused behind": sends(request("/fast") + b"no request\r\n\r\n", answers=9),
    "HTTP/1.0": sends(request("/fast?2").replace(b"/1.1", b"/1.0"), answers=2),
    "HTTP/1.0 that stays": sends(request("/fast", Connection="keep-alive").replace(b"/1.1", b"/1.0"), answers=0),
    "expectation": sends(request("/fast?2", "a", b"abc", Expect="100-continue"), answers=1),
    "an odd tag": sends(request("/fast?2", "\xe4"), answers=1),
    "a wait": sends(request("/wait?2", Seconds="0.05"), request("/fast"), answers=2),
    "a wait again and again": sends(*[request("/wait", Seconds="0.01")] * 3, answers=3),
    "a wait that is over": sends(request("/wait?2", Seconds="0"), request("/wait", Seconds="0"), answers=2),
    "a wait, and more at once": sends(
        request("/wait", Seconds="0.05") + request("/fast?2", "b") + request("/wait", "c", Seconds="0.05"), answers=3
    ),
    "a wait, and more meanwhile": sends(
        request("/wait", Seconds="0.1"), request("/fast?2", "b"), request("/wait?3", Seconds="0.01"), answers=3
    ),
    "a wait for a long answer": sends(request(f"/wait?{LONG}", Seconds="0.05"), request("/fast"), answers=2),
    "a wait on a line that closes": sends(request("/wait?2", Seconds="0.05", Connection="close"), answers=2),
    "HEAD": sends(request("/fast?2", Connection="close").replace(b"GET", b"HEAD"), answers=9),
}


@pytest.mark.parametrize("talk", ALIKE.values(), ids=ALIKE.keys())
def test_answers_are_those_that_gunicorn_sends_by_asgi(talk: Talk) -> None:
    assert told(talk)[0] == told(talk, together=False)[0]


def test_gunicorn_sees_every_request_where_it_is_told_to_look_at_them(capsys: pytest.CaptureFixture[str]) -> None:
    talk, seen = sends(request("/fast"), request("/fast"), answers=2), list[Any]()
    told(talk, pre_request=lambda _worker, asked: seen.append(asked.path))
    told(talk, post_request=lambda _worker, asked, *_: seen.append(asked.path))
    assert seen == ["/fast"] * 4
    told(talk, accesslog="-")
    assert ["GET /fast" in line for line in capsys.readouterr().out.splitlines()] == [True] * 2


def test_a_line_closes_where_the_process_has_answered_enough() -> None:
    talk = sends(request("/fast"), request("/fast"), request("/fast"), answers=9)
    by_asgi = told(talk, together=False, max_requests=2)
    assert told(talk, max_requests=2) == by_asgi
    assert by_asgi[0].count(b"HTTP/1.1 304") == 2
    assert by_asgi[0].count(b"Connection: close") == 1


def test_a_line_closes_where_the_process_stops_meanwhile() -> None:
    async def talk(worker: WebWorker, client: socket.socket) -> bytes:
        first = await sends(request("/fast"), answers=1)(worker, client)
        worker.handle_exit_signal()
        return first + await sends(request("/fast"), answers=9)(worker, client)

    assert told(talk) == told(talk, together=False)
    assert told(talk)[0].endswith(b"Connection: close\r\n\r\nEND")


def test_a_client_that_leaves_meanwhile_takes_nothing_along(caplog: pytest.LogCaptureFixture) -> None:
    async def talk(worker: WebWorker, client: socket.socket) -> bytes:
        (line,) = worker.lines
        waits, kept = line._answer, list[Any]()
        line._answer = lambda *args: kept.append(args)  # type: ignore[method-assign]
        await asyncio.get_running_loop().sock_sendall(client, request("/fast"))
        await until(lambda: kept)
        client.close()
        await until(lambda: not worker.lines)
        waits(*kept[0])
        return b""

    assert told(talk) == (b"", 1)
    assert not caplog.records


@pytest.mark.parametrize("together", [True, False])
def test_a_wait_is_over_when_whoever_waits_for_it_says_so_in_another_thread(*, together: bool) -> None:
    async def talk(worker: WebWorker, client: socket.socket) -> bytes:
        loop = asyncio.get_running_loop()
        answers: Any = worker.answers
        await loop.sock_sendall(client, request("/wait?2", Seconds="300"))
        await until(lambda: answers.waits)
        await asyncio.sleep(SOON)
        await loop.run_in_executor(None, answers.waits[0].end)
        return await sends(answers=1)(worker, client)

    text, asked = told(talk, together=together)
    assert (text[-2:], asked) == (b"xx", 2)


@pytest.mark.parametrize("together", [True, False])
def test_a_wait_is_over_when_the_client_has_left(*, together: bool) -> None:
    async def talk(worker: WebWorker, client: socket.socket) -> bytes:
        answers: Any = worker.answers
        await asyncio.get_running_loop().sock_sendall(client, request("/wait", Seconds="300"))
        await until(lambda: answers.waits)
        await asyncio.sleep(SOON)
        client.close()
        await until(lambda: answers.asked == 2)
        return b""

    assert told(talk, together=together) == (b"", 2)


def test_a_wait_that_begins_when_the_client_has_left_is_over_at_once(caplog: pytest.LogCaptureFixture) -> None:
    async def talk(worker: WebWorker, client: socket.socket) -> bytes:
        answers: Any = worker.answers
        (line,) = worker.lines
        waits, kept = line._answer, list[Any]()
        line._answer = lambda *args: kept.append(args)  # type: ignore[method-assign]
        await asyncio.get_running_loop().sock_sendall(client, request("/wait", Seconds="300"))
        await until(lambda: kept)
        client.close()
        await until(lambda: not worker.lines)
        line._answer = waits  # type: ignore[method-assign]
        waits(*kept[0])
        await until(lambda: answers.asked == 2)
        return b""

    assert told(talk) == (b"", 2)
    assert not caplog.records


def test_who_does_not_read_has_no_next_answer_and_what_it_sends_is_left_unread() -> None:
    asked, long = 200, request(f"/fast?{PIECE_BYTES}")

    async def talk(worker: WebWorker, client: socket.socket) -> bytes:
        loop = asyncio.get_running_loop()
        (line,) = worker.lines
        sending = loop.create_task(loop.sock_sendall(client, long * asked))
        before = -1
        while worker.nr > before:
            before = worker.nr
            await asyncio.sleep(5 * SOON)
        assert worker.nr < asked
        assert line.transport.get_write_buffer_size() <= PIECE_BYTES + 1_000
        assert line.has_head
        text = 0
        while part := await loop.sock_recv(client, 10_000_000):
            text += len(part)
            if text >= asked * PIECE_BYTES:
                break
        await sending
        return b"all"

    assert told(talk)[0] == b"all"


def test_a_request_that_is_asked_again_is_not_parsed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = list[bytes]()

    def note(parser: RequestParser, data: bytes) -> None:
        parsed.append(data)
        feed(parser, data)

    monkeypatch.setattr(RequestParser, "feed", note)
    talk = sends(*[request("/fast")] * 4, request("/fast", "b"), request("/fast", "b"), answers=6)
    assert told(talk)[1] == 6
    assert [text for text in parsed if text] == [request("/fast"), request("/fast", "b")]


def test_a_header_that_cannot_be_sent_is_refused() -> None:
    with pytest.raises(ValueError, match="header"):
        Template.of(Headers({"A": "b\x00"}))
    for odd in ({"ETag": "a\nb", "Content-Length": "0"}, {"ETag": "a", "Content-Length": "\r"}):
        with pytest.raises(ValueError, match="header"):
            HEADERS.fill(odd)
