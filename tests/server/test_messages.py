"""The messages of the ASGI application: responses in pieces, and connections that it closes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection, Iterator
from contextlib import nullcontext
from threading import Event
from typing import Any, Final, NamedTuple

import pytest
from flask import Flask

from service.api import session_operations
from service.api.session_operations import MAX_QUEUED_MS
from service.http.flask_steps import Outgoing
from service.http.request import Request
from service.http.response import Response
from service.http.streaming import PIECE_BYTES
from service.overload.gate import Gate, OverdueError
from service.server import asgi
from service.server.asgi import HANDLER_CLOSED, Application
from service.server.batches import Batches
from service.sessions.play import plan_move
from service.waiting import Wait
from tests.server.lines import Client, Messages, application
from tests.service.kit import PEBBLES, bid, sit
from tests.service.kit import application as application_of

JSON: Final = {"content-type": "application/json"}
BODY_BYTES: Final = 4_000


class Sent(NamedTuple):
    """The response to one request: its status, its headers, and its messages as pairs (body, more_body)."""

    status: int
    headers: dict[str, str]
    messages: list[tuple[bytes, bool]]

    @property
    def body(self) -> bytes:
        return b"".join(body for body, _ in self.messages)


@pytest.fixture(scope="module")
def app() -> Flask:
    return application_of(body_bytes=BODY_BYTES)


def lower(headers: dict[str, str]) -> dict[str, str]:
    return {name.lower(): text for name, text in headers.items()}


def sent(
    app: Flask, method: str, path: str, headers: dict[str, str], receive: Messages, *, drains: bool = False
) -> Sent:
    started: list[dict[str, Any]] = []
    messages: list[tuple[bytes, bool]] = []

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            started.append(message)
        else:
            messages.append((message["body"], message.get("more_body", False)))

    async def call() -> None:
        server = application(app)
        server.is_draining = drains
        await server(Client(method, path, headers).scope, receive, send)

    asyncio.run(call())
    (start,) = started
    return Sent(start["status"], {name.decode(): text.decode() for name, text in start["headers"]}, messages)


@pytest.mark.parametrize("parts", [1, 2, 3, 10])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_a_response_is_sent_in_pieces_of_the_same_size(
    app: Flask, monkeypatch: pytest.MonkeyPatch, parts: int, more: int
) -> None:
    whole = sent(app, "GET", "/v1/limits", {}, Messages())
    assert whole.messages == [(whole.body, False)]
    length = len(whole.body)
    size = length // parts + more
    monkeypatch.setattr(asgi, "PIECE_BYTES", size)
    found = sent(app, "GET", "/v1/limits", {}, Messages())
    assert found.body == whole.body
    assert [len(body) for body, _ in found.messages[:-1]] == [size] * (-(-length // size) - 1)
    assert [more for _, more in found.messages] == [True] * (len(found.messages) - 1) + [False]


def test_a_response_that_is_read_piece_by_piece_ends_with_its_last_message(app: Flask) -> None:
    found = sent(app, "GET", "/openapi.json", {}, Messages())
    assert len(found.body) == int(found.headers["content-length"]) > PIECE_BYTES
    assert [more for _, more in found.messages] == [True] * (len(found.messages) - 1) + [False]
    assert all(len(body) <= PIECE_BYTES for body, _ in found.messages)


@pytest.mark.parametrize("path", ["/v1/limits", "/openapi.json", "/v1/sessions/x"])
@pytest.mark.parametrize("drains", [False, True])
def test_every_response_closes_its_connection_in_a_drain_alone(app: Flask, path: str, *, drains: bool) -> None:
    found = sent(app, "GET", path, {}, Messages(), drains=drains)
    assert found.headers.get("connection") == ("close" if drains else None)


class Case(NamedTuple):
    """A body by its pieces, and its effects; `announced` is its Content-Length less the limit of the operation."""

    pieces: list[int | None]  # the bytes of each piece less the limit if they are not positive; None is an end
    status: Collection[int]
    closes: bool = False
    discards: bool = False
    announced: int | None = None
    expects: bool = False


REFUSED: Final = {400, 404, 422, 503}
CASES: Final = {
    "whole": Case([2], REFUSED),
    "whole, in two pieces": Case([1, 1], REFUSED),
    "as long as permitted": Case([0], REFUSED),
    "as long as permitted, and announced": Case([0], REFUSED, announced=0),
    "too long by its last piece": Case([0, 1], {413}),
    "too long": Case([0, 1, 1], {413}, closes=True, discards=True),
    "announced as too long": Case([0, 1], {413}, closes=True, discards=True, announced=1),
    "announced by a client that waits": Case([], {413}, closes=True, announced=1, expects=True),
    "broken off": Case([2, None], {400}, closes=True),
    "broken off after it was announced": Case([2, None], {400}, closes=True, announced=0),
}


@pytest.mark.parametrize("path", [f"{PEBBLES}/snapshots", f"/v1/sessions/{'0' * 32}/moves"])
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_only_a_body_that_is_not_whole_closes_the_connection(
    app: Flask, monkeypatch: pytest.MonkeyPatch, path: str, case: Case
) -> None:
    limit = app.extensions["body_limit"](Request("POST", path))
    discarded: list[object] = []

    async def discard(receive: object) -> None:
        discarded.append(receive)

    monkeypatch.setattr(asgi, "discard_body", discard)
    headers = dict(JSON)
    if case.announced is None:
        headers["transfer-encoding"] = "chunked"
    else:
        headers["content-length"] = str(limit + case.announced)
    if case.expects:
        headers["expect"] = "100-continue"
    pieces = [None if each is None else b" " * (each if each > 0 else limit + each) for each in case.pieces]
    found = sent(app, "POST", path, headers, Messages(*pieces))
    assert found.status in ({503} if path.endswith("/moves") else case.status)  # there is no store to find a session
    assert (found.headers.get("connection") == "close") == case.closes
    assert bool(discarded) == case.discards


@pytest.mark.parametrize(("pieces", "status", "version"), [([], 201, 2), ([None], 400, 1)], ids=["whole", "broken off"])
def test_a_move_as_long_as_permitted_is_made_only_if_it_is_whole(
    redis_url: str, pieces: list[None], status: int, version: int
) -> None:
    sitting = sit(application_of(redis_url=redis_url, table_bytes=BODY_BYTES))
    text = json.dumps({"move": bid(1)}).encode().ljust(BODY_BYTES)
    headers = {**JSON, "transfer-encoding": "chunked", "if-match": "*", **lower(sitting.token(0))}
    assert sent(sitting.app, "POST", f"{sitting.here}/moves", headers, Messages(text, *pieces)).status == status
    assert sitting.version(0) == version


def test_the_time_that_a_move_waits_in_the_server_is_measured(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sitting = sit(application_of(redis_url=redis_url), clock={"move_ms": 60_000, "policy": "random"})
    answer, waits = Batches.answer, list[int]()

    async def answer_late(*arguments: Any) -> Response:
        await asyncio.sleep(0.1)
        return await answer(*arguments)

    def plan(*arguments: Any, queued_ms: int = 0, **more: Any) -> Any:
        waits.append(queued_ms)
        return plan_move(*arguments, queued_ms=queued_ms, **more)

    monkeypatch.setattr(Batches, "answer", answer_late)
    monkeypatch.setattr(session_operations, "plan_move", plan)
    text = json.dumps({"move": bid(1)}).encode()
    headers = {**JSON, "content-length": str(len(text)), "if-match": "*", **lower(sitting.token(0))}
    assert sent(sitting.app, "POST", f"{sitting.here}/moves", headers, Messages(text)).status == 201
    assert 90 <= waits[0] < MAX_QUEUED_MS


@pytest.mark.parametrize("expects", [False, True])
def test_an_overloaded_server_refuses_everything_but_probes(
    app: Flask, monkeypatch: pytest.MonkeyPatch, *, expects: bool
) -> None:
    monkeypatch.setattr(Gate, "retry_after", lambda *_: 3)
    headers = {"expect": "100-continue"} if expects else {}
    found = sent(app, "GET", "/v1/limits", headers, Messages())
    assert (found.status, found.headers["retry-after"], json.loads(found.body)["code"]) == (503, "3", "overloaded")
    assert found.headers.get("connection") == ("close" if expects else None)
    assert sent(app, "GET", "/healthz", headers, Messages()).status == 200


def test_a_request_that_waited_too_long_is_refused_with_its_time(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    async def process(*_: object) -> None:
        raise OverdueError(4)

    monkeypatch.setattr(Application, "_process", process)
    found = sent(app, "GET", "/v1/limits", {}, Messages())
    assert (found.status, found.headers["retry-after"], json.loads(found.body)["code"]) == (503, "4", "overloaded")


def test_a_malformed_request_closes_its_connection(app: Flask) -> None:
    found = sent(app, "GET", "/v1/limits", {"content-length": "x"}, Messages())
    assert (found.status, found.headers["connection"]) == (400, "close")


@pytest.mark.parametrize(("text", "is_raised"), [(f"after a reset, {HANDLER_CLOSED}", False), ("something else", True)])
def test_only_a_reset_connection_may_refuse_a_response(app: Flask, text: str, *, is_raised: bool) -> None:
    async def send(_: dict[str, Any]) -> None:
        raise RuntimeError(text)

    async def call() -> None:
        await application(app)(Client("GET", "/v1/limits").scope, Messages(), send)

    with pytest.raises(RuntimeError, match=text) if is_raised else nullcontext():
        asyncio.run(call())


def test_a_long_poll_ends_with_a_move_or_with_its_client(redis_url: str) -> None:
    sitting = sit(application_of(redis_url=redis_url, streams=1))
    broadcasts = sitting.app.extensions["context"].broadcasts
    headers = {"if-none-match": sitting.look(0).headers["ETag"], **sitting.token(0)}

    async def poll(*, leaves: bool) -> Client:
        client = Client("GET", f"{sitting.here}?wait=25", lower(headers))
        task = asyncio.create_task(application(sitting.app)(client.scope, client.receive, client.send))
        async with asyncio.timeout(20):
            while broadcasts.heard(sitting.made["id"]) is None:  # noqa: ASYNC110 -- there is no event for it
                await asyncio.sleep(0.001)
            if leaves:
                client.leave()
            else:
                moved = await asyncio.to_thread(sitting.move, 0, bid(1))
                assert moved.status_code == 201
            await task
        return client

    left, answered = (asyncio.run(poll(leaves=leaves)) for leaves in (True, False))
    assert (left.status, left.body) == (304, b"")
    assert (answered.status, answered.is_whole) == (200, True)
    assert json.loads(answered.body)["version"] == 2


@pytest.mark.parametrize("leaves", [False, True])
def test_an_operation_that_waits_continues_unless_its_client_leaves(
    app: Flask, monkeypatch: pytest.MonkeyPatch, *, leaves: bool
) -> None:
    wait, closed = Wait(60), Event()

    def exchange(*_: object) -> Iterator[Wait | Outgoing]:
        try:
            yield wait
            yield Outgoing(200, [], b"afterwards")
        finally:
            closed.set()

    async def call() -> Client:
        client = Client("GET", "/v1/limits")
        task = asyncio.create_task(application(app)(client.scope, client.receive, client.send))
        await asyncio.sleep(0)
        if leaves:
            client.leave()
        else:
            wait.end()
        async with asyncio.timeout(60):
            await task
        return client

    monkeypatch.setattr(asgi, "exchange", exchange)
    client = asyncio.run(call())
    assert (client.status, client.body) == ((0, b"") if leaves else (200, b"afterwards"))
    assert closed.wait(60)
