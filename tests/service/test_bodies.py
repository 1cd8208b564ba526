"""Bodies of requests from an ASGI server: how much is read, and when reading stops."""

from __future__ import annotations

import asyncio
from io import BytesIO

import pytest

from service.http import bodies
from service.http.bodies import discard_body, receive_body
from service.http.request import Request
from tests.server.lines import Messages


def received(messages: Messages, limit: int, patience: float = 60.0, **headers: str) -> tuple[bool, bytes]:
    body = BytesIO()
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    request = Request("POST", "/v1/x", headers=named)
    is_whole = asyncio.run(receive_body(request, messages, body, limit, patience))
    return is_whole, body.getvalue()


@pytest.mark.parametrize("pieces", [[b""], [b"abcd"], [b"ab", b"cd"], [b"abc", b"d"], [b"abcd", b""]])
def test_a_body_up_to_the_limit_is_whole(pieces: list[bytes]) -> None:
    assert received(Messages(*pieces), 4) == (True, b"".join(pieces))


def test_a_body_above_the_limit_is_read_up_to_the_piece_that_exceeds_it() -> None:
    messages = Messages(b"ab", b"cd", b"e", b"f")
    assert received(messages, 4) == (False, b"abcde")
    assert len(messages.left) == 1


def test_a_body_that_announces_too_much_is_not_read() -> None:
    messages = Messages(b"abcd")
    assert received(messages, 4, content_length="5") == (False, b"")
    assert len(messages.left) == 1
    assert received(messages, 4, content_length="4") == (True, b"abcd")


def test_a_client_that_leaves_or_falls_silent_has_no_whole_body() -> None:
    assert received(Messages(b"ab", None, ends=False), 4) == (False, b"ab")
    assert received(Messages(b"ab", ends=False), 4, 0.01) == (False, b"ab")


@pytest.mark.parametrize(("count", "is_whole"), [(1, True), (3, True), (4, False)])
def test_a_body_has_a_bounded_number_of_pieces(monkeypatch: pytest.MonkeyPatch, count: int, *, is_whole: bool) -> None:
    monkeypatch.setattr(bodies, "MAX_BODY_PIECES", 3)
    assert received(Messages(*[b"a"] * count), 9) == (is_whole, b"a" * min(count, 3))


@pytest.mark.parametrize(
    ("pieces", "left"),
    [
        pytest.param([b"a"] * 4, 0, id="to its end"),
        pytest.param([b"a" * 5] * 3, 1, id="to the bound"),
        pytest.param([b"a" * 9, b"a" * 9, b"a"], 1, id="beyond the bound within one piece"),
        pytest.param([b"", None, b"a"], 1, id="until its client leaves"),
    ],
)
def test_the_rest_of_a_body_is_dropped(monkeypatch: pytest.MonkeyPatch, pieces: list[bytes | None], left: int) -> None:
    monkeypatch.setattr(bodies, "MAX_DISCARDED_BYTES", 10)
    messages = Messages(*pieces)
    asyncio.run(discard_body(messages))
    assert len(messages.left) == left


@pytest.mark.parametrize("bound", ["DISCARD_SECONDS", "DISCARD_PAUSE_SECONDS"])
def test_the_rest_of_a_body_is_not_waited_for_long(monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    for name in ("DISCARD_SECONDS", "DISCARD_PAUSE_SECONDS"):
        monkeypatch.setattr(bodies, name, 0.01 if name == bound else 3_600)
    messages = Messages(b"ab", ends=False)
    asyncio.run(asyncio.wait_for(discard_body(messages), 5))
    assert messages.left == []
