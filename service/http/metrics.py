"""Prometheus metrics: request counts and durations by method, route and status. They identify no seat or session."""

from __future__ import annotations

import os
import time
from collections import Counter as Tally
from collections.abc import Callable, Collection, Mapping
from http import HTTPStatus
from pathlib import Path
from threading import Lock
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, values

from service.health import FAULTS
from service.http.request_context import NO_ROUTE, Call
from service.overload.priorities import Priority
from service.telemetry.metrics_folder import VARIABLE
from service.telemetry.web_metrics import LAST_TURNS

FILES_SECONDS: Final = 1.0
"""Seconds between checks for deleted metrics files. If files were deleted, counts since the last check are lost."""


class Metrics:
    """The metrics of one application."""

    def __init__(self) -> None:
        """Start all metrics at zero. PROMETHEUS_MULTIPROC_DIR names the folder that all server processes share."""
        named = os.environ.get(VARIABLE)
        self._folder = Path(named) if named else None
        self._beginning = Lock()
        self._refusals = Tally[str]()
        self._look_again = 0.0
        self._begin()

    def _begin(self) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self.requests = Counter("dorfplatz_requests", "Answered requests.", labels, registry=self.registry)
        self.seconds = Histogram(
            "dorfplatz_request_seconds", "Response time in seconds.", labels[:2], registry=self.registry
        )
        self.refused = Counter(
            "dorfplatz_quota_refusals", "Requests refused because of a spent quota.", ("quota",), registry=self.registry
        )
        about = "Requests by priority and by whether they were admitted or refused because of overload."
        self._admissions = Counter("dorfplatz_admissions", about, ("priority", "outcome"), registry=self.registry)
        about = "Web processes by kernel."
        self._kernels = Gauge(
            "dorfplatz_web_processes", about, ("kernel",), registry=self.registry, multiprocess_mode="livesum"
        )
        about = "Web processes with a fault for which they are not ready, by fault."
        self._faults = Gauge(
            "dorfplatz_web_faults", about, ("fault",), registry=self.registry, multiprocess_mode="livesum"
        )
        about = "Time at which a part of the process last ran, in seconds of the monotonic clock."
        self._turns = Gauge(LAST_TURNS, about, ("part",), registry=self.registry, multiprocess_mode="livemin")
        self._labelled: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}

    def count(self, seen: Call, status: int) -> None:
        """Count a response and its duration.

        If a request was refused because of overload, only count it in memory, without a duration. The next call of
        `count_admissions` adds these requests to the metrics. During an overload, adding them one by one would take a
        tenth of the event loop's time.
        """
        if status == HTTPStatus.SERVICE_UNAVAILABLE and seen.label == NO_ROUTE:
            self._refusals[seen.method] += 1
        else:
            self._update(lambda: self._count(seen, status))

    def _count(self, seen: Call, status: int) -> None:
        labels = seen.method, seen.label, status
        found = self._labelled.get(labels)
        if found is None:
            found = self.requests.labels(seen.method, seen.label, str(status)), self.seconds.labels(*labels[:2])
            self._labelled[labels] = found
        requests, seconds = found
        requests.inc()
        seconds.observe(seen.seconds)

    def count_refusal(self, quota: str) -> None:
        self._update(lambda: self.refused.labels(quota).inc())

    def count_admissions(self, counts: Mapping[tuple[Priority, bool], int]) -> None:
        """Add numbers of requests to the metrics.

        `counts` contains the numbers of admitted and refused requests. Each key of `counts` is a priority and a flag.
        The flag is true if the requests were admitted.

        Also add the refused requests that `Metrics.count` has counted in memory.
        """
        refusals, self._refusals = self._refusals, Tally()

        def count() -> None:
            for method, number in refusals.items():
                self.requests.labels(method, NO_ROUTE, str(int(HTTPStatus.SERVICE_UNAVAILABLE))).inc(number)
            for priority in Priority:
                for is_admitted, outcome in ((True, "admitted"), (False, "refused")):
                    self._admissions.labels(priority.name.lower(), outcome).inc(counts.get((priority, is_admitted), 0))

        self._update(count)

    def set_process(self, kernel: str, ages: Mapping[str, float]) -> None:
        """Set the gauges of this process. `kernel` is "compiled" or "plain" (see `games.core.kernel`).

        `ages` maps the name of each part of the process to the seconds since this part last ran.
        """
        now = time.monotonic()

        def set_gauges() -> None:
            self._kernels.labels(kernel).set(1)
            for part, age in ages.items():
                self._turns.labels(part).set(now - age)

        self._update(set_gauges)

    def set_faults(self, faults: Collection[str]) -> None:
        """Set the gauge of each fault to 1 if `faults` contains it. Otherwise, set it to 0."""

        def set_gauges() -> None:
            for fault in FAULTS:
                self._faults.labels(fault).set(fault in faults)

        self._update(set_gauges)

    def _update(self, step: Callable[[], object]) -> None:
        self._ensure_files()
        try:
            step()
        except FileNotFoundError:  # the folder was deleted after the last check
            self._look_again = 0.0
            self._ensure_files()
            step()

    def _ensure_files(self) -> None:
        """If the metrics files of this process were deleted, restart all metrics at zero.

        This is necessary, because prometheus_client continues to write to deleted files.
        """
        if self._folder is None or time.monotonic() < self._look_again:
            return
        self._look_again = time.monotonic() + FILES_SECONDS
        if self._has_files():
            return
        with self._beginning:
            if not self._has_files():
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                values.ValueClass = values.get_value_class()  # type: ignore[no-untyped-call]
                self._begin()
                self.refused.labels("requests").inc(0)  # creates the file

    def _has_files(self) -> bool:
        return os.path.exists(f"{self._folder}/counter_{os.getpid()}.db")  # noqa: PTH110 -- asked with every request
