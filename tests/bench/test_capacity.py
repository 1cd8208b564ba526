"""The capacity model: what follows from costs, and queues that behave as the theory of queues says."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from bench import capacity, capacity_report
from bench.capacity import Costs, Demand, Plan, Result

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


def test_twice_the_demand_takes_twice_as_much() -> None:
    once = capacity.planned(DEMAND, COSTS)
    twice = capacity.planned(msgspec.structs.replace(DEMAND, moves_a_day=2 * DEMAND.moves_a_day), COSTS)
    for name in ("web_cores", "redis_cores", "listeners", "redis_kept_gib", "disk_mib", "network_mbit"):
        assert getattr(twice, name) == pytest.approx(2 * getattr(once, name))
    assert twice.redis_ends == pytest.approx(once.redis_ends / 2)


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


def test_more_load_waits_longer() -> None:
    plan = capacity.planned(DEMAND, COSTS)
    quiet, busy = (list(capacity.simulated(DEMAND, COSTS, plan, load, 10)) for load in (0.5, 2.0))
    assert [wait.what for wait in quiet] == ["move", "search", "view, 200", "view, 304"]
    assert all(one.p99 < other.p99 for one, other in zip(quiet, busy, strict=True))


def test_a_move_waits_for_the_disk_and_a_view_does_not() -> None:
    slow = msgspec.structs.replace(DEMAND, fsync_ms=500)
    waits = {wait.what: wait.p50 for wait in capacity.simulated(slow, COSTS, capacity.planned(slow, COSTS), 0.5, 5)}
    assert waits["move"] > 500 > waits["view, 200"]


def test_the_page_and_its_plot_tell_what_was_computed(tmp_path: Path) -> None:
    plan: Plan = capacity.planned(DEMAND, COSTS)
    result = Result(
        date="2026-01-31",
        seconds=2,
        sources=["sessions-1.json"],
        demand=DEMAND,
        costs=COSTS,
        plan=plan,
        waits=[wait for load in (0.5, 1.0) for wait in capacity.simulated(DEMAND, COSTS, plan, load, 2)],
    )
    path = capacity.keep(result, tmp_path)
    assert msgspec.json.decode(path.read_bytes(), type=Result) == result
    page = capacity_report.document(result)
    assert "$" not in page
    assert "8,640,000 moves a day" in page
    assert all(kind in capacity_report.plot(result) for kind in ("move", "search", "view, 304"))


def test_without_measured_costs_it_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity, "KEPT", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"sessions-\*\.json"):
        capacity.run(DEMAND, 1)
