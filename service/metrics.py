"""Counts and durations for Prometheus, by method, route and status: nothing of a seat, a session or a secret."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final

from flask import Flask, Response, request
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector
from redis.exceptions import RedisError

from service.contract.trace import seconds
from service.store.hooks import HookStore

_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"})


class Metrics:
    """The figures of one application."""

    def __init__(self) -> None:
        """Start at zero."""
        self.registry = CollectorRegistry()
        self._more: list[Collector] = []
        labels = ("method", "route", "status")
        self.requests = Counter("dorfplatz_requests", "Requests answered.", labels, registry=self.registry)
        self.seconds = Histogram("dorfplatz_request_seconds", "Time to answer.", labels[:2], registry=self.registry)

        self.refused = Counter("dorfplatz_quota_refusals", "Spent quotas.", ("quota",), registry=self.registry)

    def watch(self, hooks: HookStore) -> None:
        """Tell also what the workers' deliveries came to, which the store counts."""
        self._more.append(Deliveries(hooks))
        self.registry.register(self._more[-1])

    def install(self, app: Flask) -> None:
        """Count every answer."""

        @app.after_request
        def end(response: Response) -> Response:
            method = request.method if request.method in _METHODS else "other"
            route = request.url_rule.rule if request.url_rule else "none"
            self.requests.labels(method, route, str(response.status_code)).inc()
            self.seconds.labels(method, route).observe(seconds())
            return response

    def page(self) -> tuple[bytes, str]:
        """Return the text for Prometheus and its media type, over all processes where they share a directory."""
        registry = self.registry
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
            for more in self._more:
                registry.register(more)
        return generate_latest(registry), CONTENT_TYPE_LATEST


class Deliveries(Collector):
    """Attempts to deliver by their outcome, and how many webhooks have messages waiting; nothing without a store."""

    def __init__(self, hooks: HookStore) -> None:
        """Take the store of webhooks."""
        self._hooks = hooks

    def describe(self) -> Iterable[Metric]:
        """Name the figures without asking the store."""
        return (self._attempts(), self._waiting())

    def collect(self) -> Iterable[Metric]:
        """Return the figures of now."""
        try:
            outcomes, due = self._hooks.figures()
        except RedisError:
            return
        attempts, waiting = self._attempts(), self._waiting()
        for outcome, number in sorted(outcomes.items()):
            attempts.add_metric([outcome], number)
        waiting.add_metric([], due)
        yield attempts
        yield waiting

    @staticmethod
    def _attempts() -> CounterMetricFamily:
        return CounterMetricFamily("dorfplatz_webhook_attempts", "Attempts to deliver.", labels=["outcome"])

    @staticmethod
    def _waiting() -> GaugeMetricFamily:
        return GaugeMetricFamily("dorfplatz_webhooks_waiting", "Webhooks with messages waiting.", labels=[])
