"""`dev.py test --coverage` counts what other processes reach, and names last what is reached least."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tools.__main__ import measure

TEST = """
import subprocess, sys

def test_one():
    subprocess.run([sys.executable, "-c", "import games.other; games.other.reach(3)"], cwd="/", check=True)
    assert not WRONG
"""

REACHED = """
def reach(number):
    if number > 2:
        return number
    return 2
"""


@pytest.fixture
def project(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(checkout / "pyproject.toml", tmp_path)
    for package in ("games", "service", "workers"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / "games" / "other.py").write_text(REACHED)
    (tmp_path / "workers" / "none.py").write_text("number = 1\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for name in ("COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START"):
        monkeypatch.delenv(name, raising=False)
    # Of all plugins that are installed the settings name one; under coverage the others take long to load.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p timeout")
    return tmp_path


@pytest.mark.thorough
@pytest.mark.parametrize("wrong", [False, True])
def test_what_another_process_reaches_counts(project: Path, capfd: pytest.CaptureFixture[str], *, wrong: bool) -> None:
    (project / "test_one.py").write_text(TEST.replace("WRONG", str(wrong)))
    assert measure(["-q", "test_one.py"]) == wrong
    said = capfd.readouterr().out
    assert said.endswith("reached least:\n   0.0% workers/none.py\n  66.7% games/other.py\n")
    assert re.search(r"^games/other.py +4 +1 +2 +1 +66.7% +5$", said, re.MULTILINE)
