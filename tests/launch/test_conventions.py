"""What a contributor's tools and the forge read is in order."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

FORMS = {
    "vendor.github-workflows": ".github/workflows/*.yml",
    "vendor.github-issue-forms": ".github/ISSUE_TEMPLATE/*.yml",
}


@pytest.mark.parametrize(("schema", "pattern"), FORMS.items(), ids=FORMS)
def test_the_forge_understands(schema: str, pattern: str, checkout: Path) -> None:
    files = sorted(checkout.glob(pattern))
    assert files
    command = [str(Path(sys.executable).with_name("check-jsonschema")), "--builtin-schema", schema, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_forge_runs_what_everybody_can_run(checkout: Path) -> None:
    workflow = yaml.safe_load((checkout / ".github" / "workflows" / "ci.yml").read_text())
    (job,) = workflow["jobs"].values()
    assert job["steps"][-1]["run"].endswith(" .ci/run")


def test_the_hook_runs_the_ruff_that_the_lock_names(checkout: Path) -> None:
    hooks = yaml.safe_load((checkout / ".pre-commit-config.yaml").read_text())
    locked = re.search(r"^ruff==(\S+)", (checkout / "requirements-dev.lock").read_text(), re.MULTILINE)
    assert locked
    assert hooks["repos"][0]["rev"] == f"v{locked[1]}"
