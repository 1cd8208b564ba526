"""Fixtures for every test: one real Redis for the whole run, and the certainty of which kernel is tested."""

import os
import signal
from collections.abc import Generator, Iterator
from pathlib import Path

import hypothesis
import pytest
import redis

from games.core.kernel import SWITCH, kernel
from service.launch.loading import loading
from service.launch.redis import launch
from tests.progress import SHORT, WHOLE_RUN_FOLDERS

pytest_plugins = ["pytester"]

NO_SKIPS = "DORFPLATZ_NO_SKIPS"
"""Set in the environment, it makes every skipped test a failed one."""

TESTS = Path(__file__).resolve().parent

# The duration of an example depends more on the machine than on the code.
hypothesis.settings.register_profile(
    "dorfplatz", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow], print_blob=True
)
hypothesis.settings.load_profile("dorfplatz")

# A Redis of somebody's is nothing to flush.
os.environ.pop("REDIS_URL", None)

# Games of packages that somebody has installed here are none of ours.
os.environ["DORFPLATZ_GAMES"] = "ours"

# No request to a server of a test's own goes through a proxy.
for name in ("no_proxy", "NO_PROXY"):
    os.environ[name] = ",".join(filter(None, (os.environ.get(name), "127.0.0.1", "localhost")))


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dorfplatz")
    group.addoption("--resets", type=int, default=200, help="connections that each test of resets resets (200)")
    group.addoption("--stop-seconds", type=float, default=0, help="time for which a test stops a web process (0)")


def pytest_report_header() -> str:
    return f"kernel: {kernel()}"


def pytest_sessionstart() -> None:
    """Refuse to test the plain kernel if the compiled one was requested."""
    wanted = os.environ.get(SWITCH, "auto")
    if wanted not in {"auto", kernel()}:
        pytest.exit(f"{SWITCH}={wanted}, but the {kernel()} kernel is on the path", returncode=4)


def is_of_whole_run(path: Path) -> bool:
    return TESTS in path.parents and path.relative_to(TESTS).parts[0] in WHOLE_RUN_FOLDERS


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass over the folders of the whole run in a short one; each process would import them for nothing."""
    return (config.getoption("markexpr") == SHORT and is_of_whole_run(collection_path)) or None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_of_whole_run(item.path):
            item.add_marker("thorough")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let the garbage collector pass over what is collected: it lives to the end, and is 600,000 objects."""
    with loading():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Count a skipped test as failed where nothing may be skipped."""
    report = yield
    if os.environ.get(NO_SKIPS) and report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} is skipped, but {NO_SKIPS} is set: {report.longrepr}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Count a skipped module as failed where nothing may be skipped."""
    report = yield
    if os.environ.get(NO_SKIPS) and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{collector.nodeid} is skipped, but {NO_SKIPS} is set: {report.longrepr}"
    return report


@pytest.fixture(autouse=True)
def _signals() -> Iterator[None]:
    """Put the handlers of signals back: a worker of RQ leaves its own behind, and Ctrl-C would end no run any more."""
    found = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in found.items():
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the URL of the run's own Redis, on loopback, its files in a temporary folder."""
    server = launch(tmp_path_factory.mktemp("redis"), {"appendfsync": "no"})
    yield server.url
    server.stop()


@pytest.fixture
def redis_client(redis_server: str) -> Iterator[redis.Redis]:
    with redis.Redis.from_url(redis_server, socket_timeout=30) as client:
        client.flushall()
        yield client


@pytest.fixture
def redis_url(redis_client: redis.Redis, redis_server: str) -> str:
    assert redis_client.dbsize() == 0
    return redis_server


@pytest.fixture(scope="session")
def checkout() -> Path:
    return Path(__file__).resolve().parents[1]
