"""The bill of materials has every package of the image, with its licence."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

from service.launch import sbom

UNDECLARED = {"protobuf", "resvg-py"}
"""Packages whose metadata name no licence; NOTICE has it."""


def normalised(name: str) -> str:
    """Return a package's name as locks write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.thorough
def test_the_bill_has_every_package_of_the_image_and_no_other(checkout: Path) -> None:
    done = subprocess.run([sys.executable, "dev.py", "sbom"], cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    bill = json.loads(done.stdout[done.stdout.index("{") :])
    names = sbom.read_lock((checkout / sbom.IMAGE_LOCK).read_text("utf-8"))
    listed = {normalised(each["name"]) for each in bill["components"]}
    here = {normalised(each.metadata["Name"]) for each in distributions()}
    assert names & here <= listed  # a lock also names packages for other systems
    assert listed <= names
    unlicensed = {normalised(each["name"]) for each in bill["components"] if not sbom.licences(each)}
    assert unlicensed <= UNDECLARED


def test_names_of_a_lock_are_read_without_their_marks_and_hashes() -> None:
    text = "# a comment\nFlask_Cors==6.0 ; python_version > '3'\\\n    --hash=sha256:00\nrq==2\n    # via x==1\n"
    assert sbom.read_lock(text) == {"flask-cors", "rq"}


def test_the_table_has_a_line_for_each_package() -> None:
    licensed = {
        "name": "a",
        "version": "1",
        "licenses": [{"license": {"id": "MIT"}}, {"license": {"name": "MIT\ntext"}}],
    }
    bill = {"components": [licensed, {"name": "bc", "version": "2.0"}]}
    assert sbom.table(bill).splitlines() == ["a   1    MIT", "bc  2.0  ?"]
