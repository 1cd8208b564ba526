"""The manifests are valid, and have the right meaning: these tests check it beyond any schema."""

import ipaddress
import os
import re
import shutil
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import jsonschema
import kubernetes_validate
import pytest
import redis
from rq import Queue
from rq.registry import StartedJobRegistry

from service.http.problems import PROBLEMS
from service.jobs import queues
from service.server.keeper import MAX_DRAIN_SECONDS
from service.settings import Limits
from tests.deploy.conftest import Manifest, built
from tests.deploy.keda import KINDS
from tests.deploy.mistakes import matches
from workers import tasks
from workers.sessions import bot_turns
from workers.webhooks import deliver, send

ROLES = {"web", *queues.QUEUES}

PRIVATE = [
    ipaddress.IPv4Network(network)
    for network in ("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16")
]


def of(manifests: list[Manifest], *kinds: str) -> list[Manifest]:
    return [manifest for manifest in manifests if manifest["kind"] in kinds]


def workloads(manifests: list[Manifest]) -> dict[str, Manifest]:
    return {manifest["metadata"]["name"]: manifest for manifest in of(manifests, "Deployment", "StatefulSet")}


def pod(workload: Manifest) -> Any:
    return workload["spec"]["template"]["spec"]


def labels(workload: Manifest) -> dict[str, str]:
    found: dict[str, str] = workload["spec"]["template"]["metadata"]["labels"]
    return found


def containers(manifests: list[Manifest]) -> Iterator[Any]:
    return chain.from_iterable(pod(workload)["containers"] for workload in workloads(manifests).values())


def selected(manifests: list[Manifest], selector: dict[str, Any]) -> set[str]:
    return {name for name, workload in workloads(manifests).items() if matches(selector, labels(workload))}


def variables(container: Any) -> set[str]:
    return {variable["name"] for variable in container.get("env", [])}


@pytest.mark.thorough
def test_every_manifest_fits_its_schema(manifests: list[Manifest]) -> None:
    for manifest in manifests:
        if manifest["kind"] in KINDS:
            jsonschema.validate(manifest, KINDS[manifest["kind"]])
        else:
            kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)


def test_there_is_a_workload_for_the_web_for_every_queue_and_the_store(manifests: list[Manifest]) -> None:
    assert set(workloads(manifests)) == {*ROLES, "redis"}
    for queue in queues.QUEUES:
        assert pod(workloads(manifests)[queue])["containers"][0]["args"] == ["worker", queue]


def test_selectors_pick_the_pods_of_their_name_and_no_others(manifests: list[Manifest]) -> None:
    for manifest in of(manifests, "Deployment", "StatefulSet", "PodDisruptionBudget"):
        assert selected(manifests, manifest["spec"]["selector"]) == {manifest["metadata"]["name"]}
    for service in of(manifests, "Service"):
        assert selected(manifests, {"matchLabels": service["spec"]["selector"]}) == {service["metadata"]["name"]}
    budgets = {budget["metadata"]["name"] for budget in of(manifests, "PodDisruptionBudget")}
    assert budgets == set(workloads(manifests))


def test_ports_agree(manifests: list[Manifest]) -> None:
    for service in of(manifests, "Service"):
        container = pod(workloads(manifests)[service["metadata"]["name"]])["containers"][0]
        ports = {port["name"] for port in container["ports"]}
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= ports
    web = pod(workloads(manifests)["web"])["containers"][0]
    assert web["ports"] == [{"name": "http", "containerPort": 8000}, {"name": "metrics", "containerPort": 9464}]
    for container in containers(manifests):
        for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
            if "httpGet" in container.get(probe, {}):
                assert container[probe]["httpGet"]["port"] == "http"
        urls = [part["value"] for part in container.get("env", []) if part["name"] == "REDIS_URL"]
        assert urls in ([], ["redis://:$(REDIS_PASSWORD)@redis:6379/0"])


