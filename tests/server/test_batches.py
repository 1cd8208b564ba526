"""Batches: requests that come meanwhile are next, slow ones have a queue of their own, and pending ones go first."""

import asyncio
from collections.abc import Sequence
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from service.http.pipeline import Pending
from service.http.request import Request
from service.http.response import Response
from service.overload.gate import OverdueError
from service.server import batches
from service.server.batches import Batches
from service.waiting import Wait

MAX_BATCH = 8


def request(number: int) -> Request:
    return Request("GET", str(number))


def response(number: int) -> Response:
    return Response(200, [], str(number).encode())


def pending(number: int, wait: Wait | None = None) -> Pending:
    call: Any = SimpleNamespace(request=request(number))
    found = Pending(call)
    found.wait = wait
    return found


class Answers:
    """An operation that answers by the number of a request once it may, and fails at 13; above 100 it is slow."""

    endpoint = "numbers"
    max_batch = MAX_BATCH

    def __init__(self, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.threads = threads
        self.batches, self.came, self.may = list[list[int]](), Event(), Event()
        self.later: dict[int, list[Pending]] = {}
        monkeypatch.setattr(batches, "answer", self.answer)

    def is_slow(self, request: Request) -> bool:
        return int(request.path) > 100

    def answer(self, _operation: object, turns: Sequence[Request | Pending]) -> list[Response | Pending]:
        numbers = [int((turn.call.request if isinstance(turn, Pending) else turn).path) for turn in turns]
        self.batches.append(numbers)
        self.came.set()
        assert self.may.wait(10)
        if 13 in numbers:
            raise KeyError
        return [self.later[number].pop(0) if self.later.get(number) else response(number) for number in numbers]


def too_late() -> None:
    raise OverdueError(2)


async def no_wait(_wait: Wait) -> None:
    """Wait for nothing."""


def gathered(answers: Answers, *groups: Sequence[int], leaves: int | None = None) -> list[Any]:
    async def come() -> list[Any]:
        tasks, together = [], Batches(answers)  # type: ignore[arg-type]
        for group in groups:
            tasks += [asyncio.create_task(together.answer(request(number), no_wait)) for number in group]
            assert await asyncio.to_thread(answers.came.wait, 10)
            answers.came.clear()
            if len(answers.batches) == answers.threads:
                answers.came.set()
        if leaves is not None:
            tasks[leaves].cancel()
        answers.may.set()
        async with asyncio.timeout(10):
            return await asyncio.gather(*tasks, return_exceptions=True)

    return asyncio.run(come())


@pytest.fixture
def one(monkeypatch: pytest.MonkeyPatch) -> Answers:
    return Answers(1, monkeypatch)


def test_requests_of_one_turn_are_a_batch_and_those_that_come_meanwhile_the_next(one: Answers) -> None:
    assert gathered(one, [0, 1, 2], [4], [6, 7]) == [response(number) for number in (0, 1, 2, 4, 6, 7)]
    assert one.batches == [[0, 1, 2], [4, 6, 7]]


def test_no_more_threads_answer_than_may(monkeypatch: pytest.MonkeyPatch) -> None:
    two = Answers(2, monkeypatch)
    assert gathered(two, [0, 2], [4], [6], [8]) == [response(number) for number in (0, 2, 4, 6, 8)]
    assert two.batches[:2] == [[0, 2], [4]]
    assert sorted(number for batch in two.batches[2:] for number in batch) == [6, 8]


@pytest.mark.parametrize(
    "count", [pytest.param(MAX_BATCH, id="until they fill a batch"), pytest.param(2, id="until the first batch ends")]
)
def test_requests_that_come_while_a_batch_runs_are_gathered(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    monkeypatch.setattr(batches, "BATCH_PAUSE_SECONDS", 60)
    two = Answers(2, monkeypatch)

    async def come() -> list[Response]:
        together = Batches(two)  # type: ignore[arg-type]
        tasks = [asyncio.create_task(together.answer(request(0), no_wait))]
        assert await asyncio.to_thread(two.came.wait, 10)
        two.came.clear()
        for number in range(1, count + 1):
            tasks.append(asyncio.create_task(together.answer(request(2 * number), no_wait)))
            await asyncio.sleep(0)
        assert count < MAX_BATCH or await asyncio.to_thread(two.came.wait, 10)
        two.may.set()
        async with asyncio.timeout(10):
            return await asyncio.gather(*tasks)

    asyncio.run(come())
    assert two.batches == [[0], [2 * number for number in range(1, count + 1)]]


def test_enough_requests_that_came_while_a_batch_ran_are_not_held_up(
    one: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "BATCH_PAUSE_SECONDS", 60)
    gathered(one, [0, 2], [4, 6])
    assert one.batches == [[0, 2], [4, 6]]


def test_requests_that_come_together_after_a_lone_one_are_a_batch(one: Answers) -> None:
    async def come() -> None:
        together = Batches(one)  # type: ignore[arg-type]
        await together.answer(request(0), no_wait)
        await asyncio.gather(*(together.answer(request(number), no_wait) for number in (2, 4, 6)))

    one.may.set()
    asyncio.run(come())
    assert one.batches == [[0], [2, 4, 6]]


def test_a_batch_has_a_bound(one: Answers) -> None:
    gathered(one, range(2 * MAX_BATCH), [99])
    assert [len(batch) for batch in one.batches] == [MAX_BATCH, MAX_BATCH, 1]


def test_a_batch_that_fails_fails_its_requests_alone(one: Answers) -> None:
    first, second, third = gathered(one, [12, 13], [14])
    assert isinstance(first, KeyError)
    assert isinstance(second, KeyError)
    assert third == response(14)


def test_a_client_that_leaves_takes_no_other_along(one: Answers) -> None:
    first, gone, second = gathered(one, [0, 2], [4], leaves=1)
    assert (first, second) == (response(0), response(4))
    assert isinstance(gone, asyncio.CancelledError)


def test_a_slow_request_does_not_hold_up_others(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers(1, monkeypatch)
    found = gathered(answers, [101, 1])
    assert sorted(answers.batches) == [[1], [101]]
    assert found == [response(101), response(1)]


def test_a_pending_request_is_answered_again_before_newer_ones_and_after_its_wait(one: Answers) -> None:
    wait, waited = Wait(60), []
    one.later[0] = [pending(0), pending(0, wait)]

    async def wait_for(found: Wait) -> None:
        waited.append((found, len(one.batches)))

    async def come() -> list[Response]:
        together = Batches(one)  # type: ignore[arg-type]
        first = asyncio.create_task(together.answer(request(0), wait_for))
        assert await asyncio.to_thread(one.came.wait, 10)
        others = [asyncio.create_task(together.answer(request(number), wait_for)) for number in (1, 2)]
        await asyncio.sleep(0)
        one.may.set()
        return await asyncio.gather(first, *others)

    assert asyncio.run(come()) == [response(0), response(1), response(2)]
    assert one.batches[0] == [0]
    assert sorted(number for batch in one.batches for number in batch) == [0, 0, 0, 1, 2]
    assert [found for found, _ in waited] == [wait]


async def come_again(answers: Answers, first: int, *later: float) -> float:
    loop, tasks, together = asyncio.get_running_loop(), [], Batches(answers)  # type: ignore[arg-type]
    async with asyncio.timeout(10):
        await asyncio.gather(*(together.answer(request(0), no_wait) for _ in range(first)))
        began = loop.time()
        for number, seconds in enumerate(later, 1):
            await asyncio.sleep(seconds)
            tasks.append(asyncio.create_task(together.answer(request(2 * number), no_wait)))
        await asyncio.gather(*tasks)
        return loop.time() - began


@pytest.mark.parametrize(
    ("pause", "first", "later", "expected"),
    [
        pytest.param(60, 3, (0, 0.01, 0.01), [[0, 0, 0], [2, 4, 6]], id="until as many have come"),
        pytest.param(0.1, 3, (0, 0.01), [[0, 0, 0], [2, 4]], id="until the pause is over"),
        pytest.param(60, 1, (0, 0.01, 0.01), [[0], [2], [4], [6]], id="not after one alone"),
    ],
)
def test_clients_that_were_answered_together_are_waited_for(
    one: Answers, monkeypatch: pytest.MonkeyPatch, pause: float, first: int, later: Sequence[float], expected: Any
) -> None:
    monkeypatch.setattr(batches, "BATCH_PAUSE_SECONDS", pause)
    one.may.set()
    asyncio.run(come_again(one, first, *later))
    assert one.batches == expected


@pytest.mark.parametrize(
    ("arrivals", "expected"),
    [
        pytest.param([0, 0], [], id="twice without any"),
        pytest.param([2, 0], [2], id="again after one came"),
        pytest.param([0, 1, 2, 0], [1, 2], id="as long as some come"),
        pytest.param([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], id="not for ever"),
    ],
)
def test_a_pause_is_repeated_while_it_brings_requests(
    one: Answers, monkeypatch: pytest.MonkeyPatch, arrivals: Sequence[int], expected: Sequence[int]
) -> None:
    """`arrivals` has the request that comes in each pause, or 0."""

    async def come() -> None:
        loop, pauses, tasks = asyncio.get_running_loop(), list[Any](), list[asyncio.Task[Response]]()
        together = Batches(one)  # type: ignore[arg-type]

        def call_later(_seconds: float, function: Any) -> SimpleNamespace:
            pauses.append(function)
            return SimpleNamespace(cancel=lambda: None)

        monkeypatch.setattr(loop, "call_later", call_later)
        await asyncio.gather(*(together.answer(request(0), no_wait) for _ in range(8)))
        for number in arrivals:
            if number:
                tasks.append(asyncio.create_task(together.answer(request(number), no_wait)))
                await asyncio.sleep(0)
            assert len(one.batches) == 1
            pauses.pop()()
        assert not pauses
        await asyncio.gather(*tasks)

    one.may.set()
    asyncio.run(come())
    assert one.batches[1:] == [expected] * bool(expected)


def test_a_request_that_has_waited_too_long_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = Answers(1, monkeypatch)

    async def come() -> list[Any]:
        together = Batches(answers)  # type: ignore[arg-type]
        tasks = [asyncio.create_task(together.answer(request(1), no_wait))]
        assert await asyncio.to_thread(answers.came.wait, 10)
        tasks += [asyncio.create_task(together.answer(request(number), no_wait, too_late)) for number in (2, 3)]
        await asyncio.sleep(0)
        answers.may.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        return [*found, await together.answer(request(4), no_wait)]

    first, *late, last = asyncio.run(come())
    assert (first, last) == (response(1), response(4))
    assert [type(each) for each in late] == [OverdueError] * 2
    assert answers.batches == [[1], [4]]


@pytest.mark.parametrize("number", [2, 101])
def test_the_age_is_the_time_since_all_threads_of_a_queue_are_busy(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    now = 10.0
    monkeypatch.setattr(batches, "time", SimpleNamespace(monotonic=lambda: now))
    answers = Answers(1, monkeypatch)

    async def come() -> list[float]:
        nonlocal now
        together = Batches(answers)  # type: ignore[arg-type]
        ages = [together.age()]
        task = asyncio.create_task(together.answer(request(number), no_wait))
        assert await asyncio.to_thread(answers.came.wait, 10)
        now = 13.5
        ages.append(together.age())
        answers.may.set()
        await task
        return [*ages, together.age()]

    assert asyncio.run(come()) == [0, 3.5, 0]


def test_a_free_thread_or_a_pause_has_no_age(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH_PAUSE_SECONDS", 60)
    monkeypatch.setattr(batches, "time", SimpleNamespace(monotonic=iter(range(100)).__next__))
    two = Answers(2, monkeypatch)

    async def come() -> list[float]:
        together = Batches(two)  # type: ignore[arg-type]
        tasks = [asyncio.create_task(together.answer(request(0), no_wait))]
        assert await asyncio.to_thread(two.came.wait, 10)
        ages = [together.age()]
        tasks.append(asyncio.create_task(together.answer(request(2), no_wait)))
        await asyncio.sleep(0)
        ages.append(together.age())
        two.may.set()
        await asyncio.gather(*tasks)
        return ages

    assert asyncio.run(come()) == [0, 0]
