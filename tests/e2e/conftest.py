"""A whole running service for the tests from outside."""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

import service as package
from service.launch.lifeline import start
from service.webhooks.push import new_private_key
from tests.e2e.browser import Browser
from tests.launch.kit import HTTP, PATIENCE_SECONDS, own_port, read_log, within
from tests.progress import IN_MEMORY, MEMORY

ROOM = 1 << 30


@pytest.fixture(scope="session")
def var(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield a folder for the data of the service: in memory, if there is room, for a disk that stalls stalls Redis."""
    memory = Path(os.environ.get(IN_MEMORY, MEMORY))
    if not (os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > ROOM):
        yield tmp_path_factory.mktemp("var")
        return
    with tempfile.TemporaryDirectory(dir=memory, prefix="dorfplatz-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def answers(address: str) -> bool:
    try:
        return HTTP.get(f"{address}/readyz").is_success
    except httpx.TransportError:
        return False


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory, checkout: Path, var: Path) -> Iterator[str]:
    """Yield the address of a service of this run: web server, both workers and a Redis, at a port that was free."""
    folder = tmp_path_factory.mktemp("service")
    address = f"http://127.0.0.1:{(port := own_port())}"
    path = dict.fromkeys([str(Path(package.__file__).parents[1]), str(checkout)])
    settings = {
        "PORT": str(port),
        "METRICS_PORT": str(own_port()),
        "DORFPLATZ_VAR": str(var),
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONSAFEPATH": "1",
        "LOG_LEVEL": "warning",
        "VAPID_PRIVATE_KEY": new_private_key(),
        "VAPID_SUBJECT": "mailto:us@example.org",
        "OPEN_QUOTAS": "false",  # all tests of the service come from one address, and some look forty times a second
    }
    log = folder / "log"
    command = [sys.executable, "-P", "-m", "service", "serve"]
    process = start(command, ending=signal.SIGTERM, env={**os.environ, **settings}, output=log, cwd=folder)
    try:
        ready = within(PATIENCE_SECONDS, lambda: answers(address) or process.poll() is not None)
        assert ready, read_log(log)
        assert process.poll() is None, read_log(log)
        yield address
        said = {file: read_log(file) for file in [log, *(var / "log").iterdir()]}
        assert len(said) > 3
        assert {file: text for file, text in said.items() if "Traceback" in text} == {}
    finally:
        process.terminate()
        process.wait(PATIENCE_SECONDS)


@pytest.fixture(scope="package")
def shared_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Yield the browser of all tests, for one takes seconds to start and to see its first page."""
    with Browser.open(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture
def browser(shared_browser: Browser, service: str) -> Browser:
    """Return the browser with a page of the test's own, which knows nothing of other tests."""
    shared_browser.forget(service)
    return shared_browser
