"""The capacity model: unit costs from measured phases, resources for a case, and the error of a prediction."""

from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from bench import capacity, capacity_load, capacity_report
from bench.capacity import PLAY, SEARCH_QUEUE, Case, Plan, Prices, Units, error, fitted, newest, planned
from bench.capacity_phases import (
    CALLED,
    IDLE,
    MIXED,
    MOVE,
    PARTS,
    SEARCH,
    WEB,
    Measurement,
    Phase,
    bot,
    iterations,
)
from bench.capacity_report import MAIN, Result, made
from bench.town import REDIS
from games.core.levels import LADDER

STORED = newest("capacity-*.json", Result)[1]
MEASURED = STORED.measured
UNITS = fitted(MEASURED.phases)
LARGE = Case(moves_a_day=1e8)


def plan(case: Case, prices: Prices = Prices(), measured: Measurement = MEASURED) -> Plan:  # noqa: B008 -- frozen
    return planned(measured, UNITS, case, prices)


def phase(name: str, seconds: float, counts: dict[str, float], **cpu: float) -> Phase:
    return Phase(
        name=name, seconds=seconds, counts=counts, cpu={part: cpu.get(part.split()[-1], 0.0) for part in PARTS}
    )


MADE_UP = [
    phase(IDLE, 10.0, {}, web=0.1, Redis=0.2),
    phase(MOVE, 2.0, {MOVE: 100}, web=0.12, Redis=0.09),
    phase(bot("wichtel", "easy"), 1.0, {bot("wichtel", "easy"): 10}, web=9.0, Redis=0.03, play=0.2),
    phase(bot("wichtel", "hard"), 1.0, {bot("wichtel", "hard"): 30}, web=9.0, Redis=0.05, play=0.9),
    phase(CALLED, 1.0, {CALLED: 10, MOVE: 20, bot("wichtel", "easy"): 10}, web=0.04, Redis=0.04, play=0.1),
    phase(SEARCH, 1.0, {SEARCH: 10}, web=0.06, Redis=0.04, search=0.1),
    phase(iterations("wichtel"), 1.0, {SEARCH: 10, iterations("wichtel"): 5_000}, web=9.0, search=0.6),
    phase(MIXED, 10.0, {MOVE: 1_000, bot("wichtel", "hard"): 10}, web=1.0, Redis=1.0, play=0.3),
]


def test_a_cost_is_the_time_that_earlier_activities_do_not_explain() -> None:
    units = fitted(MADE_UP)
    assert units.idle[WEB] == pytest.approx(0.01)
    assert units.costs[MOVE][WEB] == pytest.approx(0.001)
    assert units.costs[MOVE][REDIS] == pytest.approx(0.0005)
    assert units.costs[bot("wichtel", "easy")][PLAY] == pytest.approx(0.02)
    assert units.costs[bot("wichtel", "hard")][PLAY] == pytest.approx(0.03)
    assert units.costs[bot("wichtel", "hard")][REDIS] == pytest.approx(0.001)
    assert WEB not in units.costs[bot("wichtel", "hard")]
    assert units.costs[CALLED] == pytest.approx({WEB: 0.001, REDIS: 0.0})
    assert units.costs[SEARCH][SEARCH_QUEUE] == pytest.approx(0.01)
    assert units.costs[iterations("wichtel")] == pytest.approx({SEARCH_QUEUE: 0.0001})


def test_the_mixed_load_does_not_change_the_costs() -> None:
    busy = dict.fromkeys(PARTS, 1000.0)
    assert fitted([*MADE_UP[:-1], replace(MADE_UP[-1], cpu=busy)]) == fitted(MADE_UP)


def test_the_error_compares_prediction_and_measurement() -> None:
    errors = error(fitted(MADE_UP), MADE_UP[-1])
    assert errors[WEB] == pytest.approx((1.1, 1.0, 0.1))
    assert errors[REDIS] == pytest.approx((0.71, 1.0, -0.29))
    assert errors["workers"] == pytest.approx((0.3, 0.3, 0.0), abs=1e-9)
    assert errors["total"] == pytest.approx((2.11, 2.3, 2.11 / 2.3 - 1))


