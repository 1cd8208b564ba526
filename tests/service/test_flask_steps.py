"""A WSGI application is called step by step: waits, short and long bodies, streams, and clients that leave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from service.http import flask_steps
from service.http.flask_steps import Outgoing, exchange
from service.http.flask_views import WAITS
from service.http.streaming import STREAMS, Stream
from service.http.wait_slots import WaitSlot
from service.waiting import Wait


class Called:
    """A WSGI application with a prepared response, which notes whether its body was closed."""

    def __init__(self, *parts: bytes | Wait, status: str = "200 OK", length: int | None = None) -> None:
        self._parts, self._status = parts, status
        self._headers = [] if length is None else [("Content-Length", str(length))]
        self.closed = 0
        self.environ: dict[str, Any] = {}
        self.streams: list[Stream] = []

    def __call__(self, environ: dict[str, Any], start: Any) -> Called:
        self.environ = environ
        environ[STREAMS] += self.streams
        start(self._status, [("X-Name", "text"), *self._headers])
        return self

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts)

    def close(self) -> None:
        self.closed += 1


def outgoing(called: Called, method: str = "GET") -> Outgoing:
    *waits, found = exchange(called, {"REQUEST_METHOD": method})
    assert waits == []
    assert isinstance(found, Outgoing)
    return found


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flask_steps, "LONG_BYTES", 10)


@pytest.mark.parametrize("parts", [[], [b"a" * 9], [b"a" * 10], [b"a", b"b", b"c"]])
def test_a_short_body_is_whole(parts: list[bytes]) -> None:
    called = Called(*parts, length=sum(map(len, parts)))
    found = outgoing(called)
    assert (found.status, found.body, found.rest, found.stream) == (200, b"".join(parts), None, None)
    assert found.raw_headers[0] == (b"x-name", b"text")
    assert called.closed == 1


@pytest.mark.parametrize("status", [204, 304])
def test_a_response_without_a_body_needs_no_length(status: int) -> None:
    called = Called(status=f"{status} X")
    assert (outgoing(called).body, called.closed) == (b"", 1)


def test_a_long_body_in_one_part_is_read_from_a_file_piece_by_piece() -> None:
    called = Called(b"abcdefghijk", length=11)
    found = outgoing(called)
    assert (found.body, called.closed) == (b"", 1)
    assert found.rest is not None
    assert b"".join(found.rest) == b"abcdefghijk"
    found.rest.close()


@pytest.mark.parametrize("length", [None, 13])
def test_a_long_body_in_parts_is_read_on_demand(length: int | None) -> None:
    called = Called(b"abcdef", b"ghijklm", length=length)
    found = outgoing(called)
    assert (found.body, called.closed) == (b"abcdef", 0)
    assert found.rest is not None
    assert next(found.rest) == b"ghijklm"
    found.rest.close()
    assert called.closed == 1


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_stream_starts_for_get_and_closes_for_head(method: str) -> None:
    released: list[str] = []
    called = Called()
    called.streams = [Stream(iter([b"a", b"b"]), WaitSlot(lambda: released.append("slot")))]
    found = outgoing(called, method)
    assert called.closed == 1
    assert released == ["slot"]  # it has ended within its first piece, or nobody reads it
    assert (found.stream is None) == (method == "HEAD")
    if found.stream is not None:
        assert found.stream.read().text == b"ab"


def test_each_wait_is_a_step_before_the_response() -> None:
    one, other = Wait(60), Wait(60)
    called = Called(one, other, b"a", length=1)
    found = [*exchange(called, {"REQUEST_METHOD": "GET"})]
    assert found[:2] == [one, other]
    assert isinstance(found[2], Outgoing)
    assert found[2].body == b"a"
    assert WAITS in called.environ


def test_a_client_that_leaves_during_a_wait_closes_the_body() -> None:
    called = Called(Wait(60), b"a", length=1)
    steps = exchange(called, {"REQUEST_METHOD": "GET"})
    next(steps)
    assert called.closed == 0
    steps.close()
    assert called.closed == 1
