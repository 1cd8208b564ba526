"""The compiled kernel and the plain one play identical games."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from service.launch.build import SWITCH, NotBuiltError, build


def played(path: str, kind: str) -> tuple[str, list[str]]:
    """Return which kernel ran, and a line for each game it played."""
    env = {**os.environ, "PYTHONPATH": path, SWITCH: kind}
    said = subprocess.run(
        [sys.executable, "-P", "-m", "tests.launch.digests"], env=env, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return said[0], said[1:]


def test_compiled_and_plain_play_identical_games(checkout: Path) -> None:
    try:
        compiled = build(checkout)
    except NotBuiltError as reason:
        pytest.skip(str(reason))
    plain_kind, plain_games = played(str(checkout), "plain")
    compiled_kind, compiled_games = played(f"{compiled}{os.pathsep}{checkout}", "compiled")
    assert (plain_kind, compiled_kind) == ("plain", "compiled")
    assert len(plain_games) >= 24
    assert compiled_games == plain_games