@pytest.mark.parametrize("level", ["", *LADDER])
def test_ten_times_the_moves_need_ten_times_the_time_memory_and_network(level: str) -> None:
    small, large = (plan(Case(moves_a_day=moves, level=level, searches_a_move=0.1)) for moves in (1e7, 1e8))
    for part in PARTS:
        assert large.busy[part] - UNITS.idle[part] == pytest.approx(10 * (small.busy[part] - UNITS.idle[part]))
    assert large.redis_data_gib == pytest.approx(10 * small.redis_data_gib)
    assert large.network_mbit == pytest.approx(10 * small.network_mbit)
    assert large.open_streams == pytest.approx(10 * small.open_streams)
    assert large.month == pytest.approx(10 * small.month, rel=0.05)


def test_money_is_the_price_of_cores_and_memory() -> None:
    found = plan(LARGE, Prices(core_hour=2.0, gib_hour=3.0))
    assert found.month == pytest.approx(730 * (2 * found.cores + 3 * found.gib))
    assert found.gib == found.app_gib + found.redis_gib


def test_cores_leave_room_at_the_peak() -> None:
    case = replace(LARGE, busy=0.3)
    found = plan(case, Prices(replicas=2))
    used = sum(found.busy[part] for part in PARTS) + 2 * found.busy[REDIS]
    assert used / case.busy <= found.cores < used / case.busy + 1
    assert all(found.processes[part] >= found.busy[part] / case.busy for part in PARTS)
    assert found.redis_gib > 3 * found.redis_data_gib


def test_a_node_of_redis_has_a_core_and_a_bounded_memory() -> None:
    found = plan(LARGE, Prices(redis_gib=10.0))
    assert found.redis_nodes >= found.busy[REDIS] / LARGE.busy
    assert found.redis_data_gib / found.redis_nodes <= 10.0


def test_every_activity_of_a_case_and_of_the_mixed_load_was_measured() -> None:
    for case in capacity_report.cases(replace(MAIN, moves_a_day=1e6)).values():
        assert set(case.rates()) <= set(UNITS.costs)
    assert set(MEASURED.mixed.counts) <= set(UNITS.costs)
    assert all(number > 0 for number in MEASURED.mixed.counts.values())


def test_the_simulated_waits_of_the_page_come_from_its_costs() -> None:
    assert made(MEASURED, STORED.case, STORED.prices).waits == STORED.waits


def test_the_stored_validation_is_accurate() -> None:
    assert capacity_report.is_accurate(MEASURED)


def _slowed(phase: Phase, factor: float) -> Phase:
    return replace(phase, cpu={part: factor * used for part, used in phase.cpu.items()})


def test_the_parts_of_the_mixed_load_are_added() -> None:
    twice = replace(MEASURED, phases=[*MEASURED.phases, *MEASURED.phases]).mixed
    assert twice.counts == {name: 2 * number for name, number in MEASURED.mixed.counts.items()}
    assert twice.cpu == pytest.approx({part: 2 * used for part, used in MEASURED.mixed.cpu.items()})
    assert twice.seconds == pytest.approx(2 * MEASURED.mixed.seconds)


def test_a_measurement_that_contradicts_the_model_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.md"
    monkeypatch.setattr(capacity_report, "PAGE", page)
    monkeypatch.setattr(capacity_report, "PLOT", tmp_path / "plot.svg")
    monkeypatch.setattr(capacity, "RESULTS", tmp_path)
    monkeypatch.setattr(capacity_report, "simulated", lambda *_: STORED.waits)
    for factor, code in ((1.0, 0), (1.5, 1)):
        phases = [_slowed(each, factor) if each.name == MIXED else each for each in MEASURED.phases]
        monkeypatch.setattr(capacity_load, "run", lambda *_, phases=phases: replace(MEASURED, phases=phases))
        answer = CliRunner().invoke(capacity_report.command, ["--measure"])
        assert (answer.exit_code, page.exists()) == (code, not code)
        page.unlink(missing_ok=True)


def test_the_command_computes_a_case_for_prices() -> None:
    answer = CliRunner().invoke(capacity_report.command, ["--moves", "2e6", "--level", "hard", "--core-hour", "9"])
    case = replace(MAIN, moves_a_day=2e6, level="hard")
    assert f" {plan(case, Prices(core_hour=9.0)).month:,.0f} |" in answer.output


def test_units_without_a_cost_are_an_error() -> None:
    with pytest.raises(KeyError):
        Units(costs={}, idle=UNITS.idle).cpu({MOVE: 1}, 1.0)
