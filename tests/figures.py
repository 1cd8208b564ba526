"""The metrics of an application in this process and those of its stores, as Prometheus reads them."""

from flask import Flask
from prometheus_client import CollectorRegistry, generate_latest

from service.http.context import AppContext
from service.telemetry.store_metrics import StoreMetrics
from service.telemetry.web_metrics import WebMetrics


def figures_of(app: Flask) -> str:
    """Return the metrics of a web process, as Prometheus' text."""
    registry = CollectorRegistry()
    registry.register(WebMetrics(app.extensions["metrics"].registry))
    return generate_latest(registry).decode()


def store_figures_of(app: Flask) -> str:
    """Return the metrics of an application's stores, as Prometheus' text."""
    context: AppContext = app.extensions["context"]
    sessions = context.sessions
    registry = CollectorRegistry()
    registry.register(StoreMetrics(context.redis, sessions.store.client, sessions.hooks, sessions.now))
    return generate_latest(registry).decode()
