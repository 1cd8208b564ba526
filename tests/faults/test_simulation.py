"""Schedules of a simulation: nothing is lost, doubled or shown out of order in any; planted faults are found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from tests.faults.planted import PLANTED, planted
from tests.faults.schedules import prepared
from tests.faults.simulation import FATES, VirtualRedis, virtual_redis

pytestmark = pytest.mark.thorough

SCHEDULES = 60
PLANTED_SCHEDULES = 2_000
"""Within so many schedules each planted fault is found."""

FOUND = (15, 3, 4, 1)
"""Seeds that found most of them when this was written, which spares time and proves nothing."""


@pytest.fixture(scope="module")
def virtual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VirtualRedis]:
    """Yield a Redis for which it is what time it is told."""
    with virtual_redis(tmp_path_factory.mktemp("virtual")) as running:
        yield running


@pytest.mark.parametrize("part", range(3))
def test_no_schedule_loses_doubles_or_disorders_anything(virtual: VirtualRedis, part: int) -> None:
    fates: set[str] = set()
    with prepared(virtual) as schedules:
        for seed in range(part * SCHEDULES // 3, (part + 1) * SCHEDULES // 3):
            fates |= schedules.run(seed).fates
    assert fates == set(FATES)


def test_a_schedule_happens_again_from_its_seed(virtual: VirtualRedis) -> None:
    with prepared(virtual) as schedules:
        assert len({tuple(schedules.run(seed).trace) for seed in (7, 8, 7)}) == 2


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(virtual: VirtualRedis, fault: str) -> None:
    with planted(fault), pytest.raises(AssertionError):
        run(virtual, [*FOUND, *range(PLANTED_SCHEDULES - len(FOUND))])


def run(virtual: VirtualRedis, seeds: Iterable[int]) -> None:
    """Run the schedules of some seeds."""
    with prepared(virtual) as schedules:
        for seed in seeds:
            schedules.run(seed)
