"""Fixtures of the container tests, which only `python3 dev.py test --containers` collects."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.containers.base_images import provide
from tests.containers.engine import Engine, NoEngineError
from tests.containers.project import Project, base_images, build, image_of, unreachable

SWITCH: Final = "DORFPLATZ_CONTAINERS"
"""Set by `dev.py test --containers`; without it nothing here is collected."""

NO_ENGINE: Final = 77
"""Exit code of a run that this machine cannot do at all: no engine, no base images, or no packages in a container."""

collect_ignore_glob = [] if os.environ.get(SWITCH) else ["test_*.py"]


Note = Callable[[str], None]
"""Adds a line to the report at the end of the run."""

NOTES: Final = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[NOTES] = []


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    terminalreporter.section("containers")
    for line in config.stash[NOTES]:
        terminalreporter.line(line)


@pytest.fixture(scope="session")
def note(request: pytest.FixtureRequest) -> Note:
    """Return a function that adds a line to the report."""
    return request.config.stash[NOTES].append


@pytest.fixture(scope="session")
def engine() -> Iterator[Engine]:
    try:
        found = Engine()
    except NoEngineError as reason:
        pytest.exit(f"no container engine: {reason}", NO_ENGINE)
    yield found
    found.stop()


@pytest.fixture(scope="session")
def bases(engine: Engine, checkout: Path) -> dict[str, str]:
    try:
        return provide(engine, base_images(checkout))
    except NoEngineError as reason:
        pytest.exit(f"no base images: {reason}", NO_ENGINE)


@pytest.fixture(scope="session")
def image(bases: dict[str, str], note: Note, checkout: Path) -> str:
    name = image_of(checkout)
    try:
        build(checkout, name)
    except AssertionError:
        if reason := unreachable(checkout):
            pytest.exit(f"the image cannot be built: {reason}", NO_ENGINE)
        raise
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
