"""Metrics of web processes. The metrics process serves them."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Final

from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

LAST_TURNS: Final = "dorfplatz_last_turn_seconds"
"""Gauge in which web processes store the times at which their event loop and their broadcaster last ran."""


class WebMetrics(Collector):
    """Collects the metrics that web processes have stored.

    Each web process stores the times at which its event loop and its broadcaster last ran. This class reports the
    seconds since these times.
    """

    def __init__(self, stored: Collector) -> None:
        self._stored = stored

    def describe(self) -> Iterable[Metric]:
        """Return no metrics. A registry calls this method when this object is registered.

        Without this method, a registry with `auto_describe` would call `collect`, which reads all stored metrics.
        """
        return ()

    def collect(self) -> Iterator[Metric]:
        """Yield the current metrics."""
        for metric in self._stored.collect():
            # Processes store times, because a process with a blocked event loop could not report its own delay.
            yield _delays(metric) if metric.name == LAST_TURNS else metric


def _delays(turns: Metric) -> Metric:
    found = GaugeMetricFamily(
        "dorfplatz_late_seconds", "Seconds since a part of a web process last ran, the latest of all.", labels=("part",)
    )
    now = time.monotonic()
    for sample in turns.samples:
        found.add_metric([sample.labels["part"]], now - sample.value)
    return found
