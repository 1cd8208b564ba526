"""Fixtures of the fault tests."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.kit import Line, Mortal


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
