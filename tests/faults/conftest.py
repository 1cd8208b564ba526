"""Fixtures of the fault tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.kit import Line, Mortal
from tests.service.streams.server import Server


@pytest.fixture
def mortal(tmp_path: Path) -> Iterator[Mortal]:
    started = Mortal(tmp_path)
    yield started
    started.process.kill()
    started.process.wait()


@pytest.fixture
def line(mortal: Mortal) -> Iterator[Line]:
    opened = Line(mortal.port)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def server(
    request: pytest.FixtureRequest, redis_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """Yield a web server with the settings that the test's module has."""
    settings = getattr(request.module, "SETTINGS", {})
    running = Server(redis_server, tmp_path_factory.mktemp("web"), **settings)
    yield running
    running.kill()
