"""Rendered Kubernetes manifests as pods under `podman kube play`.

podman knows no StatefulSets, Services or `$(NAME)` in values. So the store becomes a Pod with the name of its Service,
and such values are filled in beforehand. Images, commands, probes, security contexts, settings, secrets and volumes
are the manifests' own.
"""

import base64
import json
import os
import resource
import shutil
import subprocess
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

import yaml

from tests.containers.engine import NoEngineError, install, run
from tests.deploy.conftest import Manifest

PACKAGES: Final = ("podman", "netavark", "aardvark-dns", "catatonit", "runc")
MAX_PROCESSES: Final = 4096
"""Limit of processes a container; podman's default is higher than a sandboxed machine allows."""

PLAYED_KINDS: Final = ("ConfigMap", "Deployment")


class Pods:
    """The pods of one overlay on a network of their own."""

    def __init__(self, manifests: list[Manifest], secrets: dict[str, str], folder: Path) -> None:
        """Prepare the pods; `secrets` are the values that the runbook has the operator choose."""
        if shutil.which("podman") is None or shutil.which("catatonit") is None:
            install(*PACKAGES)
        self.network = f"dorfplatz-{os.getpid()}"
        self._environment = {**os.environ, "CONTAINERS_CONF": str(_write_settings(folder))}
        self._secrets = secrets
        self._file = folder / "pods.yaml"
        played = playable(manifests, secrets)
        self._file.write_text(yaml.safe_dump_all(played))
        self._names = dict(_container_name(each) for each in played if each["kind"] in ("Deployment", "Pod"))

    def podman(self, *arguments: str, stdin: bytes | None = None, check: bool = True) -> str:
        done = subprocess.run(
            ["podman", *arguments], env=self._environment, input=stdin, capture_output=True, check=False, timeout=300
        )
        assert done.returncode == 0 or not check, f"{arguments}: {done.stderr.decode()[-3000:]}"
        return done.stdout.decode()

    def load(self, images: dict[str, str]) -> None:
        """Copy images from Docker's store, each under the name that the manifests have."""
        for name, wanted in images.items():
            packed = subprocess.run(["docker", "save", name], check=True, capture_output=True).stdout
            self.podman("load", stdin=packed)
            self.podman("tag", f"localhost/{name}", wanted)

    def start(self) -> None:
        self.podman("network", "create", self.network)
        encoded = {name: base64.b64encode(text.encode()).decode() for name, text in self._secrets.items()}
        self.podman("secret", "create", "dorfplatz", "-", stdin=json.dumps(encoded).encode())
        self.podman("kube", "play", "--network", self.network, str(self._file))

    def container(self, workload: str) -> str:
        return self._names[workload]

    def inspect(self, container: str) -> Any:
        return json.loads(self.podman("inspect", container))[0]

    def address(self, container: str) -> str:
        networks = self.inspect(container)["NetworkSettings"]["Networks"]
        return str(networks[self.network]["IPAddress"])

    def execute(self, container: str, command: list[str]) -> bool:
        done = subprocess.run(
            ["podman", "exec", container, *command], env=self._environment, capture_output=True, check=False
        )
        return done.returncode == 0

    def remove(self) -> None:
        self.podman("kube", "down", str(self._file), check=False)
        self.podman("volume", "rm", "--force", "data", check=False)
        self.podman("secret", "rm", "dorfplatz", check=False)
        self.podman("network", "rm", "--force", self.network, check=False)


def playable(manifests: list[Manifest], secrets: dict[str, str]) -> list[Manifest]:
    found: list[Manifest] = []
    for manifest in deepcopy(manifests):
        if manifest["kind"] in PLAYED_KINDS:
            found.append(manifest)
        elif manifest["kind"] == "StatefulSet":
            found += _pod_of(manifest)
    for manifest in found:
        pod = manifest["spec"]["template"]["spec"] if manifest["kind"] == "Deployment" else manifest.get("spec", {})
        for container in pod.get("containers", []):
            for variable in container.get("env", []):
                if "$(REDIS_PASSWORD)" in variable.get("value", ""):
                    variable["value"] = variable["value"].replace("$(REDIS_PASSWORD)", secrets["redis-password"])
    return found


def _container_name(workload: Manifest) -> tuple[str, str]:
    name, spec = workload["metadata"]["name"], workload["spec"]
    pod, spec = (name, spec) if workload["kind"] == "Pod" else (f"{name}-pod-0", spec["template"]["spec"])
    return name, f"{pod}-{spec['containers'][0]['name']}"


def _pod_of(workload: Manifest) -> list[Manifest]:
    pod, claims = workload["spec"]["template"], workload["spec"]["volumeClaimTemplates"]
    for claim in claims:
        name = claim["metadata"]["name"]
        pod["spec"].setdefault("volumes", []).append({"name": name, "persistentVolumeClaim": {"claimName": name}})
    metadata = {"name": workload["metadata"]["name"], "labels": pod["metadata"]["labels"]}
    return [
        *({"apiVersion": "v1", "kind": "PersistentVolumeClaim", **claim} for claim in claims),
        {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod["spec"]},
    ]


def _write_settings(folder: Path) -> Path:
    # Podman's default limits may exceed this machine's, and its default runtime needs new control groups.
    runtime = shutil.which("runc")
    if runtime is None:
        raise NoEngineError("podman needs runc here")
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    limits = [f"nofile={files}:{files}", f"nproc={MAX_PROCESSES}:{MAX_PROCESSES}"]
    file = folder / "containers.conf"
    file.write_text(f'[containers]\ndefault_ulimits = {json.dumps(limits)}\n[engine]\nruntime = "runc"\n')
    return file


def system() -> str:
    return run("podman", "--version").strip()
