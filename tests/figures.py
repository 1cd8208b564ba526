"""The figures of an application in this process, as its own port serves them."""

from __future__ import annotations

from flask import Flask
from werkzeug.test import Client

from service.launch.metrics_folder import METRICS_PATH


def figures_of(app: Flask) -> str:
    answered = Client(app.extensions["metrics"]).get(METRICS_PATH)
    assert answered.status_code == 200
    return answered.text
