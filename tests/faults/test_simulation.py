"""Schedules of a simulation: nothing is lost, doubled or shown out of order in any; planted faults are found."""

import re
from collections.abc import Iterable, Iterator

import pytest
import redis

from tests.faults.planted import PLANTED, planted
from tests.faults.schedules import Schedules, prepared
from tests.faults.simulation import FATES, STALLED, WOKE_LATE
from tests.faults.town import ROOT
from tests.faults.virtual_redis import BEGIN_MS, VirtualRedis, virtual_redis
from tests.faults.virtual_threads import MESSAGE_LOST

SCHEDULES = 200
PLANTED_SCHEDULES = 3_000
"""Number of schedules within which each planted fault is found."""

DETECTING_SEEDS = {
    "concurrent writers overwrite each other": 0,
    "idempotency keys are not stored": 28,
    "an aborted request blocks its idempotency key": 2,
    "a dead worker keeps its lease on a session's bots": 6,
    "a dead worker keeps its lease on job items": 32,
    "lost tasks of bots are not requeued": 12,
    "abandoned jobs are not requeued": 0,
    "a lost response of the store fails the job": 39,
    "a write without a response counts as successful": 6,
    "reads return stale sessions": 0,
    "a retried creation creates a second session": 24,
    "streams skip an event after a lost message": 1,
    "a resumed stream skips one event": 4,
    "a failed reader abandons its streams": 31,
    "the reader reads from its closed connection": 33,
    "an ended reader is not restarted": 33,
    "streams are not notified of changes": 1,
    "a stream loses events from before its writer listens": 118,
    "long polls are not notified of changes": 23,
    "a closed stream keeps its wait slot": 1,
    "a finished poll keeps its wait slot": 8,
    "leases are never released": 6,
    "a scheduler stops after a failure of the store": 15,
    "a push message is sent twice": 41,
    "a push message is lost with its worker": 509,
    "a webhook message is retried endlessly": 6,
    "an undo is applied twice": 5,
    "a retried rematch creates a second session": 0,
    "a batch loses one request": 1,
    "a missing move of a remote bot counts as a move": 8,
}
"""The first schedule that found each fault when this was written. Starting there saves time and proves nothing."""


@pytest.fixture(scope="module")
def virtual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VirtualRedis]:
    with virtual_redis(tmp_path_factory.mktemp("virtual")) as running:
        yield running


@pytest.fixture(scope="module")
def schedules(virtual: VirtualRedis) -> Iterator[Schedules]:
    with prepared(virtual) as made:
        yield made


def test_the_server_has_only_the_simulated_time(virtual: VirtualRedis) -> None:
    with redis.Redis.from_url(virtual.url) as client:
        for told in range(BEGIN_MS, BEGIN_MS + 20_000, 400):
            virtual.tell(told)
            client.set("lease", "mine", px=told - BEGIN_MS + 1)
            assert client.time() == (told // 1000, told % 1000 * 1000)
            assert client.pexpiretime("lease") == told + told - BEGIN_MS + 1
        virtual.tell(told + told - BEGIN_MS + 2)
        assert client.get("lease") is None


@pytest.mark.parametrize("part", range(5))
def test_no_schedule_loses_doubles_or_disorders_anything(schedules: Schedules, part: int) -> None:
    fates: set[str] = set()
    for seed in range(part * SCHEDULES // 5, (part + 1) * SCHEDULES // 5):
        fates |= schedules.run(seed).fates
    assert fates >= {*FATES, STALLED, WOKE_LATE, MESSAGE_LOST}


def test_a_schedule_happens_again_from_its_seed(schedules: Schedules) -> None:
    first = {seed: schedules.run(seed).trace for seed in (7, 8, 9, 10)}
    assert {seed: schedules.run(seed).trace for seed in (10, 9, 8, 7)} == first


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(schedules: Schedules, fault: str) -> None:
    with planted(fault), pytest.raises(AssertionError):
        run(schedules, [DETECTING_SEEDS[fault], *range(PLANTED_SCHEDULES - 1)])


def test_the_decision_has_the_first_schedule_of_each_fault() -> None:
    text = (ROOT / "docs/decisions/144-simulated-interleavings.md").read_text("utf-8")
    rows = dict(re.findall(r"\| ([^|]+) \| (\d+) (?=\|)", text))
    assert rows == {fault: str(seed) for fault, seed in DETECTING_SEEDS.items()}
    assert list(DETECTING_SEEDS) == list(PLANTED)


def run(schedules: Schedules, seeds: Iterable[int]) -> None:
    for seed in seeds:
        schedules.run(seed)
