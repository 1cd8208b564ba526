"""Overload: the gate refuses the lowest priority first, sends a true Retry-After, and admits everything again."""

import asyncio
import heapq
import re
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from random import Random
from threading import Event

import pytest

from service.app import create_app
from service.overload.gate import (
    CALM_SECONDS,
    GATE_TICK_SECONDS,
    MAX_LASTING_SECONDS,
    MIN_REQUESTS,
    STANDING_SECONDS,
    Gate,
    OverdueError,
    Ticket,
)
from service.overload.priorities import Priority, priority_of
from service.overload.turns import MIN_RUNNING_REQUESTS, Turns
from service.settings import Settings

MOVES, VIEWS, JOBS = Priority
MAX_DELAY = 0.5
COSTS = {MOVES: 0.002, VIEWS: 0.001, JOBS: 0.005}
"""Processor seconds of a request in the model."""

USUAL = {MOVES: 100.0, VIEWS: 400.0, JOBS: 40.0}
"""Requests a second that take 80 % of the model's processor."""


@dataclass
class Model:
    """A process with one processor, which the priorities share equally, and clients that come at random."""

    chance: Random = field(default_factory=lambda: Random("overload"))
    now: float = 0.0
    waits: dict[Priority, list[float]] = field(default_factory=lambda: {each: [] for each in Priority})
    refused: dict[Priority, list[tuple[float, int]]] = field(default_factory=lambda: {each: [] for each in Priority})

    def __post_init__(self) -> None:
        self.gate = Gate(MAX_DELAY, lambda: self.now)
        self._queues = {each: deque[tuple[float, Ticket]]() for each in Priority}
        self._shares = dict.fromkeys(Priority, 0.0)
        self._ticks_at = GATE_TICK_SECONDS

    def run(self, seconds: float, rates: Mapping[Priority, float], lag: float = 0.0) -> None:
        until, arrivals = (
            self.now + seconds,
            [self._next(self.now, each, rates[each]) for each in Priority if rates.get(each)],
        )
        heapq.heapify(arrivals)
        while self.now < until:
            self._advance(0.004, lag)
            while arrivals and arrivals[0][0] <= self.now:
                due, priority = heapq.heappop(arrivals)
                heapq.heappush(arrivals, self._next(due, priority, rates[priority]))
                self.come(priority)

    def come(self, priority: Priority) -> bool:
        seconds = self.gate.retry_after(priority)
        if seconds is None:
            self._queues[priority].append((self.now, self.gate.admit(priority).__enter__()))
        else:
            self.refused[priority].append((self.now, seconds))
        return seconds is None

    def slowest(self, priority: Priority) -> float:
        waits = sorted(self.waits[priority])
        return waits[int(0.99 * len(waits))]

    def _next(self, after: float, priority: Priority, rate: float) -> tuple[float, Priority]:
        return after + self.chance.expovariate(rate), priority

    def _advance(self, step: float, lag: float) -> None:
        self.now += step
        if self.now >= self._ticks_at:
            self._ticks_at += GATE_TICK_SECONDS
            self.gate.tick(lag)
        left = step
        while left > 1e-9 and (busy := [each for each in Priority if self._queues[each]]):
            share = min(left / len(busy), *(COSTS[each] - self._shares[each] for each in busy), 1.0)
            for priority in busy:
                self._shares[priority] += share
                left -= share
                if self._shares[priority] >= COSTS[priority] - 1e-9:
                    came, ticket = self._queues[priority].popleft()
                    ticket.__exit__()
                    self._shares[priority] = 0.0
                    self.waits[priority].append(self.now - came)


def times(factor: float) -> dict[Priority, float]:
    return {each: factor * rate for each, rate in USUAL.items()}


def test_nothing_is_refused_at_the_usual_load() -> None:
    model = Model()
    model.run(30, USUAL)
    assert not any(model.refused.values())
    assert model.slowest(MOVES) < 0.1


