"""The component `burst`: more workers of one queue for a while, identical to the others of that queue."""

import shutil
from copy import deepcopy
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from click.testing import CliRunner

from service.__main__ import cli
from service.jobs import queues
from tests.deploy.conftest import OVERLAYS, Manifest, built


@pytest.fixture(scope="module", params=OVERLAYS)
def burst(request: pytest.FixtureRequest, checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Manifest]:
    folder = tmp_path_factory.mktemp("burst") / "k8s"
    shutil.copytree(checkout / "k8s", folder)
    file = folder / "overlays" / request.param / "kustomization.yaml"
    kustomization = yaml.safe_load(file.read_text())
    kustomization.setdefault("components", []).append("../../components/burst")
    file.write_text(yaml.safe_dump(kustomization))
    return built(file.parent)


def named(manifests: list[Manifest], kind: str, name: str) -> Any:
    (found,) = (one for one in manifests if (one["kind"], one["metadata"]["name"]) == (kind, name))
    return found


@pytest.mark.thorough
def test_every_manifest_with_a_burst_fits_its_schema(burst: list[Manifest]) -> None:
    job = named(burst, "Job", "burst")
    for manifest in (job, *(one for one in burst if one["kind"] == "NetworkPolicy")):
        kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)
    assert job["spec"]["completionMode"] == "Indexed"
    assert job["spec"]["completions"] == job["spec"]["parallelism"]
    assert job["metadata"]["namespace"] == "dorfplatz"


def test_a_pod_of_a_burst_is_one_of_the_queue_but_for_its_end(burst: list[Manifest]) -> None:
    usual = deepcopy(named(burst, "Deployment", queues.BULK))["spec"]["template"]["spec"]
    pod = deepcopy(named(burst, "Job", "burst"))["spec"]["template"]["spec"]
    assert pod.pop("restartPolicy") == "Never"
    arguments = [one["containers"][0].pop("args") for one in (usual, pod)]
    for one in (usual, pod):
        (spread,) = one["topologySpreadConstraints"]
        del spread["labelSelector"]
        # An overlay may ask for less of its one node.
        one["containers"][0]["resources"]["requests"].pop("cpu")
    assert pod == usual
    assert arguments[1][: len(arguments[0])] == arguments[0]


def test_the_command_of_a_burst_is_one_that_there_is(burst: list[Manifest]) -> None:
    arguments = named(burst, "Job", "burst")["spec"]["template"]["spec"]["containers"][0]["args"]
    run = CliRunner().invoke(cli, [*arguments, "--help"])
    assert run.exit_code == 0
    assert {part for part in arguments if part.startswith("--")} <= set(run.output.split())


def test_a_burst_reaches_the_store_and_nothing_else(burst: list[Manifest]) -> None:
    job = named(burst, "Job", "burst")
    labels = job["spec"]["template"]["metadata"]["labels"]
    assert labels["app.kubernetes.io/part-of"] == "dorfplatz"

    def reached(selector: dict[str, Any]) -> bool:
        same = all(labels.get(key) == value for key, value in selector.get("matchLabels", {}).items())
        return same and all(labels.get(part["key"]) in part["values"] for part in selector.get("matchExpressions", []))

    policies = [one for one in burst if one["kind"] == "NetworkPolicy"]
    assert {one["metadata"]["name"] for one in policies if reached(one["spec"]["podSelector"])} == {
        "nobody",
        "to-redis",
    }
    (rule,) = named(burst, "NetworkPolicy", "redis")["spec"]["ingress"]
    assert any(reached(peer["podSelector"]) for peer in rule["from"] if "podSelector" in peer)


def test_without_the_component_there_is_no_burst(manifests: list[Manifest]) -> None:
    assert not [one for one in manifests if one["kind"] == "Job"]
