"""A checker for known mistakes in Kubernetes manifests, and a model of NetworkPolicies."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from tests.deploy.conftest import Manifest

MIN_PRE_STOP_SECONDS: Final = 5
"""Time for a proxy to take a pod out of its list."""

WORKLOADS: Final = ("Deployment", "StatefulSet")


def find_mistakes(manifests: list[Manifest]) -> list[str]:
    """Return a sentence for each known mistake, in the order of the manifests."""
    found = []
    for manifest in manifests:
        if manifest["kind"] in WORKLOADS:
            name = manifest["metadata"]["name"]
            found += [f"{name}: {mistake}" for mistake in _workload(manifest, manifests)]
        if manifest["kind"] == "PodDisruptionBudget":
            found += [f"{manifest['metadata']['name']}: {mistake}" for mistake in _budget(manifest)]
    return found


def _workload(workload: Manifest, manifests: list[Manifest]) -> Iterator[str]:
    pod = workload["spec"]["template"]["spec"]
    labels = workload["spec"]["template"]["metadata"]["labels"]
    for container in pod["containers"]:
        resources = container.get("resources", {})
        for kind in ("cpu", "memory"):
            if kind not in resources.get("requests", {}):
                yield f"no request of {kind}"
        if "memory" not in resources.get("limits", {}):
            yield "no limit of memory"
        yield from _probes(container)
    if not any(
        manifest["kind"] == "PodDisruptionBudget" and matches(manifest["spec"]["selector"], labels)
        for manifest in manifests
    ):
        yield "no PodDisruptionBudget"
    if workload["kind"] == "Deployment":
        spread = pod.get("topologySpreadConstraints", [])
        if not any(matches(constraint["labelSelector"], labels) for constraint in spread):
            yield "no topology spread over hosts"
    if _receives_requests(labels, manifests):
        yield from _ending(pod)


def _probes(container: Any) -> Iterator[str]:
    live, ready = container.get("livenessProbe"), container.get("readinessProbe")
    if live is None:
        yield "no liveness probe"
    if container.get("ports") and ready is None:
        yield "receives requests without a readiness probe"
    if live is not None and ready is not None and "httpGet" in live and live["httpGet"] == ready.get("httpGet"):
        yield "the liveness probe asks what the readiness probe asks, so a restart follows each outage of the store"


def _ending(pod: Any) -> Iterator[str]:
    container = pod["containers"][0]
    pause = container.get("lifecycle", {}).get("preStop", {}).get("sleep", {}).get("seconds", 0)
    if pause < MIN_PRE_STOP_SECONDS:
        yield f"preStop takes {pause} s, which is too short for a proxy"
    if pod.get("terminationGracePeriodSeconds", 30) <= pause:
        yield "the grace period ends before preStop does"


def _budget(budget: Manifest) -> Iterator[str]:
    spec = budget["spec"]
    if spec.get("maxUnavailable") in (0, "0%") or spec.get("minAvailable") == "100%":
        yield "the budget allows no drain"


def _receives_requests(labels: dict[str, str], manifests: list[Manifest]) -> bool:
    return any(
        manifest["kind"] == "Service"
        and manifest["spec"].get("clusterIP") != "None"
        and matches({"matchLabels": manifest["spec"]["selector"]}, labels)
        for manifest in manifests
    )


def matches(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    """Return whether a label selector picks an object with some labels, as the API server would."""
    if any(labels.get(key) != value for key, value in selector.get("matchLabels", {}).items()):
        return False
    return all(_fits(part, labels) for part in selector.get("matchExpressions", []))


def _fits(part: dict[str, Any], labels: dict[str, str]) -> bool:
    value = labels.get(part["key"])
    match part["operator"]:
        case "In":
            return value in part["values"]
        case "NotIn":
            return value not in part["values"]
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
    raise AssertionError(part)


class Peer(NamedTuple):
    """One end of a connection: a pod with its labels and its namespace's, or an address outside the cluster."""

    name: str
    labels: dict[str, str]
    namespace: str
    namespace_labels: dict[str, str]


class Port(NamedTuple):
    """A port at which a connection arrives."""

    protocol: str
    number: int


def may_connect(policies: list[Manifest], source: Peer, target: Peer, port: Port) -> bool:
    """Return whether NetworkPolicies let a connection through: both ends must allow it, and an end without one does."""
    return _allows(policies, source, target, port, "Egress") and _allows(policies, target, source, port, "Ingress")


def _allows(policies: list[Manifest], owner: Peer, other: Peer, port: Port, direction: str) -> bool:
    applying = [
        policy["spec"]
        for policy in policies
        if policy["metadata"].get("namespace") == owner.namespace
        and direction in policy["spec"]["policyTypes"]
        and matches(policy["spec"]["podSelector"], owner.labels)
    ]
    if not applying:
        return True
    rules, peers = ("ingress", "from") if direction == "Ingress" else ("egress", "to")
    return any(
        any(_is_peer(peer, owner, other) for peer in rule.get(peers, [{}])) and _has_port(rule, port)
        for spec in applying
        for rule in spec.get(rules, [])
    )


def _is_peer(peer: dict[str, Any], owner: Peer, other: Peer) -> bool:
    if not peer:
        return True
    if "ipBlock" in peer:
        return other.namespace == "internet"
    if other.namespace == "internet":
        return False
    if "namespaceSelector" in peer:
        if not matches(peer["namespaceSelector"], other.namespace_labels):
            return False
    elif other.namespace != owner.namespace:
        return False
    return matches(peer.get("podSelector", {}), other.labels)


def _has_port(rule: dict[str, Any], port: Port) -> bool:
    if "ports" not in rule:
        return True
    return any((each.get("protocol", "TCP"), each["port"]) == port for each in rule["ports"])
