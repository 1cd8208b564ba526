"""Folders of figures: emptied where they are named, and removed where the server that made them is gone."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

import pytest

import service
from service.telemetry.metrics_folder import FOLDER_PREFIX, VARIABLE, provide_metrics_folder

SERVER: Final = """
import os, time
from service.telemetry.metrics_folder import provide_metrics_folder
print(provide_metrics_folder(os.environ), flush=True)
time.sleep(600)
"""


def started(folder: Path) -> tuple[subprocess.Popen[str], Path]:
    environment = {name: value for name, value in os.environ.items() if name != VARIABLE}
    environment |= {"TMPDIR": str(folder), "PYTHONPATH": str(Path(service.__file__).parents[1])}
    process = subprocess.Popen([sys.executable, "-P", "-c", SERVER], env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_a_start_removes_folders_of_killed_servers_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "theirs").mkdir()
    (tmp_path / f"{FOLDER_PREFIX}of-somebody").mkdir()
    processes = [started(tmp_path) for _ in range(2)]
    (killed, left), (_, kept) = processes
    try:
        (left / "counter_1.db").touch()
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        environment: dict[str, str] = {}
        ours = provide_metrics_folder(environment)
        assert ours is not None
        assert environment == {VARIABLE: str(ours)}
        assert set(tmp_path.iterdir()) == {ours, kept, tmp_path / "theirs", tmp_path / f"{FOLDER_PREFIX}of-somebody"}
    finally:
        for process, _ in processes:
            process.kill()
            process.communicate()


def test_a_folder_that_is_named_is_emptied_and_stays(tmp_path: Path) -> None:
    for name in ("counter_7.db", "notes.txt"):
        (tmp_path / name).touch()
    assert provide_metrics_folder({VARIABLE: str(tmp_path)}) is None
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]
