"""`dev.py test --containers` on a machine that cannot run containers."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.containers.conftest import NO_ENGINE, SWITCH


def test_a_machine_that_cannot_have_an_engine_is_reported(checkout: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "pytest", "-q", "tests/containers/test_first_game.py"]
    environment = {**os.environ, SWITCH: "1", "PATH": str(tmp_path)}
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == NO_ENGINE, done.stdout + done.stderr
    assert "no container engine: install docker.io" in done.stdout + done.stderr


def test_ci_compares_files_of_the_image_that_exist(checkout: Path) -> None:
    (names,) = re.findall(r"^image=\((.*)\)$", (checkout / ".ci" / "run").read_text(), re.MULTILINE)
    assert [name for name in names.split() if not (checkout / name).exists()] == []
