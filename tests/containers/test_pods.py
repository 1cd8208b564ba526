"""Every Deployment of the overlays runs as a pod: command, probes, security context, settings, secrets and volumes."""

import secrets
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, suppress
from http.client import HTTPConnection
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.containers.conftest import Note
from tests.containers.pods import Pods, system
from tests.containers.project import base_images
from tests.containers.traffic import Table
from tests.deploy.conftest import OVERLAYS, Manifest, built
from tests.launch.kit import within

pytestmark = pytest.mark.thorough

PROBES = ("startupProbe", "readinessProbe", "livenessProbe")
SECONDS = 120


@pytest.fixture(scope="module", params=OVERLAYS)
def overlay(request: pytest.FixtureRequest, checkout: Path) -> list[Manifest]:
    return built(checkout / "k8s" / "overlays" / request.param)


@pytest.fixture(scope="module")
def pods(
    overlay: list[Manifest], image: str, checkout: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Pods]:
    chosen = {"secret-key": secrets.token_hex(32), "redis-password": secrets.token_hex(16)}
    running = Pods(overlay, chosen, tmp_path_factory.mktemp("pods"))
    store = next(name for name in base_images(checkout) if name.startswith("valkey"))
    wanted = {container["image"] for container in specifications(overlay).values()}
    ours = {name: next(each for each in wanted if each.endswith(name)) for name in (image, store)}
    try:
        running.load(ours)
        running.start()
        yield running
    finally:
        running.remove()


def specifications(manifests: list[Manifest]) -> dict[str, Any]:
    return {
        each["metadata"]["name"]: each["spec"]["template"]["spec"]["containers"][0]
        for each in manifests
        if each["kind"] in ("Deployment", "StatefulSet")
    }


def succeeds(pods: Pods, container: str, probe: Any) -> bool:
    if "exec" in probe:
        return pods.execute(container, probe["exec"]["command"])
    with suppress(OSError):
        url = f"http://{pods.address(container)}:8000{probe['httpGet']['path']}"
        with urllib.request.urlopen(url, timeout=probe.get("timeoutSeconds", 1)) as response:
            return bool(response.status == 200)
    return False


def test_every_probe_of_every_deployment_succeeds(pods: Pods, overlay: list[Manifest]) -> None:
    assert len(specifications(overlay)) == 7
    for workload, specification in specifications(overlay).items():
        name = pods.container(workload)
        for probe in (specification[kind] for kind in PROBES if kind in specification):
            assert within(SECONDS, lambda name=name, probe=probe: succeeds(pods, name, probe)), (  # type: ignore[misc]
                f"{name}: {pods.podman('logs', name)[-2000:]}"
            )


def test_every_container_has_the_rights_and_the_command_of_its_manifest(pods: Pods, overlay: list[Manifest]) -> None:
    for name, specification in specifications(overlay).items():
        found = pods.inspect(pods.container(name))
        assert found["HostConfig"]["ReadonlyRootfs"], name
        assert found["EffectiveCaps"] in (None, []), name
        assert "no-new-privileges" in str(found["HostConfig"]["SecurityOpt"]), name
        assert found["Config"]["User"] in {"10001:10001", "999:1000"}, name
        assert found["Args"][-len(specification["args"]) :] == specification["args"], name


def test_a_game_is_played_in_pods(pods: Pods, overlay: list[Manifest], note: Note) -> None:
    table = Table(8000, host=pods.address(pods.container("web")))
    seats = [{"kind": "human"}, {"kind": "bot", "bot": {"level": "greedy"}}]
    made = table.ask("POST", "/v1/sessions", {"game": "hoher-rat", "seats": seats, "options": {"turn_cap": 20}})
    path, token = made["links"]["session"], made["seats"][0]["token"]
    bearer = {"Authorization": f"Bearer {token}"}
    choice, moves = Random(5), 0
    while True:
        shown = table.ask("GET", f"{path}?expand=legal_moves&wait=5", **bearer)
        if shown["status"] != "running":
            break
        legal = shown["legal_moves"]["moves"]
        if legal:
            body = {"move": choice.choice(legal)["move"]}
            table.ask("POST", f"{path}/moves", body, **bearer, If_Match=f'"{shown["version"]}"')
            moves += 1
        else:
            time.sleep(0.2)
    assert shown["outcome"]
    note(f"{system()}: {len(specifications(overlay))} pods, {moves} moves against a bot")


def test_a_web_pod_ends_by_itself_and_starts_again(pods: Pods) -> None:
    web = pods.container("web")
    with closing(HTTPConnection(pods.address(web), 8000, timeout=30)) as connection:
        connection.request("GET", "/v1/games")
        assert connection.getresponse().read()
    pods.podman("stop", "--time", "30", web)
    assert pods.inspect(web)["State"]["ExitCode"] == 0
    pods.podman("start", web)
    assert within(SECONDS, lambda: succeeds(pods, web, {"httpGet": {"path": "/readyz"}}))
