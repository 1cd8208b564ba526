"""The manifests have no known mistake, and the NetworkPolicies allow exactly the documented connections."""

from collections.abc import Callable
from copy import deepcopy
from itertools import product
from typing import Any

import pytest

from service.jobs import queues
from tests.deploy.conftest import Manifest
from tests.deploy.mistakes import Peer, Port, find_mistakes, may_connect

ROLES = ("web", *queues.QUEUES)
WEB, METRICS, STORE, TLS, SSH = (Port("TCP", number) for number in (8000, 9464, 6379, 443, 22))
NAMES = (Port("UDP", 53), Port("TCP", 53))
PORTS = (WEB, METRICS, STORE, TLS, SSH, *NAMES)


def test_the_manifests_have_no_known_mistake(manifests: list[Manifest]) -> None:
    assert find_mistakes(manifests) == []


def workload(manifests: list[Manifest], name: str) -> Any:
    return next(each for each in manifests if each["metadata"]["name"] == name and "template" in each["spec"])


def container(manifests: list[Manifest], name: str) -> Any:
    return workload(manifests, name)["spec"]["template"]["spec"]["containers"][0]


def budget(manifests: list[Manifest], name: str) -> Any:
    kind = "PodDisruptionBudget"
    return next(each for each in manifests if (each["kind"], each["metadata"]["name"]) == (kind, name))["spec"]


PLANTED: dict[str, Callable[[list[Manifest]], object]] = {
    "play: no limit of memory": lambda all_: container(all_, "play")["resources"].pop("limits"),
    "bulk: no request of cpu": lambda all_: container(all_, "bulk")["resources"]["requests"].pop("cpu"),
    "hooks: no liveness probe": lambda all_: container(all_, "hooks").pop("livenessProbe"),
    "web: receives requests without a readiness probe": lambda all_: container(all_, "web").pop("readinessProbe"),
    "web: the liveness probe asks what the readiness probe asks, so a restart follows each outage of the store": (
        lambda all_: container(all_, "web").update(livenessProbe=container(all_, "web")["readinessProbe"])
    ),
    "web: preStop takes 1 s, which is too short for a proxy": (
        lambda all_: container(all_, "web")["lifecycle"]["preStop"]["sleep"].update(seconds=1)
    ),
    "web: the grace period ends before preStop does": (
        lambda all_: workload(all_, "web")["spec"]["template"]["spec"].update(terminationGracePeriodSeconds=4)
    ),
    "search: no topology spread over hosts": (
        lambda all_: workload(all_, "search")["spec"]["template"]["spec"].pop("topologySpreadConstraints")
    ),
    "redis: the budget allows no drain": lambda all_: budget(all_, "redis").update(maxUnavailable=0),
    "remote: no PodDisruptionBudget": (
        lambda all_: budget(all_, "remote")["selector"].update(matchLabels={"app.kubernetes.io/name": "nobody"})
    ),
}


@pytest.mark.parametrize("mistake", PLANTED)
def test_a_planted_mistake_is_found(manifests: list[Manifest], mistake: str) -> None:
    faulty = deepcopy(manifests)
    PLANTED[mistake](faulty)
    assert find_mistakes(faulty) == [mistake]


def peers(manifests: list[Manifest]) -> dict[str, Peer]:
    """Return a pod of each workload, and strangers: in our namespace, in labelled and other ones, and outside."""
    (own,) = {each["metadata"]["namespace"] for each in manifests if each["kind"] == "Deployment"}
    ours = {
        each["metadata"]["name"]: Peer(
            each["metadata"]["name"], each["spec"]["template"]["metadata"]["labels"], own, {}
        )
        for each in manifests
        if each["kind"] in ("Deployment", "StatefulSet")
    }
    reaching = {
        name: Peer(name, {}, name, {"dorfplatz/reaches": reaches})
        for name, reaches in (("ingress", "web"), ("monitoring", "metrics"), ("keda", "redis"))
    }
    dns = Peer("dns", {"k8s-app": "kube-dns"}, "kube-system", {"kubernetes.io/metadata.name": "kube-system"})
    names = {"neighbour": own, "elsewhere": "default", "internet": "internet"}
    strangers = {name: Peer(name, {}, namespace, {}) for name, namespace in names.items()}
    return {**ours, **reaching, "dns": dns, **strangers}


def documented() -> set[tuple[str, str, Port]]:
    """Return the connections that docs/operations.md allows to and from our pods."""
    ours = (*ROLES, "redis")
    return {
        *((role, "redis", STORE) for role in ROLES),
        *((role, "dns", port) for role in ours for port in NAMES),
        *((role, "internet", TLS) for role in ("remote", "hooks")),
        ("ingress", "web", WEB),
        ("monitoring", "web", METRICS),
        ("keda", "redis", STORE),
    }


def test_the_policies_allow_exactly_the_documented_connections(manifests: list[Manifest]) -> None:
    policies = [each for each in manifests if each["kind"] == "NetworkPolicy"]
    everybody = peers(manifests)
    ours = {*ROLES, "redis"}
    allowed = {
        (source, target, port)
        for source, target, port in product(everybody, everybody, PORTS)
        if source != target
        and ours & {source, target}
        and may_connect(policies, everybody[source], everybody[target], port)
    }
    assert allowed == documented()


def test_without_its_policy_a_pod_can_be_reached_by_everybody(manifests: list[Manifest]) -> None:
    policies = [each for each in manifests if each["kind"] == "NetworkPolicy" and each["metadata"]["name"] != "nobody"]
    everybody = peers(manifests)
    assert may_connect(policies, everybody["neighbour"], everybody["play"], SSH)
    assert not may_connect(policies, everybody["neighbour"], everybody["redis"], STORE)
