"""The capacity model: what follows from costs, and queues that behave as the theory of queues says."""

from __future__ import annotations

import msgspec
import pytest

from bench import capacity
from bench.capacity import Costs, Demand

pytestmark = pytest.mark.thorough

COSTS = Costs(
    web_move=2.0,
    web_unchanged=1.0,
    web_view=1.5,
    redis_move=0.2,
    redis_unchanged=0.05,
    redis_view=0.05,
    search=30.0,
    iterations_a_second=50_000,
    job=10.0,
    open_session=10_000,
    ended_session=50_000,
    written=4_000,
    web_memory=140,
    worker_memory=50,
)
DEMAND = Demand(moves_a_day=8_640_000, searches_a_minute=600, peak=2, unchanged_a_move=4, views_a_move=2, busy=0.5)


def test_cores_are_rates_times_costs() -> None:
    plan = capacity.planned(DEMAND, COSTS)
    assert DEMAND.moves == 200
    assert plan.web_cores == pytest.approx(200 * (2 + 4 * 1 + 2 * 1.5) / 1000)
    assert plan.redis_cores == pytest.approx(200 * (0.2 + 4 * 0.05 + 2 * 0.05) / 1000)
    assert plan.search_cores == pytest.approx(10 * 0.03)
    assert (plan.web, plan.workers) == (4, 1)
    assert plan.redis_ends == pytest.approx(0.5 / 0.1)
    assert plan.listeners == 200 * 20 * 2


def test_the_simulated_queue_of_one_worker_is_the_theory_s() -> None:
    # M/M/1: with arrivals and service by chance, the time in the system is exponential with mean 1 / (mu - lambda).
    plan = capacity.planned(DEMAND, COSTS)
    mean = 1 / (1 / COSTS.search - DEMAND.searches / 1000)
    quiet = msgspec.structs.replace(DEMAND, moves_a_day=1)
    waits = capacity.simulated(quiet, COSTS, plan, 1.0, 2_000)
    (search,) = (wait for wait in waits if wait.what == "search")
    assert search.number > 15_000
    assert search.p50 == pytest.approx(0.693 * mean, rel=0.1)
    assert search.p99 == pytest.approx(4.605 * mean, rel=0.15)


def test_a_move_waits_for_the_disk_and_a_view_does_not() -> None:
    slow = msgspec.structs.replace(DEMAND, fsync_ms=500)
    waits = {wait.what: wait.p50 for wait in capacity.simulated(slow, COSTS, capacity.planned(slow, COSTS), 0.5, 5)}
    assert waits["move"] > 500 > waits["view, 200"]
