"""Progress of a run in lines for people, with the omitted tests at its end: a plugin of pytest."""

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest
from xdist.workermanage import NodeManager

SHORT: Final = "not thorough"
"""Marker expression of the short run."""

WHOLE_RUN_FOLDERS: Final = ("bench", "e2e", "faults", "fuzz", "hosts", "packages")
"""Folders in which every test is `thorough`: they start whole services, servers to attack, browsers and builds."""

COMMAND: Final = "python3 dev.py test --all"
"""Runs what the short run leaves out."""

LINE_SECONDS: Final = 10
"""Interval of printed lines if lines cannot be overwritten."""

GRACE_SECONDS: Final = 3
"""Time for the processes that run tests to end after Ctrl-C."""

SHORT_SECONDS: Final = 0.2
"""Interval of updates of the one line at a terminal."""


MEMORY: Final = Path("/dev/shm")  # noqa: S108 -- a folder of one's own is made in it

IN_MEMORY: Final = "DORFPLATZ_TESTS_MEMORY"
"""Names to all processes a folder of this run in memory."""

Item = TypeVar("Item")

Status = tuple[str, str, Any]
"""Pytest's result of a report: its category, its letter, its word."""


class Progress:
    """Counter of passed, failed and omitted tests in the process that talks to the terminal."""

    def __init__(self) -> None:
        self._began = self._told = time.monotonic()
        self._over = sys.stdout.isatty()
        self.total = self.done = self.failed = self.left_out = 0
        self._folder: Path | None = None
        self._memory: Path | None = None
        self._keeps = False
        self._environment = pytest.MonkeyPatch()

    def pytest_configure(self, config: pytest.Config) -> None:
        """Let the files of all tests lie in one folder, which is deleted at the end."""
        if config.option.basetemp is None:
            self._folder = Path(tempfile.mkdtemp(prefix="dorfplatz-tests-"))
            config.option.basetemp = str(self._folder / "tests")
            # Servers that are killed leave temporary files, too.
            (self._folder / "tmp").mkdir()
            self._environment.setenv("TMPDIR", str(self._folder / "tmp"))
            self._environment.setattr(tempfile, "tempdir", None)
            if os.access(MEMORY, os.W_OK):
                self._memory = Path(tempfile.mkdtemp(prefix="dorfplatz-tests-", dir=MEMORY))
                self._environment.setenv(IN_MEMORY, str(self._memory))

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Refuse a missing path, which other processes do not report; print the seed of this order."""
        for path in (Path(argument.partition("::")[0]) for argument in session.config.args):
            if not path.exists():
                raise pytest.UsageError(f"no such file or folder: {path}")
        if session.config.getoption("randomly_reorganize", default=False):
            print(f"in random order, --randomly-seed={session.config.getoption('randomly_seed')}", flush=True)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self.left_out += len(items)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Take the number of tests; where others run them, this process collects none."""
        self.total = max(self.total, len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Sequence[str]) -> None:
        """Take the number of tests from a process that runs some."""
        self.total = len(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Add the omitted tests of a process; all omit the same."""
        self.left_out = max(self.left_out, getattr(node, "workeroutput", {}).get("left_out", 0))

    @pytest.hookimpl(wrapper=True)
    def pytest_report_teststatus(self) -> Generator[None, Status, Status]:
        """Print no letter for a test; the lines below take their place."""
        category, _, word = yield
        return category, "", word

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed += 1
            self._print(f"FAILED {report.nodeid} ({report.when})", over=False)

    def pytest_runtest_logfinish(self) -> None:
        """Count a test, and print the progress."""
        self.done += 1
        if self.done == self.total or time.monotonic() - self._told >= (SHORT_SECONDS if self._over else LINE_SECONDS):
            self._told = time.monotonic()
            self._print(str(self), over=self.done < self.total)

    def _print(self, line: str, *, over: bool) -> None:
        print(f"\r{line}\x1b[K" if self._over else line, end="" if self._over and over else "\n", flush=True)

    def __str__(self) -> str:
        share = 100 * self.done // max(self.total, 1)
        minutes, seconds = divmod(int(time.monotonic() - self._began), 60)
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{share:3} %, {self.done} of {self.total} tests in {minutes}:{seconds:02} minutes{failed}"

    def pytest_keyboard_interrupt(self) -> None:
        """Give the processes that run tests a moment to end what they have started; then it dies with them."""
        NodeManager.EXIT_TIMEOUT = GRACE_SECONDS

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, exitstatus: int) -> None:
        self._keeps = exitstatus == pytest.ExitCode.TESTS_FAILED and self._folder is not None
        if self._keeps:
            terminalreporter.write_line(f"files of the tests: {self._folder}")

    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Print the omitted tests of the short run, after pytest's own last line; restore the environment."""
        self._environment.undo()
        if self._folder is not None and not self._keeps:
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._memory is not None:
            shutil.rmtree(self._memory, ignore_errors=True)
        if self.left_out and config.getoption("markexpr") == SHORT:
            folders = ", ".join(WHOLE_RUN_FOLDERS)
            print(f"not run: {self.left_out} thorough tests and those in {folders}; `{COMMAND}` runs everything")


class Part:
    """The part of a process of pytest-xdist: it counts the omitted tests, and passes the number on."""

    def __init__(self, config: pytest.Config) -> None:
        self._output: dict[str, Any] = config.workeroutput  # type: ignore[attr-defined]
        self._output["left_out"] = 0

    def pytest_collection(self, session: pytest.Session) -> None:
        """Import a share of the modules before all others are collected.

        To rewrite the asserts of all takes ten seconds; the result of one process is stored for the others.
        """
        config = session.config
        own: dict[str, Any] = config.workerinput  # type: ignore[attr-defined]
        folders = [config.invocation_params.dir / argument for argument in config.args]
        modules = sorted(
            (path for folder in folders for path in folder.rglob("test_*.py")),
            key=lambda path: (path.stat().st_size, path),
        )
        for path in modules[int(own["workerid"].removeprefix("gw")) :: own["workercount"]]:
            if not config.hook.pytest_ignore_collect(collection_path=path, config=config):
                name = ".".join(path.relative_to(config.rootpath).with_suffix("").parts)
                with suppress(Exception, pytest.skip.Exception):  # the collector of it will report it
                    import_module(name)

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        self._output["left_out"] += len(items)


SERVICE: Final = "tests of the service, with and without a browser"
TABLE: Final = "tests of the page for playing, in the browser"

SECONDS: Final = {
    TABLE: 170,
    SERVICE: 200,
    "test_two_worlds_http.py": 30,
    "test_schemathesis.py": 30,
    "test_image.py": 34,
    "test_simulation.py": 40,
    "test_first_callers.py": 7,
    "test_release.py": 25,
    "test_serve.py": 22,
    "test_frameworks.py": 22,
    "test_fuzz.py": 14,
    "test_grey_faults.py": 12,
    "test_alarms.py": 10,
    "test_build.py": 14,
    "test_readers.py": 14,
    "test_walks.py": 10,
    "test_search_intervals.py": 7,
    "test_lines.py": 10,
    "test_strength.py": 8,
    "test_mcp_games.py": 12,
    "test_tables.py": 8,
    "test_jobs_in_work.py": 11,
    "test_workers_faults.py": 10,
    "test_dev.py": 10,
    "test_cluster.py": 9,
    "test_own_games_page.py": 9,
    "test_drawing.py": 9,
    "test_terminal.py": 8,
    "test_bots_in_work.py": 8,
    "test_texts.py": 7,
    "test_extents.py": 8,
    "test_site.py": 5,
    "test_served.py": 7,
    "test_clocks_faults.py": 8,
    "test_clock_steps.py": 6,
    "test_told_together.py": 5,
}
"""The weights of the groups that no process may begin late, in CPU seconds, or half the seconds of waiting. They are
the modules with a test of five seconds or more, or with a server of their own."""


def groups_of(items: Sequence[pytest.Item]) -> dict[pytest.Item, str]:
    """Return the group of each test. If one test of a module needs the browser, so do all: they share fixtures."""
    browsed = {item.path for item in items if "shared_browser" in getattr(item, "fixturenames", ())}

    def group_of(item: pytest.Item) -> str:
        if item.path in browsed:
            return TABLE if item.path.name.startswith("test_play") else SERVICE
        served = item.path.parent.name == "e2e" and "service" in getattr(item, "fixturenames", ())
        return SERVICE if served else item.path.name

    return {item: group_of(item) for item in items}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let each process begin with its share of the groups that take long."""
    groups: dict[str, list[pytest.Item]] = {}
    others: list[pytest.Item] = []
    for item, name in groups_of(items).items():
        (groups.setdefault(name, []) if name in SECONDS else others).append(item)
    processes = getattr(config, "workerinput", {}).get("workercount", 1)
    shares = [[item for name in share for item in groups[name]] for share in shared(groups, processes)]
    items[:] = with_these_first(shares, others)


def shared(names: Iterable[str], processes: int) -> list[list[str]]:
    """Return a share of the groups for each process, the longest first: each goes to the process with least to do."""
    shares: list[list[str]] = [[] for _ in range(processes)]
    for name in sorted(names, key=lambda name: (-SECONDS[name], name)):
        min(shares, key=lambda share: sum(SECONDS[each] for each in share)).append(name)
    return shares


def with_these_first(shares: Sequence[Sequence[Item]], others: Sequence[Item]) -> list[Item]:
    """Return all items so that each process begins with its share; each is given an equal part in a row."""
    left, total, parts = list(others), len(others) + sum(map(len, shares)), list[Item]()
    for number, share in enumerate(shares):
        # Number of tests that pytest-xdist gives to this process.
        further = max((total - len(parts)) // (len(shares) - number) - len(share), 0)
        parts += [*share, *left[:further]]
        del left[:further]
    return parts + left


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run tests in twice as many processes as there are cores: for half of its time a test waits for others."""
    return 2 * len(os.sched_getaffinity(0))


def pytest_configure(config: pytest.Config) -> None:
    """Count, in this process or for the process at the terminal."""
    config.pluginmanager.register(Part(config) if hasattr(config, "workeroutput") else Progress())
