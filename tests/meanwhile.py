"""A split run: tests that need no fast kernel run while it is compiled, all others afterwards. A plugin of pytest.

The first run writes the reports of its tests to a file, and stops when a file of the same name requests that. The
second run leaves these tests out and takes over their reports, so its last line counts all tests.
"""

import json
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

FOLDERS: Final = frozenset({"contract", "deploy", "pictures", "service"})
"""The folders of tests that take about as long on the plain kernel, and start no service of the checkout."""

STOP: Final = ".stop"
"""The suffix of the file that ends the first run."""


class Recorder:
    """Records the reports of each finished test."""

    def __init__(self, config: pytest.Config, file: Path) -> None:
        self._config = config
        self._file = file
        self._session: pytest.Session | None = None
        self._reports: defaultdict[str, list[pytest.TestReport]] = defaultdict(list)

    def pytest_collection_modifyitems(self, session: pytest.Session, items: list[pytest.Item]) -> None:
        """Keep the tests of `FOLDERS`; the modules of all others are imported to store their bytecode."""
        self._session = session
        tests = session.config.rootpath / "tests"
        items[:] = [item for item in items if item.path.relative_to(tests).parts[0] in FOLDERS]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._reports[report.nodeid].append(report)

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Write the reports of a finished test in one line, and stop if that is wanted."""
        hook = self._config.hook
        reports = [
            hook.pytest_report_to_serializable(config=self._config, report=report)
            for report in self._reports.pop(nodeid)
        ]
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps([nodeid, reports]) + "\n")
        if self._session is not None and self._file.with_suffix(STOP).exists():
            self._session.shouldstop = "the kernel is compiled"


class Counter:
    """Takes over the recorded reports and leaves their tests out."""

    def __init__(self, config: pytest.Config, file: Path) -> None:
        self._config = config
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
        self._recorded: dict[str, list[dict[str, Any]]] = dict(map(json.loads, lines))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Count the recorded tests after all others, in the process that prints the summary."""
        try:
            return (yield)
        finally:
            if not hasattr(self._config, "workerinput"):
                self._count()

    def _count(self) -> None:
        hook = self._config.hook
        for reports in self._recorded.values():
            for data in reports:
                report = hook.pytest_report_from_serializable(config=self._config, data=data)
                hook.pytest_runtest_logreport(report=report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = [item for item in items if item.nodeid not in self._recorded]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("dorfplatz")
    group.addoption("--record", type=Path, help="record the tests that need no fast kernel in this file")
    group.addoption("--recorded", type=Path, help="count the tests that this file records")


def pytest_configure(config: pytest.Config) -> None:
    for name, kind in (("record", Recorder), ("recorded", Counter)):
        if (file := config.getoption(f"--{name}")) is not None:
            config.pluginmanager.register(kind(config, file))
