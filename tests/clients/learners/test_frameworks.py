"""PettingZoo and OpenSpiel, in an environment of their own, accept our games as built into wheels."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from bench.environment import provide


@pytest.mark.thorough
def test_pettingzoo_and_openspiel_accept_all_games_from_wheels(checkout: Path, tmp_path: Path) -> None:
    python = provide("pettingzoo")  # it has both, as the classic games ask for OpenSpiel
    built = tmp_path / "installed"
    for name in ("pettingzoo", "openspiel"):
        source = tmp_path / name
        shutil.copytree(checkout / "clients" / name, source)
        uv = [str(Path(sys.executable).parent / "uv"), "pip", "install", "--quiet", "--python", sys.executable]
        subprocess.run([*uv, "--no-deps", "--no-build-isolation", "--target", str(built), str(source)], check=True)
    rules = Path(str(sys.modules["games"].__file__)).resolve().parents[1]
    path = [str(built), str(rules), str(checkout / "clients" / "games"), sysconfig.get_path("purelib")]
    scripts = checkout / "tests" / "clients" / "learners"
    readmes = {name: str(checkout / "clients" / name / "README.md") for name in ("pettingzoo", "openspiel")}
    runs = [["frameworks.py", name, readme] for name, readme in readmes.items()]
    for script, *arguments in (*runs, ["forms.py", readmes["pettingzoo"]]):
        done = subprocess.run(
            [str(python), str(scripts / script), *arguments],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stdout + done.stderr
