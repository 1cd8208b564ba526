"""Stream writers on a loop whose time stands still: chunks, heartbeats, and clients that leave or do not read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from service.server import streams
from service.server.streams import StreamHub, StreamWriter
from service.subscription import StreamHeartbeat, Subscription
from tests.launch.kit import PATIENCE_SECONDS

NOW: Final = 10.0
PATIENCE: Final = 20.0

Read = tuple[bytes, Subscription | None, bool]


class Line:
    """A stream with prepared reads, and its client, which may stop reading or leave."""

    def __init__(self, *reads: Read) -> None:
        self._reads = list(reads)
        self.sent: list[tuple[bytes, bool]] = []
        self.is_closed = self.stalls = False
        self.left = asyncio.Event()

    def read(self) -> Read:
        return self._reads.pop(0)

    def close(self) -> None:
        self.is_closed = True

    async def send(self, message: dict[str, Any]) -> None:
        if self.stalls:
            await asyncio.Event().wait()
        assert message["type"] == "http.response.body"
        self.sent.append((message["body"], message["more_body"]))

    async def receive(self) -> dict[str, Any]:
        await self.left.wait()
        return {"type": "http.disconnect"}


def subscribed(seconds: float = 5.0) -> Subscription:
    return Subscription(StreamHeartbeat(b":", seconds))


async def until(holds: Callable[[], object]) -> None:
    for _ in range(int(PATIENCE_SECONDS * 1_000)):
        if holds():
            return
        await asyncio.to_thread(bool)  # another thread runs, as long as that takes
    raise TimeoutError


def staged(scenario: Callable[[StreamHub], Awaitable[None]]) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        loop.time = lambda: NOW  # type: ignore[method-assign]
        with ThreadPoolExecutor(1) as pool:
            await scenario(StreamHub(pool, PATIENCE))

    asyncio.run(run())


def begin(hub: StreamHub, line: Line) -> tuple[StreamWriter, asyncio.Task[None]]:
    writer = StreamWriter(hub, line, line.send)  # type: ignore[arg-type]
    return writer, asyncio.create_task(writer.run(line.receive))


def test_chunks_are_sent_in_order_and_the_log_is_read_after_the_end_of_a_subscription() -> None:
    async def scenario(hub: StreamHub) -> None:
        one, two = subscribed(), subscribed()
        line = Line((b"state", one, False), (b"", two, False), (b"end", None, True))
        one.push(b"a")
        _, task = begin(hub, line)
        await until(lambda: len(line.sent) == 2)
        one.push(b"b")
        one.push(b"c")
        await until(lambda: len(line.sent) == 3)
        one.end()
        await until(lambda: two in hub.followed.values())
        two.push(b"d")
        two.end()
        await task
        assert line.sent == [(b"state", True), (b"a", True), (b"bc", True), (b"d", True), (b"end", False)]
        assert hub.followed == {}
        await until(lambda: line.is_closed)

    staged(scenario)


@pytest.mark.parametrize("text", [b"", b"all"])
def test_a_stream_that_is_over_at_once_ends_with_one_message(text: bytes) -> None:
    async def scenario(hub: StreamHub) -> None:
        line = Line((text, None, True))
        _, task = begin(hub, line)
        await task
        assert line.sent == [(text, False)]

    staged(scenario)


def test_a_read_without_text_sends_nothing_and_continues() -> None:
    async def scenario(hub: StreamHub) -> None:
        line = Line((b"", None, False), (b"a", None, False), (b"", None, True))
        _, task = begin(hub, line)
        await task
        assert line.sent == [(b"a", True), (b"", False)]

    staged(scenario)


def test_a_client_that_leaves_ends_its_stream() -> None:
    async def scenario(hub: StreamHub) -> None:
        line = Line((b"a", subscribed(), False))
        _, task = begin(hub, line)
        await until(lambda: hub.followed)
        line.left.set()
        await task
        assert (line.sent, hub.followed) == ([(b"a", True)], {})
        await until(lambda: line.is_closed)

    staged(scenario)


def test_a_silent_stream_needs_a_heartbeat_after_its_time() -> None:
    async def scenario(hub: StreamHub) -> None:
        writer = StreamWriter(hub, Line(), Line().send)  # type: ignore[arg-type]
        assert [writer.needs_beat(NOW + after, 5) for after in (0, 4.9, 5, 5.1, 500)] == [
            False,
            False,
            True,
            True,
            True,
        ]

    staged(scenario)


@pytest.mark.parametrize(("after", "is_cut"), [(0.0, False), (PATIENCE - 0.1, False), (PATIENCE, True), (99.0, True)])
def test_a_client_that_does_not_read_is_cut_off_in_time(after: float, *, is_cut: bool) -> None:
    async def scenario(hub: StreamHub) -> None:
        subscription = subscribed()
        line = Line((b"", subscription, False))
        writer, task = begin(hub, line)
        await until(lambda: hub.followed)
        line.stalls = True
        subscription.push(b"a")
        for _ in range(5):
            await asyncio.sleep(0)
        assert not writer.needs_beat(NOW + after, 0)
        for _ in range(5):
            await asyncio.sleep(0)
        assert task.done() == is_cut
        assert (hub.followed == {}) == is_cut
        line.left.set()
        await task

    staged(scenario)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_every_silent_stream_has_a_heartbeat_in_each_turn(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(streams, "STREAMS_PER_TURN", 2)

    async def scenario(hub: StreamHub) -> None:
        silent = [Line((b"", subscribed(0), False)) for _ in range(count)]
        later = Line((b"", subscribed(1), False))
        tasks = [begin(hub, line)[1] for line in [*silent, later]]
        await until(lambda: len(hub.followed) == count + 1)
        watch = asyncio.create_task(hub.watch(0))
        await until(lambda: all(line.sent for line in silent))
        assert {message for line in silent for message in line.sent} == {(b":", True)}
        assert later.sent == []
        watch.cancel()
        for line in [*silent, later]:
            line.left.set()
        await asyncio.gather(*tasks)

    staged(scenario)


def test_all_streams_end_in_a_drain() -> None:
    async def scenario(hub: StreamHub) -> None:
        lines = [Line((b"", subscribed(), False), (b"bye", None, True)) for _ in range(3)]
        tasks = [begin(hub, line)[1] for line in lines]
        await until(lambda: len(hub.followed) == len(lines))
        hub.end_streams()
        await asyncio.gather(*tasks)
        assert [line.sent for line in lines] == [[(b"bye", False)]] * 3

    staged(scenario)
