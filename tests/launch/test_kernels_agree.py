"""The compiled kernel and the plain one play identical games, and find the same to the last digit."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from games.core.kernel import SWITCH, kernel
from games.core.registry import registered
from tests.launch.digests import Made, compute_digests
from tools.build import NotBuiltError, build


@pytest.fixture(scope="module")
def both(checkout: Path) -> tuple[Made, Made]:
    """Return the output of the compiled kernel and of the plain one: one in here, the other in its own process."""
    if kernel() == "compiled":
        return compute_digests(), run_kernel("plain", str(checkout))
    try:
        compiled = build(checkout)
    except NotBuiltError as reason:
        pytest.skip(str(reason))
    return run_kernel("compiled", f"{compiled}{os.pathsep}{checkout}"), compute_digests()


def run_kernel(kind: str, path: str) -> Made:
    env = {**os.environ, "PYTHONPATH": path, SWITCH: kind}
    command = [sys.executable, "-P", "-m", "tests.launch.digests"]
    return msgspec.json.decode(subprocess.run(command, env=env, capture_output=True, check=True).stdout, type=Made)


def test_compiled_and_plain_play_identical_games(both: tuple[Made, Made]) -> None:
    compiled, plain = both
    assert (compiled.kernel, plain.kernel) == ("compiled", "plain")
    assert len(plain.played) >= 24
    assert compiled.played == plain.played


@pytest.mark.thorough
def test_compiled_and_plain_search_agree_to_the_last_digit(both: tuple[Made, Made]) -> None:
    compiled, plain = both
    assert len(plain.searched) == 1 + sum(len(game.seat_numbers) for game in registered().values())
    assert compiled.searched == plain.searched
