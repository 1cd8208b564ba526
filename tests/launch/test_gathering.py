"""Requests that are answered together: whoever comes meanwhile is next, and what goes wrong goes wrong for one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from structlog.testing import CapturingLogger

from service.http.operation import MAX_BATCH
from service.http.pipeline import Pending
from service.http.request import Request
from service.http.response import Response
from service.launch import gathering
from service.launch.gathering import BATCH_FAILED, Gathering

Asked = Request | Pending


class Left(Pending):
    """A request that is left to the next batch."""

    def __init__(self, number: int) -> None:
        self.number, self.wait = number, None


def asked(number: int) -> Request:
    """Return a request with a number."""
    return Request("GET", str(number))


def number_of(each: Asked) -> int:
    """Return the number of a request."""
    return each.number if isinstance(each, Left) else int(each.path) if isinstance(each, Request) else -1


def reply(number: int) -> Response:
    """Return the response to a number."""
    return Response(200, [], str(number).encode())


class Answers:
    """Answers requests by their number once it may, odd ones in the batch after, and fails at the number 13."""

    def __init__(self, threads: int) -> None:
        """Begin with nothing answered."""
        self.batches, self.came, self.may = list[list[int]](), Event(), Event()
        self.threads = threads

    def answer(self, requests: Sequence[Asked]) -> list[Response | Pending]:
        """Answer some requests."""
        self.batches.append([number_of(each) for each in requests])
        self.came.set()
        assert self.may.wait(10)
        assert 13 not in self.batches[-1]
        return [
            Left(number_of(each)) if number_of(each) % 2 and isinstance(each, Request) else reply(number_of(each))
            for each in requests
        ]


def gathered(*numbers: Sequence[int], leaves: int | None = None, threads: int = 1) -> tuple[list[list[int]], list[Any]]:
    """Return the batches that groups of requests made, of which each came a turn of the loop later, and the answers."""
    answers = Answers(threads)

    async def come(gathering: Gathering) -> list[Any]:
        tasks = []
        for group in numbers:
            tasks += [asyncio.create_task(gathering.answer(asked(number))) for number in group]
            assert await asyncio.to_thread(answers.came.wait, 10)
            answers.came.clear()
            if len(answers.batches) == threads:
                answers.came.set()
        if leaves is not None:
            tasks[leaves].cancel()
        answers.may.set()
        return await asyncio.gather(*tasks, return_exceptions=True)

    with ThreadPoolExecutor(threads) as pool:
        return answers.batches, asyncio.run(come(Gathering(answers.answer, pool, threads)))


def test_who_comes_in_one_turn_is_answered_together_and_who_comes_meanwhile_afterwards() -> None:
    batches, answered = gathered([0, 1, 2], [4], [6, 7])
    assert batches == [[0, 1, 2], [1, 4, 6, 7], [7]]
    assert answered == [reply(number) for number in (0, 1, 2, 4, 6, 7)]


def test_as_many_threads_answer_as_may_and_who_comes_while_all_do_is_answered_afterwards() -> None:
    batches, answered = gathered([0, 2], [4], [6], [8], threads=2)
    assert batches[:2] == [[0, 2], [4]]
    assert sorted(number for batch in batches[2:] for number in batch) == [6, 8]
    assert answered == [reply(0), reply(2), reply(4), reply(6), reply(8)]


def test_no_more_than_some_are_answered_at_once() -> None:
    batches, answered = gathered(range(0, 4 * MAX_BATCH, 2), [4])
    assert [len(batch) for batch in batches] == [MAX_BATCH, MAX_BATCH, 1]
    assert len(answered) == 2 * MAX_BATCH + 1


def test_where_a_batch_fails_the_next_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = CapturingLogger()
    monkeypatch.setattr(gathering, "_log", log)
    assert gathered([12, 13], [14])[1] == [BATCH_FAILED, BATCH_FAILED, reply(14)]
    assert [(call.method_name, *call.args) for call in log.calls] == [("exception", "answering broken off")]


def test_who_leaves_meanwhile_takes_nobody_along() -> None:
    _, (first, gone, second) = gathered([0, 2], [4], leaves=1)
    assert (first, second) == (reply(0), reply(4))
    assert isinstance(gone, asyncio.CancelledError)


async def come_again(answers: Answers, first: int, *later: float) -> float:
    """Let some be answered together, and one more after each of so many seconds; return how long those waited."""
    loop, tasks = asyncio.get_running_loop(), []
    with ThreadPoolExecutor(answers.threads) as pool:
        together = Gathering(answers.answer, pool, answers.threads)
        async with asyncio.timeout(10):
            await asyncio.gather(*(together.answer(asked(0)) for _ in range(first)))
            began = loop.time()
            for number, seconds in enumerate(later, 1):
                await asyncio.sleep(seconds)
                tasks.append(asyncio.create_task(together.answer(asked(2 * number))))
            await asyncio.gather(*tasks)
            return loop.time() - began


def test_those_who_were_answered_together_are_waited_for_until_they_have_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gathering, "AGAIN_SECONDS", 60)
    answers = Answers(2)
    answers.may.set()
    asyncio.run(come_again(answers, 3, 0, 0.01, 0.01))
    assert answers.batches == [[0, 0, 0], [2, 4, 6]]


def test_who_has_not_asked_again_after_a_pause_is_waited_for_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "AGAIN_SECONDS", 0.1)
    answers = Answers(1)
    answers.may.set()
    assert asyncio.run(come_again(answers, 3, 0, 0.01)) > 0.09
    assert answers.batches == [[0, 0, 0], [2, 4]]


def test_one_alone_waits_for_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "AGAIN_SECONDS", 60)
    answers = Answers(1)
    answers.may.set()
    asyncio.run(come_again(answers, 1, 0, 0.01, 0.01))
    assert answers.batches == [[0], [2], [4], [6]]


def test_nobody_is_waited_for_where_as_many_have_come_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gathering, "AGAIN_SECONDS", 60)
    assert gathered([0, 2], [4], [6])[0] == [[0, 2], [4, 6]]