def test_a_burst_is_not_refused() -> None:
    model = Model()
    model.run(10, USUAL)
    for _ in range(4):
        for _ in range(20):
            model.come(JOBS)
        model.run(2, {MOVES: 50, VIEWS: 200})
    assert not any(model.refused.values())


def test_few_requests_are_not_refused_however_long_they_wait() -> None:
    now = [0.0]
    gate = Gate(MAX_DELAY, lambda: now[0])
    for number in range(2 * MIN_REQUESTS):
        if number == MIN_REQUESTS - 1:
            for _ in range(100):
                now[0] += GATE_TICK_SECONDS
                gate.tick(10.0)
                assert [gate.retry_after(each) for each in Priority] == [None] * 3
        gate.admit(VIEWS).__enter__()
    for _ in range(100):
        now[0] += GATE_TICK_SECONDS
        gate.tick(10.0)
    assert None not in [gate.retry_after(each) for each in Priority]


def test_a_gate_without_a_bound_admits_everything() -> None:
    now = [0.0]
    gate = Gate(0.0, lambda: now[0])
    for _ in range(1_000):
        gate.admit(JOBS).__enter__()
        now[0] += GATE_TICK_SECONDS
        gate.tick(10.0)
    assert gate.retry_after(JOBS) is None


@pytest.mark.parametrize("factor", [2, 3])
def test_moves_come_before_views_and_views_before_jobs(factor: float) -> None:
    model = Model()
    model.run(5, USUAL)
    for part in (model.waits, model.refused):
        for each in part.values():
            each.clear()
    model.run(30, times(factor))
    refused = {each: len(model.refused[each]) / (30 * factor * USUAL[each]) for each in Priority}
    assert refused[JOBS] > 0.5
    assert refused[JOBS] > refused[VIEWS] > refused[MOVES]
    assert refused[MOVES] < 0.01
    assert all(model.slowest(each) < 1 for each in Priority if model.waits[each])
    done = sum(COSTS[each] * len(model.waits[each]) for each in Priority)
    assert done > 0.95 * 30, "refusing must not leave the processor idle"


def test_moves_alone_are_refused_only_for_their_own_delay() -> None:
    model = Model()
    model.run(30, {MOVES: 1_000})
    assert 0.4 < len(model.refused[MOVES]) / 30_000 < 0.6
    assert model.slowest(MOVES) < 1


def test_views_do_not_suffer_from_jobs_nor_moves_from_views() -> None:
    model = Model()
    model.run(30, {MOVES: 50, VIEWS: 100, JOBS: 400})
    assert model.refused[JOBS]
    assert not model.refused[VIEWS]
    model.run(30, {MOVES: 50, VIEWS: 2_000, JOBS: 0})
    assert model.refused[VIEWS]
    assert not model.refused[MOVES]


@pytest.mark.parametrize("seconds", [2, 30])
def test_who_waits_for_retry_after_is_admitted_once_the_load_has_gone(seconds: float) -> None:
    model = Model()
    model.run(seconds, times(3))
    end = model.now
    told = [(at + wait, each) for each in Priority for at, wait in model.refused[each] if at + wait > end]
    late = told[::10]  # if all came back at once, the load would not have gone
    assert late
    model.refused = {each: [] for each in Priority}
    for at, priority in sorted(late):
        if at > model.now:
            model.run(at - model.now, times(0.2))
        model.come(priority)
    refused = sum(map(len, model.refused.values()))
    assert refused <= 0.1 * len(late)
    model.run(CALM_SECONDS, USUAL)
    model.refused = {each: [] for each in Priority}
    model.run(10, USUAL)
    assert not any(model.refused.values()), "10 s after the load the service is back to normal"


def test_retry_after_grows_with_an_overload_that_lasts() -> None:
    model = Model()
    model.run(30, times(3))
    told = [wait for _, wait in model.refused[JOBS]]
    assert told[0] < told[-1]
    assert MAX_LASTING_SECONDS < told[-1] <= MAX_LASTING_SECONDS + 3


