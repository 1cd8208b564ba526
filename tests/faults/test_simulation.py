"""Schedules of a simulation: nothing is lost, doubled or shown out of order in any; planted faults are found."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.planted import PLANTED, planted
from tests.faults.schedules import prepared
from tests.faults.simulation import FATES, VirtualRedis, virtual_redis

pytestmark = pytest.mark.thorough

SCHEDULES = 100
PLANTED_SCHEDULES = 2_000
"""Within so many schedules each planted fault is found."""


@pytest.fixture(scope="module")
def virtual(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VirtualRedis]:
    """Yield a Redis for which it is what time it is told."""
    with virtual_redis(tmp_path_factory.mktemp("virtual")) as running:
        yield running


@pytest.mark.parametrize("part", range(4))
def test_no_schedule_loses_doubles_or_disorders_anything(virtual: VirtualRedis, part: int) -> None:
    fates: set[str] = set()
    with prepared(virtual) as schedules:
        for seed in range(part * SCHEDULES // 4, (part + 1) * SCHEDULES // 4):
            fates |= schedules.run(seed).fates
    assert fates == set(FATES)


def test_a_schedule_happens_again_from_its_seed(virtual: VirtualRedis) -> None:
    with prepared(virtual) as schedules:
        assert len({tuple(schedules.run(seed).trace) for seed in (7, 8, 7)}) == 2


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found(virtual: VirtualRedis, fault: str) -> None:
    with planted(fault), pytest.raises(AssertionError):
        run(virtual, PLANTED_SCHEDULES)


def run(virtual: VirtualRedis, number: int) -> None:
    """Run so many schedules."""
    with prepared(virtual) as schedules:
        for seed in range(number):
            schedules.run(seed)
