"""A client that sends requests on a schedule: a repeated request has one outcome, and its own delay is measured."""

import asyncio
import time

from bench.open_loop import OpenLoop, Wanted

REFUSED = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"
CREATED = b"HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"


def test_a_refused_request_is_done_after_its_repetition() -> None:
    """Otherwise the next request of the same session would compete with the repetition."""
    answers, done = [REFUSED, CREATED], list[int]()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while answers and await reader.readuntil(b"\r\n\r\n"):
            writer.write(answers.pop(0))
        writer.close()

    async def run() -> OpenLoop:
        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            wanted = Wanted(
                kind="move", has_key=False, sent=b"POST / HTTP/1.1\r\n\r\n", done=lambda status, *_: done.append(status)
            )
            load = OpenLoop(server.sockets[0].getsockname()[1], lambda: wanted, "stream", 1.0)
            load.repeats = 1.0
            load.send(wanted, time.perf_counter() - 60)
            async with asyncio.timeout(60):
                while not done:  # noqa: ASYNC110 -- the client has no event
                    await asyncio.sleep(0.001)
            return load

    first, again = asyncio.run(run()).samples
    assert done == [201]
    assert [(each.kind, each.status) for each in (first, again)] == [("move", 503), ("repeated move", 201)]
    assert 60 <= first.late <= first.seconds
