"""The numbers in the metrics of a web process, without a process."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client import values

from service.health import FAULTS
from service.http.metrics import FILES_SECONDS, Metrics
from service.http.request_context import NO_ROUTE
from service.overload.priorities import Priority
from service.telemetry.metrics_folder import VARIABLE
from service.telemetry.web_metrics import LAST_TURNS


def call(route: str, method: str = "GET", seconds: float = 0.5) -> Any:
    return SimpleNamespace(label=route, method=method, seconds=seconds)


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    found: float | None = metrics.registry.get_sample_value(name, labels)
    return found


def requests(metrics: Metrics, route: str, status: str, method: str = "GET") -> float | None:
    return value(metrics, "dorfplatz_requests_total", method=method, route=route, status=status)


def test_each_response_is_counted_with_its_duration() -> None:
    metrics = Metrics()
    for route, status, seconds in (("/a", 200, 0.5), ("/a", 200, 0.25), ("/a", 404, 1.0), ("/b", 200, 2.0)):
        metrics.count(call(route, seconds=seconds), status)
    assert [requests(metrics, *each) for each in (("/a", "200"), ("/a", "404"), ("/b", "200"))] == [2, 1, 1]
    assert value(metrics, "dorfplatz_request_seconds_sum", method="GET", route="/a") == 1.75
    assert value(metrics, "dorfplatz_request_seconds_count", method="GET", route="/b") == 1


def test_only_requests_refused_without_a_route_are_counted_later_and_once() -> None:
    metrics = Metrics()
    for _ in range(3):
        metrics.count(call(NO_ROUTE), 503)
    metrics.count(call(NO_ROUTE, "POST"), 503)
    metrics.count(call("/a"), 503)
    metrics.count(call(NO_ROUTE), 500)
    metrics.count(call(NO_ROUTE), 504)
    assert [requests(metrics, *each) for each in (("/a", "503"), (NO_ROUTE, "500"), (NO_ROUTE, "504"))] == [1, 1, 1]
    assert requests(metrics, NO_ROUTE, "503") is None
    for _ in range(2):
        metrics.count_admissions({})
        assert requests(metrics, NO_ROUTE, "503") == 3
        assert requests(metrics, NO_ROUTE, "503", "POST") == 1
    metrics.count(call(NO_ROUTE), 503)
    metrics.count_admissions({})
    assert requests(metrics, NO_ROUTE, "503") == 4
    assert value(metrics, "dorfplatz_request_seconds_count", method="GET", route=NO_ROUTE) == 2


@pytest.mark.parametrize("priority", Priority)
@pytest.mark.parametrize("is_admitted", [True, False])
def test_admissions_are_added_by_priority_and_outcome(priority: Priority, *, is_admitted: bool) -> None:
    metrics = Metrics()
    metrics.count_admissions({(priority, is_admitted): 3})
    metrics.count_admissions({(priority, is_admitted): 4})
    found = {
        (each, outcome): value(metrics, "dorfplatz_admissions_total", priority=each.name.lower(), outcome=outcome)
        for each in Priority
        for outcome in ("admitted", "refused")
    }
    counted = (priority, "admitted" if is_admitted else "refused")
    assert found == {each: 7 if each == counted else 0 for each in found}


def test_the_gauges_of_a_process_have_its_kernel_faults_and_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.http.metrics.time", SimpleNamespace(monotonic=lambda: 100.0))
    metrics = Metrics()
    metrics.set_process("plain", {"loop": 0.0, "broadcaster": 2.5})
    assert value(metrics, "dorfplatz_web_processes", kernel="plain") == 1
    ages = {part: value(metrics, LAST_TURNS, part=part) for part in ("loop", "broadcaster")}
    assert ages == {"loop": 100.0, "broadcaster": 97.5}
    for fault in FAULTS:
        metrics.set_faults([fault])
        assert {each: value(metrics, "dorfplatz_web_faults", fault=each) for each in FAULTS} == {
            each: float(each == fault) for each in FAULTS
        }
    metrics.count_refusal("playouts")
    assert value(metrics, "dorfplatz_quota_refusals_total", quota="playouts") == 1


def test_metrics_whose_files_were_deleted_start_again_at_zero(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    now, folder = 100.0, tmp_path / "metrics"
    monkeypatch.setattr("service.http.metrics.time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(values, "ValueClass", values.ValueClass)
    monkeypatch.setenv(VARIABLE, str(folder))
    metrics = Metrics()
    for _ in range(2):
        metrics.count(call("/a"), 200)
    first = metrics.registry
    assert requests(metrics, "/a", "200") == 2
    now += FILES_SECONDS
    metrics.count(call("/a"), 200)
    assert metrics.registry is first
    rmtree(folder)
    now += FILES_SECONDS / 2
    metrics.count(call("/a"), 200)
    assert (requests(metrics, "/a", "200"), folder.exists()) == (4, False)
    metrics.set_faults([])  # needs a file that was not open before
    second = metrics.registry
    assert (second is first, folder.exists()) == (False, True)
    metrics.count(call("/a"), 200)
    assert requests(metrics, "/a", "200") == 1
    rmtree(folder)
    now += FILES_SECONDS
    metrics.count(call("/a"), 200)
    assert (metrics.registry is second, folder.exists()) == (False, True)
    assert requests(metrics, "/a", "200") == 1
