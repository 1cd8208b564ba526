"""The bill of materials has every package of the image and no other."""

import json
import re
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

from tools import sbom
from tools.locks import IMAGE, export

UNDECLARED = {"protobuf", "resvg-py"}
"""Packages whose metadata name no licence; NOTICE has it."""


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.fixture
def unfinished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a package on the path that has no metadata yet, as if it were just being built."""
    (tmp_path / "unfinished.egg-info").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.mark.usefixtures("unfinished")
@pytest.mark.thorough
def test_the_bill_has_every_package_of_the_image_and_no_other(checkout: Path) -> None:
    done = subprocess.run([sys.executable, "dev.py", "sbom"], cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    bill = json.loads(done.stdout[done.stdout.index("{") :])
    names = sbom.read_lock(export(sbom.UV, IMAGE))
    listed = {normalised(each["name"]) for each in bill["components"]}
    here = {normalised(each.metadata["Name"]) for each in distributions()}
    assert names & here <= listed  # a lock also names packages for other systems
    assert listed <= names
    unlicensed = {normalised(each["name"]) for each in bill["components"] if not sbom.licences(each)}
    assert unlicensed <= UNDECLARED
