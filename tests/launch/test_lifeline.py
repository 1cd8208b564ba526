"""Nothing outlives whoever started it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from service.launch.lifeline import run
from tests.launch.kit import PATIENCE_SECONDS, alive, within

MARK = "LIFELINE_TEST"

STARTS_A_CHILD = """
import sys, time
from service.launch.lifeline import start
start([sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"])
time.sleep(60)
"""

FORKS_TWICE = """
import os, time
from service.launch.lifeline import tie_forks
tie_forks()
if os.fork() == 0 and os.fork() == 0:
    print("up", flush=True)
time.sleep(60)
"""

RUNS_A_SHELL = """
from service.launch.lifeline import run
run(["sh", "-c", "echo up; sleep 60 & sleep 60"])
"""


def started(script: str, folder: Path) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", script], env={**os.environ, MARK: str(folder)}, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"up\n"
    process.stdout.close()
    return process


@pytest.mark.parametrize(
    ("script", "number", "processes"),
    [
        pytest.param(STARTS_A_CHILD, signal.SIGKILL, 2, id="a child of a killed parent"),
        pytest.param(FORKS_TWICE, signal.SIGKILL, 3, id="a fork of a fork of a killed parent"),
        pytest.param(RUNS_A_SHELL, signal.SIGTERM, 4, id="all that a program started when its runner is asked to end"),
        pytest.param(RUNS_A_SHELL, signal.SIGINT, 4, id="all that a program started when its runner is interrupted"),
    ],
)
def test_nothing_is_left_of(script: str, number: signal.Signals, processes: int, tmp_path: Path) -> None:
    parent = started(script, tmp_path)
    assert within(PATIENCE_SECONDS, lambda: len(alive(MARK, tmp_path)) == processes)
    parent.send_signal(number)
    parent.wait(PATIENCE_SECONDS)
    assert within(PATIENCE_SECONDS, lambda: not alive(MARK, tmp_path)), alive(MARK, tmp_path)


def test_a_program_runs_to_its_end_and_gives_its_code(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert run(["sh", "-c", "echo heard; exit 7"], output=log) == 7
    assert log.read_text() == "heard\n"
