"""A plugin of pytest that reports the running test to coverage.py, with its own set-up, and its duration."""

from __future__ import annotations

import inspect
import json
import os
import time
from collections.abc import Generator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pytest
from coverage import Coverage

KNOWN_TESTS_VARIABLE: Final = "DORFPLATZ_MUTATION_KNOWN"
"""Name of a file with the completely known tests, each with its seconds and its text; it is rewritten."""


class Reach:
    """Names the context of each test; shared code belongs to none of them."""

    def __init__(self, known: dict[str, tuple[float, str]]) -> None:
        """Take the known tests; tests with an unchanged text do not run."""
        self._now = ""
        self._known, self._texts = known, dict[str, str]()
        self._seconds: dict[str, float] = {}

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        self._texts = {item.nodeid: _text(item) for item in items}
        nothing = (0.0, "")
        known = [item for item in items if self._known.get(item.nodeid, nothing)[1] == self._texts[item.nodeid]]
        self._seconds = {item.nodeid: self._known[item.nodeid][0] for item in known}
        items[:] = [item for item in items if item.nodeid not in self._seconds]
        config.hook.pytest_deselected(items=known)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        begun = time.monotonic()
        self._now = item.nodeid
        _switch(self._now)
        done = yield
        _switch("")
        self._seconds[item.nodeid] = round(time.monotonic() - begun, 4)
        return done

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, object, object]:
        """Record the code of shared fixtures as reached by none: the others' runs do not pass there."""
        shared = fixturedef.scope != "function"
        if shared:
            _switch("")
        done = yield
        if shared:
            _switch(self._now)
        return done

    def pytest_sessionfinish(self) -> None:
        told = {test: (seconds, self._texts[test]) for test, seconds in self._seconds.items()}
        Path(os.environ[KNOWN_TESTS_VARIABLE]).write_text(json.dumps(told), "utf-8")


def _text(item: pytest.Item) -> str:
    function = getattr(item, "function", None)
    return sha256(inspect.getsource(function).encode()).hexdigest()[:12] if function else ""


def _switch(context: str) -> None:
    measuring = Coverage.current()
    if measuring is not None:
        measuring.switch_context(context)


def pytest_configure(config: pytest.Config) -> None:
    known = json.loads(Path(os.environ[KNOWN_TESTS_VARIABLE]).read_text("utf-8"))
    config.pluginmanager.register(Reach(known))