def test_a_late_event_loop_delays_every_request() -> None:
    refused = {}
    for lag in (0.1, 0.2, 0.4, 0.6):
        model = Model()
        for _ in range(MIN_REQUESTS):
            model.gate.admit(VIEWS).__enter__()
        for _ in range(20):
            model.now += GATE_TICK_SECONDS
            model.gate.tick(lag)
            for line in model.gate._lines:  # only the loop is late
                line.waiting = dict.fromkeys(line.waiting, model.now)
        refused[lag] = [each for each in Priority if model.gate.retry_after(each)]
    assert refused == {0.1: [], 0.2: [JOBS], 0.4: [VIEWS, JOBS], 0.6: [MOVES, VIEWS, JOBS]}


def test_a_gate_becomes_alert_in_time_even_if_its_ticks_are_late() -> None:
    model = Model()
    for _ in range(2 * MIN_REQUESTS):
        assert model.come(VIEWS)
    model.gate.tick(0.0)
    model.now += 6 * GATE_TICK_SECONDS
    assert model.come(VIEWS), "the delay has not lasted"
    model.now += STANDING_SECONDS
    assert [model.come(each) for each in Priority] == [True, False, False]


def test_a_request_that_has_waited_too_long_is_not_started() -> None:
    model = Model()
    tickets = [model.gate.admit(MOVES).__enter__() for _ in range(2 * MIN_REQUESTS)]
    tickets[0].start()
    model.run(0.9 * MAX_DELAY, {})
    for each in tickets:
        each.check()
    assert model.gate.take_counts().total() == 0
    model.run(STANDING_SECONDS + 4 * GATE_TICK_SECONDS, {})
    tickets[0].check()
    with pytest.raises(OverdueError) as overdue:
        tickets[1].check()
    assert overdue.value.seconds >= 1
    assert model.gate.take_counts() == {(MOVES, False): 1}
    for each in tickets:
        each.__exit__()
    assert model.come(MOVES)
    assert not model.gate.take_counts(), "one more was admitted, but one less before"


def test_a_request_that_sleeps_does_not_count() -> None:
    model = Model()
    with model.gate.admit(VIEWS) as ticket:
        for _ in range(MIN_REQUESTS):
            model.gate.admit(VIEWS).__enter__().start()
        with ticket.asleep():
            model.now += 60
            for _ in range(20):
                model.gate.tick(0)
            assert model.gate.retry_after(VIEWS) is None
        for _ in range(20):
            model.gate.tick(0)
        assert model.gate.retry_after(VIEWS) is None


def test_the_gate_counts_what_it_decides() -> None:
    model = Model()
    model.run(20, times(3))
    counts = model.gate.take_counts()
    assert {each: counts[each, False] for each in Priority} == {each: len(model.refused[each]) for each in Priority}
    assert counts[MOVES, True] >= len(model.waits[MOVES]) > 0
    assert not model.gate.take_counts()


@dataclass
class Threads:
    """Requests that run until they are let go."""

    gate: Gate
    turns: Turns
    running: list[str] = field(default_factory=list)
    go_on: Event = field(default_factory=Event)

    async def ask(self, name: str, priority: Priority) -> None:
        with self.gate.admit(priority) as ticket:
            await self.turns.run(ticket, self._work, name)

    def _work(self, name: str) -> None:
        self.running.append(name)
        assert self.go_on.wait(10)


@pytest.fixture
def clock() -> list[float]:
    return [0.0]


@pytest.fixture
def threads(clock: list[float]) -> Iterator[Threads]:
    with ThreadPoolExecutor(4 * MIN_RUNNING_REQUESTS) as pool:
        gate = Gate(MAX_DELAY, lambda: clock[0])
        yield Threads(gate, Turns(gate, pool, 4 * MIN_RUNNING_REQUESTS, lambda: clock[0]))


async def settle(threads: Threads, number: int) -> None:
    async with asyncio.timeout(10):
        while len(threads.running) < number:  # noqa: ASYNC110 -- the threads have no event
            await asyncio.sleep(0.001)


