"""The metrics of an application in this process, as Prometheus reads them."""

from __future__ import annotations

from flask import Flask
from prometheus_client import generate_latest


def figures_of(app: Flask) -> str:
    """Return Prometheus' text."""
    return generate_latest(app.extensions["metrics"].registry).decode()
