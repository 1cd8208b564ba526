"""Counts and durations for Prometheus, by method, route and status: nothing of a seat, a session or a secret."""

from __future__ import annotations

import os

from flask import Flask, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from service.http.request_context import RequestSpan, current_span


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

    def watch(self, figures: Collector) -> None:
        """Tell also what others know."""
        self._more.append(figures)
        self.registry.register(figures)

    def install(self, app: Flask) -> None:
        """Count every answer."""

        @app.after_request
        def end(response: Response) -> Response:
            self.count(current_span(), response.status_code)
            return response

    def count(self, seen: RequestSpan, status: int) -> None:
        """Count an answer."""
        self.requests.labels(seen.method, seen.label, str(status)).inc()
        self.seconds.labels(seen.method, seen.label).observe(seen.seconds)

    def page(self) -> tuple[bytes, str]:
        """Return the text for Prometheus and its media type, over all processes where they share a directory."""
        registry = self.registry
        if "PROMETHEUS_MULTIPROC_DIR" in os.environ:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
            for more in self._more:
                registry.register(more)
        return generate_latest(registry), CONTENT_TYPE_LATEST