def test_no_container_is_probed_too_early_or_has_rights(manifests: list[Manifest]) -> None:
    for workload in workloads(manifests).values():
        assert pod(workload)["automountServiceAccountToken"] is False
        assert pod(workload)["securityContext"]["runAsNonRoot"] is True
        assert pod(workload)["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    for container in containers(manifests):
        assert "startupProbe" in container
        rights = container["securityContext"]
        assert rights["readOnlyRootFilesystem"] is True
        assert rights["allowPrivilegeEscalation"] is False
        assert rights["capabilities"] == {"drop": ["ALL"]}


def test_every_image_has_a_version(manifests: list[Manifest]) -> None:
    for container in containers(manifests):
        tag = container["image"].rpartition(":")[2]
        assert re.match(r"\d+\.\d+\.\d+", tag), container["image"]


def test_a_pod_has_the_time_to_end_what_it_has_begun(manifests: list[Manifest]) -> None:
    grace = {name: pod(workload)["terminationGracePeriodSeconds"] for name, workload in workloads(manifests).items()}
    web = pod(workloads(manifests)["web"])["containers"][0]
    assert grace["web"] > web["lifecycle"]["preStop"]["sleep"]["seconds"] + MAX_DRAIN_SECONDS
    assert grace["play"] * 1000 > bot_turns.BOT_SLICE_MS + 60_000
    assert grace["search"] > 2 * tasks.SHORT_SECONDS
    assert grace["bulk"] > Limits().search_seconds
    assert grace["hooks"] * 1000 > deliver.DELIVERY_SLICE_MS + send.SECONDS * 1000
    assert grace["remote"] > tasks.REMOTE_SECONDS + 60
    # A portion may take twice as long as planned, and the last of its games begins just before.
    assert grace["bulk"] > 2 * tasks.PORTION_MS / 1000 + 60


def test_secrets_come_from_one_secret_that_the_runbook_makes(manifests: list[Manifest], checkout: Path) -> None:
    told = (checkout / "docs" / "operations.md").read_text()
    for container in containers(manifests):
        for variable in container.get("env", []):
            if "valueFrom" in variable:
                source = variable["valueFrom"]["secretKeyRef"]
                assert source["name"] == "dorfplatz"
                assert f"--from-literal={source['key']}=" in told
        if variables(container) & {"SECRET_KEY"}:
            assert {"SECRET_KEY", "REDIS_URL"} <= variables(container)
    for reference in of(manifests, "TriggerAuthentication"):
        assert [part["key"] for part in reference["spec"]["secretTargetRef"]] == ["redis-password"]
    assert of(manifests, "Secret") == []


def test_settings_are_ones_that_the_service_reads(manifests: list[Manifest], checkout: Path) -> None:
    sources = [checkout / "service" / name for name in ("settings.py", "server/keeper.py", "server/serving.py")]
    code = "".join(source.read_text() for source in sources)
    for settings in of(manifests, "ConfigMap"):
        for name in settings["data"]:
            assert f'"{name}"' in code, name


def test_workers_are_scaled_by_the_keys_that_the_queue_has(manifests: list[Manifest], redis_server: str) -> None:
    with redis.Redis.from_url(redis_server) as connection:
        for scaled in of(manifests, "ScaledObject"):
            name = scaled["spec"]["scaleTargetRef"]["name"]
            queue = Queue(name, connection=connection)
            lists = [trigger["metadata"]["listName"] for trigger in scaled["spec"]["triggers"]]
            assert lists == [queue.key, StartedJobRegistry(queue=queue).key]
            assert workloads(manifests)[name]["kind"] == "Deployment"
            assert scaled["spec"]["minReplicaCount"] <= scaled["spec"]["maxReplicaCount"]


def ensure_found_from_elsewhere(manifests: list[Manifest]) -> int:
    """Check that every address which KEDA asks is that of a service here, and return how many there are."""
    services = {
        f"{service['metadata']['name']}.{service['metadata']['namespace']}.svc:{port['port']}"
        for service in of(manifests, "Service")
        for port in service["spec"]["ports"]
    }
    scaled = of(manifests, "ScaledObject")
    found = [trigger["metadata"]["address"] for one in scaled for trigger in one["spec"]["triggers"]]
    assert set(found) <= services
    return len(found)


def test_keda_finds_the_store_from_its_own_namespace(manifests: list[Manifest]) -> None:
    found = ensure_found_from_elsewhere(manifests)
    assert found == 2 * len(of(manifests, "ScaledObject"))


def test_keda_finds_the_store_of_an_overlay_in_another_namespace(checkout: Path, tmp_path: Path) -> None:
    shutil.copytree(checkout / "k8s", tmp_path / "k8s")
    overlay = tmp_path / "k8s" / "overlays" / "production"
    kustomization = overlay / "kustomization.yaml"
    kustomization.write_text(kustomization.read_text().replace("namespace: dorfplatz", "namespace: village"))
    manifests = built(overlay)
    assert {manifest["metadata"]["namespace"] for manifest in of(manifests, "Service")} == {"village"}
    assert ensure_found_from_elsewhere(manifests) == 2 * len(queues.QUEUES)


def test_scaled_deployments_have_no_fixed_number_of_replicas(manifests: list[Manifest]) -> None:
    scalers = of(manifests, "HorizontalPodAutoscaler", "ScaledObject")
    scaled = {scaler["spec"]["scaleTargetRef"]["name"] for scaler in scalers}
    assert scaled in (set(), ROLES)
    for name in ROLES:
        assert ("replicas" in workloads(manifests)[name]["spec"]) == (name not in scaled)


def test_messages_to_strangers_reach_no_private_address(manifests: list[Manifest]) -> None:
    policies = [policy["spec"] for policy in of(manifests, "NetworkPolicy")]
    rules = [rule for spec in policies for rule in spec.get("egress", [])]
    blocks = [peer["ipBlock"] for rule in rules for peer in rule["to"] if "ipBlock" in peer]
    assert {block["cidr"] for block in blocks} == {"0.0.0.0/0", "2000::/3"}
    for block in blocks:
        walls = [ipaddress.IPv4Network(wall) for wall in block.get("except", [])]
        assert block["cidr"] == "2000::/3" or all(any(net.subnet_of(wall) for wall in walls) for net in PRIVATE)


def test_the_store_keeps_what_it_acknowledges(manifests: list[Manifest]) -> None:
    (script,) = pod(workloads(manifests)["redis"])["containers"][0]["args"]
    assert "--dir /data --appendonly yes --appendfsync always" in script
    assert "--maxmemory-policy noeviction" in script
    assert workloads(manifests)["redis"]["spec"]["volumeClaimTemplates"]


def test_our_processes_start_as_the_image_does(checkout: Path) -> None:
    dockerfile = (checkout / "Dockerfile").read_text()
    assert '"/opt/dorfplatz/bin/python", "-P", "-m", "service"' in dockerfile
    assert os.access(checkout / "tools" / "image.sh", os.X_OK)


def test_the_runbook_names_problems_that_there_are(checkout: Path) -> None:
    alarms = (checkout / "docs" / "operations.md").read_text().partition("## Alarms")[2]
    codes = set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", alarms))
    assert {"store-away", "worker-lost"} <= codes <= set(PROBLEMS)
