"""Fixtures of the container tests, which only `python3 dev.py test --containers` collects."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.containers.base_images import provide
from tests.containers.engine import Engine, NoEngineError
from tests.containers.project import Project, base_images, build, image_of

SWITCH: Final = "DORFPLATZ_CONTAINERS"
"""Set by `dev.py test --containers`; without it nothing here is collected."""

collect_ignore_glob = [] if os.environ.get(SWITCH) else ["test_*.py"]


Note = Callable[[str], None]
"""Adds a line to the report at the end of the run."""

NOTES: Final = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Prepare the report."""
    config.stash[NOTES] = []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print what the tests measured."""
    terminalreporter.section("containers")
    for line in config.stash[NOTES]:
        terminalreporter.line(line)


@pytest.fixture(scope="session")
def note(request: pytest.FixtureRequest) -> Note:
    """Return a function that adds a line to the report."""
    return request.config.stash[NOTES].append


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    """Yield a running container engine."""
    try:
        found = Engine()
    except NoEngineError as reason:
        pytest.fail(f"no container engine: {reason}", pytrace=False)
    yield found
    found.stop()


@pytest.fixture(scope="session")
def bases(engine: Engine, checkout: Path) -> dict[str, str]:
    """Return the base images, each of them an original or a stand-in."""
    return provide(engine, base_images(checkout))


@pytest.fixture(scope="session")
def image(bases: dict[str, str], note: Note, checkout: Path) -> str:
    """Build the image from the Dockerfile and return its name."""
    name = image_of(checkout)
    build(checkout, name)
    note(f"base images: {', '.join(f'{base} ({kind})' for base, kind in bases.items())}")
    return name


@pytest.fixture(scope="session")
def project(
    engine: Engine, checkout: Path, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Project]:
    """Yield the compose file, running: two web containers behind the proxy and a worker of each queue."""
    request.getfixturevalue("image")
    running = Project(engine, checkout, tmp_path_factory.mktemp("compose"))
    try:
        running.start()
        yield running
    finally:
        running.remove()
