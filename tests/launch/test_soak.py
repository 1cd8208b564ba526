"""Soaking goes on until the time is up, and stops at the first failure; tests/faults/test_storm.py has a storm."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.thorough


@pytest.mark.parametrize(
    ("body", "code", "said"),
    [
        pytest.param("assert True", 0, "minutes, nothing failed", id="until the time is up"),
        pytest.param("assert False", 1, "round 1 failed with --hypothesis-seed=", id="until one fails"),
    ],
)
def test_it_goes_on(body: str, code: int, said: str, tmp_path: Path, checkout: Path) -> None:
    test = tmp_path / "test_it.py"
    test.write_text(f"def test_it():\n    {body}\n")
    (tmp_path / "pytest.ini").touch()
    result = subprocess.run(
        [sys.executable, "-P", "-m", "tests.soak", "--minutes", "0.01", str(test)],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == code
    assert said in result.stdout + result.stderr
