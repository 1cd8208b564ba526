"""A plugin of pytest that tells coverage.py which test runs, with all that it sets up alone, and how long it takes."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest
from coverage import Coverage

SECONDS: Final = "DORFPLATZ_MUTATION_SECONDS"
"""Names the file that the seconds of each test are written to."""


class Reach:
    """Names the context of each test; what tests share belongs to none of them."""

    def __init__(self) -> None:
        self._now = ""
        self._seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Measure one test."""
        begun = time.monotonic()
        self._now = item.nodeid
        _switch(self._now)
        done = yield
        _switch("")
        self._seconds[item.nodeid] = round(time.monotonic() - begun, 4)
        return done

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, object, object]:
        """Count what several tests share as reached by none: the others' runs do not pass there."""
        shared = fixturedef.scope != "function"
        if shared:
            _switch("")
        done = yield
        if shared:
            _switch(self._now)
        return done

    def pytest_sessionfinish(self) -> None:
        """Write how long each test took."""
        Path(os.environ[SECONDS]).write_text(json.dumps(self._seconds), "utf-8")


def _switch(context: str) -> None:
    measuring = Coverage.current()
    if measuring is not None:
        measuring.switch_context(context)


def pytest_configure(config: pytest.Config) -> None:
    """Measure this run."""
    config.pluginmanager.register(Reach())
