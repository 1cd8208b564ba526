"""An application that plays Pebbles and has no Redis."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.service.kit import application


@pytest.fixture(scope="session")
def pebbles_app() -> Flask:
    return application()


@pytest.fixture
def pebbles(pebbles_app: Flask) -> FlaskClient:
    return pebbles_app.test_client()
