"""Fixtures of the tests of deployments."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

OVERLAYS = ("small", "production")

Manifest = dict[str, Any]


@pytest.fixture(scope="session", params=OVERLAYS)
def manifests(request: pytest.FixtureRequest, checkout: Path) -> list[Manifest]:
    return built(checkout / "k8s" / "overlays" / request.param)


def built(folder: Path) -> list[Manifest]:
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed, which builds the overlays")
    run = subprocess.run(["kubectl", "kustomize", folder], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return list(yaml.safe_load_all(run.stdout))
