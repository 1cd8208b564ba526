"""Pauses on the event loop: their ends and their results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from service.server.loop import LoopPause, call_on, watch_departure
from tests.server.lines import Messages


async def silent() -> dict[str, Any]:
    await asyncio.Event().wait()
    return {}


async def paused(prepare: Callable[[LoopPause], object], receive: Any, seconds: float | None) -> bool:
    pause = LoopPause()
    prepare(pause)
    async with asyncio.timeout(30):
        return await pause.take(receive, seconds)


def end_soon(pause: LoopPause) -> None:
    loop = asyncio.get_running_loop()
    for _ in range(2):
        loop.call_soon(pause.end)


@pytest.mark.parametrize(
    ("prepare", "receive", "seconds", "is_connected"),
    [
        pytest.param(LoopPause.end, silent, None, True, id="ended before"),
        pytest.param(end_soon, silent, None, True, id="ended twice meanwhile"),
        pytest.param(end_soon, silent, 60, True, id="ended before its time"),
        pytest.param(bool, silent, 0, True, id="no time"),
        pytest.param(bool, silent, 0.01, True, id="out of time"),
        pytest.param(bool, Messages(None), 60, False, id="the client leaves"),
        pytest.param(bool, Messages(b"a", b"b", None, ends=False), None, False, id="the client leaves after more"),
        pytest.param(LoopPause.end, Messages(None), 60, True, id="ended before the client left"),
    ],
)
def test_a_pause_returns_whether_the_client_is_still_connected(
    prepare: Callable[[LoopPause], object], receive: Any, seconds: float | None, *, is_connected: bool
) -> None:
    assert asyncio.run(paused(prepare, receive, seconds)) == is_connected


def test_a_pause_can_be_ended_after_it_is_over() -> None:
    async def run() -> bool:
        pause = LoopPause()
        assert await pause.take(silent, 0)
        pause.end()
        return await pause.take(silent)

    assert asyncio.run(run())


def test_only_a_disconnection_is_a_departure() -> None:
    messages = Messages(b"a", b"b", None, b"c", ends=False)
    asyncio.run(watch_departure(messages))
    assert len(messages.left) == 1


def test_a_call_on_a_closed_loop_does_nothing() -> None:
    loop, called = asyncio.new_event_loop(), list[int]()
    call_on(loop, lambda: called.append(1))
    loop.run_until_complete(asyncio.sleep(0))
    loop.close()
    call_on(loop, lambda: called.append(2))
    assert called == [1]
