"""Soaking goes on until the time is up, and stops at the first failure; tests/faults/test_storm.py has a storm."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests import soak

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        pytest.param("assert True", 0, "minutes, nothing failed", id="until the time is up"),
        pytest.param("assert False", 1, "round 1 failed with --hypothesis-seed=", id="until one fails"),
    ],
)
def test_it_goes_on(
    body: str, code: int, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    test = tmp_path / "test_it.py"
    test.write_text(f"def test_it():\n    {body}\n")
    (tmp_path / "pytest.ini").touch()
    # No other plugin that is installed is needed, and some take a second of each start.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p hypothesispytest")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["soak", "--minutes", "0.01", str(test)])
    ended: int | str | None = 0
    try:
        soak.main()
    except SystemExit as end:
        ended = end.code
    told = f"{capfd.readouterr().out}{ended}"
    assert (ended == 0) == (code == 0)
    assert said in told