def test_waiting_requests_start_by_priority(threads: Threads) -> None:
    async def run() -> None:
        tasks = [asyncio.create_task(threads.ask("first", JOBS)) for _ in range(MIN_RUNNING_REQUESTS)]
        await settle(threads, MIN_RUNNING_REQUESTS)
        for name, priority in (("job", JOBS), ("view", VIEWS), ("move", MOVES), ("another job", JOBS)):
            tasks.append(asyncio.create_task(threads.ask(name, priority)))
        await asyncio.sleep(0)
        threads.go_on.set()
        await asyncio.gather(*tasks)

    asyncio.run(run())
    assert threads.running[MIN_RUNNING_REQUESTS:] == ["move", "view", "job", "another job"]


@pytest.mark.parametrize(
    ("lag", "seconds", "expected"),
    [
        pytest.param(0.0, 0.0, 2 * MIN_RUNNING_REQUESTS, id="more, while the running ones wait for Redis"),
        pytest.param(0.1, 0.0, MIN_RUNNING_REQUESTS, id="no more, while they compute"),
        pytest.param(0.1, 1.0, 2 * MIN_RUNNING_REQUESTS, id="more, if they hang"),
    ],
)
def test_few_requests_run_at_once_while_the_event_loop_is_late(
    threads: Threads, clock: list[float], lag: float, seconds: float, expected: int
) -> None:
    async def run() -> None:
        tasks = [asyncio.create_task(threads.ask("work", VIEWS)) for _ in range(4 * MIN_RUNNING_REQUESTS)]
        await settle(threads, MIN_RUNNING_REQUESTS)
        clock[0] += seconds
        threads.gate.tick(lag)
        threads.turns.tick()
        await settle(threads, expected)
        await asyncio.sleep(0.01)
        assert len(threads.running) == expected
        threads.go_on.set()
        await asyncio.gather(*tasks)

    asyncio.run(run())


def test_a_request_that_is_cancelled_gives_its_turn_back(threads: Threads) -> None:
    async def run() -> None:
        tasks = [asyncio.create_task(threads.ask("first", JOBS)) for _ in range(MIN_RUNNING_REQUESTS)]
        await settle(threads, MIN_RUNNING_REQUESTS)
        gone = [asyncio.create_task(threads.ask("gone", JOBS)) for _ in range(2 * MIN_RUNNING_REQUESTS)]
        await asyncio.sleep(0)
        for each in gone:
            each.cancel()
        tasks.append(asyncio.create_task(threads.ask("last", JOBS)))
        threads.go_on.set()
        await asyncio.gather(*tasks, *gone, return_exceptions=True)
        await threads.ask("again", JOBS)

    asyncio.run(run())
    assert threads.running[MIN_RUNNING_REQUESTS:] == ["last", "again"]


ACTIONS = {"POST", "PUT", "PATCH", "DELETE"}


def test_every_operation_has_its_priority() -> None:
    rules = create_app(Settings(redis_url="redis://127.0.0.1:1", log_level="critical")).url_map.iter_rules()
    found: dict[Priority, set[str]] = {each: set() for each in Priority}
    for rule in rules:
        path = re.sub("<[^>]*?(\\w+)>", r"<\1>", rule.rule)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            found[priority_of(method, path)].add(f"{method} {path}")
    session = {each for each in found[MOVES] if " /v1/sessions/<id>" in each or "/sessions/<id>/" in each}
    assert found[MOVES] - session == {"GET /v1/jobs/<id>/events"}
    assert "GET /v1/sessions/<id>/events" in found[MOVES]
    assert "POST /v1/sessions/<id>/moves" in found[MOVES]
    assert {each for each in found[VIEWS] if each.partition(" ")[0] in ACTIONS} == {
        f"POST /v1/games/<game>/{name}" for name in ("snapshots", "legal-moves", "moves", "chance", "views")
    }
    assert {"GET /v1/sessions/<id>", "GET /v1/sessions/<id>/history", "GET /v1/jobs/<id>"} <= found[VIEWS]
    assert {"POST /v1/sessions", "POST /v1/jobs/searches", "GET /v1/sessions/<id>/picture"} <= found[JOBS]
